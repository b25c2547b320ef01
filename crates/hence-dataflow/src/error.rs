//! Why workers ended before they were told to.

/// Why workers ended before they were told to.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// They could not reach one another.
    #[error("the workers can't be started: {0}")]
    Start(String),
    /// They were told to end before they had reached one another.
    #[error("nobody waits for the other processes any more")]
    GivenUp,
    /// A process has other rules than the first.
    #[error("the rules of the first process can't be read: {0}")]
    Rules(String),
    /// One of them ended.
    #[error("a worker was lost: {0}")]
    Lost(String),
}
