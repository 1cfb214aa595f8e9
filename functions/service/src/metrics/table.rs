//! Every metric there is: the one table from which the sinks, the README and the dashboard take their names.

/// Where CloudWatch keeps them.
pub const NAMESPACE: &str = "Saltern";

/// The dimension that every metric has in CloudWatch, first of all: which deployment it was. On Lambda the function's
/// name. Prometheus knows it as its target.
pub const SERVICE: &str = "Service";

/// One metric, by its names.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name in CloudWatch.
    pub cloudwatch: &'static str,
    /// Its name in CloudWatch for samples that could not be sent and were printed instead; only distributions have
    /// one. Under the first name they might be there twice: nobody knows what became of a call that failed.
    pub unsent: Option<&'static str>,
    /// Its name at `GET /metrics`, as Prometheus writes it; `None` where it is not measured there.
    pub prometheus: Option<&'static str>,
    /// What it counts or measures.
    pub kind: Kind,
    /// In what.
    pub unit: Unit,
    /// By what, beside the service. Each value is from a closed set: a name of ours, or an id of the policy document.
    pub labels: &'static [Label],
    /// One sentence for people.
    pub help: &'static str,
}

/// How a metric is kept and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exact, printed as EMF with the request; a counter for Prometheus.
    Count,
    /// Values whose percentiles matter, aggregated in the process and sent to CloudWatch; a histogram for Prometheus.
    Distribution,
}

/// In what a metric is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Things.
    Count,
    /// Milliseconds; for Prometheus seconds, as its conventions want.
    Milliseconds,
}

impl Unit {
    /// Its name in CloudWatch.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "Bytes",
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
        }
    }
}

/// What a metric is told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// The algorithm, or `none`.
    Algorithm,
    /// The code of a problem.
    Code,
    /// What was asked for.
    Operation,
    /// How it ended: `answered`, `hashed`, `match`, `mismatch` or `refused`; `gone` where the caller left before the answer,
    /// which only `saltern serve` can see.
    Outcome,
    /// The id of a policy, `unlisted` for parameters that no policy lists, or `none` where none was found.
    Policy,
    /// Why a hash should be replaced.
    Reason,
}

impl Label {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Algorithm, Self::Code, Self::Operation, Self::Outcome, Self::Policy, Self::Reason];

    /// Its name as a dimension of CloudWatch.
    #[must_use]
    pub fn dimension(self) -> &'static str {
        match self {
            Self::Algorithm => "Algorithm",
            Self::Code => "Code",
            Self::Operation => "Operation",
            Self::Outcome => "Outcome",
            Self::Policy => "Policy",
            Self::Reason => "Reason",
        }
    }

    /// Its name as a label of Prometheus.
    #[must_use]
    pub fn prometheus(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Code => "code",
            Self::Operation => "operation",
            Self::Outcome => "outcome",
            Self::Policy => "policy",
            Self::Reason => "reason",
        }
    }
}

/// All of them, in the order of the README.
pub static METRICS: [&Metric; 12] = [
    &REQUESTS,
    &OPERATIONS,
    &REFUSALS,
    &REHASHES_NEEDED,
    &REHASHES_DONE,
    &COLD_STARTS,
    &ANSWER,
    &QUEUE,
    &HASH,
    &BATCH_OPERATIONS,
    &LANES,
    &ARENA,
];

/// What the process counts beside its requests: no request has it, so it goes to Prometheus alone.
#[derive(Debug)]
pub struct ProcessCount {
    /// Its name at `GET /metrics`.
    pub prometheus: &'static str,
    /// One sentence for people.
    pub help: &'static str,
}

/// Lines that were lost.
pub static DROPPED_LINES: ProcessCount = ProcessCount {
    prometheus: "saltern_log_lines_dropped_total",
    help: "Lines of the log that were lost: nobody read them fast enough, or they could not be written.",
};

