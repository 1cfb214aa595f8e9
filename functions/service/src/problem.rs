//! What goes wrong, as RFC 9457 problem documents.

use core::fmt;
use std::{borrow::Cow, time::Duration};

use http::StatusCode;
use serde::Serialize;

/// Every cause of an answer that is not 200. The set is the contract's table of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The body is over its limit.
    BodyTooLarge,
    /// A cost of the stored hash is over its ceiling.
    CostOutOfBounds,
    /// The work cannot be done before the deadline, here or elsewhere.
    DeadlineExceeded,
    /// The head of the request is over its limit.
    HeadersTooLarge,
    /// A fault of ours.
    Internal,
    /// The stored hash does not parse.
    InvalidHash,
    /// Syntax or encoding of the body.
    InvalidJson,
    /// Shape of the request.
    InvalidRequest,
    /// The path has other methods.
    MethodNotAllowed,
    /// Nothing is at this path.
    NotFound,
    /// The queue is full, or the wait ahead makes the deadline unreachable.
    Overloaded,
    /// A new bcrypt hash of a password with a NUL.
    PasswordHasNul,
    /// Over 1,024 bytes, or over 72 for a new bcrypt hash.
    PasswordTooLong,
    /// The named policy is verify-only.
    PolicyNotForHashing,
    /// The request was not received in time.
    RequestTimeout,
    /// A token is wanted.
    Unauthorized,
    /// No policy has that name.
    UnknownPolicy,
    /// The body is not declared as JSON, or it is compressed.
    UnsupportedMediaType,
    /// The stored hash is of a scheme unknown or switched off.
    UnsupportedHash,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::BodyTooLarge,
        Self::CostOutOfBounds,
        Self::DeadlineExceeded,
        Self::HeadersTooLarge,
        Self::Internal,
        Self::InvalidHash,
        Self::InvalidJson,
        Self::InvalidRequest,
        Self::MethodNotAllowed,
        Self::NotFound,
        Self::Overloaded,
        Self::PasswordHasNul,
        Self::PasswordTooLong,
        Self::PolicyNotForHashing,
        Self::RequestTimeout,
        Self::Unauthorized,
        Self::UnknownPolicy,
        Self::UnsupportedMediaType,
        Self::UnsupportedHash,
    ];

    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "body_too_large",
            Self::CostOutOfBounds => "cost_out_of_bounds",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::HeadersTooLarge => "headers_too_large",
            Self::Internal => "internal",
            Self::InvalidHash => "invalid_hash",
            Self::InvalidJson => "invalid_json",
            Self::InvalidRequest => "invalid_request",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::NotFound => "not_found",
            Self::Overloaded => "overloaded",
            Self::PasswordHasNul => "password_has_nul",
            Self::PasswordTooLong => "password_too_long",
            Self::PolicyNotForHashing => "policy_not_for_hashing",
            Self::RequestTimeout => "request_timeout",
            Self::Unauthorized => "unauthorized",
            Self::UnknownPolicy => "unknown_policy",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::UnsupportedHash => "unsupported_hash",
        }
    }

    /// Its HTTP status.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::CostOutOfBounds
            | Self::InvalidHash
            | Self::PasswordHasNul
            | Self::PasswordTooLong
            | Self::PolicyNotForHashing
            | Self::UnknownPolicy
            | Self::UnsupportedHash => StatusCode::UNPROCESSABLE_ENTITY,
            Self::DeadlineExceeded | Self::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::InvalidJson | Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "The body is too large",
            Self::CostOutOfBounds => "The hash costs too much",
            Self::DeadlineExceeded => "The deadline cannot be met",
            Self::HeadersTooLarge => "The headers are too large",
            Self::Internal => "A fault of the service",
            Self::InvalidHash => "The hash cannot be read",
            Self::InvalidJson => "The body is not JSON",
            Self::InvalidRequest => "The request has not the right shape",
            Self::MethodNotAllowed => "The method is not allowed",
            Self::NotFound => "Nothing is here",
            Self::Overloaded => "The service is busy",
            Self::PasswordHasNul => "The password has a NUL",
            Self::PasswordTooLong => "The password is too long",
            Self::PolicyNotForHashing => "The policy makes no new hashes",
            Self::RequestTimeout => "The request came too slowly",
            Self::Unauthorized => "A token is wanted",
            Self::UnknownPolicy => "No policy has that name",
            Self::UnsupportedMediaType => "The body must be JSON",
            Self::UnsupportedHash => "The hash is of an unsupported scheme",
        }
    }

    fn detail(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "A body has at most 16 KiB, that of /batch 1 MiB.",
            Self::CostOutOfBounds => {
                "A cost of the stored hash is over its ceiling. GET /policies lists the ceilings."
            }
            Self::DeadlineExceeded => {
                "The work does not fit into the time that was given. Nobody can do it in that time."
            }
            Self::HeadersTooLarge => "The head of the request is over its limit.",
            Self::Internal => "The service failed. Its log has the request id.",
            Self::InvalidHash => {
                "The stored hash is not in the one form that its scheme's reference software prints."
            }
            Self::InvalidJson => {
                "The body is not well-formed JSON in UTF-8. The first fault is at the line and column."
            }
            Self::InvalidRequest => {
                "A field or header is missing, unknown, given twice, or has a value of the wrong kind."
            }
            Self::MethodNotAllowed => "This path takes the methods that the Allow header names.",
            Self::NotFound => "GET /openapi.json lists the paths.",
            Self::Overloaded => {
                "The queue is full, or too long for the deadline. Another place may do it in time."
            }
            Self::PasswordHasNul => "A new bcrypt hash cannot cover a password with a NUL.",
            Self::PasswordTooLong => "A password has at most 1,024 bytes of UTF-8; for a new bcrypt hash 72.",
            Self::PolicyNotForHashing => {
                "The named policy is verify-only. GET /policies lists the active ones."
            }
            Self::RequestTimeout => "The request was not complete in time.",
            Self::Unauthorized => "Send a valid bearer token in the Authorization header.",
            Self::UnknownPolicy => "GET /policies lists the policies.",
            Self::UnsupportedMediaType => "Send Content-Type: application/json.",
            Self::UnsupportedHash => {
                "The stored hash is of a scheme, or a variant of one, that is not verified here."
            }
        }
    }
}

