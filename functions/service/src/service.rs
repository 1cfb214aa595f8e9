use core::{
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    task::Poll,
};
use std::{
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use http::{HeaderMap, Request, request::Parts};
use saltern_algorithm::Pool;
use saltern_policy::Policies;

use crate::{
    Answer, Body, End, Operation, Outcome, Problem, RequestId, Step, Trace,
    command::Command,
    execute::Executor,
    metrics::{self, DroppedLines, Prometheus, Sink},
    request,
    response::{self, Content, PoliciesDocument},
    route::{Route, body_limit},
};

/// When the request arrived: the deadline counts from here. A front door puts it into the request's extensions;
/// without one the request arrives when it is answered.
#[derive(Clone, Copy, Debug)]
pub struct Arrival(pub Instant);

/// When the front door itself is cut off: no deadline is later. A front door that has such a time puts it into the
/// request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct NotAfter(pub Instant);

/// The service behind every front door.
#[derive(Debug)]
pub struct Service {
    policies: Policies,
    pool: Pool,
    sinks: Vec<Arc<dyn Sink>>,
    prometheus: Option<Arc<Prometheus>>,
    is_unused: AtomicBool,
}

impl Service {
    /// Serves these policies with these workers; without `GET /metrics`, which on Lambda would show one
    /// environment of many.
    #[must_use]
    pub fn new(policies: Policies, pool: Pool) -> Self {
        Self { policies, pool, sinks: Vec::new(), prometheus: None, is_unused: AtomicBool::new(false) }
    }

    /// Gives the figures of every request to this sink too.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sinks.push(sink);
        self
    }

    /// Counts, and serves `GET /metrics` too, which has the count of lost lines.
    #[must_use]
    pub fn with_metrics(self, dropped: &DroppedLines) -> Self {
        let prometheus = Arc::new(Prometheus::new(dropped.clone()));
        Self { prometheus: Some(Arc::clone(&prometheus)), ..self.with_sink(prometheus) }
    }

    /// Takes the first request for a cold start: the process was started for it.
    #[must_use]
    pub fn with_cold_start(self) -> Self {
        Self { is_unused: AtomicBool::new(true), ..self }
    }

    /// Answers a request. Total: whatever comes in, and whatever fails, an answer comes out.
    ///
    /// Dropping the future gives up the work that has not started.
    pub async fn answer(&self, request: Request<Body>) -> Answer {
        let arrival = request.extensions().get::<Arrival>().map_or_else(Instant::now, |arrival| arrival.0);
        let (request_id, trace) = (RequestId::of(request.headers()), Trace::of(request.headers()));
        let prepared = caught(self.prepare(request)).await;
        let prepared = prepared.unwrap_or_else(|| Prepared::problem(Operation::None, Problem::internal()));
        self.conclude(prepared, request_id, trace, arrival)
    }

    /// Answers a request that the front door does not let in: counted and timed like any other.
    #[must_use]
    pub fn refuse(&self, headers: &HeaderMap, problem: Problem, Arrival(arrival): Arrival) -> Answer {
        let prepared = Prepared::problem(Operation::None, problem);
        self.conclude(prepared, RequestId::of(headers), Trace::of(headers), arrival)
    }

    /// Counts a request whose caller left before the answer, where the front door sees that.
    #[must_use]
    pub fn count_gone(
        &self,
        operation: Operation,
        request_id: RequestId,
        trace: Trace,
        Arrival(arrival): Arrival,
    ) -> Outcome {
        self.count(operation, End::Gone, Vec::new(), request_id, trace, arrival)
    }

    /// What a request asks for, by where it goes.
    #[must_use]
    pub fn operation(parts: &Parts) -> Operation {
        Route::at(parts.uri.path()).map_or(Operation::None, Route::operation)
    }

    /// The most bytes that a body may have, by where it goes. A front door stops reading there and refuses with
    /// [`Problem::body_too_large`].
    #[must_use]
    pub fn body_limit(parts: &Parts) -> usize {
        body_limit(parts.uri.path())
    }

    /// Whether anybody looks at the body of a request, by where it goes and how. A front door keeps no other.
    #[must_use]
    pub fn reads_body(parts: &Parts) -> bool {
        Route::at(parts.uri.path()).is_some_and(|route| route.reads_body() && route.takes(&parts.method))
    }

    async fn prepare(&self, mut request: Request<Body>) -> Prepared {
        let route = match request::route(&request, self.prometheus.is_some()) {
            Ok(route) => route,
            Err((operation, problem)) => return Prepared::problem(operation, problem),
        };
        let operation = route.operation();
        let command = request::command(route, &request);
        // From here on the passwords are in wiped types of their own.
        drop(core::mem::take(request.body_mut()));
        match command {
            Err(problem) => Prepared::problem(operation, problem),
            Ok(command) => self.execute(operation, command).await,
        }
    }

    async fn execute(&self, operation: Operation, command: Command) -> Prepared {
        let executor = |deadline| Executor { policies: &self.policies, pool: &self.pool, deadline };
        let content = match command {
            Command::Batch(asked, deadline) => {
                let finished = executor(deadline).batch(asked).await;
                let steps = finished.iter().map(|finished| finished.step.clone()).collect();
                return Prepared { operation, end: End::Answered, steps, content: Content::Batch(finished) };
            }
            Command::Single(task, deadline) => {
                let finished = executor(deadline).single(task).await;
                let content = finished.result.map_or_else(Content::Problem, Content::Success);
                return Prepared { operation, end: finished.step.end, steps: vec![finished.step], content };
            }
            Command::Health => Content::Health { policies: self.policies.digest().to_owned() },
            Command::Metrics => {
                Content::Metrics(self.prometheus.as_deref().map(Prometheus::text).unwrap_or_default())
            }
            Command::OpenApi => Content::OpenApi,
            Command::Policies => Content::Policies(Box::new(PoliciesDocument::of(&self.policies))),
        };
        Prepared { operation, end: End::Answered, steps: Vec::new(), content }
    }

    fn conclude(&self, prepared: Prepared, request_id: RequestId, trace: Trace, arrival: Instant) -> Answer {
        let Prepared { operation, end, steps, content } = prepared;
        let outcome = self.count(operation, end, steps, request_id, trace, arrival);
        Answer { response: response::write(&content, &outcome), outcome }
    }

    /// The one place where an outcome is made and counted.
    fn count(
        &self,
        operation: Operation,
        end: End,
        steps: Vec<Step>,
        request_id: RequestId,
        trace: Trace,
        arrival: Instant,
    ) -> Outcome {
        let outcome = Outcome {
            operation,
            end,
            request_id,
            trace,
            total: arrival.elapsed(),
            steps,
            arena_bytes: self.pool.arena_bytes(),
            is_cold_start: self.is_unused.swap(false, Ordering::Relaxed),
        };
        if !self.sinks.is_empty() {
            let samples = metrics::samples(&outcome);
            self.sinks.iter().for_each(|sink| sink.record(&outcome, &samples));
        }
        outcome
    }
}

/// An answer before it is timed and written.
struct Prepared {
    operation: Operation,
    end: End,
    steps: Vec<Step>,
    content: Content,
}

impl Prepared {
    fn problem(operation: Operation, problem: Problem) -> Self {
        let end = End::Problem(problem.code());
        Self { operation, end, steps: Vec::new(), content: Content::Problem(problem) }
    }
}

/// Runs to the end or to a panic, which becomes `None`: a fault of ours costs one request.
async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // The future is not polled again after a panic, and what it shares is safe to see half done: the policies
        // never change, and the pool and the metrics have locks and atomics of their own.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Some),
            Err(_panic) => Poll::Ready(None),
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_caught_and_an_answer_is_kept() {
        assert_eq!(caught(async { 7 }).await, Some(7));
        let panicking = async {
            tokio::task::yield_now().await;
            panic!("in the middle");
        };
        assert_eq!(caught(panicking).await, None::<()>);
    }
}
