//! The caller's end of submitted work.

use std::{
    future::Future,
    iter,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{
    estimate::{Cost, Estimates},
    schedule::{Job, Schedule},
    work::{CallerNumber, Done, Dropped, Work},
};
use saltern_kernels::{Admitted, Kernels, Outer, Password, work};

/// Work that was taken. If the ticket is dropped, the worker drops the work.
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Result<Done, Dropped>>);

impl Ticket {
    /// Makes a ticket and the end that answers it.
    #[must_use]
    pub fn with_reply() -> (Self, Reply) {
        let (reply, ticket) = oneshot::channel();
        (Self(ticket), Reply(reply))
    }

    /// Blocks the thread until the work is done or dropped. Asynchronous code awaits the ticket
    /// instead.
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

/// Answers a [`Ticket`]. If it is dropped, the ticket returns [`Dropped::Fault`].
#[derive(Debug)]
pub struct Reply(oneshot::Sender<Result<Done, Dropped>>);

impl Reply {
    /// Ends the wait of the ticket's holder.
    pub fn send(self, answer: Result<Done, Dropped>) {
        // The holder may have gone. Then the output is wiped.
        let _gone = self.0.send(answer);
    }

    /// Whether nobody waits for the answer.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.0.is_closed()
    }
}

/// One hash to compute, with the channel to its caller.
///
/// The layers of a wrapped hash are computed one after the other, as two hashes. The workers and the
/// schedule know only the one at hand.
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) admitted: Admitted,
    pub(super) password: Password,
    pub(super) second: Option<Password>,
    pub(super) caller: CallerNumber,
    pub(super) reply: Reply,
    /// The cost of this layer.
    pub(super) cost: Cost,
    /// The layer that takes the output of this one, and its cost.
    outer: Option<(Outer, Cost)>,
    /// The time after which the answer is useless.
    deadline: Instant,
    /// How long the layer before this one waited and was computed.
    before: (Duration, Duration),
    /// See [`Shared`](super::shared::Shared).
    _wrapped: Option<Arc<()>>,
}

impl Submitted {
    /// Takes the first layer of the work.
    pub(super) fn new(work: Work, reply: Reply, wrapped: &Arc<()>, kernels: Kernels) -> Self {
        let Work { admitted, password, second, deadline, urgency: _, caller } = work;
        let (admitted, outer) = admitted.into_layers();
        let cost = Cost::of(&admitted, iter::once(&password).chain(&second).map(Password::expose), kernels);
        let outer = outer.map(|outer| {
            // The work of argon2id does not depend on its password.
            let readings = iter::once(&[][..]).chain(second.as_ref().map(|_| &[][..]));
            let cost = Cost::of(&outer.admitted(), readings, kernels);
            (outer, cost)
        });
        let guard = outer.is_some().then(|| Arc::clone(wrapped));
        let before = Default::default();
        Self { admitted, password, second, caller, reply, cost, outer, deadline, before, _wrapped: guard }
    }

    /// Returns the time after which this layer is useless: the outer one would be late even alone on
    /// a core.
    pub(super) fn deadline(&self, estimates: &Estimates, now: Instant) -> Instant {
        let least = self.later().map_or(Duration::ZERO, |outer| estimates.least_duration(outer));
        self.deadline.checked_sub(least).unwrap_or(now)
    }

    /// Answers the caller with the outputs of the last layer. After the inner layer of a wrapped hash,
    /// returns the outer one instead.
    #[must_use]
    pub(super) fn done(mut self, done: Done) -> Option<Self> {
        let (queued, hashed) = (self.before.0 + done.queued, self.before.1 + done.hashed);
        let Some((outer, cost)) = self.outer.take() else {
            self.reply.send(Ok(Done { queued, hashed, ..done }));
            return None;
        };
        let password = outer.password(&done.output);
        let second = done.second.map(|output| outer.password(&output));
        Some(Self { admitted: outer.admitted(), password, second, cost, before: (queued, hashed), ..self })
    }

    /// Tells the caller why there are no outputs.
    pub(super) fn fail(self, dropped: Dropped) {
        self.reply.send(Err(dropped));
    }

    /// Returns the work of a hash of this reading of the password.
    pub(super) fn work(&self, reading: &Password) -> u64 {
        work(self.admitted.setting(), reading.expose().len())
    }

    /// Runs a part of this hash. A panic in that part is a fault of this hash alone.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "the password can demand a fault in tests"))]
    pub(super) fn guarded<T>(&self, run: impl FnOnce() -> T) -> Result<T, Dropped> {
        #[cfg(test)]
        let run = super::panics::planted(self.password.expose(), run);
        catch_unwind(AssertUnwindSafe(run)).map_err(|_| Dropped::Fault)
    }
}

impl Job for Submitted {
    fn abandoned(&self) -> bool {
        self.reply.is_abandoned()
    }

    fn caller(&self) -> CallerNumber {
        self.caller
    }

    fn later(&self) -> Option<Cost> {
        self.outer.as_ref().map(|(_, cost)| *cost)
    }
}

