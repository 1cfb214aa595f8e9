//! How the process ends: at the first signal with what it accepted answered, at the second at once.

use std::{io, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    time::sleep,
};

use saltern_program::Failure;

/// The signals that somebody may send.
pub(super) struct Signals {
    hang_up: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen = || -> io::Result<Self> {
            Ok(Self {
                hang_up: signal(SignalKind::hangup())?,
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        };
        listen().map_err(|error| Failure::system(format!("the system passes no signals on ({error})")))
    }

    /// Waits for SIGTERM or SIGINT; calls the function at every SIGHUP.
    pub(super) async fn until_asked_to_end(&mut self, mut at_hang_up: impl FnMut()) {
        loop {
            tokio::select! {
                _ = self.hang_up.recv() => at_hang_up(),
                _ = self.interrupt.recv() => return,
                _ = self.terminate.recv() => return,
            }
        }
    }
}

/// Tells every connection that the end has begun.
pub(super) fn drain() -> (watch::Sender<bool>, Draining) {
    let (sender, receiver) = watch::channel(false);
    (sender, Draining(receiver))
}

/// Learns that the end has begun.
#[derive(Clone)]
pub(super) struct Draining(watch::Receiver<bool>);

impl Draining {
    /// Ends when the end has begun.
    pub(super) async fn begun(mut self) {
        // An error says that nobody can begin it any more: as good as begun.
        let _begun = self.0.wait_for(|begun| *begun).await;
    }

    /// Ends when the end has begun, and what had been sent before has had time to arrive.
    pub(super) async fn begun_and_settled(self) {
        self.begun().await;
        sleep(SETTLE).await;
    }
}

/// A request that was sent before the signal may still be in the network or in the system's buffer.
pub(super) const SETTLE: Duration = Duration::from_millis(100);
