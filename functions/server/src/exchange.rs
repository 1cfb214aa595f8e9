//! Reads one request and sends its answer.

use std::{
    convert::Infallible,
    error::Error,
    fmt,
    iter::successors,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Method, Request, Response, Version,
    header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING},
    request::Parts,
};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Frame, Incoming as SentBody, SizeHint};
use saltern_pool::Workers;
use saltern_service::{
    Answer, Arrival, Body, Code, Ids, Incoming, MAX_HEAD_BYTES, PeerAddress, Problem, Service,
};
use tokio::time::timeout;

use super::{
    bounds::{SMALL_ANSWER_BYTES, USUAL_BODY_BYTES},
    buffer::Buffer,
    door::Door,
    room::Taken,
    sending::{Held, Sending},
    socket::Socket,
    streams::eviction,
    watch::ActiveRequest,
};

impl<W: Workers> Door<W> {
    async fn answer(
        &self,
        incoming: &mut Incoming,
        parts: &Parts,
        mut sent: SentBody,
        peer: &mut Peer,
    ) -> Result<Answer, Unserved> {
        let ends_in_a_blank_line = sent.is_end_stream() || parts.headers.contains_key(TRANSFER_ENCODING);
        match self.admit_and_read(incoming, parts, &mut sent, peer).await {
            Ok(body) => incoming.body = body,
            Err(Unanswerable::Gone) => return Err(Unserved::Gone),
            Err(Unanswerable::Busy) => {
                let _counted = self.service.refuse(incoming, Problem::overloaded(AFTER_OTHERS));
                return Err(Unserved::Busy(h2::Reason::REFUSED_STREAM.into()));
            }
            Err(Unanswerable::Refused(problem)) => {
                let mut answer = self.service.refuse(incoming, problem);
                if sent.is_end_stream() {
                    peer.active.was_read(ends_in_a_blank_line);
                } else if parts.version < Version::HTTP_2 {
                    // The HTTP crate closes the connection if a body was not read to its end, but
                    // sends no `connection: close`.
                    answer.response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                return Ok(answer);
            }
        }
        peer.active.was_read(ends_in_a_blank_line);
        if let Some(place) = &peer.place {
            place.waits_for_server();
        }
        let answer = self.service.answer(incoming).await;
        peer.is_waited_for();
        Ok(answer)
    }

    /// Checks the head of a request, trusts the connection of a known caller, takes a place, and reads
    /// the body.
    async fn admit_and_read(
        &self,
        incoming: &Incoming,
        parts: &Parts,
        sent: &mut SentBody,
        peer: &mut Peer,
    ) -> Result<Body, Unanswerable> {
        let checked = check(parts);
        if checked.is_ok() && incoming.arrival.caller.is_authenticated() {
            peer.active.watch().trust();
        }
        self.take_place(incoming, parts, peer)?;
        let route = checked.and_then(|()| incoming.route())?;
        let limit = route.body_limit();
        let declared = declared_bytes(sent, limit)?;
        let read = async {
            let body = if route.reads_body() {
                self.read(sent, declared, limit, incoming.arrival.share(), peer).await
            } else {
                discard(sent, limit, peer).await.map(|()| Body::default())
            };
            match body {
                Ok(_) if parts.version == Version::HTTP_2 && !sent.is_end_stream() => Err(Unanswerable::Gone),
                Err(Unread::Broken(error)) if peer.has_gone() || is_of_a_peer_that_left(&error) => {
                    Err(Unanswerable::Gone)
                }
                Err(Unread::Broken(_)) => Err(Unanswerable::Refused(Problem::malformed_request())),
                Err(Unread::Refused(problem)) => Err(Unanswerable::Refused(problem)),
                Ok(body) => Ok(body),
            }
        };
        let read = timeout(self.bounds.body_timeout, read);
        let evicted = eviction();
        tokio::select! {
            biased;
            read = read => read.map_err(|_| Problem::new(Code::RequestTimeout))?,
            () = evicted.notified() => Err(Unanswerable::Busy),
        }
    }

    /// Takes a place for a request on a trusted connection of HTTP/2, even if its head is refused: its
    /// answer waits for the peer too. Before a token was accepted only few requests are open. A connection
    /// of HTTP/1 has one request at a time, and is bounded itself.
    fn take_place(&self, incoming: &Incoming, parts: &Parts, peer: &mut Peer) -> Result<(), Unanswerable> {
        if parts.version == Version::HTTP_2 && peer.active.watch().is_trusted() {
            let place = self.places.take(incoming.arrival.share(), 1, &eviction());
            peer.place = Some(place.ok_or(Unanswerable::Busy)?);
        }
        Ok(())
    }

    /// Takes memory for an answer until the peer has taken it. An answer for which there is none
    /// becomes a refusal, with a log line of its own.
    fn room_for(&self, answer: &mut Answer, incoming: &Incoming) -> Option<Taken> {
        let bytes = answer.response.body().held_bytes();
        if bytes <= SMALL_ANSWER_BYTES {
            return None;
        }
        let room = self.answers.take(incoming.arrival.share(), bytes, &eviction());
        if room.is_none() {
            *answer = self.service.refuse(incoming, Problem::overloaded(AFTER_OTHERS));
        }
        room
    }

    /// Reads a body.
    ///
    /// Until the last byte has arrived, its memory counts against its caller's share: the declared
    /// length, or the bytes that have arrived, rounded up. Later it lives only until it is parsed.
    async fn read(
        &self,
        sent: &mut SentBody,
        declared: Option<usize>,
        limit: usize,
        of: saltern_pool::CallerNumber,
        peer: &Peer,
    ) -> Result<Body, Unread> {
        let full = || Problem::overloaded(AFTER_OTHERS);
        let mut counted = declared.unwrap_or(USUAL_BODY_BYTES).min(limit);
        let evicted = Arc::default();
        let room = self.bodies.take(of, counted, &evicted).ok_or_else(full)?;
        let mut body = Buffer::new(declared.unwrap_or(limit)).map_err(|_no_memory| full())?;
        loop {
            let part = tokio::select! {
                biased;
                part = next_part(sent, limit - body.len(), peer) => part?,
                () = evicted.notified() => return Err(full().into()),
            };
            let Some(data) = part else { return Ok(body.into()) };
            room.waits_for_peer();
            let len = body.len() + data.len();
            if len > counted {
                let more = len.max(2 * counted).min(limit) - counted;
                if !room.grow(more) {
                    return Err(full().into());
                }
                counted += more;
            }
            body.extend(&data);
        }
    }
}

/// Checks the head of a request for what only HTTP knows.
fn check(parts: &Parts) -> Result<(), Problem> {
    if head_bytes(parts) > MAX_HEAD_BYTES {
        return Err(Problem::new(Code::HeadersTooLarge));
    }
    if !is_well_formed(parts) {
        return Err(Problem::malformed_request());
    }
    Ok(())
}

/// Reads and discards a body that the route ignores, so that the connection can be used again.
async fn discard(sent: &mut SentBody, limit: usize, peer: &Peer) -> Result<(), Unread> {
    let mut left = limit;
    while let Some(data) = next_part(sent, left, peer).await? {
        left -= data.len();
    }
    Ok(())
}

/// Returns the next bytes of a body of which `left` bytes are still allowed.
async fn next_part(sent: &mut SentBody, left: usize, peer: &Peer) -> Result<Option<Bytes>, Unread> {
    while let Some(frame) = sent.frame().await {
        peer.is_waited_for();
        // A frame without data holds trailers, which are ignored.
        let Ok(data) = frame.map_err(Unread::Broken)?.into_data() else { continue };
        if data.len() > left {
            return Err(Problem::new(Code::BodyTooLarge).into());
        }
        return Ok(Some(data));
    }
    Ok(None)
}

/// The reason why a body was not read to its end.
enum Unread {
    /// The chunks are malformed, or the peer has gone.
    Broken(hyper::Error),
    Refused(Problem),
}

impl From<Problem> for Unread {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

/// The reason why a request has no response of the service.
enum Unanswerable {
    Gone,
    /// The request has no place, or lost it.
    Busy,
    Refused(Problem),
}

impl From<Problem> for Unanswerable {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

/// Whether the HTTP/2 error means that the peer has gone: it reset the stream or ended the
/// connection.
fn is_of_a_peer_that_left(error: &hyper::Error) -> bool {
    let causes = successors(error.source(), |cause: &&(dyn Error + 'static)| (*cause).source());
    let mut of_http2 = causes.filter_map(|cause| cause.downcast_ref::<h2::Error>());
    of_http2.any(|error| error.is_reset() || error.is_go_away() || error.is_io())
}

/// The other end of a connection, with the place of its request.
pub(super) struct Peer {
    active: ActiveRequest,
    /// For the log, and for the share of a caller without a token.
    address: Option<PeerAddress>,
    /// Only over HTTP/1: later bytes stay unread until the response, so the socket tells whether
    /// the peer has gone. Over HTTP/2 bytes are read as they arrive, and the HTTP crate notices it.
    socket: Option<Socket>,
    place: Option<Taken>,
}

impl Peer {
    pub(super) fn new(active: ActiveRequest, address: Option<PeerAddress>, socket: Option<Socket>) -> Self {
        Self { active, address, socket, place: None }
    }

    /// Tells that the request waits for the peer since now.
    fn is_waited_for(&self) {
        if let Some(place) = &self.place {
            place.waits_for_peer();
        }
    }

    /// Whether the peer has ended the connection.
    fn has_gone(&self) -> bool {
        self.socket.as_ref().is_some_and(Socket::peer_has_gone)
    }
}

/// Answers a request.
///
/// # Errors
/// [`Unserved`]; the error ends this side of the stream or connection.
pub(super) async fn exchange<W: Workers>(
    door: &Door<W>,
    request: Request<SentBody>,
    mut peer: Peer,
) -> Result<Response<Outgoing>, Unserved> {
    let (parts, sent) = request.into_parts();
    let mut counted = CountedIfGone::since_now(door, &parts, &peer);
    if peer.has_gone() {
        return Err(Unserved::Gone);
    }
    let answered = door.answer(&mut counted.incoming, &parts, sent, &mut peer).await;
    counted.is_answered = !matches!(answered, Err(Unserved::Gone));
    let mut answer = answered?;
    let room = door.room_for(&mut answer, &counted.incoming);
    let mut response = answer.response;
    if parts.method == Method::HEAD {
        // The length of the response to GET (RFC 9110 §9.3.2).
        let length = HeaderValue::from(response.body().len());
        response.headers_mut().insert(CONTENT_LENGTH, length);
        return Ok(response.map(|_| Outgoing::default()));
    }
    let sending = peer.active.watch().sending();
    let held = |body| Held { body, _unsent: sending.begin(), _place: peer.place, _room: room };
    let buffered = peer.socket.is_some().then(|| Arc::clone(sending));
    Ok(response.map(|body| Outgoing { rest: Bytes::from_owner(held(body)), buffered }))
}

/// The body of an answer, in parts that the HTTP crate takes when it can send them.
#[derive(Default)]
pub(super) struct Outgoing {
    rest: Bytes,
    /// Only over HTTP/1, for which the crate copies parts to a buffer before it sends them. Over
    /// HTTP/2 it takes a part when the window has room.
    buffered: Option<Arc<Sending>>,
}

impl hyper::body::Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if let Some(sending) = &self.buffered {
            if sending.is_stuck() {
                sending.wake_at_change(context.waker());
                return Poll::Pending;
            }
            sending.fell_behind();
        }
        let part = self.rest.len().min(PART_BYTES);
        // The last part takes the owner along, which tells that the answer was sent.
        let part =
            if part == self.rest.len() { std::mem::take(&mut self.rest) } else { self.rest.split_to(part) };
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// Counts a request whose future is dropped before its response: the caller has gone.
struct CountedIfGone<'a, W: Workers> {
    service: &'a Service<W>,
    incoming: Incoming,
    is_answered: bool,
}

impl<'a, W: Workers> CountedIfGone<'a, W> {
    /// Finds out whose token it is, and makes the [`Incoming`].
    fn since_now(door: &'a Door<W>, parts: &Parts, peer: &Peer) -> Self {
        let arrival = Arrival {
            at: Instant::now(),
            peer: peer.address,
            caller: door.access.caller(parts),
            latest: None,
        };
        let incoming = door.service.receive(parts, arrival, Ids::of(&parts.headers));
        Self { service: &door.service, incoming, is_answered: false }
    }
}

impl<W: Workers> Drop for CountedIfGone<'_, W> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.service.count_gone(&self.incoming);
        }
    }
}

/// The reason why a request gets no response.
#[derive(Debug)]
pub(super) enum Unserved {
    /// The peer has ended the connection and waits for no response.
    Gone,
    /// No place is left for the caller, or another one needs the place of this request. The HTTP
    /// crate resets the stream with this reason; the caller may send the request again (RFC 9113
    /// §8.7).
    Busy(h2::Error),
}

impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the peer has ended the connection",
            Self::Busy(_) => "too many requests at once",
        })
    }
}

