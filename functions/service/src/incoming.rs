//! One request, as a front door hands it to the service.

use core::fmt;
use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    time::{Duration, Instant},
};

use http::{HeaderMap, header, request::Parts};

use crate::{Body, Caller, CallersId, Code, Operation, Problem, RequestId, Trace, route::Route, trace::only};

/// A request: what it asks for, who asks, until when, and its ids. A front door makes it with
/// [`Service::receive`](crate::Service::receive) as soon as it has the head, and adds the body if
/// the head is accepted.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The problem of a head that is refused, whatever the body holds.
    route: Result<Route, Problem>,
    /// What the request is counted as.
    pub(crate) operation: Operation,
    /// When the answer becomes useless to the caller.
    pub(crate) not_after: Instant,
    /// The time, the peer and the caller.
    pub arrival: Arrival,
    /// The names of the request, for its response and its log line.
    pub ids: Ids,
    /// The body. [`Service::answer`](crate::Service::answer) wipes it before the work begins.
    pub body: Body,
}

impl Incoming {
    /// Checks the head of a request, in this order: token, path, scope, method, content type,
    /// deadline, the caller's id.
    pub(crate) fn of(parts: &Parts, has_metrics: bool, arrival: Arrival, ids: Ids) -> Self {
        let route = Route::at(parts.uri.path()).filter(|&route| has_metrics || route != Route::Metrics);
        let operation = route.map_or(Operation::None, Route::operation);
        let not_after = not_after(&parts.headers, &arrival);
        let admitted = arrival.caller.may(operation);
        // Whoever has no token must not be able to change what is counted of a route.
        let is_counted = admitted.is_ok() || arrival.caller.is_authenticated();
        let checked = admitted
            .and_then(|()| route.ok_or_else(|| Problem::new(Code::NotFound)))
            .and_then(|route| accept(route, parts).map(|()| route))
            .and_then(|route| not_after.clone().map(|_| route))
            .and_then(|route| match ids.callers {
                CallersId::Absent | CallersId::Given(_) => Ok(route),
                CallersId::Malformed => Err(Problem::new(Code::InvalidRequest).in_member(CallersId::HEADER)),
            });
        Self {
            route: checked,
            operation: if is_counted { operation } else { Operation::None },
            not_after: not_after.unwrap_or(arrival.at),
            arrival,
            ids,
            body: Body::default(),
        }
    }

    /// A request whose front door cannot read the head.
    pub fn unread(arrival: Arrival, ids: Ids) -> Self {
        Self {
            route: Err(Problem::malformed_request()),
            operation: Operation::None,
            not_after: arrival.at,
            arrival,
            ids,
            body: Body::default(),
        }
    }

    /// Returns the route, for the limit of its body.
    ///
    /// # Errors
    /// The problem of a head that is refused. The front door need not read the body.
    pub fn route(&self) -> Result<Route, Problem> {
        self.route.clone()
    }

    /// The same request, refused.
    #[must_use]
    pub fn refused(self, problem: Problem) -> Self {
        Self { route: Err(problem), ..self }
    }
}

/// The arrival of a request at its front door.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The time of the arrival, from which the deadline counts.
    pub at: Instant,
    /// The other end of the connection, if the front door knows it.
    pub peer: Option<PeerAddress>,
    /// The caller, and the operations that are allowed.
    pub caller: Caller,
    /// The latest possible deadline, if the front door itself is stopped at some time.
    pub latest: Option<Instant>,
}

impl Arrival {
    /// Whose share of workers, memory and places the request uses (HTTP contract). Without
    /// tokens it is the user of a socket file, or the network of the peer.
    pub fn share(&self) -> saltern_pool::CallerNumber {
        match (&self.caller, self.peer) {
            (Caller::Named(identity), _) => saltern_pool::CallerNumber(identity.key),
            (_, Some(peer)) => saltern_pool::CallerNumber(peer.share()),
            (_, None) => saltern_pool::CallerNumber::default(),
        }
    }
}

/// The other end of a connection. Behind a proxy it is the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerAddress {
    /// The address that AWS names. Its port is unknown.
    Host(IpAddr),
    /// An address of the network.
    Network(SocketAddr),
    /// A process on this machine, connected to a socket file.
    Process {
        /// The user of the process.
        uid: u32,
        /// The process, if the system tells it.
        pid: Option<i32>,
    },
}

impl PeerAddress {
    /// The part of an address that one party holds: an address of IPv4, or the network of one of IPv6.
    pub fn network(self) -> Option<IpAddr> {
        let Self::Network(address) = self else { return None };
        Some(match address.ip().to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let network = address.to_bits() >> INTERFACE_BITS << INTERFACE_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
        })
    }

    /// A number of the user or of the network. All of loopback is one.
    fn share(self) -> u64 {
        match self {
            // AWS names no caller that a caller cannot choose, so all are one.
            Self::Host(_) => 0,
            Self::Network(address) if address.ip().to_canonical().is_loopback() => 0,
            Self::Network(_) => match self.network() {
                Some(IpAddr::V4(address)) => address.to_bits().into(),
                Some(IpAddr::V6(network)) => (network.to_bits() >> INTERFACE_BITS) as u64,
                None => 0,
            },
            Self::Process { uid, .. } => uid.into(),
        }
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(address) => write!(f, "{address}"),
            Self::Network(address) => write!(f, "{address}"),
            Self::Process { uid, pid: Some(pid) } => write!(f, "uid={uid} pid={pid}"),
            Self::Process { uid, pid: None } => write!(f, "uid={uid}"),
        }
    }
}

