//! The generators.

use super::{Section, WordEntry};

pub(super) const SECTIONS: &[Section] =
    &[Section { title: "Numbers", entries: NUMBERS }, Section { title: "Strings", entries: STRINGS }];

const NUMBERS: &[WordEntry] = &[WordEntry {
    name: "range",
    form: "range(from, to)",
    meaning: "The ints from `from` to below `to`; none where `from` is not below `to`.",
    examples: &[("range(1, 4)", "1, 2, 3")],
}];

const STRINGS: &[WordEntry] = &[
    WordEntry {
        name: "words",
        form: "words(s)",
        meaning: "The parts of a string that white space separates.",
        examples: &[("words(\"to be or not to be\")", "\"to\", \"be\", \"or\", \"not\"")],
    },
    WordEntry {
        name: "split",
        form: "split(s, separator)",
        meaning: "The parts of a string between separators; the whole string for an empty separator.",
        examples: &[("split(\"a,b,,a\", \",\")", "\"a\", \"b\", \"\"")],
    },
    WordEntry {
        name: "lines",
        form: "lines(s)",
        meaning: "The lines, without their line ends.",
        examples: &[("lines(\"one\\ntwo\\n\")", "\"one\", \"two\"")],
    },
    WordEntry {
        name: "chars",
        form: "chars(s)",
        meaning: "The Unicode scalar values.",
        examples: &[("chars(\"abba\")", "\"a\", \"b\"")],
    },
    WordEntry {
        name: "captures",
        form: "captures(s, r\"pattern\", group)",
        meaning: "The text of a group at each match of a regular expression; group 0 is the whole match. Pattern and group are literals.",
        examples: &[("captures(\"E0308 and E0599\", r\"E(\\d+)\", 1)", "\"0308\", \"0599\"")],
    },
];
