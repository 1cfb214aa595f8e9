//! Reads one request and returns its response.

use std::{
    error::Error,
    fmt,
    iter::successors,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Version,
    header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING},
    request::Parts,
};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use saltern_service::{
    Answer, Arrival, Body, Caller, MAX_HEAD_BYTES, Operation, PeerAddress, Problem, RequestId, Service, Trace,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use zeroize::Zeroizing;

use super::{
    bounds::{Bounds, MAX_BODY_BYTES_AT_ONCE},
    tls::Tls,
    tokens::Access,
};

/// The parts of the server that all connections share.
pub(super) struct Front {
    service: Service,
    access: Access,
    tls: Option<Tls>,
    bounds: Bounds,
    /// Memory for bodies that is still free, in bytes.
    room: Semaphore,
}

impl Front {
    pub(super) fn new(service: Service, access: Access, tls: Option<Tls>, bounds: Bounds) -> Self {
        Self { service, access, tls, bounds, room: Semaphore::new(MAX_BODY_BYTES_AT_ONCE) }
    }

    /// Logs what the operator should change.
    pub(super) fn log_advice(&self) {
        self.access.log_advice();
    }

    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub(super) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Reads the tokens and the certificate again, and logs the result. Both change, or neither.
    pub(super) fn read_again(&self) {
        let certificate =
            || self.tls.as_ref().map(|tls| tls.read_again().map(|fresh| (tls, fresh))).transpose();
        let read = self.access.read_again().and_then(|tokens| certificate().map(|fresh| (tokens, fresh)));
        match read {
            Ok((tokens, certificate)) => {
                tracing::info!(
                    tokens = tokens.is_some(),
                    certificate = certificate.is_some(),
                    "tokens and certificate were read again; the policy document is read only at the start"
                );
                if let Some(fresh) = tokens {
                    self.access.install(fresh);
                    self.access.log_advice();
                }
                if let Some((tls, fresh)) = certificate {
                    tls.install(fresh);
                }
            }
            Err(failure) => {
                tracing::error!(%failure, "the old tokens and the old certificate stay in use");
            }
        }
    }

    /// Refuses a request that does not reach the service.
    pub(super) fn refuse(&self, headers: &HeaderMap, problem: Problem, arrival: Arrival) -> Answer {
        let answer = self.service.refuse(headers, problem, arrival);
        answer.outcome.log();
        answer
    }

    async fn answer(
        &self,
        mut parts: Parts,
        mut incoming: Incoming,
        arrival: Arrival,
        peer: &impl Peer,
    ) -> Result<Answer, Gone> {
        let ends_in_a_blank_line = incoming.is_end_stream() || parts.headers.contains_key(TRANSFER_ENCODING);
        let body = match self.read_body(&parts, &mut incoming, &arrival.caller, peer).await {
            Ok(body) => body,
            Err(Unanswerable::Gone) => return Err(Gone),
            Err(Unanswerable::Refused(problem)) => {
                let mut answer = self.service.refuse(&parts.headers, problem, arrival);
                // The HTTP crate closes the connection if a body was not read to its end, but sends
                // no `connection: close`.
                if parts.version < Version::HTTP_2 && !incoming.is_end_stream() {
                    answer.response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                return Ok(answer);
            }
        };
        peer.request_was_read(ends_in_a_blank_line);
        parts.extensions.insert(arrival);
        Ok(self.service.answer(Request::from_parts(parts, body)).await)
    }

    /// Checks the head of a request and reads its body.
    async fn read_body(
        &self,
        parts: &Parts,
        incoming: &mut Incoming,
        caller: &Caller,
        peer: &impl Peer,
    ) -> Result<Body, Unanswerable> {
        check(parts, caller)?;
        let limit = Service::body_limit(parts);
        let expected = expected_bytes(incoming, limit)?;
        let read = async {
            let body = if Service::reads_body(parts) {
                self.read(incoming, expected, limit).await
            } else {
                discard(incoming, limit).await.map(|()| Body::default())
            };
            match body {
                Ok(_) if parts.version == Version::HTTP_2 && !incoming.is_end_stream() => {
                    Err(Unanswerable::Gone)
                }
                Err(Unread::Broken(error)) if peer.has_gone() || is_of_a_peer_that_left(&error) => {
                    Err(Unanswerable::Gone)
                }
                Err(Unread::Broken(_)) => Err(Unanswerable::Refused(Problem::malformed_request())),
                Err(Unread::Refused(problem)) => Err(Unanswerable::Refused(problem)),
                Ok(body) => Ok(body),
            }
        };
        timeout(self.bounds.body_timeout, read).await.map_err(|_| Problem::request_timeout())?
    }

    /// Reads a body.
    ///
    /// Until the last byte has arrived, the body counts against the memory for bodies with the
    /// bytes that have arrived, not with its declared length. Later it lives only until it is
    /// parsed.
    async fn read(&self, incoming: &mut Incoming, expected: usize, limit: usize) -> Result<Body, Unread> {
        let mut body = Zeroizing::new(Vec::with_capacity(expected.min(USUAL_BODY_BYTES)));
        let mut taken: Option<SemaphorePermit<'_>> = None;
        while let Some(data) = next_part(incoming, limit - body.len()).await? {
            let room =
                u32::try_from(data.len()).ok().and_then(|bytes| self.room.try_acquire_many(bytes).ok());
            let Some(room) = room else { return Err(Problem::overloaded(AFTER_OTHER_BODIES).into()) };
            match &mut taken {
                Some(taken) => taken.merge(room),
                None => taken = Some(room),
            }
            body.extend_from_slice(&data);
        }
        Ok(body.into())
    }
}

/// Checks the head of a request. The service checks the scopes of the token.
fn check(parts: &Parts, caller: &Caller) -> Result<(), Problem> {
    if head_bytes(parts) > MAX_HEAD_BYTES {
        return Err(Problem::headers_too_large());
    }
    if !is_well_formed(parts) {
        return Err(Problem::malformed_request());
    }
    if parts.uri.path() == PATH_WITHOUT_TOKEN { Ok(()) } else { caller.authenticated() }
}

/// Reads and discards a body that the route ignores, so that the connection can be used again.
async fn discard(incoming: &mut Incoming, limit: usize) -> Result<(), Unread> {
    let mut left = limit;
    while let Some(data) = next_part(incoming, left).await? {
        left -= data.len();
    }
    Ok(())
}

/// Returns the next bytes of a body of which `left` bytes are still allowed.
async fn next_part(incoming: &mut Incoming, left: usize) -> Result<Option<Bytes>, Unread> {
    while let Some(frame) = incoming.frame().await {
        // A frame without data holds trailers, which are ignored.
        let Ok(data) = frame.map_err(Unread::Broken)?.into_data() else { continue };
        if data.len() > left {
            return Err(Problem::body_too_large().into());
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

/// The other end of a connection.
pub(super) trait Peer {
    /// The address, for the log.
    fn address(&self) -> Option<PeerAddress>;

    /// Whether the peer has ended the connection.
    fn has_gone(&self) -> bool;

    /// Tells that the current request was read to its end: later bytes belong to the next one.
    ///
    /// A head and a chunked body end in a blank line; a body with a declared length does not.
    fn request_was_read(&self, ends_in_a_blank_line: bool);
}

/// Answers a request.
///
/// # Errors
/// [`Gone`] if the peer has ended the connection; the error ends this side of it.
pub(super) async fn exchange(
    front: &Front,
    request: Request<Incoming>,
    peer: &impl Peer,
) -> Result<Response<Full<Bytes>>, Gone> {
    let (parts, incoming) = request.into_parts();
    let mut unanswered = Unanswered::since_now(front, &parts, peer);
    let only_the_head = parts.method == Method::HEAD;
    if peer.has_gone() {
        return Err(Gone);
    }
    let Answer { mut response, outcome } =
        front.answer(parts, incoming, unanswered.arrival.clone(), peer).await?;
    unanswered.is_answered = true;
    outcome.log();
    if only_the_head {
        // The length of the response to GET (RFC 9110 §9.3.2).
        let length = HeaderValue::from(response.body().len());
        response.headers_mut().insert(CONTENT_LENGTH, length);
        return Ok(response.map(|_| Full::default()));
    }
    Ok(response.map(|body| Full::new(Bytes::from_owner(body))))
}

/// Counts and logs a request whose future is dropped before its response: the caller has gone.
struct Unanswered<'a> {
    service: &'a Service,
    arrival: Arrival,
    operation: Operation,
    request_id: Option<HeaderValue>,
    trace: Trace,
    is_answered: bool,
}

impl<'a> Unanswered<'a> {
    fn since_now(front: &'a Front, parts: &Parts, peer: &impl Peer) -> Self {
        Self {
            service: &front.service,
            arrival: Arrival {
                at: Instant::now(),
                peer: peer.address(),
                caller: front.access.caller(&parts.headers),
            },
            operation: Service::operation(parts),
            request_id: parts.headers.get(RequestId::HEADER).cloned(),
            trace: Trace::of(&parts.headers),
            is_answered: false,
        }
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let given = self.request_id.take().map(|id| (HeaderName::from_static(RequestId::HEADER), id));
        let request_id = RequestId::of(&given.into_iter().collect());
        let trace = std::mem::take(&mut self.trace);
        self.service.count_gone(self.operation, request_id, trace, self.arrival.clone()).log();
    }
}

/// The peer has ended the connection and waits for no response.
#[derive(Debug)]
pub(super) struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the peer has ended the connection")
    }
}

impl Error for Gone {}

/// Returns the length of the head in HTTP/1.1, within a few bytes.
fn head_bytes(parts: &Parts) -> usize {
    const COLON_SPACE_AND_LINE_END: usize = 4;
    let uri = parts.uri.path_and_query().map_or(0, |path| path.as_str().len());
    let field = |(name, value): (&HeaderName, &HeaderValue)| {
        name.as_str().len() + value.len() + COLON_SPACE_AND_LINE_END
    };
    parts.headers.iter().map(field).sum::<usize>() + uri
}

/// Returns the declared length of the body, or the limit if the request declares none.
fn expected_bytes(incoming: &Incoming, limit: usize) -> Result<usize, Problem> {
    let Some(declared) = incoming.size_hint().exact() else { return Ok(limit) };
    let declared = usize::try_from(declared).map_err(|_| Problem::body_too_large())?;
    if declared > limit { Err(Problem::body_too_large()) } else { Ok(declared) }
}

/// Whether the request has at most one host (RFC 9112 §3.2) and no transfer coding except
/// `chunked`.
///
/// A proxy in front may read other requests differently, so the server does not guess. A request
/// without a host is harmless.
fn is_well_formed(parts: &Parts) -> bool {
    let one_host = parts.headers.get_all(HOST).iter().count() <= 1;
    let mut codings = parts.headers.get_all(TRANSFER_ENCODING).iter();
    one_host && codings.all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

/// The path without a token: load balancers have none, and the response holds no secret.
const PATH_WITHOUT_TOKEN: &str = "/health";

/// Bytes that are allocated before the first byte of a body: enough for any single operation.
const USUAL_BODY_BYTES: usize = 16 * 1024;

/// `Retry-After` when other bodies take all memory. Most bodies are read within milliseconds.
const AFTER_OTHER_BODIES: Duration = Duration::from_secs(1);
