//! Accepts connections, up to the limit.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use saltern_pool::Workers;
use saltern_service::Problem;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::{
        JoinHandle,
        coop::{consume_budget, unconstrained},
    },
    time::{sleep, timeout, timeout_at},
};

use crate::Failure;

use super::{
    address::{Listen, SocketMode},
    bounds::MAX_LINGERING_REFUSALS,
    connection,
    door::Door,
    drain::{DrainTimes, Draining, SETTLE, Signals, drain},
    plain,
    slots::Slots,
    socket::{Listening, Socket},
    supervisor::Passed,
};

pub(super) struct Listener {
    socket: Listening,
    address: Listen,
}

impl Listener {
    /// Binds the socket. The caller must be inside the runtime.
    pub(super) fn bind(listen: &Listen, mode: SocketMode) -> Result<Self, Failure> {
        let socket = Listening::bind(listen, mode)?;
        let address = socket.address(listen).map_err(|error| {
            Failure::system(format!("cannot read the address of the socket {listen} ({error})"))
        })?;
        Ok(Self { socket, address })
    }

    /// Takes a socket that the service manager passes. The caller must be inside the runtime.
    pub(super) fn adopt(passed: Passed, listen: &Listen) -> Result<Self, Failure> {
        let socket = Listening::adopt(passed)
            .map_err(|error| Failure::system(format!("cannot use the passed socket {listen} ({error})")))?;
        Ok(Self { socket, address: listen.clone() })
    }

    /// Returns the address, with the port that the system chose for port 0.
    pub(super) fn address(&self) -> &Listen {
        &self.address
    }

    /// Starts to accept connections.
    pub(super) fn serve<W: Workers>(self, door: Arc<Door<W>>) -> Serving {
        let (ending, draining) = drain();
        let slots = Slots::new(door.bounds.connections, door.bounds.connections_per_address);
        let acceptor = Acceptor {
            socket: self.socket,
            door,
            slots: Arc::clone(&slots),
            refusals: Arc::new(Semaphore::new(MAX_LINGERING_REFUSALS)),
            draining,
        };
        Serving { accepting: tokio::spawn(acceptor.accept()), ending, slots }
    }
}

/// A running server.
pub(super) struct Serving {
    accepting: JoinHandle<()>,
    ending: watch::Sender<bool>,
    slots: Arc<Slots>,
}

impl Serving {
    /// Serves on for the time of the notice. Then it accepts no more connections and returns when
    /// the accepted requests are answered.
    ///
    /// # Errors
    /// [`Failure::System`] if the rest takes longer than the patience, or at a second signal.
    pub(super) async fn drain(self, times: DrainTimes, mut signals: Signals) -> Result<(), Failure> {
        let DrainTimes { notice, patience } = times;
        tracing::info!(
            notice_seconds = notice.as_secs(),
            patience_seconds = patience.as_secs(),
            "shutdown has begun"
        );
        let ended = async {
            sleep(notice).await;
            self.ending.send_replace(true);
            let answered = async {
                let _accepting_panicked = self.accepting.await;
                self.slots.all_ended().await;
            };
            timeout(patience, answered).await
        };
        tokio::select! {
            ended = ended => ended.map_err(|_| Failure::system(
                "the shutdown took too long and some requests were not answered: raise --drain-seconds",
            ))?,
            () = signals.until_asked_to_end(|| ()) => {
                return Err(Failure::system("a second signal ended the shutdown: some requests may not have been answered"));
            }
        }
        tracing::info!("shutdown is complete");
        Ok(())
    }
}

struct Acceptor<W> {
    socket: Listening,
    door: Arc<Door<W>>,
    slots: Arc<Slots>,
    refusals: Arc<Semaphore>,
    draining: Draining,
}

