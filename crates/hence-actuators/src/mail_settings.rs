//! What settings say of the carrier `mail`, wherever it is built.

/// The name of the carrier.
pub const NAME: &str = "mail";
/// How a connection to a server is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Not at all.
    None,
    /// By TLS once the server was greeted, or not at all connected.
    StartTls,
    /// By TLS from the beginning.
    Implicit,
}

/// The port of a server if nothing else is said.
pub const PORT: u16 = 25;
