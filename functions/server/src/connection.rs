//! One connection, from its first byte to its last.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use http::HeaderMap;
use hyper::{
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use saltern_service::{Arrival, MAX_HEAD_BYTES, Problem};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Sleep, sleep_until, timeout},
};

use super::{
    bounds::{LINGER, MAX_STREAMS, PING_EVERY, PING_TIMEOUT},
    drain::{Draining, SETTLE},
    exchange::{Front, Peer, exchange},
    plain,
    sniff::{Opening, Protocol},
    watch::{ActiveRequest, Watch},
    wire::{Socket, Wire},
};

/// Serves a connection until either side ends it.
pub(super) async fn serve(stream: TcpStream, front: Arc<Front>, draining: Draining) {
    let socket = Socket::new(stream);
    match front.tls().map(super::tls::Tls::acceptor) {
        None => talk(socket.clone(), Talk { socket, front, draining }).await,
        Some(acceptor) => {
            let handshake = timeout(front.bounds().header_timeout, acceptor.accept(socket.clone()));
            // A peer that does not finish its handshake speaks no protocol that an answer could be in.
            if let Ok(Ok(stream)) = handshake.await {
                talk(stream, Talk { socket, front, draining }).await;
            }
        }
    }
}

/// What a connection is served with.
struct Talk {
    socket: Socket,
    front: Arc<Front>,
    draining: Draining,
}

async fn talk(mut stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, talk: Talk) {
    let bounds = *talk.front.bounds();
    let mut opening = Opening::default();
    let begun = tokio::select! {
        // What has arrived in time is answered, however late it is looked at.
        biased;
        begun = timeout(bounds.idle_timeout, opening.read_more(&mut stream)) => begun,
        () = talk.draining.clone().begun_and_settled() => return,
    };
    // One that sends nothing is as idle as one between two requests.
    let Ok(Ok(())) = begun else { return };
    let begun = Instant::now();
    match timeout(bounds.header_timeout, opening.read(&mut stream)).await {
        Ok(Ok(protocol)) => {
            let watch = Watch::begin(begun);
            let wire = Wire::new(stream, opening, Arc::clone(&watch), Arc::clone(&talk.front));
            match protocol {
                Protocol::Http1 => http1(wire, watch, talk).await,
                Protocol::Http2 => http2(wire, watch, talk).await,
            }
        }
        Err(_too_slow) => refuse_slow_head(stream, &talk.front, begun).await,
        Ok(Err(_)) => {}
    }
}

async fn http1<S>(wire: Wire<S>, watch: Arc<Watch>, Talk { socket, front, draining }: Talk)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let bounds = *front.bounds();
    let service = {
        let (front, watch, socket) = (Arc::clone(&front), Arc::clone(&watch), socket.clone());
        service_fn(move |request| {
            let (front, active, socket) = (Arc::clone(&front), watch.request(), socket.clone());
            Box::pin(async move {
                let answered = exchange(&front, request, &OverHttp1 { socket, active: &active }).await;
                drop(active);
                answered
            })
        })
    };
    let mut connection = http1::Builder::new()
        // The clock below keeps the time, and an answer is given.
        .header_read_timeout(None)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(READ_BUFFER_BYTES)
        // One write for head and body: they are small.
        .writev(false)
        .serve_connection(TokioIo::new(wire), service);
    let mut clock = Clock::new(draining);
    let ended = poll_fn(|context| {
        loop {
            if connection.poll_without_shutdown(context).is_ready() {
                return Poll::Ready(Ended::ByItself);
            }
            let now = Instant::now();
            let settled = clock.poll_settled(context);
            if settled.is_some_and(|at| watch.is_answering() || (at <= now && !watch.head_has_begun())) {
                clock.has_told = true;
                Pin::new(&mut connection).graceful_shutdown();
                continue;
            }
            let (at, due) = match (watch.is_answering(), watch.head_has_begun()) {
                (true, _) if watch.is_blind() => (clock.last_look + LOOK_EVERY, Due::Look),
                (true, _) => return Poll::Pending,
                (false, true) => (watch.head_begun_at() + bounds.header_timeout, Due::End(Ended::Slow)),
                (false, false) => (watch.idle_since() + bounds.idle_timeout, Due::End(Ended::Idle)),
            };
            match due {
                Due::Look if at <= now && socket.peer_has_gone() => return Poll::Ready(Ended::Gone),
                Due::Look if at <= now => clock.last_look = now,
                Due::End(ended) if at <= now => return Poll::Ready(ended),
                _ if clock.poll_at(settled.map_or(at, |settled| settled.min(at)), context).is_pending() => {
                    return Poll::Pending;
                }
                _ => {}
            }
        }
    })
    .await;
    let stream = connection.into_parts().io.into_inner().into_stream();
    match ended {
        Ended::ByItself if !watch.has_ended() => plain::linger(stream).await,
        Ended::Slow => refuse_slow_head(stream, &front, watch.head_begun_at()).await,
        Ended::ByItself | Ended::Gone | Ended::Idle => {}
    }
}

