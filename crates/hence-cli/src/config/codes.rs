//! Codes of the faults in `hence.toml`.

use hence_core::diagnostic::Code;

/// The file is no TOML.
pub(super) const NOT_TOML: Code = Code("E701");
/// A key that means nothing.
pub(super) const UNKNOWN_KEY: Code = Code("E702");
/// A value that its key doesn't take.
pub(super) const WRONG_VALUE: Code = Code("E703");
