//! The functions.

use super::{NO_RESULT, Section, WordEntry};

pub(super) const SECTIONS: &[Section] = &[
    Section { title: "Choice", entries: CHOICE },
    Section { title: "Numbers", entries: NUMBERS },
    Section { title: "Strings", entries: STRINGS },
    Section { title: "Times and durations", entries: TIMES },
    Section { title: "Conversions", entries: CONVERSIONS },
];

const CHOICE: &[WordEntry] = &[
    WordEntry {
        name: "if",
        form: "if(condition, a, b)",
        meaning: "`a` where the condition is true, else `b`. Only the value that is taken is evaluated.",
        examples: &[("if(Ms > 0, 100 / Ms, 0)", "10")],
    },
    WordEntry {
        name: "min",
        form: "min(a, b)",
        meaning: "The smaller of two values. With one argument, in a head, `min` is an aggregate.",
        examples: &[("min(3, 2)", "2"), ("min(\"b\", \"a\")", "\"a\"")],
    },
    WordEntry {
        name: "max",
        form: "max(a, b)",
        meaning: "The larger of two values. With one argument, in a head, `max` is an aggregate.",
        examples: &[("max(0.5, 0.25)", "0.5")],
    },
    WordEntry {
        name: "clamp",
        form: "clamp(x, low, high)",
        meaning: "`min(max(x, low), high)`: `x`, but at least `low` and at most `high`.",
        examples: &[("clamp(7, 0, 5)", "5")],
    },
];

const NUMBERS: &[WordEntry] = &[
    WordEntry {
        name: "abs",
        form: "abs(x)",
        meaning: "`x` without its sign.",
        examples: &[("abs(-2.5)", "2.5"), ("abs(-1h)", "1h")],
    },
    WordEntry {
        name: "sqrt",
        form: "sqrt(x)",
        meaning: "The square root; of a negative number it is undefined.",
        examples: &[("sqrt(6.25)", "2.5"), ("sqrt(-1.0)", NO_RESULT)],
    },
    WordEntry {
        name: "pow",
        form: "pow(base, exponent)",
        meaning: "The power. The exponent of an int is 0 or more; else, and on overflow, it is undefined.",
        examples: &[("pow(2, 10)", "1024"), ("pow(2.0, -1.0)", "0.5"), ("pow(2, -1)", NO_RESULT)],
    },
    WordEntry {
        name: "ln",
        form: "ln(x)",
        meaning: "The natural logarithm; of 0 and below it is undefined.",
        examples: &[("ln(1.0)", "0.0"), ("ln(0.0)", NO_RESULT)],
    },
    WordEntry {
        name: "exp",
        form: "exp(x)",
        meaning: "The exponential function; on overflow it is undefined.",
        examples: &[("exp(0.0)", "1.0")],
    },
    WordEntry {
        name: "round",
        form: "round(x), round(x, digits)",
        meaning: "The nearest int, halves away from zero; with `digits`, the float nearest to the exact value of `x` rounded to so many decimal digits, halves away from zero. Negative digits round before the point.",
        examples: &[
            ("round(2.5)", "3"),
            ("round(-2.5)", "-3"),
            ("round(0.125, 2)", "0.13"),
            ("round(2.675, 2)", "2.67"),
            ("round(1250.0, -2)", "1300.0"),
        ],
    },
    WordEntry {
        name: "floor",
        form: "floor(x)",
        meaning: "The largest int that is not above `x`.",
        examples: &[("floor(-1.5)", "-2")],
    },
    WordEntry {
        name: "ceil",
        form: "ceil(x)",
        meaning: "The smallest int that is not below `x`.",
        examples: &[("ceil(-1.5)", "-1")],
    },
];

