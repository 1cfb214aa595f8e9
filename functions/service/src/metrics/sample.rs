//! The samples of one request.

use std::{borrow::Cow, time::Duration};

use strum::VariantArray as _;

use crate::{Code, End, Operation, Outcome, Step, Timing};

use super::table::{
    ALL_SEALS, ANSWER, ARENA, BATCH_OPERATIONS, COLD_STARTS, HASH, LANES, Label, MATCHES_BY_KEY, Metric,
    OPERATIONS, QUEUE, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS, SEALS, VERIFICATIONS,
};

/// The labels of a sample, in the order of the metric's labels.
pub type Labels = Vec<(Label, Cow<'static, str>)>;

/// One sample: a count, or one value of a distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The metric.
    pub metric: &'static Metric,
    /// The labels and their values.
    pub labels: Labels,
    /// The value, in the metric's unit.
    pub value: f64,
}

/// Makes all samples of a request.
pub(crate) fn of(outcome: &Outcome) -> Vec<Sample> {
    let mut samples = Samples(Vec::with_capacity(2 + SAMPLES_OF_A_STEP * outcome.steps.len()));
    let operation = outcome.operation.name();
    samples.count(&REQUESTS, [operation.into(), outcome.end.class().into()]);
    if outcome.end == End::Gone {
        return samples.0;
    }
    samples.add(&ANSWER, [operation.into()], milliseconds(outcome.total));
    if outcome.is_cold_start {
        samples.count(&COLD_STARTS, []);
    }
    // The problems of a batch's operations are counted with their steps.
    if let End::Problem(code) = outcome.end {
        samples.count(&REFUSALS, [code.name().into()]);
    }
    if outcome.operation == Operation::Batch && !outcome.steps.is_empty() {
        samples.add(&BATCH_OPERATIONS, [], whole(outcome.steps.len()));
    }
    for step in &outcome.steps {
        samples.step(step, outcome.operation);
    }
    if outcome.timing().is_some() {
        samples.add(&ARENA, [], whole(outcome.arena_bytes));
    }
    samples.0
}

/// Returns the counts whose labels do not depend on the policies. Prometheus must see them at 0
/// first: a counter that first appears at 1 shows no increase.
pub(crate) fn known_ahead() -> Vec<(&'static Metric, Labels)> {
    let mut samples = Samples(Vec::new());
    for &operation in Operation::VARIANTS {
        for end in operation.ends() {
            samples.count(&REQUESTS, [operation.name().into(), end.class().into()]);
        }
    }
    for &code in Code::ALL {
        samples.count(&REFUSALS, [code.name().into()]);
    }
    for end in [End::Match, End::Mismatch] {
        samples.count(&VERIFICATIONS, [end.class().into()]);
    }
    samples.0.into_iter().map(|Sample { metric, labels, .. }| (metric, labels)).collect()
}

struct Samples(Vec<Sample>);

