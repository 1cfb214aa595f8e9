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

use arc_swap::ArcSwapOption;
use http::{HeaderMap, Request, request::Parts};
use saltern_algorithm::{Pool, Workers};
use saltern_policy::Policies;
use saltern_seal::Keys;

use crate::{
    Answer, Arrival, Body, Caller, End, Operation, Outcome, Problem, RequestId, Step, Trace,
    command::Command,
    execute::Executor,
    metrics::{self, DroppedLines, Prometheus, Sink},
    request,
    response::{self, Content, PoliciesDocument},
    route::{Route, body_limit},
};

/// The service behind every front door. Its workers are the pool, except in tools.
#[derive(Debug)]
pub struct Service<W = Pool> {
    policies: Policies,
    workers: W,
    /// The keys of sealed hashes. A request uses the same keys from its beginning to its end.
    keys: ArcSwapOption<Keys>,
    sinks: Vec<Arc<dyn Sink>>,
    prometheus: Option<Arc<Prometheus>>,
    is_unused: AtomicBool,
    is_draining: AtomicBool,
}

impl<W: Workers> Service<W> {
    /// Serves these policies with these workers, without `GET /metrics`. On Lambda this path would
    /// show one environment of many.
    #[must_use]
    pub fn new(policies: Policies, workers: W) -> Self {
        Self {
            policies,
            workers,
            keys: ArcSwapOption::empty(),
            sinks: Vec::new(),
            prometheus: None,
            is_unused: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
        }
    }

    /// From now on `/health` answers 503 `draining`, so that balancers choose another server. All
    /// other requests are answered as before.
    pub fn begin_drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Uses these keys of sealed hashes for all later requests. The old ones are wiped when the
    /// last request that uses them ends.
    pub fn install_keys(&self, keys: Keys) {
        self.keys.store(Some(Arc::new(keys)));
    }