/// Requests, whatever they asked for.
pub static REQUESTS: Metric = Metric {
    cloudwatch: "Requests",
    unsent: None,
    prometheus: Some("saltern_requests_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Operation, Label::Outcome],
    help: "Requests by how they ended; a batch is one.",
};

/// Hashes and verifications.
pub static OPERATIONS: Metric = Metric {
    cloudwatch: "Operations",
    unsent: None,
    prometheus: Some("saltern_operations_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Operation, Label::Algorithm, Label::Policy, Label::Outcome],
    help: "Hashes and verifications, those of batches one by one. The policies of matches show what users still have.",
};

/// Problems.
pub static REFUSALS: Metric = Metric {
    cloudwatch: "Refusals",
    unsent: None,
    prometheus: Some("saltern_refusals_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Code],
    help: "Problem documents, those inside batches one by one.",
};

/// Matches that should be replaced.
pub static REHASHES_NEEDED: Metric = Metric {
    cloudwatch: "RehashesNeeded",
    unsent: None,
    prometheus: Some("saltern_rehashes_needed_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Policy, Label::Reason],
    help: "Matches whose hash should be replaced, by the policy that it still has.",
};

/// Hashes made to replace others.
pub static REHASHES_DONE: Metric = Metric {
    cloudwatch: "RehashesDone",
    unsent: None,
    prometheus: Some("saltern_rehashes_done_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Policy],
    help: "New hashes made after a match, by the policy that the old hash had.",
};

/// Starts that somebody waited for.
pub static COLD_STARTS: Metric = Metric {
    cloudwatch: "ColdStarts",
    unsent: None,
    prometheus: None,
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[],
    help: "Environments of the function that were started for a request, not ahead of it.",
};

/// How long callers waited.
pub static ANSWER: Metric = Metric {
    cloudwatch: "AnswerMilliseconds",
    unsent: Some("AnswerMillisecondsUnsent"),
    prometheus: Some("saltern_answer_seconds"),
    kind: Kind::Distribution,
    unit: Unit::Milliseconds,
    labels: &[Label::Operation],
    help: "From the arrival of a request to its answer.",
};

/// How long work waited.
pub static QUEUE: Metric = Metric {
    cloudwatch: "QueueMilliseconds",
    unsent: Some("QueueMillisecondsUnsent"),
    prometheus: Some("saltern_queue_seconds"),
    kind: Kind::Distribution,
    unit: Unit::Milliseconds,
    labels: &[],
    help: "From taking an operation to its first instruction.",
};

/// How long work took.
pub static HASH: Metric = Metric {
    cloudwatch: "HashMilliseconds",
    unsent: Some("HashMillisecondsUnsent"),
    prometheus: Some("saltern_hash_seconds"),
    kind: Kind::Distribution,
    unit: Unit::Milliseconds,
    labels: &[Label::Algorithm, Label::Policy],
    help: "From the first instruction of an operation to its last.",
};

/// How large batches are.
pub static BATCH_OPERATIONS: Metric = Metric {
    cloudwatch: "BatchOperations",
    unsent: Some("BatchOperationsUnsent"),
    prometheus: Some("saltern_batch_operations"),
    kind: Kind::Distribution,
    unit: Unit::Count,
    labels: &[],
    help: "Operations in a batch.",
};

/// How full workers are.
pub static LANES: Metric = Metric {
    cloudwatch: "LanesInUse",
    unsent: Some("LanesInUseUnsent"),
    prometheus: Some("saltern_lanes_in_use"),
    kind: Kind::Distribution,
    unit: Unit::Count,
    labels: &[],
    help: "Lanes of a worker in use while an operation ran on it, its own among them, at the most; 1 for what has no lanes.",
};

/// What Argon2 keeps.
pub static ARENA: Metric = Metric {
    cloudwatch: "ArenaBytes",
    unsent: Some("ArenaBytesUnsent"),
    prometheus: Some("saltern_arena_bytes"),
    kind: Kind::Distribution,
    unit: Unit::Bytes,
    labels: &[],
    help: "Memory that the workers hold for Argon2 and scrypt, seen at the end of a request that computed something.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_published_twice() {
        let mut names: Vec<&str> = METRICS
            .iter()
            .flat_map(|metric| [Some(metric.cloudwatch), metric.unsent, metric.prometheus])
            .flatten()
            .chain([DROPPED_LINES.prometheus])
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn names_follow_the_conventions() {
        for metric in METRICS {
            let unsent = (metric.kind == Kind::Distribution).then(|| format!("{}Unsent", metric.cloudwatch));
            assert_eq!(metric.unsent, unsent.as_deref());
            if let Some(name) = metric.prometheus {
                assert!(name.starts_with("saltern_"), "{name}");
                assert_eq!(name.ends_with("_total"), metric.kind == Kind::Count, "{name}");
            }
            // PutMetricData takes 30 dimensions, the service among them.
            assert!(metric.labels.len() < 30);
        }
    }
}
