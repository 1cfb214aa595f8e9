use http::{HeaderMap, HeaderValue};

use crate::trace::only;

/// Names one request in its response and its log line. It is the caller's id if that is
/// well-formed, else a random one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The header of requests and responses that carries the id.
    pub const HEADER: &str = "x-request-id";

    /// The caller's id, if the headers hold one that is well-formed.
    pub fn given(headers: &HeaderMap) -> Option<Self> {
        only(headers, Self::HEADER).and_then(Self::new)
    }

    /// The id with this text, if it is well-formed.
    pub fn new(id: &str) -> Option<Self> {
        is_well_formed(id).then(|| Self(id.to_owned()))
    }

    /// A new id: 16 random bytes in hexadecimal.
    pub fn random() -> Self {
        let mut bytes = [0_u8; 16];
        // An id is not a secret. If the system gives no random bytes, verifications still work.
        let _all_zero_on_failure = getrandom::fill(&mut bytes);
        Self(format!("{:032x}", u128::from_ne_bytes(bytes)))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The caller's own name of a request, which every answer to it bears unchanged, unless the front
/// door cannot read the head. So the caller can tell its answer from that of another request, even
/// behind a proxy that sets [`RequestId::HEADER`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallersId {
    /// The request has none, and neither has its answer.
    Absent,
    /// The answer bears this value.
    Given(HeaderValue),
    /// It occurs twice or is not well-formed: the request is refused, and its answer bears none.
    Malformed,
}

impl CallersId {
    /// The header of requests and responses that carries the id.
    pub const HEADER: &str = "Saltern-Request-Id";

    /// The caller's id in these headers.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(Self::HEADER).iter();
        match (given.next(), given.next()) {
            (None, _) => Self::Absent,
            (Some(id), None) if id.to_str().is_ok_and(is_well_formed) => Self::Given(id.clone()),
            _ => Self::Malformed,
        }
    }
}

/// Whether an id matches `[A-Za-z0-9._-]{1,64}`: safe in headers, log lines and search fields.
pub(crate) fn is_well_formed(id: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// The longest id of a request or of an operation that a response returns (HTTP
/// contract).
const MAX_ID_BYTES: usize = 64;
