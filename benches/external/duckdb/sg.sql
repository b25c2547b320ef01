-- Beside `rules/sg.dl`.
create table parent as select * from read_csv('parent.facts', delim = '\t', header = false, names = ['p', 'c']);
with recursive sg(x, y) as (
    select a.c, b.c from parent a join parent b on a.p = b.p where a.c <> b.c
    union
    select a.c, b.c from sg join parent a on a.p = sg.x join parent b on b.p = sg.y
)
select count(*) from sg;
