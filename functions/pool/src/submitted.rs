use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::sync::oneshot;

use super::{
    schedule::{Job, Schedule},
    work::{Caller, Done, Dropped},
};
use saltern_kernels::{Admitted, Password, work};

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
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) admitted: Admitted,
    pub(super) password: Password,
    pub(super) second: Option<Password>,
    pub(super) caller: Caller,
    pub(super) reply: Reply,
}

impl Submitted {
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

    /// Answers the caller, who may have gone.
    pub(super) fn answer(self, answer: Result<Done, Dropped>) {
        self.reply.send(answer);
    }
}

impl Job for Submitted {
    fn abandoned(&self) -> bool {
        self.reply.is_abandoned()
    }

    fn caller(&self) -> Caller {
        self.caller
    }
}

impl Schedule<Submitted> {
    /// Returns the answers to jobs that were taken and will not be computed.
    pub(super) fn refusals(
        &self,
        expired: Vec<Submitted>,
        overloaded: Vec<Submitted>,
    ) -> impl Iterator<Item = (Submitted, Result<Done, Dropped>)> {
        let expired = expired.into_iter().map(|job| (job, Err(Dropped::DeadlineExceeded)));
        let overload = |job| (job, Err(Dropped::Overloaded { retry_after: self.retry_after() }));
        expired.chain(overloaded.into_iter().map(overload))
    }
}