impl Schedule<Submitted> {
    /// Returns the answers to jobs that were taken and will not be computed.
    pub(super) fn refusals(
        &self,
        expired: Vec<Submitted>,
        overloaded: Vec<Submitted>,
    ) -> impl Iterator<Item = (Submitted, Dropped)> {
        let expired = expired.into_iter().map(|job| (job, Dropped::DeadlineExceeded));
        let overload = |job| (job, Dropped::Overloaded { retry_after: self.retry_after() });
        expired.chain(overloaded.into_iter().map(overload))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use saltern_encoded::Algorithm;

    use super::*;
    use saltern_kernels::{Ceilings, compute};

    use crate::{Pool, PoolSettings};

    const CEILINGS: Ceilings = Ceilings {
        bcrypt_cost: 10,
        argon2_memory_kib: 1 << 16,
        argon2_memory_passes_kib: 1 << 17,
        argon2_parallelism: 1,
        pbkdf2_iterations_blocks: 0,
        scrypt_memory_bytes: 0,
        scrypt_n_r_p: 0,
        sha_crypt_rounds: 5_000,
    };

    fn wrapped(kib: u32, inner: &str) -> Admitted {
        let [salt, output] = ["A".repeat(22), "A".repeat(43)];
        let stored = format!("$saltern-wrap$argon2id$v=19$m={kib},t=1,p=1${salt}${output}${inner}");
        Admitted::new(saltern_encoded::parse(&stored).unwrap().setting().clone(), &CEILINGS).unwrap()
    }

    fn md5_crypt() -> String {
        "$1$saltsalt$".to_owned() + &".".repeat(22)
    }

    fn bcrypt() -> String {
        "$2b$06$".to_owned() + &".".repeat(53)
    }

    fn password(text: &str) -> Password {
        Password::new(text.as_bytes()).unwrap()
    }

    /// The layers are two hashes, and each has its own unit and its own slope.
    #[test]
    fn both_layers_of_a_wrapped_hash_and_both_readings_are_work() {
        let mut estimates = Estimates::new(|_| 4);
        estimates.measured(Algorithm::Argon2id, 1, 1 << 15, Duration::from_millis(10));
        let deadline = Instant::now() + Duration::from_hours(1);
        for (second, readings) in [(None, 1), (Some(password("p")), 2)] {
            let admitted = wrapped(1 << 16, &bcrypt());
            let work = Work { second, ..Work::new(admitted, password("p\0q"), deadline) };
            let (_ticket, reply) = Ticket::with_reply();
            let inner = Submitted::new(work, reply, &Arc::default(), Kernels::Own);
            assert_eq!(inner.cost, Cost::new(Algorithm::Bcrypt, 64 * u64::from(readings)));
            let due = |job: &Submitted| job.deadline(&estimates, Instant::now());
            assert_eq!(due(&inner) + Duration::from_millis(20) * readings, deadline);

            let output = || compute(&inner.admitted, b"p").unwrap();
            let (first, second) = (output(), (readings == 2).then(output));
            let times = (Duration::from_millis(3), Duration::from_millis(7));
            let done = Done { output: first, second, queued: times.0, hashed: times.1, lanes: 1 };
            let work = u64::from(readings) << 16;
            let of_outer = Cost::new(Algorithm::Argon2id, work).in_memory(64 << 20);
            assert_eq!(inner.later(), Some(of_outer));
            let outer = inner.done(done).unwrap();
            assert_eq!((outer.cost, outer.later()), (of_outer, None));
            assert_eq!((due(&outer), outer.before), (deadline, times));
        }
    }

    /// The layers are computed by workers of both kinds.
    #[test]
    fn a_closing_pool_computes_the_outer_layers_of_taken_work() {
        let pool = Pool::start(&PoolSettings::new(NonZeroUsize::MIN)).unwrap();
        let deadline = Instant::now() + Duration::from_hours(1);
        let work = || Work::new(wrapped(64, &md5_crypt()), password("p"), deadline);
        let tickets: Vec<_> = (0..20).map(|_| pool.submit(work()).unwrap()).collect();
        drop(pool);
        assert!(tickets.into_iter().all(|ticket| ticket.wait().is_ok()));
    }

    #[test]
    fn a_pool_computes_both_layers_of_a_wrapped_hash() {
        for kernels in Kernels::ALL {
            let pool =
                Pool::start(&PoolSettings { kernels, ..PoolSettings::new(NonZeroUsize::MIN) }).unwrap();
            // In lanes and whole.
            for (kib, inner) in [(64, md5_crypt()), (64, bcrypt()), (8 << 10, md5_crypt())] {
                let admitted = wrapped(kib, &inner);
                let deadline = Instant::now() + Duration::from_hours(1);
                let second = Some(password("second"));
                let work = Work { second, ..Work::new(admitted.clone(), password("first"), deadline) };
                let done = pool.submit(work).unwrap().wait().unwrap();
                let expected = ["first", "second"].map(|text| compute(&admitted, text.as_bytes()).unwrap());
                assert!(done.output.matches(expected[0].expose()), "{kernels:?} {kib} {inner}");
                assert!(done.second.unwrap().matches(expected[1].expose()), "{kernels:?} {kib} {inner}");
            }
        }
    }
}
