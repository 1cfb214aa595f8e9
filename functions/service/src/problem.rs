//! Problem documents of RFC 9457.

use core::fmt;
use std::{borrow::Cow, time::Duration};

use http::StatusCode;
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

/// The cause of a response other than 200. The contract's table of errors lists the same codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The body is longer than the limit of its path.
    BodyTooLarge,
    /// A cost of the stored hash exceeds its ceiling.
    CostOutOfBounds,
    /// The work takes longer than the deadline allows, on any server. It has no time of a next try.
    DeadlineExceeded,
    /// The server shuts down. Only `/health` answers so.
    Draining,
    /// The token does not allow the operation.
    Forbidden,
    /// The head of the request is longer than its limit.
    HeadersTooLarge,
    /// The service has a fault.
    Internal,
    /// The stored hash does not parse.
    InvalidHash,
    /// The body is not JSON in UTF-8.
    InvalidJson,
    /// A member or header of the request is missing, unknown or of the wrong type.
    InvalidRequest,
    /// The key of the seal is not configured on this server.
    KeyUnavailable,
    /// The path does not support the method.
    MethodNotAllowed,
    /// The path does not exist.
    NotFound,
    /// The queue or the room of the caller is full, or the wait would exceed the deadline.
    Overloaded,
    /// The password is in the block list.
    PasswordBreached,
    /// A password with a NUL byte cannot get a new bcrypt hash.
    PasswordHasNul,
    /// The password is longer than 1,024 bytes, or than 72 bytes for a new bcrypt hash.
    PasswordTooLong,
    /// The named policy is verify-only.
    PolicyNotForHashing,
    /// The client sent the request too slowly.
    RequestTimeout,
    /// The seal of the stored hash is damaged, or belongs to another row or context.
    SealBroken,
    /// The request has no valid token.
    Unauthorized,
    /// No policy has that name.
    UnknownPolicy,
    /// The content type is not JSON, or the body is compressed.
    UnsupportedMediaType,
    /// The scheme of the stored hash is unknown or not enabled.
    UnsupportedHash,
}

impl Code {
    /// All codes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The code's name in the contract.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The HTTP status of responses with this code.
    pub fn status(self) -> StatusCode {
        match self {
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::CostOutOfBounds
            | Self::InvalidHash
            | Self::PasswordBreached
            | Self::PasswordHasNul
            | Self::PasswordTooLong
            | Self::PolicyNotForHashing
            | Self::SealBroken
            | Self::UnknownPolicy
            | Self::UnsupportedHash => StatusCode::UNPROCESSABLE_ENTITY,
            Self::DeadlineExceeded | Self::Draining | Self::KeyUnavailable | Self::Overloaded => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Forbidden => StatusCode::FORBIDDEN,
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
            Self::CostOutOfBounds => "The cost of the stored hash is too high",
            Self::DeadlineExceeded => "The deadline is too short",
            Self::Draining => "The server shuts down",
            Self::Forbidden => "The request is not allowed",
            Self::HeadersTooLarge => "The headers are too large",
            Self::Internal => "The service failed",
            Self::InvalidHash => "The stored hash is invalid",
            Self::InvalidJson => "The body is not valid JSON",
            Self::InvalidRequest => "The request is invalid",
            Self::KeyUnavailable => "The key of the sealed hash is not available",
            Self::MethodNotAllowed => "The method is not allowed",
            Self::NotFound => "The path does not exist",
            Self::Overloaded => "The service is overloaded",
            Self::PasswordBreached => "The password is in a list of breached passwords",
            Self::PasswordHasNul => "The password contains a NUL byte",
            Self::PasswordTooLong => "The password is too long",
            Self::PolicyNotForHashing => "The policy does not make new hashes",
            Self::RequestTimeout => "The request took too long to arrive",
            Self::SealBroken => "The seal of the stored hash is broken",
            Self::Unauthorized => "A valid token is required",
            Self::UnknownPolicy => "The policy does not exist",
            Self::UnsupportedMediaType => "The body must be JSON",
            Self::UnsupportedHash => "The scheme of the stored hash is not supported",
        }
    }

    fn detail(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "The limit is 16 KiB, and 1 MiB for /batch.",
            Self::CostOutOfBounds => {
                "A cost of the stored hash exceeds its ceiling. GET /policies lists the ceilings."
            }
            Self::DeadlineExceeded => {
                "The work takes longer than the deadline allows. No server can finish it in time."
            }
            Self::Draining => "Send further requests to another server.",
            Self::Forbidden => {
                "The scopes of the token do not include the operation. The operator gives the scopes."
            }
            Self::HeadersTooLarge => {
                "The limit is 16 KiB for all headers together, and 100 headers over HTTP/1."
            }
            Self::Internal => "Look for the request id in the service's log.",
            Self::InvalidHash => {
                "The stored hash is not written as the reference software of its scheme writes it."
            }
            Self::InvalidJson => {
                "The body must be well-formed JSON in UTF-8. The first error is at `line` and `column`."
            }
            Self::InvalidRequest => {
                "The member or header in `field`, or at `line` and `column`, is missing, unknown, given twice or malformed."
            }
            Self::KeyUnavailable => {
                "This server does not have the key that the stored hash names. The operator lists the key on every server."
            }
            Self::MethodNotAllowed => "The Allow header lists the methods of this path.",
            Self::NotFound => "GET /openapi.json lists the paths.",
            Self::Overloaded => {
                "The queue or the room of this caller is full, or the wait would exceed the deadline. Try another server, or try later."
            }
            Self::PasswordBreached => {
                "Others know this password from a breach of another site. Ask the user for another one."
            }
            Self::PasswordHasNul => "bcrypt ignores all bytes after a NUL, so no new bcrypt hash is made.",
            Self::PasswordTooLong => "The limit is 1,024 bytes of UTF-8, and 72 bytes for a new bcrypt hash.",
            Self::PolicyNotForHashing => {
                "The policy is verify-only. GET /policies lists the active policies."
            }
            Self::RequestTimeout => "The request was not complete before the server's timeout.",
            Self::SealBroken => {
                "The sealed hash is damaged, or it belongs to another row or context. The password was not checked."
            }
            Self::Unauthorized => "Send a valid bearer token in the Authorization header.",
            Self::UnknownPolicy => "GET /policies lists the policies.",
            Self::UnsupportedMediaType => "Send Content-Type: application/json.",
            Self::UnsupportedHash => "This service does not verify the scheme, or this variant of it.",
        }
    }
}

