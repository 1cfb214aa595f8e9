//! The order among callers.

use std::time::Duration;

use super::super::work::Caller;

/// Shares the workers among the callers that wait: start-time fair queueing.
///
/// Virtual time is work. A job starts when its caller's last job ends, but not before the present.
/// Jobs are taken in the order of their starts. So callers that wait at the same time get the same
/// work done, and a caller that did not wait starts at the present.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// The start of the last job that a worker took.
    present: Duration,
    /// The callers whose next job starts after the present, with that start.
    pub(super) next_starts: Vec<(Caller, Duration)>,
}

impl Shares {
    pub(super) fn next_start(&self, caller: Caller) -> Duration {
        let next = self.next_starts.iter().find(|(other, _)| *other == caller);
        next.map_or(self.present, |&(_, start)| start.max(self.present))
    }

    /// Adds a job to the work of its caller, and returns the start of the job.
    pub(super) fn charge(&mut self, caller: Caller, core_time: Duration) -> Duration {
        let start = self.next_start(caller);
        self.next_starts.retain(|&(other, next)| other != caller && next > self.present);
        if self.next_starts.len() >= MOST_CALLERS {
            self.next_starts.clear();
        }
        self.next_starts.push((caller, start + core_time));
        start
    }

    pub(super) fn taken(&mut self, start: Duration) {
        self.present = self.present.max(start);
    }
}

/// The most callers whose work is remembered. Beyond it all callers start at the present again.
pub(super) const MOST_CALLERS: usize = 1024;
