//! The paths and their methods. A path with GET supports HEAD too.

use http::Method;
use strum::VariantArray;

use crate::Operation;

/// A path of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Route {
    /// Several hashes and verifications.
    Batch,
    /// A new hash.
    Hash,
    /// Whether the service runs.
    Health,
    /// Metrics for Prometheus.
    Metrics,
    /// The OpenAPI document.
    OpenApi,
    /// The policies in force.
    Policies,
    /// A comparison of a password with a stored hash.
    Verify,
}

impl Route {
    /// All routes, by their names.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the route with this path.
    pub(crate) fn at(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|route| route.path() == path)
    }

    /// Returns the path.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Batch => "/batch",
            Self::Hash => "/hash",
            Self::Health => "/health",
            Self::Metrics => "/metrics",
            Self::OpenApi => "/openapi.json",
            Self::Policies => "/policies",
            Self::Verify => "/verify",
        }
    }

    /// Returns the method of its requests.
    pub fn method(self) -> Method {
        match self {
            Self::Batch | Self::Hash | Self::Verify => Method::POST,
            Self::Health | Self::Metrics | Self::OpenApi | Self::Policies => Method::GET,
        }
    }

    /// Whether the route supports this method. `serve` omits the response's body for HEAD
    /// (RFC 9110 §9.3.2); on Lambda whoever invokes the function gets it.
    pub(crate) fn takes(self, method: &Method) -> bool {
        *method == self.method() || (*method == Method::HEAD && self.method() == Method::GET)
    }

    /// The supported methods, for the `Allow` header.
    pub(crate) fn allow(self) -> &'static str {
        if self.reads_body() { "POST" } else { "GET, HEAD" }
    }

    /// Whether the route reads the body of a request. A front door discards other bodies.
    pub fn reads_body(self) -> bool {
        self.method() == Method::POST
    }

    /// Returns the length in bytes above which a front door refuses a body with
    /// [`Code::BodyTooLarge`](crate::Code::BodyTooLarge) (HTTP contract).
    pub fn body_limit(self) -> usize {
        match self {
            Self::Batch => MAX_BATCH_BODY_BYTES,
            _ => MAX_BODY_BYTES,
        }
    }

    /// Returns the operation that requests of this route are counted as.
    pub fn operation(self) -> Operation {
        match self {
            Self::Batch => Operation::Batch,
            Self::Hash => Operation::Hash,
            Self::Health => Operation::Health,
            Self::Metrics => Operation::Metrics,
            Self::OpenApi => Operation::OpenApi,
            Self::Policies => Operation::Policies,
            Self::Verify => Operation::Verify,
        }
    }
}

/// 16 KiB: a password and a hash of 1,024 bytes each, with each byte written as an escape of six
/// bytes, and some reserve.
const MAX_BODY_BYTES: usize = 16 * 1024;

/// 1 MiB: 64 operations of 16 KiB.
const MAX_BATCH_BODY_BYTES: usize = 1024 * 1024;
