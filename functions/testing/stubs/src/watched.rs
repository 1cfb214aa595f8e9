//! A state that threads change and wait for.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    state: Mutex<T>,
    changed: Condvar,
}

impl<T> Watched<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes all threads that wait for it.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until `find` finds something, which it may take from the state. Returns `None` after
    /// the timeout.
    pub(crate) fn wait<R>(&self, timeout: Duration, mut find: impl FnMut(&mut T) -> Option<R>) -> Option<R> {
        let mut found = None;
        let is_missing = |state: &mut T| {
            found = find(state);
            found.is_none()
        };
        drop(self.changed.wait_timeout_while(self.lock(), timeout, is_missing));
        // Others may wait for what it took to be gone.
        self.changed.notify_all();
        found
    }
}
