//! The aggregates.

use super::{Entry, NO_RESULT, Section};

pub(super) const SECTIONS: &[Section] = &[
    Section { title: "Counts", entries: COUNTS },
    Section { title: "Numbers", entries: NUMBERS },
    Section { title: "Choice", entries: CHOICE },
    Section { title: "Strings", entries: STRINGS },
];

const COUNTS: &[Entry] = &[
    Entry {
        name: "count",
        form: "count(), count(x)",
        meaning: "How many matches a group has; with an argument, how many distinct values.",
        examples: &[("count()", "4"), ("count(Tool)", "3")],
    },
    Entry {
        name: "any",
        form: "any(b)",
        meaning: "Whether `b` is true in a match of the group.",
        examples: &[("any(Ms > 50)", "true")],
    },
    Entry {
        name: "all",
        form: "all(b)",
        meaning: "Whether `b` is true in every match of the group.",
        examples: &[("all(Ok)", "false")],
    },
];

const NUMBERS: &[Entry] = &[
    Entry {
        name: "sum",
        form: "sum(x)",
        meaning: "The sum. That of floats is exact and rounded once, so no order changes it. On overflow it has no result.",
        examples: &[("sum(Ms)", "160")],
    },
    Entry {
        name: "mean",
        form: "mean(x)",
        meaning: "The exact sum divided by the number of matches, rounded once. The mean of ints is a float.",
        examples: &[("mean(Ms)", "40.0"), ("mean(if(Ok, 1.0, 0.0))", "0.75")],
    },
    Entry {
        name: "stddev",
        form: "stddev(x)",
        meaning: "The standard deviation of the population.",
        examples: &[("stddev(if(Ok, 1, 1))", "0.0"), ("stddev(Ms)", "25.495097567963924")],
    },
    Entry {
        name: "median",
        form: "median(x)",
        meaning: "The middle value, or the mean of the middle two. The median of ints is a float.",
        examples: &[("median(Ms)", "35.0")],
    },
    Entry {
        name: "percentile",
        form: "percentile(x, share)",
        meaning: "The nearest rank: the smallest value such that at least `share` of all are not above it. A share that is not above 0 and at most 1 has no result.",
        examples: &[("percentile(Ms, 0.75)", "40"), ("percentile(Ms, 0.0)", NO_RESULT)],
    },
];

const CHOICE: &[Entry] = &[
    Entry {
        name: "min",
        form: "min(x)",
        meaning: "The smallest value. With two arguments, `min` is a function.",
        examples: &[("min(Ms)", "10")],
    },
    Entry {
        name: "max",
        form: "max(x)",
        meaning: "The largest value. With two arguments, `max` is a function.",
        examples: &[("max(Ms)", "80")],
    },
    Entry {
        name: "arg_min",
        form: "arg_min(x, by)",
        meaning: "The `x` of the match with the smallest `by`; of several, the smallest `x`.",
        examples: &[("arg_min(Tool, Ms)", "\"grep\"")],
    },
    Entry {
        name: "arg_max",
        form: "arg_max(x, by)",
        meaning: "The `x` of the match with the largest `by`; of several, the smallest `x`.",
        examples: &[("arg_max(Tool, Ms)", "\"pytest\""), ("arg_max(Tool, if(Ok, 1, 0))", "\"grep\"")],
    },
];

const STRINGS: &[Entry] = &[Entry {
    name: "join",
    form: "join(s, separator)",
    meaning: "The distinct strings in order, with the separator between them.",
    examples: &[("join(Tool, \", \")", "\"grep, pytest, ruff\"")],
}];
