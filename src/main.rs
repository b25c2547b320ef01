//! The `hence` binary: hands its arguments to the command line and exits with its status.

mod cli;

use std::process::ExitCode;

/// Facts come and go in pieces of all sizes, from several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
