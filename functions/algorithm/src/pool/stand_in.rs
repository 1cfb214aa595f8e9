//! Somebody who does work in the workers' place: a load model, which answers without computing.
//!
//! Only with the feature `load-model`, which nothing that is shipped enables.

use core::fmt;

use tokio::sync::oneshot;

use super::{Done, Dropped, Pool, Ticket, Work};

/// Takes work, or gives it back to be computed.
pub(super) struct StandIn(TakeOrGiveBack);

type TakeOrGiveBack = Box<dyn Fn(Work) -> Result<Ticket, Work> + Send + Sync>;

impl StandIn {
    pub(super) fn take(&self, work: Work) -> Result<Ticket, Work> {
        (self.0)(work)
    }
}

impl fmt::Debug for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StandIn(..)")
    }
}

impl Pool {
    /// Asks first somebody else to do the work. What he gives back is computed.
    #[must_use]
    pub fn with_stand_in(self, take: impl Fn(Work) -> Result<Ticket, Work> + Send + Sync + 'static) -> Self {
        let mut pool = self;
        pool.stand_in = Some(StandIn(Box::new(take)));
        pool
    }
}

/// The other end of a ticket. Dropping it is a fault.
#[derive(Debug)]
pub struct Reply(oneshot::Sender<Result<Done, Dropped>>);

impl Reply {
    /// Both ends.
    #[must_use]
    pub fn with_ticket() -> (Self, Ticket) {
        let (reply, ticket) = oneshot::channel();
        (Self(reply), Ticket(ticket))
    }

    /// Ends the wait of whoever has the ticket.
    pub fn send(self, done: Result<Done, Dropped>) {
        // Nobody waits any more: what was done is wiped.
        let _gone = self.0.send(done);
    }
}