impl Error for Unserved {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Gone => None,
            Self::Busy(reason) => Some(reason),
        }
    }
}

/// Returns the length of the head in HTTP/1.1, within a few bytes.
fn head_bytes(parts: &Parts) -> usize {
    const COLON_SPACE_AND_LINE_END: usize = 4;
    let uri = parts.uri.path_and_query().map_or(0, |path| path.as_str().len());
    let field = |(name, value): (&HeaderName, &HeaderValue)| {
        name.as_str().len() + value.len() + COLON_SPACE_AND_LINE_END
    };
    parts.headers.iter().map(field).sum::<usize>() + uri
}

/// Returns the declared length of the body, if there is one.
fn declared_bytes(sent: &SentBody, limit: usize) -> Result<Option<usize>, Problem> {
    let Some(declared) = sent.size_hint().exact() else { return Ok(None) };
    let declared = usize::try_from(declared).ok().filter(|&bytes| bytes <= limit);
    declared.map(Some).ok_or_else(|| Problem::new(Code::BodyTooLarge))
}

/// Whether the request has at most one host (RFC 9112 §3.2) and no transfer coding except
/// `chunked`, once (§6.1).
///
/// A proxy in front may read other requests differently, so the server does not guess. A request
/// without a host is harmless.
fn is_well_formed(parts: &Parts) -> bool {
    let one_host = parts.headers.get_all(HOST).iter().count() <= 1;
    let mut codings = parts.headers.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    one_host && codings.next().is_none_or(is_chunked) && codings.next().is_none()
}

/// `Retry-After` when other requests take all memory or all places. Most bodies are read, and most
/// answers taken, within milliseconds.
const AFTER_OTHERS: Duration = Duration::from_secs(1);

/// An unread answer keeps at most one part in the buffers of its connection.
const PART_BYTES: usize = 4 * 1024;