const STRINGS: &[WordEntry] = &[
    WordEntry {
        name: "len",
        form: "len(s)",
        meaning: "How many Unicode scalar values a string has.",
        examples: &[("len(\"naïve\")", "5")],
    },
    WordEntry {
        name: "lower",
        form: "lower(s)",
        meaning: "The string in lower case.",
        examples: &[("lower(\"Error\")", "\"error\"")],
    },
    WordEntry {
        name: "upper",
        form: "upper(s)",
        meaning: "The string in upper case.",
        examples: &[("upper(\"get\")", "\"GET\"")],
    },
    WordEntry {
        name: "trim",
        form: "trim(s)",
        meaning: "The string without white space at both ends.",
        examples: &[("trim(\"  a b \")", "\"a b\"")],
    },
    WordEntry {
        name: "contains",
        form: "contains(s, part)",
        meaning: "Whether `part` occurs in `s`.",
        examples: &[("contains(\"timeout after 5 s\", \"timeout\")", "true")],
    },
    WordEntry {
        name: "starts_with",
        form: "starts_with(s, part)",
        meaning: "Whether `s` begins with `part`.",
        examples: &[("starts_with(\"web_search\", \"web\")", "true")],
    },
    WordEntry {
        name: "ends_with",
        form: "ends_with(s, part)",
        meaning: "Whether `s` ends with `part`.",
        examples: &[("ends_with(\"main.rs\", \".py\")", "false")],
    },
    WordEntry {
        name: "matches",
        form: "matches(s, pattern)",
        meaning: "Whether a regular expression matches anywhere in `s`; `^` and `$` anchor it. The pattern has the syntax of the Rust crate `regex`. A literal is compiled when the rules are loaded, any other string on its first use; with one that is no pattern it is undefined.",
        examples: &[
            ("matches(\"error 404\", r\"\\b4\\d\\d\\b\")", "true"),
            ("matches(\"error 404\", r\"^4\\d\\d$\")", "false"),
            ("matches(Tool, concat(\"^\", Tool, \"$\"))", "true"),
            ("matches(Tool, concat(\"(\", Tool))", NO_RESULT),
        ],
    },
    WordEntry {
        name: "replace_all",
        form: "replace_all(s, pattern, to)",
        meaning: "`s` with every match of a regular expression replaced by `to`, in which `$1` and `$name` (or `${1}`, `${name}`) stand for groups and `$$` for a dollar sign. For the pattern, see `matches`.",
        examples: &[
            ("replace_all(\"took 31 ms\", r\"\\d+\", \"N\")", "\"took N ms\""),
            ("replace_all(\"a=1, b=2\", r\"(\\w)=(\\d)\", \"$2=$1\")", "\"1=a, 2=b\""),
        ],
    },
    WordEntry {
        name: "replace",
        form: "replace(s, from, to)",
        meaning: "`s` with every `from` replaced by `to`; an empty `from` replaces nothing.",
        examples: &[("replace(\"a-b-c\", \"-\", \"/\")", "\"a/b/c\"")],
    },
    WordEntry {
        name: "concat",
        form: "concat(s, t, …)",
        meaning: "Two or more strings, one after the other.",
        examples: &[("concat(\"a\", \"b\", \"c\")", "\"abc\"")],
    },
    WordEntry {
        name: "substring",
        form: "substring(s, start, length)",
        meaning: "Up to `length` characters of `s` from `start`, which counts from 0. With a negative number, or a start beyond the end, it is undefined.",
        examples: &[
            ("substring(\"abcdef\", 2, 3)", "\"cde\""),
            ("substring(\"abc\", 1, 9)", "\"bc\""),
            ("substring(\"abc\", 4, 1)", NO_RESULT),
        ],
    },
    WordEntry {
        name: "format",
        form: "format(\"{A} of {B}\")",
        meaning: "A string with variables and parameters put in; `{{` and `}}` are braces. A placeholder may say how: `{X:.2}` a float with two digits, `{T:date}` and `{T:time}` a time as `2026-02-03` and `14:23 UTC`, `{D:human}` a duration as `3 h 20 min`, `{N:plural run runs}` an int as `3 runs`.",
        examples: &[
            ("format(\"{Tool} took {Ms} ms\")", "\"grep took 10 ms\""),
            ("format(\"{Ms:plural second seconds}\")", "\"10 seconds\""),
        ],
    },
    WordEntry {
        name: "jaccard",
        form: "jaccard(s, t)",
        meaning: "How alike two strings are: the words that both have, divided by the words that either has. Words are separated by white space.",
        examples: &[("jaccard(\"a b c\", \"b c d\")", "0.5"), ("jaccard(\"\", \"\")", "0.0")],
    },
];

