use tokio::sync::oneshot;

use super::{Done, Dropped, schedule::Job};
use crate::{Admitted, Password};

/// A job with the way back to whoever waits for it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) admitted: Admitted,
    pub(super) password: Password,
    pub(super) reply: oneshot::Sender<Result<Done, Dropped>>,
}

impl Task {
    /// Answers; nobody may be waiting any more.
    pub(super) fn answer(self, answer: Result<Done, Dropped>) {
        let _gone = self.reply.send(answer);
    }
}

#[cfg(feature = "fault-injection")]
impl Task {
    /// Panics where the password asks for a fault of the worker.
    pub(super) fn strike(&self) {
        crate::fault::strike(crate::fault::PANICS_IN_THE_WORKER, self.password.expose());
    }
}

impl Job for Task {
    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}
