//! The `hence` binary: hands its arguments to the command line and exits with its status.

use std::process::ExitCode;

fn main() -> ExitCode {
    hence::cli::run()
}
