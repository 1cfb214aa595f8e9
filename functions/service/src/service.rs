use std::time::Instant;

use http::{HeaderMap, Request, request::Parts};
use saltern_algorithm::Pool;
use saltern_policy::Policies;

use crate::{Answer, Body, Code, Problem, RequestId};

/// When the request arrived: the deadline counts from here. A front door puts it into the request's extensions;
/// without one the request arrives when it is answered.
#[derive(Clone, Copy, Debug)]
pub struct Arrival(pub Instant);

/// The service behind every front door.
#[derive(Debug)]
pub struct Service {
    #[expect(dead_code)]
    policies: Policies,
    #[expect(dead_code)]
    pool: Pool,
    metrics: bool,
}

impl Service {
    /// Serves these policies with these workers; without `GET /metrics`, which on Lambda would show one
    /// environment of many.
    #[must_use]
    pub fn new(policies: Policies, pool: Pool) -> Self {
        Self { policies, pool, metrics: false }
    }

    /// Serves `GET /metrics` too.
    #[must_use]
    pub fn with_metrics(self) -> Self {
        Self { metrics: true, ..self }
    }

    /// Answers a request. Total: whatever comes in, and whatever fails, an answer comes out.
    ///
    /// Dropping the future gives up the work that has not started.
    pub async fn answer(&self, request: Request<Body>) -> Answer {
        core::future::ready(()).await;
        self.refuse(request.headers(), Problem::new(Code::NotFound))
    }

    /// Answers a request that the front door does not let in: counted like any other.
    #[must_use]
    pub fn refuse(&self, headers: &HeaderMap, problem: Problem) -> Answer {
        problem.into_answer(RequestId::of(headers))
    }

    /// The most bytes that a body may have, by where it goes. A front door stops reading there and refuses with
    /// [`Problem::body_too_large`].
    #[must_use]
    pub fn body_limit(parts: &Parts) -> usize {
        match parts.uri.path() {
            "/batch" => 1024 * 1024,
            _ => 16 * 1024,
        }
    }
}
