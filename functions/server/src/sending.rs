//! The answers of one connection that its peer has not taken.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Instant,
};

use saltern_service::Body;

use super::room::Taken;

#[derive(Debug, Default)]
pub(super) struct Sending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Unsent answers by the order in which they were made, with the time of each.
    unsent: BTreeMap<u64, Instant>,
    /// Answers that were ever made.
    made: u64,
    /// The time since which written bytes wait for the peer.
    stuck_since: Option<Instant>,
    /// The task that waits until an answer was sent.
    waiting: Option<Waker>,
}

impl Sending {
    /// Counts an answer as unsent while the guard lives.
    pub(super) fn begin(self: &Arc<Self>) -> Unsent {
        let mut state = self.state();
        let number = state.made;
        state.made += 1;
        state.unsent.insert(number, Instant::now());
        Unsent { sending: Arc::clone(self), number }
    }

    /// Returns the time since which the oldest answer or written bytes wait for the peer. A later
    /// answer does not change it.
    pub(super) fn since(&self) -> Option<Instant> {
        let state = self.state();
        let oldest = state.unsent.values().next().copied();
        oldest.into_iter().chain(state.stuck_since).min()
    }

    /// Returns the number of unsent answers.
    pub(super) fn unsent(&self) -> usize {
        self.state().unsent.len()
    }

    /// Passes a result of writing on, and notes whether the bytes wait for the peer.
    pub(super) fn noted<T>(&self, written: Poll<T>) -> Poll<T> {
        if written.is_pending() {
            self.fell_behind();
        }
        written
    }

    /// Tells that bytes wait for the peer, until all are flushed.
    pub(super) fn fell_behind(&self) {
        self.state().stuck_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn is_stuck(&self) -> bool {
        self.state().stuck_since.is_some()
    }

    /// Tells that all written bytes were passed to the system.
    pub(super) fn flushed(&self) {
        let mut state = self.state();
        if state.stuck_since.take().is_some() {
            state.wake();
        }
    }

    /// Wakes this task at the next change.
    pub(super) fn wake_at_change(&self, waker: &Waker) {
        self.state().waiting = Some(waker.clone());
    }

    /// Wakes the task that waits for a change.
    pub(super) fn wake(&self) {
        self.state().wake();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }
}

/// Counts an answer as unsent.
pub(super) struct Unsent {
    sending: Arc<Sending>,
    number: u64,
}

impl Drop for Unsent {
    fn drop(&mut self) {
        let mut state = self.sending.state();
        state.unsent.remove(&self.number);
        state.wake();
    }
}

/// The bytes of an answer, with all that they hold until they are sent.
pub(super) struct Held {
    pub(super) body: Body,
    pub(super) _unsent: Unsent,
    /// The request's place among the exchanges.
    pub(super) _place: Option<Taken>,
    /// The answer's share of the memory for answers.
    pub(super) _room: Option<Taken>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

    #[test]
    fn a_later_answer_does_not_renew_the_time_of_the_oldest() {
        let sending = Arc::new(Sending::default());
        let oldest = sending.begin();
        let since = sending.since();
        thread::sleep(Duration::from_millis(2));
        for _ in 0..3 {
            drop(sending.begin());
        }
        let _stuck = sending.noted(Poll::<()>::Pending);
        sending.flushed();
        assert_eq!((sending.since(), sending.unsent()), (since, 1));
        let next = sending.begin();
        drop(oldest);
        assert!(sending.since() > since);
        drop(next);
        assert_eq!(sending.since(), None);
    }

    #[test]
    fn stuck_bytes_count_from_the_first_of_them() {
        let sending = Sending::default();
        let _stuck = sending.noted(Poll::<()>::Pending);
        let since = sending.since();
        assert!(since.is_some() && sending.is_stuck());
        thread::sleep(Duration::from_millis(2));
        let _stuck = sending.noted(Poll::<()>::Pending);
        assert_eq!(sending.since(), since);
        sending.flushed();
        assert_eq!(sending.since(), None);
    }
}
