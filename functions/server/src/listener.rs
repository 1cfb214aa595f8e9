//! Takes connections, as many as the bound allows.

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use http::HeaderMap;
use saltern_service::{Arrival, Problem};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{Semaphore, watch},
    task::{
        JoinHandle,
        coop::{consume_budget, unconstrained},
    },
    time::{sleep, timeout, timeout_at},
};

use saltern_program::Failure;

use super::{
    bounds::{BACKLOG, MAX_LINGERING_REFUSALS},
    connection,
    drain::{Draining, SETTLE, Signals, drain},
    exchange::Front,
    plain,
};

pub(super) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// To be called inside the runtime.
    pub(super) fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let unavailable = |error| {
            Failure::system(format!(
                "nothing can listen on {address} ({error}): end what does, or choose another with --listen"
            ))
        };
        let socket = listen(address).map_err(unavailable)?;
        let address = socket.local_addr().map_err(unavailable)?;
        Ok(Self { socket, address })
    }

    /// Where it listens: the port that the system chose where port 0 was asked for.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until it is drained.
    pub(super) fn serve(self, front: Arc<Front>) -> Serving {
        let connections = front.bounds().connections;
        let (ending, draining) = drain();
        let slots = Arc::new(Semaphore::new(connections));
        let door = Door {
            socket: self.socket,
            front,
            slots: Arc::clone(&slots),
            refusals: Arc::new(Semaphore::new(MAX_LINGERING_REFUSALS)),
            draining,
        };
        Serving { accepting: tokio::spawn(door.accept()), ending, slots, connections }
    }
}

/// As `TcpListener::bind` does, with room for more connections that nobody has taken yet.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that starts again need not wait for the connections of the one before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A server that runs.
pub(super) struct Serving {
    accepting: JoinHandle<()>,
    ending: watch::Sender<bool>,
    slots: Arc<Semaphore>,
    connections: usize,
}

impl Serving {
    /// Takes no more connections, and ends when the requests of those there are have been answered.
    pub(super) async fn drain(self, patience: Duration, mut signals: Signals) -> Result<(), Failure> {
        tracing::info!(patience_seconds = patience.as_secs(), "ending");
        self.ending.send_replace(true);
        let ended = async {
            let _accepting_panicked = self.accepting.await;
            let all = u32::try_from(self.connections).unwrap_or(u32::MAX);
            let _never_closed = self.slots.acquire_many(all).await;
        };
        tokio::select! {
            ended = timeout(patience, ended) => ended.map_err(|_| Failure::system(
                "the time to end in ran out: some requests were not answered; --drain-seconds gives more",
            ))?,
            () = signals.until_asked_to_end(|| ()) => {
                return Err(Failure::system("asked twice to end: some requests may not have been answered"));
            }
        }
        tracing::info!("ended");
        Ok(())
    }
}

struct Door {
    socket: TcpListener,
    front: Arc<Front>,
    slots: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    draining: Draining,
}

impl Door {
    async fn accept(self) {
        let mut begun = Box::pin(self.draining.clone().begun());
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = &mut begun => break,
            };
            match accepted {
                Ok((stream, _)) => self.admit(stream),
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "no connection can be taken");
                    sleep(AFTER_A_FAILED_ACCEPT).await;
                }
            }
        }
        self.take_the_rest().await;
    }

    /// The system has accepted these for us, and their callers believe that they are connected. It may not have told
    /// of all of them yet. Those who still come do not keep it open.
    async fn take_the_rest(&self) {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_TAKING {
            // Tokio lets a task take 128 in one turn; out of turns it would pass for one that has nothing to take.
            match unconstrained(timeout_at((begun + SETTLE).into(), self.socket.accept())).await {
                Err(_settled) => return,
                Ok(Ok((stream, _))) => self.admit(stream),
                Ok(Err(error)) if is_about_one_connection(&error) => {}
                Ok(Err(_)) => sleep(AFTER_A_FAILED_ACCEPT_AT_THE_END).await,
            }
            consume_budget().await;
        }
    }

    fn admit(&self, stream: TcpStream) {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { return self.refuse(stream) };
        let (front, draining) = (Arc::clone(&self.front), self.draining.clone());
        tokio::spawn(async move {
            connection::serve(stream, front, draining).await;
            drop(slot);
        });
    }

    /// Beyond the bound: an answer at once where it costs nothing. Under TLS it would cost a handshake.
    fn refuse(&self, stream: TcpStream) {
        let answer =
            self.front.refuse(&HeaderMap::new(), Problem::overloaded(RETRY_AFTER), Arrival(Instant::now()));
        if self.front.tls().is_some() {
            return;
        }
        let Ok(slot) = Arc::clone(&self.refusals).try_acquire_owned() else { return };
        tokio::spawn(async move {
            plain::answer_and_close(stream, &plain::write(&answer)).await;
            drop(slot);
        });
    }
}

/// The peer has gone before it was accepted (accept(2)); the next one is not concerned.
fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Out of files or memory: the wait gives connections time to end.
const AFTER_A_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// What ended in the meantime may have left files for the rest.
const AFTER_A_FAILED_ACCEPT_AT_THE_END: Duration = Duration::from_millis(5);

/// A full backlog is taken in some milliseconds.
const LONGEST_TAKING: Duration = Duration::from_secs(1);

/// When a connection has probably become free: about one queue's time.
const RETRY_AFTER: Duration = Duration::from_secs(1);