/// A problem: its code, and where it applies the place and the time to try again. It holds nothing of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    code: Code,
    place: Option<Place>,
    field: Option<Field>,
    retry_after: Option<Duration>,
    allow: Option<&'static str>,
    detail: &'static str,
}

impl Problem {
    /// The body is over [`Service::body_limit`](crate::Service::body_limit).
    #[must_use]
    pub fn body_too_large() -> Self {
        Self::new(Code::BodyTooLarge)
    }

    /// The head of the request is over the front door's limit.
    #[must_use]
    pub fn headers_too_large() -> Self {
        Self::new(Code::HeadersTooLarge)
    }

    /// A fault of ours.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Code::Internal)
    }

    /// The front door could not read the request: not HTTP, or not the event that it expects.
    #[must_use]
    pub fn malformed_request() -> Self {
        Self::new(Code::InvalidRequest)
    }

    /// There is no room, but the same request would probably be taken after a while.
    #[must_use]
    pub fn overloaded(retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::Overloaded) }
    }

    /// The request was not complete in time.
    #[must_use]
    pub fn request_timeout() -> Self {
        Self::new(Code::RequestTimeout)
    }

    /// A token is wanted, and none or none of ours was given.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::new(Code::Unauthorized)
    }

    /// Its code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn new(code: Code) -> Self {
        Self { code, place: None, field: None, retry_after: None, allow: None, detail: code.detail() }
    }

    /// The scheme is known, and switched off.
    pub(crate) fn weak_scheme() -> Self {
        Self { detail: WEAK_SCHEME, ..Self::new(Code::UnsupportedHash) }
    }

    /// The body is JSON, and compressed.
    pub(crate) fn encoded_body() -> Self {
        Self { detail: ENCODED_BODY, ..Self::new(Code::UnsupportedMediaType) }
    }

    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) fn in_field(self, field: Field) -> Self {
        Self { field: Some(field), ..self }
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(Code::MethodNotAllowed) }
    }

    pub(crate) fn deadline_exceeded() -> Self {
        Self { retry_after: Some(RETRY_AFTER_A_DEADLINE), ..Self::new(Code::DeadlineExceeded) }
    }

    /// The document of RFC 9457.
    pub(crate) fn document(&self) -> Document {
        let code = self.code;
        Document {
            kind: Cow::Owned(format!("urn:saltern:problem:{}", code.name())),
            title: code.title(),
            status: code.status().as_u16(),
            code: code.name(),
            detail: self.detail,
            line: self.place.map(|place| place.line),
            column: self.place.map(|place| place.column),
            field: self.field.map(|field| field.to_string()),
            retry_after_ms: self.retry_after.map(whole_milliseconds),
        }
    }

    /// The methods that the path has.
    pub(crate) fn allow(&self) -> Option<&'static str> {
        self.allow
    }

    /// `Retry-After` has whole seconds (RFC 9110 §10.2.3): rounded up, for 0 would be "at once".
    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after.map(|after| whole_milliseconds(after).div_ceil(1000))
    }
}

/// Where in the body: both count from 1, columns in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A field or header, by a name of ours: no name of the input's can become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its operation's index, in a batch.
    pub(crate) operation: Option<usize>,
    /// Its name; empty for the operation itself.
    pub(crate) name: &'static str,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.operation, self.name) {
            (None, name) => f.write_str(name),
            (Some(index), "") => write!(f, "operations[{index}]"),
            (Some(index), name) => write!(f, "operations[{index}].{name}"),
        }
    }
}

/// A problem on the wire.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    #[serde(rename = "type")]
    kind: Cow<'static, str>,
    title: &'static str,
    status: u16,
    code: &'static str,
    detail: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

fn whole_milliseconds(duration: Duration) -> u64 {
    duration.as_millis().max(1).try_into().unwrap_or(u64::MAX)
}

const ENCODED_BODY: &str =
    "Send the body as it is, without Content-Encoding: what is compressed is not read here.";

const WEAK_SCHEME: &str = "The stored hash is of an unsalted or fast scheme. Such are verified only where --accept-weak or SALTERN_ACCEPT_WEAK names them.";

/// After a missed deadline the caller's budget is what has to change; this only keeps it from asking in a loop.
const RETRY_AFTER_A_DEADLINE: Duration = Duration::from_secs(1);
