//! The codes of the lints (W2xx).

use hence_core::diagnostic::Code;

/// A variable that occurs once in its rule.
pub const SINGLE_VARIABLE: Code = Code("W201");
/// A relation that nothing reads and nobody described.
pub const UNREAD_RELATION: Code = Code("W202");
/// A condition that never holds.
pub const NEVER_HOLDS: Code = Code("W203");
/// An atom of a relation that no rule can derive.
pub const ALWAYS_EMPTY: Code = Code("W204");
/// A duplicate rule.
pub const DUPLICATE_RULE: Code = Code("W205");
/// A recursion that makes new values and so may not end.
pub const GROWING_RECURSION: Code = Code("W206");
/// A rule for a decision without a sentence.
pub const NO_BECAUSE: Code = Code("W207");
/// A declaration without a doc comment.
pub const UNDOCUMENTED: Code = Code("W208");
/// A count compared from above, which no group without matches has.
pub const COUNT_FROM_ABOVE: Code = Code("W209");
/// A guard that an input without `from` satisfies.
pub const GUARD_BY_ANYONE: Code = Code("W210");
/// A guard that a fed input satisfies.
pub const GUARD_BY_FEED: Code = Code("W211");
/// Effects that may begin each other without end.
pub const ENDLESS_EFFECTS: Code = Code("W212");
/// Effects that assert and retract one fact when one fact begins to hold.
pub const OPPOSED_EFFECTS: Code = Code("W213");

/// Every lint with its name, in the order of the codes.
pub const NAMES: [(Code, &str); 13] = [
    (SINGLE_VARIABLE, "single_variable"),
    (UNREAD_RELATION, "unread_relation"),
    (NEVER_HOLDS, "never_holds"),
    (ALWAYS_EMPTY, "always_empty"),
    (DUPLICATE_RULE, "duplicate_rule"),
    (GROWING_RECURSION, "growing_recursion"),
    (NO_BECAUSE, "missing_because"),
    (UNDOCUMENTED, "missing_docs"),
    (COUNT_FROM_ABOVE, "count_from_above"),
    (GUARD_BY_ANYONE, "guard_by_anyone"),
    (GUARD_BY_FEED, "guard_by_feed"),
    (ENDLESS_EFFECTS, "endless_effects"),
    (OPPOSED_EFFECTS, "opposed_effects"),
];
