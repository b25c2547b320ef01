-- Beside `rules/agg.dl`.
create table tool_run as select * from read_csv('tool_run.facts', delim = '\t', header = false,
    names = ['run', 'tool', 'domain', 'ok', 'latency']);
create table tool as select * from read_csv('tool.facts', delim = '\t', header = false, names = ['tool']);
create table stats as
    select tool, domain, count(*) as calls, sum(ok) as successes, min(latency) as least, max(latency) as most, avg(latency) as mean
    from tool_run group by tool, domain;
create table rate as select tool, domain, calls, successes::double / calls as rate from stats;
create table useful as
    select tool, domain, (rate * 0.7 + 0.5 * 0.3) * least(1.0, calls::double / 10.0) as useful from rate;
create table best as
    select domain, tool from useful join (select domain, max(useful) as useful from useful group by domain) using (domain, useful);
create table poor as select tool, domain from rate where rate < 0.5 and calls >= 10;
create table good as select tool from tool where tool not in (select tool from poor);
create table slow as select tool, domain from stats where mean > 120.0 and most > 20 * least;
select (select count(*) from stats) + (select count(*) from best) + (select count(*) from poor) + (select count(*) from good) + (select count(*) from slow);
