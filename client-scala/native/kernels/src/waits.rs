//! Callers that wait for a hash, by number. The hash ends the wait, or a cancellation does.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use saltern_pool::{Done, Dropped, Ticket};

/// The waiting calls of one pool.
#[derive(Default)]
pub(crate) struct Waits(Mutex<BTreeMap<i64, Arc<Wait>>>);

impl Waits {
    /// Blocks the thread until the work is done or dropped. Returns `None` if `call` was cancelled
    /// first.
    ///
    /// A cancellation drops the ticket, and the pool drops the work: at once in the queue, at the
    /// next slice in a lane. A hash that is computed whole runs to its end.
    pub(crate) fn wait(&self, call: i64, mut ticket: Ticket) -> Option<Result<Done, Dropped>> {
        let wait = Arc::new(Wait { cancelled: AtomicBool::new(false), caller: thread::current() });
        self.lock().insert(call, Arc::clone(&wait));
        let _ended = Listed { waits: self, call };
        let waker = Waker::from(Arc::clone(&wait));
        let mut context = Context::from_waker(&waker);
        loop {
            if wait.cancelled.load(Ordering::Acquire) {
                return None;
            }
            if let Poll::Ready(answer) = Pin::new(&mut ticket).poll(&mut context) {
                return Some(answer);
            }
            // If a wake came in between, this returns at once.
            thread::park();
        }
    }

    /// Cancels a call. Does nothing if the call does not wait here.
    pub(crate) fn cancel(&self, call: i64) {
        let wait = self.lock().get(&call).cloned();
        if let Some(wait) = wait {
            wait.cancelled.store(true, Ordering::Release);
            wait.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, Arc<Wait>>> {
        // Only single insertions and removals: a panic leaves the map consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Wait {
    cancelled: AtomicBool,
    caller: Thread,
}

impl Wake for Wait {
    fn wake(self: Arc<Self>) {
        self.caller.unpark();
    }
}

/// Removes a call from the list when its wait ends, also by a panic.
struct Listed<'waits> {
    waits: &'waits Waits,
    call: i64,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.waits.lock().remove(&self.call);
    }
}