async fn http2<S>(wire: Wire<S>, watch: Arc<Watch>, Talk { front, draining, .. }: Talk)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let bounds = *front.bounds();
    let service = {
        let watch = Arc::clone(&watch);
        service_fn(move |request| {
            let (front, active) = (Arc::clone(&front), watch.request());
            async move {
                let answered = exchange(&front, request, &OverHttp2).await;
                drop(active);
                answered
            }
        })
    };
    let mut connection = pin!(
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(HEADER_LIST_BYTES)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_TIMEOUT)
            .serve_connection(TokioIo::new(wire), service)
    );
    let mut clock = Clock::new(draining);
    poll_fn(|context| {
        loop {
            if connection.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let now = Instant::now();
            let asked_to_end = clock.poll_settled(context).is_some();
            let idle_until = watch.idle_since() + bounds.idle_timeout;
            let is_idle = !watch.is_answering() && idle_until <= now;
            if !clock.has_told && (asked_to_end || is_idle) {
                clock.has_told = true;
                clock.last_look = now;
                connection.as_mut().graceful_shutdown();
                continue;
            }
            if watch.is_answering() {
                return Poll::Pending;
            }
            let at =
                if clock.has_told { watch.idle_since().max(clock.last_look) + LINGER } else { idle_until };
            if clock.has_told && at <= now {
                return Poll::Ready(());
            }
            if clock.poll_at(at, context).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// What follows a request is not read before it is answered: whether the peer is still there, the system is asked.
struct OverHttp1<'a> {
    socket: Socket,
    active: &'a ActiveRequest,
}

impl Peer for OverHttp1<'_> {
    fn has_gone(&self) -> bool {
        self.socket.peer_has_gone()
    }

    fn request_was_read(&self, ends_in_a_blank_line: bool) {
        self.active.was_read(ends_in_a_blank_line);
    }
}

/// Every byte of an HTTP/2 connection is read as it comes: its end is noticed by itself, and its requests do not wait
/// for each other.
struct OverHttp2;

impl Peer for OverHttp2 {
    fn has_gone(&self) -> bool {
        false
    }

    fn request_was_read(&self, _: bool) {}
}

async fn refuse_slow_head(stream: impl AsyncRead + AsyncWrite + Unpin, front: &Front, begun: Instant) {
    let answer = front.refuse(&HeaderMap::new(), Problem::request_timeout(), Arrival(begun));
    plain::answer_and_close(stream, &plain::write(&answer)).await;
}

/// Why a connection of HTTP/1.1 is over.
#[derive(Clone, Copy, Debug)]
enum Ended {
    /// The HTTP crate ended it, or the peer did.
    ByItself,
    /// The peer left without waiting for its answers.
    Gone,
    /// Nothing came for long.
    Idle,
    /// The head of a request did not become complete.
    Slow,
}

/// What a connection of HTTP/1.1 waits for, besides its bytes.
#[derive(Clone, Copy, Debug)]
enum Due {
    End(Ended),
    /// Whether the peer is still there.
    Look,
}

/// The times of one connection.
struct Clock {
    /// One timer for all of them. It is never moved back: at a request's pace that would be most of its cost.
    alarm: Pin<Box<Sleep>>,
    ending: Pin<Box<dyn Future<Output = ()> + Send>>,
    settled: Option<Instant>,
    /// The connection knows that it shall end.
    has_told: bool,
    last_look: Instant,
}

impl Clock {
    fn new(draining: Draining) -> Self {
        let now = Instant::now();
        Self {
            alarm: Box::pin(sleep_until((now + LOOK_EVERY).into())),
            ending: Box::pin(draining.begun()),
            settled: None,
            has_told: false,
            last_look: now,
        }
    }

    /// When a connection that shall end is to be told; `None` where it need not, or was.
    fn poll_settled(&mut self, context: &mut Context<'_>) -> Option<Instant> {
        if self.has_told {
            return None;
        }
        if self.settled.is_none() && self.ending.as_mut().poll(context).is_ready() {
            self.settled = Some(Instant::now() + SETTLE);
        }
        self.settled
    }

    /// Wakes the connection then, or earlier.
    fn poll_at(&mut self, at: Instant, context: &mut Context<'_>) -> Poll<()> {
        if self.alarm.is_elapsed() || self.alarm.deadline() > at.into() {
            self.alarm.as_mut().reset(at.into());
        }
        self.alarm.as_mut().poll(context)
    }
}

/// How soon a peer's leaving is noticed while more of its requests wait unread: a fraction of the queue's 2 s.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Room for a head that is over its limit by as much again, which then gets a problem document.
const READ_BUFFER_BYTES: usize = 2 * MAX_HEAD_BYTES;

/// As above; beyond it the HTTP/2 crate answers 431 without a document. RFC 9113 §6.5.2 counts 32 bytes a field more.
#[expect(clippy::cast_possible_truncation, reason = "64 KiB")]
const HEADER_LIST_BYTES: u32 = 4 * MAX_HEAD_BYTES as u32;
