//! [`Service`]: from an [`Incoming`] to its [`Answer`], with one [`Outcome`] for the log and the metrics.

use core::{
    future::{Future, poll_fn},
    mem,
    panic::AssertUnwindSafe,
    pin::pin,
    task::Poll,
};
use std::{
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use http::request::Parts;
use saltern_policy::Policies;
use saltern_pool::{Pool, Workers};
use saltern_seal::Keys;

use crate::{
    Answer, Arrival, Blocklist, Body, Code, End, Ids, Incoming, Outcome, Problem, Step,
    command::Command,
    execute::Executor,
    metrics::{self, DroppedLines, Prometheus, Sink},
    request,
    response::{self, Content, PoliciesDocument},
    upgrades::{Turns, Upgrades},
};

/// The service behind every front door. Its workers are the pool, except in tools.
#[derive(Debug)]
pub struct Service<W = Pool> {
    policies: Policies,
    workers: W,
    /// The keys of sealed hashes. A request uses the same keys from its beginning to its end.
    keys: ArcSwapOption<Keys>,
    upgrades: Turns,
    blocklist: Option<Blocklist>,
    sinks: Vec<Arc<dyn Sink>>,
    prometheus: Option<Arc<Prometheus>>,
    /// The lanes of Argon2 that were last logged.
    argon2_lanes: AtomicUsize,
    is_unused: AtomicBool,
    is_draining: AtomicBool,
}

impl<W: Workers> Service<W> {
    /// Serves these policies with these workers, without `GET /metrics`. On Lambda this path would
    /// show one environment of many.
    pub fn new(policies: Policies, workers: W) -> Self {
        Self {
            policies,
            argon2_lanes: AtomicUsize::new(workers.argon2_lanes()),
            workers,
            keys: ArcSwapOption::empty(),
            upgrades: Turns::default(),
            blocklist: None,
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

    /// Makes no new hash of a password in this list, except a rehash.
    #[must_use]
    pub fn with_blocklist(self, blocklist: Option<Blocklist>) -> Self {
        Self { blocklist, ..self }
    }

    /// Makes only this share of the upgrades that are due.
    #[must_use]
    pub fn with_upgrades(self, wanted: Upgrades) -> Self {
        Self { upgrades: Turns::of(wanted), ..self }
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

    /// Makes the request of a head, and checks it. The body is added when it is read.
    #[must_use]
    pub fn receive(&self, parts: &Parts, arrival: Arrival, ids: Ids) -> Incoming {
        Incoming::of(parts, self.prometheus.is_some(), arrival, ids)
    }

    /// Answers a request. It never fails: each failure, and each panic, becomes a problem document.
    ///
    /// Dropping the future cancels work that has not started, and lanes at their next boundary.
    pub async fn answer(&self, incoming: &mut Incoming) -> Answer {
        // The command holds its own copies of the passwords, in types that are wiped.
        let body = mem::take(&mut incoming.body);
        let prepared = caught(self.prepare(incoming, body)).await;
        let prepared = prepared.unwrap_or_else(|| Prepared::problem(Problem::new(Code::Internal)));
        self.conclude(prepared, incoming)
    }

    /// Answers a request that the front door rejects, and counts it as any other.
    #[must_use]
    pub fn refuse(&self, incoming: &Incoming, problem: Problem) -> Answer {
        self.conclude(Prepared::problem(problem), incoming)
    }

    /// Counts a request whose caller closed the connection before the answer.
    pub fn count_gone(&self, incoming: &Incoming) {
        self.count(End::Gone, Vec::new(), incoming);
    }

    async fn prepare(&self, incoming: &Incoming, body: Body) -> Prepared {
        let command = incoming.route().and_then(|route| request::command(route, &body));
        drop(body);
        match command {
            Err(problem) => Prepared::problem(problem),
            Ok(command) => self.execute(command, incoming).await,
        }
    }

    async fn execute(&self, command: Command, incoming: &Incoming) -> Prepared {
        let keys = self.keys.load_full();
        let executor = Executor {
            policies: &self.policies,
            workers: &self.workers,
            keys: keys.as_deref(),
            upgrades: &self.upgrades,
            blocklist: self.blocklist.as_ref(),
            arrival: &incoming.arrival,
            deadline: incoming.not_after,
        };
        let content = match command {
            Command::Batch(elements) => {
                let finished = executor.batch(elements).await;
                let steps = finished.iter().map(|finished| finished.step.clone()).collect();
                return Prepared { end: End::Answered, steps, content: Content::Batch(finished) };
            }
            Command::Single(task) => {
                let finished = executor.single(task).await;
                let content = finished.result.map_or_else(Content::Problem, Content::Success);
                return Prepared { end: finished.step.end, steps: vec![finished.step], content };
            }
            Command::Health if self.is_draining.load(Ordering::Relaxed) => {
                return Prepared::problem(Problem::draining());
            }
            Command::Health => Content::Health { policies: self.policies.digest().to_owned() },
            Command::Metrics => {
                let text = |metrics: &Prometheus| metrics.text(self.workers.argon2_lanes());
                Content::Metrics(self.prometheus.as_deref().map(text).unwrap_or_default())
            }
            Command::OpenApi => Content::OpenApi,
            Command::Policies => {
                Content::Policies(Box::new(PoliciesDocument::of(&self.policies, self.blocklist.as_ref())))
            }
        };
        Prepared { end: End::Answered, steps: Vec::new(), content }
    }

    /// Writes how many Argon2 hashes a worker computes at once, when the workers have learned it.
    fn log_argon2_lanes(&self) {
        let argon2_lanes = self.workers.argon2_lanes();
        if self.argon2_lanes.swap(argon2_lanes, Ordering::Relaxed) != argon2_lanes {
            tracing::info!(argon2_lanes, "learned how many Argon2 hashes a worker computes at once");
        }
    }

    fn conclude(&self, prepared: Prepared, incoming: &Incoming) -> Answer {
        let Prepared { end, steps, content } = prepared;
        let outcome = self.count(end, steps, incoming);
        Answer { response: response::write(&content, &outcome), outcome }
    }

    /// Makes the outcome of a request and gives its samples to the sinks.
    fn count(&self, end: End, steps: Vec<Step>, incoming: &Incoming) -> Outcome {
        let Arrival { at, peer, ref caller, .. } = incoming.arrival;
        let outcome = Outcome {
            operation: incoming.operation,
            end,
            ids: incoming.ids.clone(),
            caller: caller.clone(),
            peer,
            total: at.elapsed(),
            steps,
            arena_bytes: self.workers.arena_bytes(),
            is_cold_start: self.is_unused.swap(false, Ordering::Relaxed),
        };
        if !outcome.steps.is_empty() {
            self.log_argon2_lanes();
        }
        if !self.sinks.is_empty() {
            let samples = metrics::samples(&outcome);
            self.sinks.iter().for_each(|sink| sink.record(&outcome, &samples));
        }
        outcome
    }
}

/// An answer that is not yet timed and written.
struct Prepared {
    end: End,
    steps: Vec<Step>,
    content: Content,
}

impl Prepared {
    fn problem(problem: Problem) -> Self {
        let end = End::Problem(problem.code());
        Self { end, steps: Vec::new(), content: Content::Problem(problem) }
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
