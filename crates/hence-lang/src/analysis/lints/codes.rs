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
/// A count compared from above, which no group without matches has.
pub const COUNT_FROM_ABOVE: Code = Code("W209");
/// A declaration without a doc comment.
pub const UNDOCUMENTED: Code = Code("W208");
