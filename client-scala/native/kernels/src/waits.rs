//! Callers that wait for a hash, by number: a wait is ended by its hash, or by whoever cancels it.

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

use saltern_algorithm::{Done, Dropped, Ticket};

/// The calls of one pool that wait.
#[derive(Default)]
pub(crate) struct Waits(Mutex<BTreeMap<i64, Arc<Wait>>>);

impl Waits {
    /// Blocks the thread until the work is done or dropped; `None` where `call` was cancelled before. The ticket is dropped
    /// then, and the pool forgets the work: a lane at its next slice, what waits at once. A hash that is computed whole runs to
    /// its end.
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
            // A wake that came since leaves a token, and this returns at once.
            thread::park();
        }
    }

    /// A call that does not wait here is let be.
    pub(crate) fn cancel(&self, call: i64) {
        let wait = self.lock().get(&call).cloned();
        if let Some(wait) = wait {
            wait.cancelled.store(true, Ordering::Release);
            wait.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, Arc<Wait>>> {
        // Single insertions and removals: a panic leaves nothing half done.
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

/// Takes a call off the list however its wait ends, by a panic too.
struct Listed<'waits> {
    waits: &'waits Waits,
    call: i64,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.waits.lock().remove(&self.call);
    }
}
