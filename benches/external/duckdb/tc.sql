-- Beside `rules/tc.dl`. The files lie in the folder in which this runs.
create table edge as select * from read_csv('edge.facts', delim = '\t', header = false, names = ['x', 'y']);
with recursive path(x, y) as (
    select x, y from edge
    union
    select path.x, edge.y from path join edge on path.y = edge.x
)
select count(*) from path;
