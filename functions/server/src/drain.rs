//! Shutdown: the first signal lets accepted requests finish, after a notice to balancers. The
//! second one ends the process at once.

use std::{io, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    time::sleep,
};

use crate::Failure;

/// The signals that the server handles.
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
        listen().map_err(|error| Failure::system(format!("cannot receive signals ({error})")))
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

/// The times of a shutdown.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrainTimes {
    /// After the signal the server serves on for this time, so that balancers see its health.
    pub(super) notice: Duration,
    /// The longest time after the notice.
    pub(super) patience: Duration,
}

/// Returns the sender that starts the shutdown, and the receiver for connections.
pub(super) fn drain() -> (watch::Sender<bool>, Draining) {
    let (sender, receiver) = watch::channel(false);
    (sender, Draining(receiver))
}

/// Waits for the start of the shutdown.
#[derive(Clone)]
pub(super) struct Draining(watch::Receiver<bool>);

impl Draining {
    /// Returns when the shutdown has begun.
    pub(super) async fn begun(mut self) {
        // An error means that the sender is gone: the server ends.
        let _begun = self.0.wait_for(|begun| *begun).await;
    }

    /// Returns when the shutdown has begun and requests sent before it have had time to arrive.
    pub(super) async fn begun_and_settled(self) {
        self.begun().await;
        sleep(SETTLE).await;
    }
}

/// A request that was sent before the signal may still be in the network or in the system's buffer.
pub(super) const SETTLE: Duration = Duration::from_millis(100);
