//! The `hence` binary: hands its arguments to the command line and exits with its status.

use std::process::ExitCode;

/// In a service, facts come and go for long, in pieces of all sizes, from several threads.
#[cfg(feature = "server")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hence_cli::run()
}
