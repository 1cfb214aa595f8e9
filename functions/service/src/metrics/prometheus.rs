//! `GET /metrics`: counts and times of this process. No label value comes from input: each is a name of ours or an
//! id of the policy document.

use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::{Outcome, Step, log::NONE};

/// The counters and histograms.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    operations: Family<StepLabels, Counter>,
    rehashes: Counter,
    answer_seconds: Family<OperationLabel, Histogram, fn() -> Histogram>,
    queue_seconds: Family<AlgorithmLabel, Histogram, fn() -> Histogram>,
    hash_seconds: Family<AlgorithmLabel, Histogram, fn() -> Histogram>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("saltern");
        let requests = Family::default();
        registry.register("requests", "Requests answered, by path and outcome", requests.clone());
        let operations = Family::default();
        registry.register(
            "operations",
            "Hashes and verifications, those of batches counted singly; the policies of matches show a migration",
            operations.clone(),
        );
        let rehashes = Counter::default();
        registry.register("rehashes", "New hashes made after a match", rehashes.clone());
        let answer_seconds = histograms();
        registry.register_with_unit(
            "answer",
            "From the arrival of a request to its answer",
            Unit::Seconds,
            answer_seconds.clone(),
        );
        let queue_seconds = histograms();
        registry.register_with_unit("queue", "Waiting for a worker", Unit::Seconds, queue_seconds.clone());
        let hash_seconds = histograms();
        registry.register_with_unit("hash", "Computing", Unit::Seconds, hash_seconds.clone());
        Self { registry, requests, operations, rehashes, answer_seconds, queue_seconds, hash_seconds }
    }

    /// Counts one request.
    pub(crate) fn record(&self, outcome: &Outcome) {
        let operation = outcome.operation.name();
        self.requests.get_or_create(&RequestLabels { operation, outcome: outcome.end.name() }).inc();
        self.answer_seconds.get_or_create(&OperationLabel { operation }).observe(outcome.total.as_secs_f64());
        for step in &outcome.steps {
            self.record_step(step);
        }
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // A `String` takes whatever is written.
        let _infallible = text::encode(&mut text, &self.registry);
        text
    }

    fn record_step(&self, step: &Step) {
        let algorithm = step.algorithm.unwrap_or(NONE);
        let labels = StepLabels {
            operation: step.operation.name(),
            policy: step.policy.clone().unwrap_or_else(|| NONE.to_owned()),
            algorithm,
            outcome: step.end.name(),
        };
        self.operations.get_or_create(&labels).inc();
        if step.rehashed {
            self.rehashes.inc();
        }
        if let Some(timing) = step.timing {
            let label = AlgorithmLabel { algorithm };
            self.queue_seconds.get_or_create(&label).observe(timing.queued.as_secs_f64());
            self.hash_seconds.get_or_create(&label).observe(timing.hashed.as_secs_f64());
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StepLabels {
    operation: &'static str,
    policy: String,
    algorithm: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlgorithmLabel {
    algorithm: &'static str,
}

fn histograms<L: Clone + Eq + core::hash::Hash>() -> Family<L, Histogram, fn() -> Histogram> {
    Family::new_with_constructor(|| Histogram::new(SECONDS))
}

/// Bounds in seconds: 1 ms is bcrypt-4, 40 ms bcrypt-10, 250 ms a login one waits for, 10 s the default deadline.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
