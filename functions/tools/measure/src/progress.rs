//! The progress bar of long measurements.

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns a bar of this form on standard error. It is hidden if that is no terminal.
pub(crate) fn progress_bar(length: Option<u64>, form: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(length, target).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

const TICK: Duration = Duration::from_millis(200);
