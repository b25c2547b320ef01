//! What settings say of the carrier `mail`, wherever it is built.

/// The name of the carrier.
pub const NAME: &str = "mail";
/// The port of a server if nothing else is said.
pub const PORT: u16 = 25;
