//! The table of all metrics. Sinks, documents and the dashboard take the names from this table.

use strum::{IntoStaticStr, VariantArray};

/// The namespace in CloudWatch.
pub const NAMESPACE: &str = "Saltern";

/// The first dimension of every metric in CloudWatch: the name of the Lambda function. Prometheus
/// uses its target instead.
pub const SERVICE: &str = "Service";

/// One metric.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name in CloudWatch.
    pub cloudwatch: &'static str,
    /// The name at `GET /metrics`; `None` if only CloudWatch has the metric.
    pub prometheus: Option<&'static str>,
    /// The kind.
    pub kind: Kind,
    /// The unit.
    pub unit: Unit,
    /// The labels beside the service. Each value is from a closed set: a name of the contract, or
    /// an id of the policy document or of a seal key.
    pub labels: &'static [Label],
    /// A description in one or two sentences.
    pub help: &'static str,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A count. Lambda prints it in the embedded metric format with the request. For Prometheus it
    /// is a counter.
    Count,
    /// Values whose percentiles matter. The process aggregates them and sends them to CloudWatch.
    /// For Prometheus they are a histogram.
    Distribution {
        /// The name in CloudWatch of samples that are logged because sending them failed. Under
        /// the metric's name such samples could count twice: a failed call may have delivered them.
        unsent: &'static str,
    },
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
    /// Milliseconds. Prometheus gets seconds, as its conventions require.
    Milliseconds,
}

impl Unit {
    /// The unit's name in CloudWatch.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A label of a metric: a dimension in CloudWatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Label {
    /// The algorithm, or `none`.
    Algorithm,
    /// The class of a line of the log: `caller` or `unauthenticated`.
    Class,
    /// The code of a problem.
    Code,
    /// The id of a key of sealed hashes, or `not_sealed` for a hash without a seal.
    Key,
    /// The operation.
    Operation,
    /// The end: `answered`, `hashed`, `match`, `mismatch` or `refused`. `gone` if the caller closed
    /// the connection before the answer, which only `saltern serve` detects.
    Outcome,
    /// The id of a policy, `decoy` if the request names no stored hash, `unlisted` for params that
    /// no policy lists, or `none` without a policy.
    Policy,
    /// The reason to replace a hash.
    Reason,
}

impl Label {
    /// All labels.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The label's name as a dimension of CloudWatch.
    pub fn dimension(self) -> &'static str {
        match self {
            Self::Algorithm => "Algorithm",
            Self::Class => "Class",
            Self::Code => "Code",
            Self::Key => "Key",
            Self::Operation => "Operation",
            Self::Outcome => "Outcome",
            Self::Policy => "Policy",
            Self::Reason => "Reason",
        }
    }

    /// The label's name in Prometheus.
    pub fn prometheus(self) -> &'static str {
        self.into()
    }
}

/// All metrics, in the order of the documents.
pub static METRICS: [&Metric; 16] = [
    &REQUESTS,
    &OPERATIONS,
    &VERIFICATIONS,
    &REFUSALS,
    &REHASHES_NEEDED,
    &REHASHES_DONE,
    &MATCHES_BY_KEY,
    &SEALS,
    &ALL_SEALS,
    &COLD_STARTS,
    &ANSWER,
    &QUEUE,
    &HASH,
    &BATCH_OPERATIONS,
    &LANES,
    &ARENA,
];

/// A count of the process that belongs to no request. Only Prometheus has it.
#[derive(Debug)]
pub struct ProcessCount {
    /// The name at `GET /metrics`.
    pub prometheus: &'static str,
    /// The label.
    pub label: Label,
    /// A description in one or two sentences.
    pub help: &'static str,
}

/// Dropped lines of the log.
pub static DROPPED_LINES: ProcessCount = ProcessCount {
    prometheus: "saltern_log_lines_dropped_total",
    label: Label::Class,
    help: "Lines missing in the log: the reader was too slow, or writing failed. Of the class `unauthenticated` also lines over their rate.",
};

/// A number of the process that goes up and down. Only Prometheus has it.
#[derive(Debug)]
pub struct ProcessGauge {
    /// The name at `GET /metrics`.
    pub prometheus: &'static str,
    /// A description in one or two sentences.
    pub help: &'static str,
}

/// The lanes of Argon2.
pub static ARGON2_LANES: ProcessGauge = ProcessGauge {
    prometheus: "saltern_argon2_lanes",
    help: "Argon2 hashes of 32 MiB or more that each worker computes at once, apart from trials: the number of the settings, or what the process has learned from served work.",
};

