//! The operators.

use super::{NO_RESULT, Section, WordEntry};

pub(super) const SECTIONS: &[Section] = &[
    Section { title: "Arithmetic", entries: ARITHMETIC },
    Section { title: "Comparison", entries: COMPARISON },
    Section { title: "Logic", entries: LOGIC },
];

const ARITHMETIC: &[WordEntry] = &[
    WordEntry {
        name: "+",
        form: "a + b",
        meaning: "The sum. A time and a duration make a time.",
        examples: &[("1 + 2", "3"), ("@2026-02-03T12:00:00Z + 1h30m", "@2026-02-03T13:30:00Z")],
    },
    WordEntry {
        name: "-",
        form: "a - b, -a",
        meaning: "The difference; the negative. Two times make a duration.",
        examples: &[("1.5 - 2.0", "-0.5"), ("@2026-02-03T12:00:00Z - @2026-02-03T10:00:00Z", "2h")],
    },
    WordEntry {
        name: "*",
        form: "a * b",
        meaning: "The product.",
        examples: &[("0.5 * 4.0", "2.0"), ("3 * 20m", "1h")],
    },
    WordEntry {
        name: "/",
        form: "a / b",
        meaning: "The quotient, of ints towards zero. Division by zero is undefined.",
        examples: &[("-7 / 2", "-3"), ("90m / 1h", "1.5"), ("1 / 0", NO_RESULT)],
    },
    WordEntry {
        name: "%",
        form: "a % b",
        meaning: "The remainder, with the sign of `a`. By zero it is undefined.",
        examples: &[("-7 % 2", "-1")],
    },
];

const COMPARISON: &[WordEntry] = &[
    WordEntry {
        name: "=",
        form: "a = b",
        meaning: "Whether both are equal. In a body, a lone variable that nothing else binds takes the value of the other side.",
        examples: &[("if(\"a\" = \"b\", 1, 2)", "2")],
    },
    WordEntry {
        name: "!=",
        form: "a != b",
        meaning: "Whether both differ.",
        examples: &[("if(/low != /high, 1, 2)", "1")],
    },
    WordEntry {
        name: "<",
        form: "a < b",
        meaning: "Whether `a` comes before `b`. Strings and names compare by their Unicode scalar values; `false < true`.",
        examples: &[("if(\"Z\" < \"a\", 1, 2)", "1")],
    },
    WordEntry {
        name: "<=",
        form: "a <= b",
        meaning: "Whether `a` is `b` or comes before it.",
        examples: &[("if(2 <= 2, 1, 2)", "1")],
    },
    WordEntry {
        name: ">",
        form: "a > b",
        meaning: "Whether `a` comes after `b`.",
        examples: &[("if(1h > 59m, 1, 2)", "1")],
    },
    WordEntry {
        name: ">=",
        form: "a >= b",
        meaning: "Whether `a` is `b` or comes after it.",
        examples: &[("if(0.5 >= 0.6, 1, 2)", "2")],
    },
];

const LOGIC: &[WordEntry] = &[
    WordEntry {
        name: "and",
        form: "a and b",
        meaning: "Whether both are true; `b` is evaluated only where `a` is true. Used inside `if` and parentheses.",
        examples: &[("if(Ms > 5 and Ok, 1, 2)", "1")],
    },
    WordEntry {
        name: "or",
        form: "a or b",
        meaning: "Whether one is true; `b` is evaluated only where `a` is false. Used inside `if` and parentheses.",
        examples: &[("if(Ms > 50 or Ok, 1, 2)", "1")],
    },
    WordEntry {
        name: "not",
        form: "not a",
        meaning: "Whether `a` is false. Before a condition in a body, `!` means the same.",
        examples: &[("not Ok", "false")],
    },
];