const TIMES: &[WordEntry] = &[
    WordEntry {
        name: "year",
        form: "year(t), year(t, zone)",
        meaning: "The year of a time, in UTC or in a time zone.",
        examples: &[("year(@2026-02-03T14:23:45Z)", "2026")],
    },
    WordEntry {
        name: "month",
        form: "month(t), month(t, zone)",
        meaning: "The month of a time, 1 to 12, in UTC or in a time zone.",
        examples: &[("month(@2026-02-03T14:23:45Z)", "2")],
    },
    WordEntry {
        name: "day",
        form: "day(t), day(t, zone)",
        meaning: "The day of the month, from 1, in UTC or in a time zone.",
        examples: &[("day(@2026-02-03T14:23:45Z)", "3")],
    },
    WordEntry {
        name: "weekday",
        form: "weekday(t), weekday(t, zone)",
        meaning: "The day of the week, 0 for Monday to 6 for Sunday, in UTC or in a time zone.",
        examples: &[("weekday(@2026-02-03T14:23:45Z)", "1")],
    },
    WordEntry {
        name: "hour",
        form: "hour(t), hour(t, zone)",
        meaning: "The hour of the day, 0 to 23, in UTC or in a time zone.",
        examples: &[
            ("hour(@2026-02-03T14:23:45Z)", "14"),
            ("hour(@2026-02-03T14:23:45Z, \"Europe/Berlin\")", "15"),
            ("hour(@2026-02-03T14:23:45Z, Tool)", NO_RESULT),
        ],
    },
    WordEntry {
        name: "minute",
        form: "minute(t), minute(t, zone)",
        meaning: "The minute of the hour, 0 to 59, in UTC or in a time zone.",
        examples: &[
            ("minute(@2026-02-03T14:23:45Z)", "23"),
            ("minute(@2026-02-03T14:23:45Z, \"Asia/Kolkata\")", "53"),
        ],
    },
    WordEntry {
        name: "date",
        form: "date(t), date(t, zone)",
        meaning: "The day of a time as a string, in UTC or in a time zone.",
        examples: &[
            ("date(@2026-02-03T14:23:45Z)", "\"2026-02-03\""),
            ("date(@2026-02-03T14:23:45Z, \"Asia/Tokyo\")", "\"2026-02-03\""),
            ("date(@2026-02-03T15:23:45Z, \"Asia/Tokyo\")", "\"2026-02-04\""),
        ],
    },
    WordEntry {
        name: "truncate",
        form: "truncate(t, d), truncate(t, unit), truncate(t, unit, zone)",
        meaning: "The latest multiple of a duration `d` since 1970-01-01T00:00:00Z that is not after `t`; with a duration that is not positive it is undefined. With a unit (`/hour`, `/day`, `/week` from Monday, or `/month`), the time at which that unit began, in UTC or in a time zone. Where clocks are put back, an hour that they show twice begins twice; where they skip the beginning of a unit, it begins after the gap.",
        examples: &[
            ("truncate(@2026-02-03T14:23:45Z, /week)", "@2026-02-02T00:00:00Z"),
            ("truncate(@2026-07-03T14:23:45Z, /day, \"Europe/Berlin\")", "@2026-07-02T22:00:00Z"),
            ("truncate(@2026-02-03T14:23:45Z, 1h)", "@2026-02-03T14:00:00Z"),
            ("truncate(@2026-02-03T14:23:45Z, 0s)", NO_RESULT),
        ],
    },
    WordEntry {
        name: "seconds",
        form: "seconds(d)",
        meaning: "A duration in seconds, as a float.",
        examples: &[("seconds(1500ms)", "1.5")],
    },
    WordEntry {
        name: "minutes",
        form: "minutes(d)",
        meaning: "A duration in minutes, as a float.",
        examples: &[("minutes(90s)", "1.5")],
    },
    WordEntry {
        name: "hours",
        form: "hours(d)",
        meaning: "A duration in hours, as a float.",
        examples: &[("hours(90m)", "1.5")],
    },
    WordEntry {
        name: "days",
        form: "days(d)",
        meaning: "A duration in days of 24 hours, as a float.",
        examples: &[("days(36h)", "1.5")],
    },
];

const CONVERSIONS: &[WordEntry] = &[
    WordEntry {
        name: "int",
        form: "int(x)",
        meaning: "A float rounded towards zero; of a string, the int literal that it holds. For other strings it is undefined.",
        examples: &[("int(-2.7)", "-2"), ("int(\"42\")", "42"), ("int(\"4.2\")", NO_RESULT)],
    },
    WordEntry {
        name: "float",
        form: "float(x)",
        meaning: "The float nearest to an int; of a string, the float literal that it holds. For other strings it is undefined.",
        examples: &[("float(3)", "3.0"), ("float(\"0.5\")", "0.5"), ("float(\"half\")", NO_RESULT)],
    },
    WordEntry {
        name: "string",
        form: "string(x)",
        meaning: "The value as text: a float in the shortest form that reads back, with an exponent below 0.00001 and from 1e16; a name with its slash.",
        examples: &[
            ("string(0.1)", "\"0.1\""),
            ("string(/error/syntax)", "\"/error/syntax\""),
            ("string(90m)", "\"1h30m\""),
        ],
    },
    WordEntry {
        name: "name",
        form: "name(s)",
        meaning: "The name that a string holds, with or without its slash. For other strings it is undefined.",
        examples: &[("name(\"error/syntax\")", "/error/syntax"), ("name(\"No name\")", NO_RESULT)],
    },
];
