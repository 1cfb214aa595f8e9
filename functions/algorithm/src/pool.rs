//! The workers: a bounded queue in front of one thread per core.

use std::{
    collections::VecDeque,
    future::Future,
    io,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use crate::{Admitted, Kernels, Output, Password, compute};

/// How a pool is built.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// Worker threads, one for each core that may be used.
    pub workers: NonZeroUsize,
    /// Which code computes.
    pub kernels: Kernels,
    /// Bounds on waiting work; `None` where the front door bounds it (a batch on classic Lambda).
    pub queue: Option<QueueLimits>,
}

/// Bounds on waiting work. Work that has started does not count.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Operations, over all workers.
    pub operations: usize,
    /// Estimated work, for each worker.
    pub work_per_worker: Duration,
}

impl Default for QueueLimits {
    /// The contract's: 1,024 operations and 2 s of estimated work for each worker.
    fn default() -> Self {
        Self { operations: 1024, work_per_worker: Duration::from_secs(2) }
    }
}

/// One hash to compute.
#[derive(Debug)]
pub struct Work {
    /// What to compute.
    pub admitted: Admitted,
    /// For which password.
    pub password: Password,
    /// When the answer is worth nothing any more.
    pub deadline: Instant,
    /// Whether it may be refused for others' sake.
    pub urgency: Urgency,
}

/// Whether work may be refused for others' sake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Somebody waits for it.
    Required,
    /// Done only where nothing waits: the upgrade of a hash after a login.
    Optional,
}

/// Why work was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The work alone does not fit before the deadline: nobody can do it in time.
    DeadlineExceeded,
    /// The queue is full, or the wait ahead makes the deadline unreachable.
    Overloaded {
        /// When the same work would probably be taken.
        retry_after: Duration,
    },
}

/// Why work that was taken was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// Its deadline passed, before or during the computation.
    DeadlineExceeded,
    /// A fault of ours: the kernel panicked, or the pool ended.
    Fault,
}

/// A computed hash.
#[derive(Debug)]
pub struct Done {
    /// What was computed.
    pub output: Output,
    /// From being taken to the first instruction.
    pub queued: Duration,
    /// From there to the last.
    pub hashed: Duration,
}

/// Work that was taken. Dropping it tells the worker that nobody waits any more.
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Result<Done, Dropped>>);

impl Ticket {
    /// Blocks the thread until the work is done or dropped. Not for asynchronous code, which awaits the ticket.
    ///
    /// # Errors
    /// [`Dropped`], with the reason.
    pub fn wait(self) -> Result<Done, Dropped> {
        self.0.blocking_recv().unwrap_or(Err(Dropped::Fault))
    }
}

impl Future for Ticket {
    type Output = Result<Done, Dropped>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or(Err(Dropped::Fault)))
    }
}

/// The workers and their queue. Dropping the pool finishes what was taken and ends the threads.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<()>>,
    settings: PoolSettings,
}

impl Pool {
    /// Starts the workers.
    ///
    /// # Errors
    /// [`io::Error`] where the system gives no thread.
    pub fn start(settings: PoolSettings) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let threads = (0..settings.workers.get())
            .map(|i| {
                let shared = Arc::clone(&shared);
                thread::Builder::new().name(format!("saltern-{i}")).spawn(move || shared.work())
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { shared, threads, settings })
    }

    /// Takes work, or refuses it at once.
    ///
    /// # Errors
    /// [`Refused`], with the reason.
    pub fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        let (reply, ticket) = oneshot::channel();
        let mut queue = self.shared.lock();
        let full = self.settings.queue.is_some_and(|limits| queue.waiting.len() >= limits.operations);
        if full {
            return Err(Refused::Overloaded { retry_after: Duration::from_secs(1) });
        }
        queue.waiting.push_back(Waiting { work, reply, since: Instant::now() });
        drop(queue);
        self.shared.arrived.notify_one();
        Ok(Ticket(ticket))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.arrived.notify_all();
        for thread in self.threads.drain(..) {
            let _panicked = thread.join();
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    closed: bool,
}

#[derive(Debug)]
struct Waiting {
    work: Work,
    reply: oneshot::Sender<Result<Done, Dropped>>,
    since: Instant,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(Waiting { work, reply, since }) = self.next() {
            if reply.is_closed() {
                continue;
            }
            let started = Instant::now();
            if work.deadline <= started {
                let _gone = reply.send(Err(Dropped::DeadlineExceeded));
                continue;
            }
            let computed = catch_unwind(AssertUnwindSafe(|| compute(&work.admitted, work.password.expose())));
            let answer = computed.map_err(|_| Dropped::Fault).map(|output| Done {
                output,
                queued: started - since,
                hashed: started.elapsed(),
            });
            let _gone = reply.send(answer);
        }
    }

    fn next(&self) -> Option<Waiting> {
        let mut queue = self.lock();
        loop {
            if let Some(waiting) = queue.waiting.pop_front() {
                return Some(waiting);
            }
            if queue.closed {
                return None;
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