    /// Adds a sink, which receives the samples of every request.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sinks.push(sink);
        self
    }

    /// Serves `GET /metrics` too. It includes this count of dropped lines.
    #[must_use]
    pub fn with_metrics(self, dropped: &DroppedLines) -> Self {
        let prometheus = Arc::new(Prometheus::new(dropped.clone()));
        Self { prometheus: Some(Arc::clone(&prometheus)), ..self.with_sink(prometheus) }
    }

    /// Counts the first request as a cold start: the process was started for it.
    #[must_use]
    pub fn with_cold_start(self) -> Self {
        Self { is_unused: AtomicBool::new(true), ..self }
    }

    /// Answers a request. It never fails: each failure, and each panic, becomes a problem document.
    ///
    /// Dropping the future cancels work that has not started, and lanes at their next boundary.
    pub async fn answer(&self, request: Request<Body>) -> Answer {
        let arrival = request.extensions().get::<Arrival>().cloned();
        let arrival = arrival.unwrap_or_else(|| Arrival::at(Instant::now()));
        let (request_id, trace) = (RequestId::of(request.headers()), Trace::of(request.headers()));
        let prepared = caught(self.prepare(request, &arrival.caller)).await;
        let prepared = prepared.unwrap_or_else(|| Prepared::problem(Operation::None, Problem::internal()));
        self.conclude(prepared, request_id, trace, arrival)
    }

    /// Answers a request that the front door rejects, and counts it as any other.
    #[must_use]
    pub fn refuse(&self, headers: &HeaderMap, problem: Problem, arrival: Arrival) -> Answer {
        let prepared = Prepared::problem(Operation::None, problem);
        self.conclude(prepared, RequestId::of(headers), Trace::of(headers), arrival)
    }

    /// Counts a request whose caller closed the connection before the answer.
    #[must_use]
    pub fn count_gone(
        &self,
        operation: Operation,
        request_id: RequestId,
        trace: Trace,
        arrival: Arrival,
    ) -> Outcome {
        self.count(operation, End::Gone, Vec::new(), request_id, trace, arrival)
    }

    async fn prepare(&self, mut request: Request<Body>, caller: &Caller) -> Prepared {
        let route = match request::route(&request, self.prometheus.is_some()) {
            Ok(route) => route,
            Err((operation, problem)) => return Prepared::problem(operation, problem),
        };
        let operation = route.operation();
        if !caller.may(operation) {
            return Prepared::problem(operation, Problem::forbidden());
        }
        let command = request::command(route, &request);
        // The command holds its own copies of the passwords, in types that are wiped.
        drop(core::mem::take(request.body_mut()));
        match command {
            Err(problem) => Prepared::problem(operation, problem),
            Ok(command) => self.execute(operation, command, caller).await,
        }
    }

    async fn execute(&self, operation: Operation, command: Command, caller: &Caller) -> Prepared {
        let keys = self.keys.load_full();
        let (policies, workers, keys) = (&self.policies, &self.workers, keys.as_deref());
        let executor = |deadline| Executor { policies, workers, keys, caller, deadline };
        let content = match command {
            Command::Batch(elements, deadline) => {
                let finished = executor(deadline).batch(elements).await;
                let steps = finished.iter().map(|finished| finished.step.clone()).collect();
                return Prepared { operation, end: End::Answered, steps, content: Content::Batch(finished) };
            }
            Command::Single(task, deadline) => {
                let finished = executor(deadline).single(task).await;
                let content = finished.result.map_or_else(Content::Problem, Content::Success);
                return Prepared { operation, end: finished.step.end, steps: vec![finished.step], content };
            }
            Command::Health if self.is_draining.load(Ordering::Relaxed) => {
                return Prepared::problem(operation, Problem::draining());
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

    fn conclude(&self, prepared: Prepared, request_id: RequestId, trace: Trace, arrival: Arrival) -> Answer {
        let Prepared { operation, end, steps, content } = prepared;
        let outcome = self.count(operation, end, steps, request_id, trace, arrival);
        Answer { response: response::write(&content, &outcome), outcome }
    }

    /// Makes the outcome of a request and gives its samples to the sinks.
    fn count(
        &self,
        operation: Operation,
        end: End,
        steps: Vec<Step>,
        request_id: RequestId,
        trace: Trace,
        arrival: Arrival,
    ) -> Outcome {
        let outcome = Outcome {
            operation,
            end,
            request_id,
            trace,
            caller: arrival.caller,
            peer: arrival.peer,
            total: arrival.at.elapsed(),
            steps,
            arena_bytes: self.workers.arena_bytes(),
            is_cold_start: self.is_unused.swap(false, Ordering::Relaxed),
        };
        if !self.sinks.is_empty() {
            let samples = metrics::samples(&outcome);
            self.sinks.iter().for_each(|sink| sink.record(&outcome, &samples));
        }
        outcome
    }
}

impl Service {
    /// Returns the operation of a request, by its path.
    #[must_use]
    pub fn operation(parts: &Parts) -> Operation {
        Route::at(parts.uri.path()).map_or(Operation::None, Route::operation)
    }

    /// Returns the longest body of a request in bytes, by its path. At this length a front door
    /// stops reading and refuses with [`Problem::body_too_large`].
    #[must_use]
    pub fn body_limit(parts: &Parts) -> usize {
        body_limit(parts.uri.path())
    }

    /// Whether the service reads the body of a request, by its path and method. A front door
    /// discards other bodies.
    #[must_use]
    pub fn reads_body(parts: &Parts) -> bool {
        Route::at(parts.uri.path()).is_some_and(|route| route.reads_body() && route.takes(&parts.method))
    }
}

/// An answer that is not yet timed and written.
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

/// Runs a future. Returns `None` if it panics: a fault of the service costs one request.
async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // Unwind safety: after a panic the future is not polled again. The policies never change,
        // and the pool and the metrics use locks and atomics.
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
    async fn a_panic_becomes_none_and_a_value_is_returned() {
        assert_eq!(caught(async { 7 }).await, Some(7));
        let panicking = async {
            tokio::task::yield_now().await;
            panic!("after an await");
        };
        assert_eq!(caught(panicking).await, None::<()>);
    }
}
