//! One connection, from its first byte to its last.

use std::{
    future::{pending, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::{
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use saltern_pool::Workers;
use saltern_service::{Code, MAX_HEAD_BYTES, PeerAddress, Problem};
use tokio::time::{Sleep, sleep, sleep_until, timeout};

use super::{
    bounds::{LINGER, MAX_STREAMS, PING_EVERY, PING_TIMEOUT},
    door::Door,
    drain::Draining,
    exchange::{Peer, exchange},
    phase::{self, Ended, LOOK_EVERY, Next, Shutdown},
    plain,
    slots::Slot,
    sniff::{Opening, Protocol},
    socket::Socket,
    streams::Streams,
    watch::Watch,
    wire::{Stream, Wire},
};

/// Serves a connection until either side ends it.
pub(super) async fn serve<W: Workers>(socket: Socket, door: Arc<Door<W>>, draining: Draining, slot: &Slot) {
    let parts = Parts { socket: socket.clone(), door: Arc::clone(&door), draining: draining.clone(), slot };
    match &door.tls {
        None => talk(Box::new(socket), parts).await,
        Some(tls) => {
            let handshake = Box::pin(timeout(door.bounds.first_byte_timeout, tls.accept(socket, slot)));
            let drained = async {
                draining.begun().await;
                sleep(LINGER).await;
            };
            let accepted = tokio::select! {
                biased;
                accepted = handshake => accepted,
                () = drained => return,
            };
            // Without a handshake there is no protocol for a response.
            if let Ok(Ok(stream)) = accepted {
                slot.greeted();
                talk(Box::new(stream), parts).await;
            }
        }
    }
}

/// The socket of a connection, its slot, and the parts that serve it.
struct Parts<'a, W> {
    socket: Socket,
    door: Arc<Door<W>>,
    draining: Draining,
    slot: &'a Slot,
}

async fn talk<W: Workers>(mut stream: Stream, parts: Parts<'_, W>) {
    let bounds = parts.door.bounds;
    let peer = parts.socket.peer();
    let mut opening = Opening::default();
    let settled = async {
        parts.draining.clone().begun_and_settled().await;
        if parts.socket.has_unread() {
            // They are about to be read.
            pending::<()>().await;
        }
    };
    let begun = tokio::select! {
        // A request that arrived in time is answered, even if this task runs late.
        biased;
        begun = timeout(bounds.first_byte_timeout, opening.read_more(&mut stream)) => begun,
        () = settled => return,
    };
    // A silent connection ends without a response, as one that is idle between two requests.
    let Ok(Ok(())) = begun else { return };
    let begun = Instant::now();
    match timeout(bounds.header_timeout, opening.read(&mut stream)).await {
        Ok(Ok(protocol)) => {
            let watch = Watch::begin(begun);
            parts.slot.asks(&watch);
            let wire = Wire::new(stream, opening, protocol, Arc::clone(&watch));
            match protocol {
                // In boxes: a connection that is still silent needs no memory for them.
                Protocol::Http1 => Box::pin(http1(wire, watch, parts)).await,
                Protocol::Http2 => Box::pin(http2(wire, watch, parts)).await,
            }
        }
        Err(_too_slow) => refuse(stream, &parts.door, begun, peer, Problem::new(Code::RequestTimeout)).await,
        Ok(Err(_)) => {}
    }
}

async fn http1<W: Workers>(
    wire: Wire,
    watch: Arc<Watch>,
    Parts { socket, door, draining, slot }: Parts<'_, W>,
) {
    let bounds = door.bounds;
    let service = {
        let (door, watch, socket) = (Arc::clone(&door), Arc::clone(&watch), socket.clone());
        service_fn(move |request| {
            let (door, peer) =
                (Arc::clone(&door), Peer::new(watch.request(), socket.peer(), Some(socket.clone())));
            Box::pin(async move { exchange(&door, request, peer).await })
        })
    };
    let mut connection = http1::Builder::new()
        // The clock below measures this time, so that the client gets a response.
        .header_read_timeout(None)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(READ_BUFFER_BYTES)
        // Head and body are small: one write sends both.
        .writev(false)
        .serve_connection(TokioIo::new(wire), service);
    let mut clock = Clock::new(draining);
    let ended = poll_fn(|context| {
        loop {
            match connection.poll_without_shutdown(context) {
                Poll::Ready(Err(error)) if error.is_parse() => {
                    return Poll::Ready(Ended::Malformed { is_too_large: error.is_parse_too_large() });
                }
                Poll::Ready(_) => return Poll::Ready(Ended::Closed),
                Poll::Pending => {}
            }
            slot.note_behind(watch.sending().is_stuck());
            clock.note_shutdown(context);
            let (now, untaken) = (Instant::now(), watch.sending().since());
            let phase = watch.phase();
            match phase::next(phase, clock.shutdown, untaken, clock.looked, now, &bounds) {
                // They are about to be read.
                Next::Drain if phase.open() == 0 && untaken.is_none() && socket.has_unread() => {
                    return Poll::Pending;
                }
                Next::Drain => {
                    clock.shutdown = Shutdown::Told;
                    Pin::new(&mut connection).graceful_shutdown();
                }
                Next::End(ended) => return Poll::Ready(ended),
                Next::Look if socket.peer_has_gone() => return Poll::Ready(Ended::Gone),
                Next::Look => clock.looked = now,
                Next::Wait(None) => return Poll::Pending,
                Next::Wait(Some(at)) if clock.poll_at(at, context).is_pending() => return Poll::Pending,
                Next::Wait(Some(_)) => {}
            }
        }
    })
    .await;
    let wire = connection.into_parts().io.into_inner();
    let has_withheld = wire.has_withheld();
    let stream = wire.into_stream();
    let peer = socket.peer();
    match ended {
        Ended::Malformed { is_too_large } if has_withheld => {
            let problem =
                if is_too_large { Problem::new(Code::HeadersTooLarge) } else { Problem::malformed_request() };
            refuse(stream, &door, Instant::now(), peer, problem).await;
        }
        Ended::Closed | Ended::Idle | Ended::Malformed { .. } if !watch.has_ended() => {
            plain::linger(stream).await;
        }
        Ended::Slow(begun) => refuse(stream, &door, begun, peer, Problem::new(Code::RequestTimeout)).await,
        Ended::Closed | Ended::Gone | Ended::Idle | Ended::Malformed { .. } => {}
    }
}

async fn http2<W: Workers>(
    wire: Wire,
    watch: Arc<Watch>,
    Parts { socket, door, draining, slot }: Parts<'_, W>,
) {
    let bounds = door.bounds;
    let address = socket.peer();
    let service = {
        let watch = Arc::clone(&watch);
        service_fn(move |request| {
            let (door, peer) = (Arc::clone(&door), Peer::new(watch.request(), address, None));
            Box::pin(async move { exchange(&door, request, peer).await })
        })
    };
    let mut connection = pin!(
        http2::Builder::new(Streams)
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(HEADER_LIST_BYTES)
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_TIMEOUT)
            .serve_connection(TokioIo::new(wire), service)
    );
    let mut clock = Clock::new(draining);
    poll_fn(|context| {
        loop {
            watch.next_turn();
            if connection.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let now = Instant::now();
            clock.note_shutdown(context);
            let was_told = clock.shutdown == Shutdown::Told;
            slot.note_behind(watch.sending().is_stuck());
            let untaken = watch.sending().since().map(|since| since + bounds.answer_timeout);
            if untaken.is_some_and(|at| at <= now) {
                return Poll::Ready(());
            }
            let quiet_since = watch.phase().quiet_since().filter(|_| untaken.is_none());
            let idle_until = quiet_since.map(|since| match clock.shutdown {
                Shutdown::Told => since.max(clock.looked) + LINGER,
                Shutdown::NotBegun | Shutdown::Begun(_) => since + bounds.idle_timeout,
            });
            let is_idle = idle_until.is_some_and(|at| at <= now);
            if was_told && is_idle {
                return Poll::Ready(());
            }
            if !was_told && (is_idle || clock.shutdown != Shutdown::NotBegun) {
                clock.shutdown = Shutdown::Told;
                clock.looked = now;
                connection.as_mut().graceful_shutdown();
                continue;
            }
            // While nothing is read, only the socket tells whether the peer has gone.
            let look_at = (!was_told && !watch.may_read_on()).then(|| clock.looked + LOOK_AT_UNREAD_EVERY);
            if look_at.is_some_and(|at| at <= now) {
                if socket.peer_has_gone() {
                    return Poll::Ready(());
                }
                clock.looked = now;
                continue;
            }
            let at = idle_until.into_iter().chain(untaken).chain(look_at).min();
            let Some(at) = at else { return Poll::Pending };
            if clock.poll_at(at, context).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// Sends the last response of a connection on which the HTTP crate has handed over no request.
async fn refuse<W: Workers>(
    stream: Stream,
    door: &Door<W>,
    begun: Instant,
    peer: Option<PeerAddress>,
    problem: Problem,
) {
    let answer = door.refuse_unread(begun, peer, problem);
    plain::answer_and_close(stream, &plain::write(&answer.response)).await;
}

/// The timers of one connection.
struct Clock {
    /// One timer for all events. It is never set to a later time: for each request that would be
    /// most of the timer's cost.
    alarm: Pin<Box<Sleep>>,
    ending: Pin<Box<dyn Future<Output = ()> + Send>>,
    shutdown: Shutdown,
    /// The time of the last look at the socket.
    looked: Instant,
}

impl Clock {
    fn new(draining: Draining) -> Self {
        let now = Instant::now();
        Self {
            alarm: Box::pin(sleep_until((now + LOOK_EVERY).into())),
            ending: Box::pin(draining.begun()),
            shutdown: Shutdown::default(),
            looked: now,
        }
    }

    /// Notes the begin of the shutdown, or asks to be woken by it.
    fn note_shutdown(&mut self, context: &mut Context<'_>) {
        if self.shutdown == Shutdown::NotBegun && self.ending.as_mut().poll(context).is_ready() {
            self.shutdown = Shutdown::Begun(Instant::now());
        }
    }

    /// Wakes the connection at this time or earlier.
    fn poll_at(&mut self, at: Instant, context: &mut Context<'_>) -> Poll<()> {
        if self.alarm.is_elapsed() || self.alarm.deadline() > at.into() {
            self.alarm.as_mut().reset(at.into());
        }
        self.alarm.as_mut().poll(context)
    }
}

/// The interval of looks at a peer that does not take its answers. It wastes memory, and no hashing.
const LOOK_AT_UNREAD_EVERY: Duration = Duration::from_millis(500);

/// The longest head. An unread answer may hold as much, and a part of the answer more.
const READ_BUFFER_BYTES: usize = MAX_HEAD_BYTES;

/// The longest head over HTTP/2: above it the HTTP/2 crate answers 431 without a document. RFC 9113
/// §6.5.2 adds 32 bytes for each field.
#[expect(clippy::cast_possible_truncation, reason = "64 KiB")]
const HEADER_LIST_BYTES: u32 = 4 * MAX_HEAD_BYTES as u32;

/// Bytes of a body that a peer may send before the server has read them: the initial value of HTTP/2
/// (RFC 9113 §6.9.2).
const WINDOW_BYTES: u32 = 65_535;

/// The same for all bodies of a connection. An unread body leaves room for those of other callers
/// behind the same proxy. The HTTP/2 crate ends a connection on which more short frames are unread
/// than this window makes likely: one frame of each of [`MAX_STREAMS`] has to fit.
const CONNECTION_WINDOW_BYTES: u32 = 4 * WINDOW_BYTES;
