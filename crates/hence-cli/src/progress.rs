//! How far long work has come, shown on a terminal: one bar on standard error, gone when the work is done.

use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use hence_core::fault::OrBroken;
use hence_ledger::{Progress, Watcher, Work};
use hence_session::SessionError;

use super::output;

/// Nothing is drawn where standard error is not a terminal.
static BAR: LazyLock<ProgressBar> = LazyLock::new(|| {
    let bar = ProgressBar::no_length();
    bar.finish_and_clear();
    bar
});

/// Shows the bar, once more where it was removed.
fn show(style: ProgressStyle, message: String) {
    if output::is_quiet() || BAR.is_hidden() {
        return;
    }
    BAR.set_style(style);
    if BAR.is_finished() {
        BAR.reset();
        // The bar has a thread for that, without which the work goes on as well.
        if thread::Builder::new().spawn(|| {}).is_ok_and(|had| had.join().is_ok()) {
            BAR.enable_steady_tick(Duration::from_millis(100));
        }
    }
    BAR.set_message(message);
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).ok().or_broken("the template of a bar is one")
}

/// For work of which the end isn't known.
fn counting() -> ProgressStyle {
    style("{spinner} {msg}")
}

/// Shows that so many of what `message` calls them are done.
pub(super) fn counted(message: &str, done: usize) {
    show(counting(), format!("{message}: {}", HumanCount(done as u64)));
}

/// Shows that so many of as many as `of` are done.
pub(super) fn step(message: &str, done: u64, of: u64) {
    show(style("{msg} {bar:30} {human_pos}/{human_len}"), message.to_owned());
    BAR.set_length(of);
    BAR.set_position(done);
}

/// Shows how far a ledger has come.
pub(super) fn watcher() -> Watcher {
    Watcher::new(|Progress { work, done, of }| {
        let message = match work {
            Work::Recording => "recording facts",
            Work::Applying => "updating the fact base",
            Work::CatchingUp => "updating the fact base, transactions",
        };
        let Some(of) = of else { return counted(message, done as usize) };
        step(message, done, of);
    })
}

/// Says how far going through transactions came, where it reached a limit in transaction `at`.
pub(super) fn note_reached(error: &SessionError, at: u64, of: u64) {
    if error.is_limit() {
        output::note(&format!("the limit was reached at transaction {at} of {of}; earlier ones are done"));
    }
}

/// Removes the bar.
pub(super) fn clear() {
    BAR.finish_and_clear();
}