impl<W: Workers> Acceptor<W> {
    async fn accept(self) {
        let mut begun = Box::pin(self.draining.clone().begun());
        loop {
            let accepted = tokio::select! {
                accepted = self.accept_one() => accepted,
                () = &mut begun => break,
            };
            match accepted {
                Ok(accepted) => self.admit(accepted),
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections: raise the limit on open files");
                    sleep(PAUSE_AFTER_FAILED_ACCEPT).await;
                }
            }
        }
        self.accept_the_rest().await;
    }

    /// Accepts the connections that the system has accepted already: for their callers they are
    /// open.
    ///
    /// The system may report some of them late. Connections that arrive later do not prolong this.
    async fn accept_the_rest(&self) {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_LAST_ACCEPT {
            // Tokio allows 128 accepts in a turn and then reports that none is ready.
            match unconstrained(timeout_at((begun + SETTLE).into(), self.accept_one())).await {
                Err(_settled) => return,
                Ok(Ok(accepted)) => self.admit(accepted),
                Ok(Err(error)) if is_about_one_connection(&error) => {}
                Ok(Err(_)) => sleep(PAUSE_DURING_SHUTDOWN).await,
            }
            consume_budget().await;
        }
    }

    async fn accept_one(&self) -> io::Result<(Socket, OwnedSemaphorePermit)> {
        let permit = self.slots.permit().await.ok_or(io::ErrorKind::Other)?;
        Ok((self.socket.accept().await?, permit))
    }

    fn admit(&self, (socket, permit): (Socket, OwnedSemaphorePermit)) {
        let Some(slot) = self.slots.take(permit, socket.peer()) else { return self.refuse(socket) };
        let (door, draining) = (Arc::clone(&self.door), self.draining.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = connection::serve(socket, door, draining, &slot) => {}
                () = slot.is_needed() => {}
            }
        });
    }

    /// Answers a connection over the limit, but not under TLS: that would cost a handshake.
    fn refuse(&self, socket: Socket) {
        let refusal = Problem::overloaded(RETRY_AFTER);
        let answer = self.door.refuse_unread(Instant::now(), socket.peer(), refusal);
        if self.door.tls.is_some() {
            return;
        }
        let Ok(slot) = Arc::clone(&self.refusals).try_acquire_owned() else { return };
        tokio::spawn(async move {
            plain::answer_and_close(Box::new(socket), &plain::write(&answer.response)).await;
            drop(slot);
        });
    }
}

/// Whether the error is about one connection: its peer left before the accept (accept(2)).
fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// The pause if files or memory are exhausted, so that connections can end.
const PAUSE_AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// The same during the shutdown: connections that end release files for the rest.
const PAUSE_DURING_SHUTDOWN: Duration = Duration::from_millis(5);

/// The longest time to accept the rest. A full backlog takes some milliseconds.
const LONGEST_LAST_ACCEPT: Duration = Duration::from_secs(1);

/// The time after which a connection is probably free: about the time in the queue.
const RETRY_AFTER: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream,
        thread,
    };

    use tokio::task::{spawn_blocking, yield_now};

    use super::*;
    use crate::residue::door;

    /// The runtime learns of bytes between two tasks, so they may arrive before a task runs that does
    /// not know of them.
    #[tokio::test]
    async fn a_request_that_arrived_before_the_end_of_a_quiet_connection_is_answered() {
        let any_port = Listen::Address(([127, 0, 0, 1], 0).into());
        let listener = Listener::bind(&any_port, SocketMode::OWNER).unwrap();
        let Listen::Address(address) = *listener.address() else { panic!("not an address") };
        let serving = listener.serve(door());
        // One is silent, and one has had an answer. Connections are accepted in their order.
        let quiet = [TcpStream::connect(address).unwrap(), TcpStream::connect(address).unwrap()];
        let mut kept = quiet[1].try_clone().unwrap();
        kept.write_all(b"GET /health HTTP/1.1\r\n\r\n").unwrap();
        spawn_blocking(move || kept.read(&mut [0; 1024]).unwrap()).await.unwrap();
        serving.ending.send_replace(true);
        // All connections begin to wait, and their waits end at once: then this task is the first to run.
        for _ in 0..10 {
            yield_now().await;
        }
        thread::sleep(SETTLE * 2);
        yield_now().await;
        for mut stream in &quiet {
            stream.write_all(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        }
        for mut stream in quiet {
            let mut answer = [0; 1024];
            let read = spawn_blocking(move || stream.read(&mut answer).map(|_| answer)).await.unwrap();
            assert!(read.is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200 ")));
        }
    }
}