impl Samples {
    fn count<const N: usize>(&mut self, metric: &'static Metric, values: [Cow<'static, str>; N]) {
        self.add(metric, values, 1.0);
    }

    fn add<const N: usize>(&mut self, metric: &'static Metric, values: [Cow<'static, str>; N], value: f64) {
        debug_assert_eq!(metric.labels.len(), N, "{}", metric.cloudwatch);
        let labels = metric.labels.iter().copied().zip(values).collect();
        self.0.push(Sample { metric, labels, value });
    }

    fn step(&mut self, step: &Step, request: Operation) {
        let policy = || Cow::Owned(step.policy_label().to_owned());
        let algorithm = || step.algorithm_label().into();
        let operation = step.operation.name().into();
        self.count(&OPERATIONS, [operation, algorithm(), policy(), step.end.class().into()]);
        if let End::Match | End::Mismatch = step.end {
            self.count(&VERIFICATIONS, [step.end.class().into()]);
        }
        if let (Operation::Batch, End::Problem(code)) = (request, step.end) {
            self.count(&REFUSALS, [code.name().into()]);
        }
        if let Some(reason) = step.rehash_reason {
            self.count(&REHASHES_NEEDED, [policy(), reason.into()]);
        }
        if let Some(timing) = step.timing {
            self.work(timing, algorithm(), policy());
        }
        if let Some(rehash) = &step.rehashed {
            self.count(&REHASHES_DONE, [policy()]);
            if let (Some(timing), Some(policy)) = (rehash.timing, &rehash.policy) {
                let algorithm = rehash.algorithm.unwrap_or(crate::outcome::NONE);
                self.work(timing, algorithm.into(), policy.clone().into());
            }
        }
        if let (End::Match, Some(key)) = (step.end, &step.stored_key) {
            self.count(&MATCHES_BY_KEY, [key.clone()]);
        }
        if let Some(key) = &step.sealed_under {
            self.count(&SEALS, [key.clone().into()]);
            self.count(&ALL_SEALS, []);
        }
    }

    fn work(&mut self, timing: Timing, algorithm: Cow<'static, str>, policy: Cow<'static, str>) {
        self.add(&QUEUE, [], milliseconds(timing.queued));
        self.add(&HASH, [algorithm, policy], milliseconds(timing.hashed));
        self.add(&LANES, [], whole(timing.lanes));
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Converts a number. The result is exact below 2^53.
#[allow(clippy::cast_precision_loss, reason = "bytes of memory and operations of a batch are below 2^53")]
fn whole(number: impl TryInto<u64>) -> f64 {
    number.try_into().map_or(f64::MAX, |number| number as f64)
}

/// Most steps have five or six samples.
const SAMPLES_OF_A_STEP: usize = 6;

#[cfg(test)]
pub(crate) mod tests {
    use crate::{Caller, Ids, LogLine, Rehash};

    use super::*;

    /// The outcome of a `GET /health`.
    pub(crate) fn outcome() -> Outcome {
        Outcome {
            operation: Operation::Health,
            end: End::Answered,
            ids: Ids::random(),
            caller: Caller::Anyone,
            peer: None,
            total: Duration::from_millis(1),
            steps: Vec::new(),
            arena_bytes: 0,
            is_cold_start: false,
        }
    }

    /// The step of a verification.
    pub(crate) fn verification(end: End, policy: Option<&str>) -> Step {
        let timing = Timing { queued: Duration::from_millis(2), hashed: Duration::from_millis(40), lanes: 3 };
        Step {
            end,
            policy: policy.map(str::to_owned),
            algorithm: Some("bcrypt"),
            timing: Some(timing),
            ..Step::new(Operation::Verify)
        }
    }

    /// The step of a verification with a match and a rehash.
    pub(crate) fn with_rehash(policy: &str) -> Step {
        let timing = Timing { queued: Duration::ZERO, hashed: Duration::from_millis(90), lanes: 1 };
        let rehash =
            Rehash { policy: Some("new".to_owned()), algorithm: Some("argon2id"), timing: Some(timing) };
        Step {
            rehash_reason: Some("older_policy"),
            rehashed: Some(rehash),
            ..verification(End::Match, Some(policy))
        }
    }

    /// Writes samples as `Name a=b c=d value`, for comparison.
    fn text(samples: &[Sample]) -> Vec<String> {
        let one = |Sample { metric, labels, value }: &Sample| {
            let labels = labels.iter().map(|(label, value)| format!(" {}={value}", label.prometheus()));
            format!("{}{} {value}", metric.cloudwatch, labels.collect::<String>())
        };
        samples.iter().map(one).collect()
    }

    #[test]
    fn a_login_with_a_rehash_counts_under_its_old_policy() {
        let steps = vec![with_rehash("old")];
        let login = Outcome {
            operation: Operation::Verify,
            end: End::Match,
            steps,
            arena_bytes: 7,
            is_cold_start: true,
            ..outcome()
        };
        assert_eq!(
            text(&of(&login)),
            [
                "Requests operation=verify outcome=match 1",
                "AnswerMilliseconds operation=verify 1",
                "ColdStarts 1",
                "Operations operation=verify algorithm=bcrypt policy=old outcome=match 1",
                "Verifications outcome=match 1",
                "RehashesNeeded policy=old reason=older_policy 1",
                "QueueMilliseconds 2",
                "HashMilliseconds algorithm=bcrypt policy=old 40",
                "LanesInUse 3",
                "RehashesDone policy=old 1",
                "QueueMilliseconds 0",
                "HashMilliseconds algorithm=argon2id policy=new 90",
                "LanesInUse 1",
                "ArenaBytes 7",
            ]
        );
    }

    #[test]
    fn a_hash_sealed_anew_counts_its_keys_and_no_work() {
        let resealed = Step {
            rehash_reason: Some("older_key"),
            rehashed: Some(Rehash { policy: None, algorithm: Some("bcrypt"), timing: None }),
            stored_key: Some("2025".into()),
            sealed_under: Some("2026a".to_owned()),
            ..verification(End::Match, None)
        };
        let login =
            Outcome { operation: Operation::Verify, end: End::Match, steps: vec![resealed], ..outcome() };
        assert_eq!(
            text(&of(&login)),
            [
                "Requests operation=verify outcome=match 1",
                "AnswerMilliseconds operation=verify 1",
                "Operations operation=verify algorithm=bcrypt policy=unlisted outcome=match 1",
                "Verifications outcome=match 1",
                "RehashesNeeded policy=unlisted reason=older_key 1",
                "QueueMilliseconds 2",
                "HashMilliseconds algorithm=bcrypt policy=unlisted 40",
                "LanesInUse 3",
                "RehashesDone policy=unlisted 1",
                "MatchesByKey key=2025 1",
                "Seals key=2026a 1",
                "AllSeals 1",
                "ArenaBytes 0",
            ]
        );
        assert_eq!(serde_json::to_value(LogLine::of(&login)).unwrap()["seal_key"], "2025");
        let without = Outcome { steps: vec![verification(End::Match, None)], ..login };
        assert!(serde_json::to_value(LogLine::of(&without)).unwrap().get("seal_key").is_none());
    }

    #[test]
    fn a_decoy_is_counted_and_logged_as_the_decoy() {
        let decoy = || Step { is_decoy: true, ..verification(End::Mismatch, None) };
        let login = |steps| Outcome { operation: Operation::Verify, end: End::Mismatch, steps, ..outcome() };
        assert_eq!(
            text(&of(&login(vec![decoy()]))),
            [
                "Requests operation=verify outcome=mismatch 1",
                "AnswerMilliseconds operation=verify 1",
                "Operations operation=verify algorithm=bcrypt policy=decoy outcome=mismatch 1",
                "Verifications outcome=mismatch 1",
                "QueueMilliseconds 2",
                "HashMilliseconds algorithm=bcrypt policy=decoy 40",
                "LanesInUse 3",
                "ArenaBytes 0",
            ]
        );
        let policy = |steps| serde_json::to_value(LogLine::of(&login(steps))).unwrap()["policy"].clone();
        assert_eq!(policy(vec![decoy(), decoy()]), "decoy");
        assert_eq!(policy(vec![decoy(), verification(End::Mismatch, None)]), "several");
    }

    #[test]
    fn a_request_whose_caller_left_has_no_answer_time() {
        let gone = Outcome { operation: Operation::Verify, end: End::Gone, ..outcome() };
        assert_eq!(text(&of(&gone)), ["Requests operation=verify outcome=gone 1"]);
    }

    #[test]
    fn each_problem_of_a_batch_is_counted() {
        let unread = || Step { end: End::Problem(Code::InvalidHash), ..Step::new(Operation::Verify) };
        let alone = Outcome {
            operation: Operation::Verify,
            end: End::Problem(Code::InvalidHash),
            steps: vec![unread()],
            ..outcome()
        };
        assert_eq!(
            text(&of(&alone)),
            [
                "Requests operation=verify outcome=refused 1",
                "AnswerMilliseconds operation=verify 1",
                "Refusals code=invalid_hash 1",
                "Operations operation=verify algorithm=none policy=none outcome=refused 1",
            ]
        );
        let late = Step { timing: None, ..verification(End::Problem(Code::Overloaded), None) };
        let batch = Outcome { operation: Operation::Batch, steps: vec![unread(), late], ..outcome() };
        assert_eq!(
            text(&of(&batch)),
            [
                "Requests operation=batch outcome=answered 1",
                "AnswerMilliseconds operation=batch 1",
                "BatchOperations 2",
                "Operations operation=verify algorithm=none policy=none outcome=refused 1",
                "Refusals code=invalid_hash 1",
                "Operations operation=verify algorithm=bcrypt policy=unlisted outcome=refused 1",
                "Refusals code=overloaded 1",
            ]
        );
    }
}
