//! The codes of faults in fact files.

use hence_core::diagnostic::Code;

/// The file can't be opened or read.
pub(crate) const UNREADABLE: Code = Code("E601");
/// The file is larger than a fact file may be.
pub const TOO_LARGE: Code = Code("E602");
/// The file is not UTF-8.
pub(crate) const NOT_UTF8: Code = Code("E603");
/// The file's name ends in none of the formats.
pub(crate) const UNKNOWN_FORMAT: Code = Code("E604");
/// A line is not a fact of its format.
pub(crate) const MALFORMED: Code = Code("E605");
/// JSON nested deeper than 256.
pub const TOO_DEEP: Code = Code("E606");
/// No relation has this name.
pub const UNKNOWN_RELATION: Code = Code("E607");
/// The relation is derived, so nothing asserts its facts.
pub(crate) const NOT_INPUT: Code = Code("E608");
/// More or fewer columns than the relation has.
pub(crate) const COLUMN_COUNT: Code = Code("E609");
/// The relation has no column of this name.
pub const UNKNOWN_COLUMN: Code = Code("E610");
/// A column of the relation is not there.
pub(crate) const MISSING_COLUMN: Code = Code("E611");
/// A duplicate column.
pub(crate) const DUPLICATE_COLUMN: Code = Code("E612");
/// A value of another type than its column's.
pub const WRONG_TYPE: Code = Code("E613");
/// A number beyond what its type holds.
pub const OUT_OF_RANGE: Code = Code("E614");
/// A name outside the closed set of its column.
pub(crate) const NOT_IN_SET: Code = Code("E615");
/// The clock of a run as a fact.
pub(crate) const CLOCK: Code = Code("E618");
/// There are more faults in the file than are shown.
pub(crate) const MORE_FAULTS: Code = Code("E616");
