use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use super::{
    schedule::Job,
    work::{Done, Dropped},
};
use crate::{Admitted, Password};

/// One hash to compute, with the channel to its caller.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) admitted: Admitted,
    pub(super) password: Password,
    pub(super) reply: oneshot::Sender<Result<Done, Dropped>>,
}

impl Task {
    /// Runs a part of this hash. A panic in that part is a fault of this hash alone.
    #[cfg_attr(
        not(feature = "fault-injection"),
        expect(clippy::unused_self, reason = "a fault is injected by the password of this hash")
    )]
    pub(super) fn guarded<T>(&self, run: impl FnOnce() -> T) -> Result<T, Dropped> {
        #[cfg(feature = "fault-injection")]
        let run = crate::fault::injected(self.password.expose(), run);
        catch_unwind(AssertUnwindSafe(run)).map_err(|_| Dropped::Fault)
    }

    /// Answers the caller, who may have gone.
    pub(super) fn answer(self, answer: Result<Done, Dropped>) {
        let _gone = self.reply.send(answer);
    }
}

impl Job for Task {
    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}