/// A problem: its code, and if they apply the place in the body and the time of the next try.
/// It holds no part of the input.
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
    /// The problem with this code alone.
    pub fn new(code: Code) -> Self {
        Self { code, place: None, field: None, retry_after: None, allow: None, detail: code.detail() }
    }

    /// The token is known and has expired.
    pub fn expired_token() -> Self {
        Self { detail: EXPIRED_TOKEN, ..Self::new(Code::Unauthorized) }
    }

    /// The front door cannot read the request: it is not HTTP, or not an event of the expected
    /// form.
    pub fn malformed_request() -> Self {
        Self::new(Code::InvalidRequest)
    }

    /// The service is full. The same request will probably succeed after this time.
    pub fn overloaded(retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::Overloaded) }
    }

    /// The cause.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Without tokens a web page, or a program that calls by a foreign host name, gets no answer.
    pub(crate) fn foreign() -> Self {
        Self { detail: FOREIGN, ..Self::new(Code::Forbidden) }
    }

    /// The hash is weak, and its scheme is not accepted.
    pub(crate) fn weak_scheme() -> Self {
        Self { detail: WEAK_SCHEME, ..Self::new(Code::UnsupportedHash) }
    }

    /// The hash has no seal where the operator requires one.
    pub(crate) fn not_sealed() -> Self {
        Self { detail: NOT_SEALED, ..Self::new(Code::UnsupportedHash) }
    }

    /// The hash is sealed, and this service has no keys.
    pub(crate) fn no_seal_keys() -> Self {
        Self { detail: NO_SEAL_KEYS, ..Self::new(Code::UnsupportedHash) }
    }

    /// The server shuts down. A restarted one answers soon.
    pub(crate) fn draining() -> Self {
        Self { retry_after: Some(RESTART), ..Self::new(Code::Draining) }
    }

    /// The key wants a context, and the request has none.
    pub(crate) fn context_missing() -> Self {
        Self { detail: CONTEXT_MISSING, ..Self::new(Code::InvalidRequest) }
    }

    /// The body has a `Content-Encoding`.
    pub(crate) fn encoded_body() -> Self {
        Self { detail: ENCODED_BODY, ..Self::new(Code::UnsupportedMediaType) }
    }

    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) fn in_field(self, field: Field) -> Self {
        Self { field: Some(field), ..self }
    }

    /// The problem of a member with this name, in a request of one operation.
    pub(crate) fn in_member(self, name: &'static str) -> Self {
        self.in_field(Field { operation: None, name })
    }

    /// The same problem of the operation with this index in a batch.
    pub(crate) fn in_operation(self, index: usize) -> Self {
        let field = self.field.map(|field| Field { operation: Some(index), ..field });
        Self { field, ..self }
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(Code::MethodNotAllowed) }
    }

    /// The problem as the document of RFC 9457.
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

    /// The value of the `Allow` header.
    pub(crate) fn allow(&self) -> Option<&'static str> {
        self.allow
    }

    /// The value of `Retry-After`, in whole seconds (RFC 9110 §10.2.3). Rounded up: 0 would mean
    /// "at once".
    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after.map(|after| whole_milliseconds(after).div_ceil(1000))
    }
}

/// A place in the body. Lines and columns count from 1, columns in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A field or header, by its name in the contract. A name from the input cannot become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The index of its operation, in a batch.
    pub(crate) operation: Option<usize>,
    /// The name; empty for the operation itself.
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

/// The members of a problem document.
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

/// A server starts within milliseconds. `Retry-After` counts whole seconds.
const RESTART: Duration = Duration::from_secs(1);

const FOREIGN: &str = "Without tokens the server answers no web page, and no host name but localhost. Call it by an IP address, or \
     give it tokens.";

const EXPIRED_TOKEN: &str = "The token has expired. Ask the operator for a new one.";

const ENCODED_BODY: &str = "Compressed bodies are not supported: send the body without Content-Encoding.";

const NOT_SEALED: &str =
    "The stored hash is not sealed, and the service requires a seal. Seal the row with `saltern seal`.";

const NO_SEAL_KEYS: &str =
    "The stored hash needs a key, and the service has none. The operator gives the keys by --seal-keys.";

const CONTEXT_MISSING: &str =
    "The key of the seal wants the member `context`: an immutable id of the user, the same at every request.";

const WEAK_SCHEME: &str = "The hash is unsalted, fast or below a floor. The service verifies such a hash only if --accept-weak or SALTERN_ACCEPT_WEAK names its scheme.";