/// The names of a request.
#[derive(Clone, Debug)]
pub struct Ids {
    /// Names the request in its response and its log line.
    pub request_id: RequestId,
    /// The name that the caller gave it.
    pub callers: CallersId,
    /// The trace that the request belongs to, if its headers name one.
    pub trace: Trace,
}

impl Ids {
    /// The ids of a request with these headers.
    pub fn of(headers: &HeaderMap) -> Self {
        let request_id = RequestId::given(headers).unwrap_or_else(RequestId::random);
        Self { request_id, callers: CallersId::of(headers), trace: Trace::of(headers) }
    }

    /// The ids of a request without a readable head.
    pub fn random() -> Self {
        Self { request_id: RequestId::random(), callers: CallersId::Absent, trace: Trace::default() }
    }
}

/// Checks that the route supports the method and the form of the body.
fn accept(route: Route, parts: &Parts) -> Result<(), Problem> {
    if !route.takes(&parts.method) {
        return Err(Problem::method_not_allowed(route.allow()));
    }
    if route.reads_body() && !is_json(&parts.headers) {
        return Err(Problem::new(Code::UnsupportedMediaType));
    }
    if route.reads_body() && !is_plain(&parts.headers) {
        return Err(Problem::encoded_body());
    }
    Ok(())
}

/// Whether exactly one `Content-Type` says `application/json`. Parameters are ignored.
fn is_json(headers: &HeaderMap) -> bool {
    let essence = only(headers, header::CONTENT_TYPE).and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Whether the body has no `Content-Encoding` other than `identity`. Bodies are never decompressed:
/// a few bytes could become gigabytes.
fn is_plain(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings.all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// When the answer becomes useless to the caller.
fn not_after(headers: &HeaderMap, arrival: &Arrival) -> Result<Instant, Problem> {
    let mut given = headers.get_all(DEADLINE_HEADER).iter();
    let budget = match (given.next(), given.next()) {
        (None, _) => Some(DEFAULT_BUDGET_MS),
        (Some(value), None) => value.to_str().ok().and_then(budget_ms),
        (Some(_), Some(_)) => None,
    };
    let malformed = || Problem::new(Code::InvalidRequest).in_member(DEADLINE_HEADER);
    let budget = budget.ok_or_else(malformed)?;
    let deadline = arrival.at + Duration::from_millis(budget);
    Ok(arrival.latest.map_or(deadline, |latest| deadline.min(latest)))
}

/// Parses digits without sign, leading zero or space.
fn budget_ms(text: &str) -> Option<u64> {
    let printed = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|ms| printed && (1..=MAX_BUDGET_MS).contains(ms))
}

/// The bits of an IPv6 address that a host chooses within its network (RFC 4291 §2.5.1).
const INTERFACE_BITS: u32 = 64;

/// The longest head of a request, in bytes: names and values of all headers, and over HTTP the path and
/// the signs around each header. The headers of the contract take a few hundred bytes. The rest is for
/// headers of proxies: nginx and Apache accept 8 KiB for one line.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The caller's remaining budget, in milliseconds.
pub const DEADLINE_HEADER: &str = "Saltern-Deadline-Ms";

/// The longest budget that a caller may name (HTTP contract).
pub const MAX_BUDGET_MS: u64 = 60_000;

/// The budget of a caller that names none (HTTP contract).
pub const DEFAULT_BUDGET_MS: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tokens_a_caller_is_a_user_or_a_network() {
        let share = |peer| Arrival { at: Instant::now(), peer, caller: Caller::Anyone, latest: None }.share();
        let network = |address: &str| share(Some(PeerAddress::Network(address.parse().unwrap())));
        let process = |uid, pid| share(Some(PeerAddress::Process { uid, pid }));
        for (one, same, other) in [
            ("127.0.0.1:1", "[::1]:2", "10.0.0.1:1"),
            ("10.0.0.1:1", "[::ffff:10.0.0.1]:2", "10.0.0.2:1"),
            ("[2001:db8::1]:1", "[2001:db8::f:1]:2", "[2001:db8:0:1::1]:1"),
        ] {
            assert_eq!(network(one), network(same), "{one}");
            assert_ne!(network(one), network(other), "{one}");
        }
        assert_eq!(process(1000, Some(1)), process(1000, Some(2)));
        assert_ne!(process(1000, None), process(1001, None));
        // A caller of a function can choose what AWS says about it.
        let hosts =
            ["10.0.0.1", "10.0.0.2"].map(|host| share(Some(PeerAddress::Host(host.parse().unwrap()))));
        assert_eq!(hosts, [share(None); 2]);
    }
}
