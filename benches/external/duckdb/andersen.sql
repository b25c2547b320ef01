-- Beside `rules/andersen.dl`: `pt` joined with itself goes beyond a recursive query that sees the last round only,
-- so the whole of it is asked for by name (`recurring`).
create table addressOf as select * from read_csv('addressOf.facts', delim = '\t', header = false, names = ['y', 'x']);
create table assign as select * from read_csv('assign.facts', delim = '\t', header = false, names = ['y', 'x']);
create table load as select * from read_csv('load.facts', delim = '\t', header = false, names = ['y', 'x']);
create table store as select * from read_csv('store.facts', delim = '\t', header = false, names = ['y', 'x']);
with recursive pt(y, x) using key (y, x) as (
    select y, x from addressOf
    union
    (
        select assign.y, pt.x from assign join pt on assign.x = pt.y
        union
        select load.y, a.x from pt join load on load.x = pt.y join recurring.pt a on pt.x = a.y
        union
        select load.y, pt.x from pt join recurring.pt a on a.x = pt.y join load on load.x = a.y
        union
        select a.x, pt.x from pt join store on store.x = pt.y join recurring.pt a on store.y = a.y
        union
        select pt.x, a.x from pt join store on store.y = pt.y join recurring.pt a on store.x = a.y
    )
)
select count(*) from pt;