/// Requests of all operations.
pub static REQUESTS: Metric = Metric {
    cloudwatch: "Requests",
    prometheus: Some("saltern_requests_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Operation, Label::Outcome],
    help: "Requests by outcome. A batch counts once.",
};

/// Hashes and verifications.
pub static OPERATIONS: Metric = Metric {
    cloudwatch: "Operations",
    prometheus: Some("saltern_operations_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Operation, Label::Algorithm, Label::Policy, Label::Outcome],
    help: "Hashes and verifications. Each operation of a batch counts. The policies of matches show which policies users still have.",
};

/// Verified passwords.
pub static VERIFICATIONS: Metric = Metric {
    cloudwatch: "Verifications",
    prometheus: Some("saltern_verifications_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Outcome],
    help: "Verifications by outcome: `match` or `mismatch`. Each one in a batch counts.",
};

/// Problem documents.
pub static REFUSALS: Metric = Metric {
    cloudwatch: "Refusals",
    prometheus: Some("saltern_refusals_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Code],
    help: "Problem documents. Each one in a batch counts.",
};

/// Matches whose hash should be replaced.
pub static REHASHES_NEEDED: Metric = Metric {
    cloudwatch: "RehashesNeeded",
    prometheus: Some("saltern_rehashes_needed_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Policy, Label::Reason],
    help: "Matches whose hash should be replaced, by the policy of the stored hash.",
};

/// New hashes that replace stored ones.
pub static REHASHES_DONE: Metric = Metric {
    cloudwatch: "RehashesDone",
    prometheus: Some("saltern_rehashes_done_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Policy],
    help: "Strings made after a match, by the stored hash's policy: new hashes, and the same ones sealed anew.",
};

/// Matches by the key of the stored hash's seal.
pub static MATCHES_BY_KEY: Metric = Metric {
    cloudwatch: "MatchesByKey",
    prometheus: Some("saltern_matches_by_key_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Key],
    help: "Matches by the key of the stored hash's seal, `not_sealed` without one: the progress of a rotation. Only with seal keys.",
};

/// New seals.
pub static SEALS: Metric = Metric {
    cloudwatch: "Seals",
    prometheus: Some("saltern_seals_total"),
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[Label::Key],
    help: "Strings sealed by the service, by key. Rotate a key before it has sealed 2^32 in the whole fleet.",
};

/// New seals under all keys.
pub static ALL_SEALS: Metric = Metric {
    cloudwatch: "AllSeals",
    prometheus: None,
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[],
    help: "Strings sealed under all keys: an alarm of CloudWatch cannot sum over keys.",
};

/// Cold starts.
pub static COLD_STARTS: Metric = Metric {
    cloudwatch: "ColdStarts",
    prometheus: None,
    kind: Kind::Count,
    unit: Unit::Count,
    labels: &[],
    help: "Environments that Lambda started for a request, and not in advance.",
};

/// The time of an answer.
pub static ANSWER: Metric = Metric {
    cloudwatch: "AnswerMilliseconds",
    prometheus: Some("saltern_answer_seconds"),
    kind: Kind::Distribution { unsent: "AnswerMillisecondsUnsent" },
    unit: Unit::Milliseconds,
    labels: &[Label::Operation],
    help: "Time from the arrival of a request to its answer.",
};

/// The time of work in the queue.
pub static QUEUE: Metric = Metric {
    cloudwatch: "QueueMilliseconds",
    prometheus: Some("saltern_queue_seconds"),
    kind: Kind::Distribution { unsent: "QueueMillisecondsUnsent" },
    unit: Unit::Milliseconds,
    labels: &[],
    help: "Time of an operation in the queue.",
};

/// The time of computing.
pub static HASH: Metric = Metric {
    cloudwatch: "HashMilliseconds",
    prometheus: Some("saltern_hash_seconds"),
    kind: Kind::Distribution { unsent: "HashMillisecondsUnsent" },
    unit: Unit::Milliseconds,
    labels: &[Label::Algorithm, Label::Policy],
    help: "Time of computing an operation.",
};

/// The size of batches.
pub static BATCH_OPERATIONS: Metric = Metric {
    cloudwatch: "BatchOperations",
    prometheus: Some("saltern_batch_operations"),
    kind: Kind::Distribution { unsent: "BatchOperationsUnsent" },
    unit: Unit::Count,
    labels: &[],
    help: "Operations in a batch.",
};

/// The use of lanes.
pub static LANES: Metric = Metric {
    cloudwatch: "LanesInUse",
    prometheus: Some("saltern_lanes_in_use"),
    kind: Kind::Distribution { unsent: "LanesInUseUnsent" },
    unit: Unit::Count,
    labels: &[],
    help: "The most lanes of a worker in use while an operation ran, with its own. 1 for an algorithm without lanes.",
};

/// The memory of workers.
pub static ARENA: Metric = Metric {
    cloudwatch: "ArenaBytes",
    prometheus: Some("saltern_arena_bytes"),
    kind: Kind::Distribution { unsent: "ArenaBytesUnsent" },
    unit: Unit::Bytes,
    labels: &[],
    help: "Memory that the workers hold for Argon2 and scrypt, at the end of a request that computed a hash.",
};

/// An alarm on a count. The alarms of CloudWatch and the rules of Prometheus are generated from it.
#[derive(Debug)]
pub struct Alarm {
    /// The name in CloudWatch, behind the name of the function.
    pub name: &'static str,
    /// The name in Prometheus.
    pub prometheus: &'static str,
    /// The counter, by its name at `GET /metrics`.
    pub counter: &'static str,
    /// The counter in CloudWatch; `None` if it never counts on Lambda.
    pub cloudwatch: Option<&'static str>,
    /// The label that tells the counted events from the others.
    pub label: Label,
    /// The value of the label; `None` to count the events of each value by themselves. CloudWatch
    /// then counts those of all values.
    pub value: Option<&'static str>,
    /// The threshold.
    pub above: Above,
    /// The severity.
    pub severity: Severity,
    /// The meaning of the alarm and the next step.
    pub help: &'static str,
}

/// The severity of an alarm. Each may have another receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// An operator is needed at once.
    Page,
    /// The next morning is early enough.
    Ticket,
}

impl Severity {
    /// The name in both systems.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The threshold of an alarm, over [`ALARM_MINUTES`] unless it says otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Above {
    /// More events in a year, at the rate of the last day. No system keeps a year of counts for an
    /// alarm.
    InAYear(u64),
    /// More events a minute.
    PerMinute(u32),
    /// A larger share of all events of the counter.
    Share {
        /// The share, in percent.
        percent: u32,
        /// Fewer events a minute, of all, raise no alarm: few events have any share by chance.
        least_per_minute: u32,
        /// The value of the label of the other events.
        beside: &'static str,
    },
}

/// The time over which alarms count. Short enough for an attack of guesses, and longer than the
/// usual interval between two scrapes.
pub const ALARM_MINUTES: u32 = 5;

/// Refusals of one kind for lack of capacity. A few deadlines are missed by chance. One each ten
/// seconds, for minutes, are not.
const REFUSALS_PER_MINUTE: u32 = 6;

/// Half of the strings that one key may seal with random nonces: 2^32 (NIST SP 800-38D §8.3).
const MOST_SEALS: u64 = 1 << 31;

/// All alarms on counts.
pub static ALARMS: [Alarm; 10] = [
    Alarm {
        name: "mismatches",
        prometheus: "SalternMismatches",
        counter: "saltern_verifications_total",
        cloudwatch: Some("Verifications"),
        label: Label::Outcome,
        value: Some("mismatch"),
        // Users mistype in some 5 to 20 % of logins, and a list of stolen passwords fails in some
        // 98 %. Below 60 logins a minute a few bots reach half.
        above: Above::Share { percent: 50, least_per_minute: 60, beside: "match" },
        severity: Severity::Page,
        help: "Most passwords are wrong. A bot may try stolen passwords, or a backend sends wrong hashes.",
    },
    Alarm {
        name: "overloaded",
        prometheus: "SalternOverloaded",
        counter: "saltern_refusals_total",
        cloudwatch: Some("Refusals"),
        label: Label::Code,
        value: Some("overloaded"),
        above: Above::PerMinute(REFUSALS_PER_MINUTE),
        severity: Severity::Page,
        help: "Requests are refused. More logins arrive than the service can hash; or, if queue and hash times stay short, one caller holds its share of connections, bodies or HTTP/2 places.",
    },
    Alarm {
        name: "deadlines",
        prometheus: "SalternDeadlines",
        counter: "saltern_refusals_total",
        cloudwatch: Some("Refusals"),
        label: Label::Code,
        value: Some("deadline_exceeded"),
        above: Above::PerMinute(REFUSALS_PER_MINUTE),
        severity: Severity::Page,
        help: "Requests are refused because their deadline cannot be met. Hashes take longer, or the budgets of callers are too small.",
    },
    Alarm {
        name: "faults",
        prometheus: "SalternFaults",
        counter: "saltern_refusals_total",
        cloudwatch: Some("Refusals"),
        label: Label::Code,
        value: Some("internal"),
        above: Above::PerMinute(0),
        severity: Severity::Page,
        help: "The service has a fault. If a release came before it, roll back.",
    },
    Alarm {
        name: "unauthorized",
        prometheus: "SalternUnauthorized",
        counter: "saltern_refusals_total",
        cloudwatch: None,
        label: Label::Code,
        value: Some("unauthorized"),
        // One retry a second of one caller.
        above: Above::PerMinute(60),
        severity: Severity::Page,
        help: "A caller has no valid token, or an attacker guesses. The log names the peer, and the caller if its token has expired.",
    },
    Alarm {
        name: "seal-broken",
        prometheus: "SalternSealBroken",
        counter: "saltern_refusals_total",
        cloudwatch: Some("Refusals"),
        label: Label::Code,
        value: Some("seal_broken"),
        above: Above::PerMinute(0),
        severity: Severity::Page,
        help: "A sealed hash does not open. The row was changed or swapped, or a backend sends another context.",
    },
    Alarm {
        name: "key-unavailable",
        prometheus: "SalternKeyUnavailable",
        counter: "saltern_refusals_total",
        cloudwatch: Some("Refusals"),
        label: Label::Code,
        value: Some("key_unavailable"),
        above: Above::PerMinute(0),
        severity: Severity::Page,
        help: "A server or function does not list the key of a sealed hash. Users cannot log in: give all the same keys.",
    },
    Alarm {
        name: "seals",
        prometheus: "SalternSeals",
        counter: "saltern_seals_total",
        cloudwatch: Some("AllSeals"),
        label: Label::Key,
        value: None,
        above: Above::InAYear(MOST_SEALS),
        severity: Severity::Ticket,
        help: "At the rate of the last day the fleet seals 2^31 strings in a year under one key. Rotate the key before it has sealed 2^32.",
    },
    Alarm {
        name: "log-lines-lost",
        prometheus: "SalternLogLinesLost",
        counter: "saltern_log_lines_dropped_total",
        cloudwatch: None,
        label: Label::Class,
        value: Some("caller"),
        above: Above::PerMinute(0),
        severity: Severity::Ticket,
        help: "Lines of requests with a token are missing in the log. The reader is too slow, or the disk is full.",
    },
    Alarm {
        name: "unauthenticated-flood",
        prometheus: "SalternUnauthenticatedFlood",
        counter: "saltern_log_lines_dropped_total",
        cloudwatch: None,
        label: Label::Class,
        value: Some("unauthenticated"),
        // As many are lost as the log takes: ten a second.
        above: Above::PerMinute(600),
        severity: Severity::Page,
        help: "Requests without a token flood the port. The log names peers of a sample.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Code;

    fn unsent(metric: &Metric) -> Option<&'static str> {
        match metric.kind {
            Kind::Count => None,
            Kind::Distribution { unsent } => Some(unsent),
        }
    }

    #[test]
    fn no_name_is_published_twice() {
        let mut names: Vec<&str> = METRICS
            .iter()
            .flat_map(|metric| [Some(metric.cloudwatch), unsent(metric), metric.prometheus])
            .flatten()
            .chain([DROPPED_LINES.prometheus, ARGON2_LANES.prometheus])
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn names_follow_the_conventions_of_cloudwatch_and_prometheus() {
        for metric in METRICS {
            if let Some(name) = unsent(metric) {
                assert_eq!(name, format!("{}Unsent", metric.cloudwatch));
            }
            if let Some(name) = metric.prometheus {
                assert!(name.starts_with("saltern_"), "{name}");
                assert_eq!(name.ends_with("_total"), metric.kind == Kind::Count, "{name}");
            }
            // `PutMetricData` accepts 30 dimensions, with the service.
            assert!(metric.labels.len() < 30);
        }
    }

    #[test]
    fn every_alarm_is_about_a_listed_count_and_its_label() {
        for alarm in &ALARMS {
            let metric = METRICS.iter().find(|metric| metric.prometheus == Some(alarm.counter));
            let labels = metric.map_or(vec![DROPPED_LINES.label], |metric| metric.labels.to_vec());
            assert!(metric.is_some() || alarm.counter == DROPPED_LINES.prometheus, "{}", alarm.name);
            assert_eq!(labels, [alarm.label], "{}: the count has one label", alarm.name);
            if let Some(name) = alarm.cloudwatch {
                let labels = METRICS.iter().find(|metric| metric.cloudwatch == name).map(|own| own.labels);
                let wanted = if alarm.value.is_some() { &[alarm.label][..] } else { &[] };
                assert_eq!(labels, Some(wanted), "{}", alarm.name);
            }
            if alarm.label == Label::Code {
                let printed = Code::ALL.iter().any(|code| Some(code.name()) == alarm.value);
                assert!(printed, "{}: no problem has the code {:?}", alarm.name, alarm.value);
            }
            if let Above::Share { beside, .. } = alarm.above {
                assert_eq!([Some(beside), alarm.value], [Some("match"), Some("mismatch")], "{}", alarm.name);
            }
        }
    }
}
