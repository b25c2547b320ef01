//! The `hence` binary: hands its arguments to the command line and exits with its status.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
