-- Beside the shipped packs `tool_scoring` and `errors`, over the numbers of `src/year.rs`: domain 2 is the one that stands for all.
create macro facts(name) as table select * from read_csv(name || '.facts', delim = '\t', header = false);
create table tool as select column0 as tool from facts('tool');
create table tool_run as select column0 as run, column1 as tool, column2 as domain, column3 as ok, column4 as latency, column5 as moment
    from facts('tool_run');
create table failure_mode as select column0 as run, column1 as mode from facts('failure_mode');
create table goal as select column0 as goal from facts('goal');
create table given as select column0 as goal, min(column1) as domain from facts('goal_domain_given') group by column0;
create table domain_order as select * from (values (3, 1), (0, 2), (1, 3), (4, 4)) as places(domain, place);
create table signalled as
    select column0 as goal, arg_min(domain, place) as domain
    from facts('domain_signal') join domain_order on column1 = domain group by column0;
create table goal_domain as
    select goal, coalesce(given.domain, signalled.domain, 2) as domain
    from goal left join given using (goal) left join signalled using (goal);
create table tool_stats as
    select tool, domain, count(*) as calls, sum(ok) as successes, round(avg(latency * 1000)) as mean
    from tool_run where domain <> 2 group by tool, domain
    union all
    select tool, 2, count(*), sum(ok), round(avg(latency * 1000)) from tool_run group by tool;
create table known_domain as
    select 2 as domain union select domain from tool_run union select domain from goal_domain;
create table usefulness as
    select tool.tool, known_domain.domain,
        case when every.calls is null then 0.5::double
        else (coalesce(own.successes, every.successes)::double / coalesce(own.calls, every.calls) * 0.7::double + 0.5::double * 0.3::double)
            * least(1.0::double, coalesce(own.calls, every.calls)::double / 10.0::double) end as usefulness
    from tool cross join known_domain
    left join tool_stats own on own.tool = tool.tool and own.domain = known_domain.domain and own.domain <> 2
    left join tool_stats every on every.tool = tool.tool and every.domain = 2;
create table recent_failure_mode as
    select tool, domain, mode, moment from
        (select distinct tool, domain, mode, moment from tool_run join failure_mode using (run) where ok = 0)
    qualify row_number() over (partition by tool, domain order by moment desc, mode) <= 10;
create table memory as
    select distinct column1 as domain, column2 as tool from facts('tool_memory') where column3 < 300;
create table avoid as
    select goal, tool from goal_domain join memory using (domain) union select goal, tool from goal cross join memory where domain = 2;
create table pattern_share as
    select column0 as goal, column1 as tool, max(case when column3 > 0 then column2::double / column3 else 0 end) as share
    from facts('pattern_match') group by column0, column1;
create table plain_score as
    select goal, tool, coalesce(share, 0) * 0.8::double + usefulness * 0.2::double as score
    from goal_domain join usefulness using (domain) left join pattern_share using (goal, tool);
create table tool_score as
    select goal, tool, case when avoid.goal is null then score else score * 0.3::double end as score
    from plain_score left join avoid using (goal, tool);
create table first_choice as
    select goal, arg_min(tool, tool) as tool, score
    from tool_score join (select goal, max(score) as score from tool_score group by goal) using (goal, score) group by goal, score;
create table select_tool as select * from first_choice where score >= 0.15::double;
create table no_tool as select goal, score from first_choice where score < 0.15::double
    union all select goal, 0 from goal where goal not in (select goal from tool_score);
create table category as select * from (values
    (0, 2), (1, 2), (2, 2), (3, 3), (4, 4), (5, 1), (8, 3), (9, 3), (10, 2), (13, 5), (14, 5), (15, 1)) as kinds(signal, category);
create table error as select column0 as error, column1 as length from facts('error');
create table error_signal as select column0 as error, column1 as signal from facts('error_signal');
create table handle_error as
    select error, min(category) as category from (
        select error, category from error join error_signal using (error) join category using (signal)
        union all select a.error, 3 from error_signal a join error_signal b using (error) where a.signal = 11 and b.signal = 12
        union all select a.error, 4 from error_signal a join error_signal b using (error) where a.signal = 6 and b.signal = 7
        union all select error, 5 from error where length > 2000
        union all select error, 6 from error)
    group by error;
select (select count(*) from tool_stats) + (select count(*) from recent_failure_mode) + (select count(*) from select_tool)
    + (select count(*) from no_tool) + (select count(*) from handle_error);
