//! A load model in place of the workers: it answers without computing.
//!
//! Only `saltern-fleet` enables the feature `load-model`. No shipped binary contains this module; a
//! check searches the built binaries for [`MARKER`].

use core::fmt;
use std::hint::black_box;

use tokio::sync::oneshot;

use super::{
    Pool,
    submitted::Ticket,
    work::{Done, Dropped, Work},
};
use crate::Output;

/// Takes work from the pool, or returns it for the workers.
pub(super) struct Model(TakeOrReturn);

type TakeOrReturn = Box<dyn Fn(Work) -> Result<Ticket, Work> + Send + Sync>;

/// Offers work to a model. Returns the work if there is no model.
pub(super) fn take(model: Option<&Model>, work: Work) -> Result<Ticket, Work> {
    black_box(MARKER);
    match model {
        None => Err(work),
        Some(Model(take)) => take(work),
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Model(..)")
    }
}

impl Pool {
    /// Offers all work to `take` first. The workers compute the work that `take` returns.
    #[must_use]
    pub fn with_model(mut self, take: impl Fn(Work) -> Result<Ticket, Work> + Send + Sync + 'static) -> Self {
        self.model = Some(Model(Box::new(take)));
        self
    }
}

/// Makes an output of these bytes, which no kernel has computed.
#[must_use]
pub fn output_of(bytes: &[u8]) -> Output {
    let mut output = Output::zeroed(bytes.len());
    output.as_mut().copy_from_slice(bytes);
    output
}

/// The sending end of a ticket. If it is dropped, the ticket returns [`Dropped::Fault`].
#[derive(Debug)]
pub struct Reply(oneshot::Sender<Result<Done, Dropped>>);

impl Reply {
    /// Makes both ends.
    #[must_use]
    pub fn with_ticket() -> (Self, Ticket) {
        let (reply, ticket) = oneshot::channel();
        (Self(reply), Ticket(ticket))
    }

    /// Ends the wait of the ticket's holder.
    pub fn send(self, done: Result<Done, Dropped>) {
        // The holder may have gone. Then the output is wiped.
        let _gone = self.0.send(done);
    }
}

/// The text by which a check finds this module in a binary.
const MARKER: &str = "saltern-test-only: load-model";
