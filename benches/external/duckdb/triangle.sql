-- Beside `rules/triangle.dl`.
create table e as select distinct * from read_csv('e.facts', delim = '\t', header = false, names = ['x', 'y']);
create table t as select a.x, a.y, b.y as z from e a join e b on a.y = b.x join e c on c.x = a.x and c.y = b.y;
select count(*) from t;
