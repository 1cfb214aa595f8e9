//! Work for the pool, and the answers to it.

use std::time::{Duration, Instant};

use saltern_kernels::{Admitted, Output, Password};

/// One hash to compute.
#[derive(Debug)]
pub struct Work {
    /// The setting of the hash.
    pub admitted: Admitted,
    /// The password, as the algorithm takes it.
    pub password: Password,
    /// The second reading of a password with a NUL, computed after the first.
    pub second: Option<Password>,
    /// The time after which the answer is useless.
    pub deadline: Instant,
    /// Whether it may be refused in favour of other work.
    pub urgency: Urgency,
    /// The program that waits for it.
    pub caller: CallerNumber,
}

impl Work {
    /// Makes work that a caller waits for. It belongs to the one caller of a program that does not
    /// tell callers apart.
    #[must_use]
    pub fn new(admitted: Admitted, password: Password, deadline: Instant) -> Self {
        let (urgency, caller) = (Urgency::Required, CallerNumber::default());
        Self { admitted, password, second: None, deadline, urgency, caller }
    }
}

/// A program that sends work, by a number of the front door. Callers that want more than there is
/// get equal shares of the workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallerNumber(pub u64);

/// Whether work may be refused in favour of other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A caller waits for it.
    Required,
    /// Done only while the queue is short: the rehash after a login.
    Optional,
}

/// Bounds on waiting work. Work that has started does not count.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Operations, over all workers.
    pub operations: usize,
    /// Estimated work per worker.
    pub work_per_worker: Duration,
}

impl Default for QueueLimits {
    /// 1,024 operations, and 2 s of estimated work per worker.
    fn default() -> Self {
        Self { operations: 1024, work_per_worker: Duration::from_secs(2) }
    }
}

/// The reason why the pool did not take work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Even an idle core could not do the work before the deadline.
    DeadlineExceeded,
    /// The queue is full, or the wait in it would pass the deadline.
    Overloaded {
        /// The time after which the pool would probably take the same work.
        retry_after: Duration,
    },
}

/// The reason why work that was taken was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The deadline passed, before or during the computation.
    DeadlineExceeded,
    /// A fault of this service: the kernel panicked, or the pool ended.
    Fault,
    /// The system gave no memory for the hash.
    NoMemory,
    /// The work ahead of it takes longer than expected, or other callers have less work in the
    /// queue.
    Overloaded {
        /// As in [`Refused::Overloaded`].
        retry_after: Duration,
    },
}

/// A computed hash.
#[derive(Debug)]
pub struct Done {
    /// The output of the kernel.
    pub output: Output,
    /// The output for [`Work::second`].
    pub second: Option<Output>,
    /// Time from [`Pool::submit`](crate::Pool::submit) until a worker took the hash.
    pub queued: Duration,
    /// Time from then until the output was known. In a lane, others are computed in this time too.
    pub hashed: Duration,
    /// The most lanes that the worker had in use during this hash, including its own; 1 if the
    /// algorithm has no lanes. Of a wrapped hash those of its outer layer.
    pub lanes: usize,
}
