//! What became of a request: the one value that the log line and the metrics are made from.

use std::time::Duration;

use saltern_algorithm::Done;

use crate::{Code, RequestId, Trace};

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// `POST /batch`.
    Batch,
    /// `POST /hash`, or one operation of a batch.
    Hash,
    /// `GET /health`.
    Health,
    /// `GET /metrics`.
    Metrics,
    /// Nothing that exists, or refused before it was known.
    None,
    /// `GET /openapi.json`.
    OpenApi,
    /// `GET /policies`.
    Policies,
    /// `POST /verify`, or one operation of a batch.
    Verify,
}

impl Operation {
    /// All of them.
    pub(crate) const ALL: [Self; 8] = [
        Self::Batch,
        Self::Hash,
        Self::Health,
        Self::Metrics,
        Self::None,
        Self::OpenApi,
        Self::Policies,
        Self::Verify,
    ];

    /// How a request of this kind may end; refusals stand for all their codes.
    pub(crate) fn ends(self) -> &'static [End] {
        const REFUSED: End = End::Problem(Code::Internal);
        match self {
            Self::Batch | Self::Health | Self::Metrics | Self::OpenApi | Self::Policies => {
                &[End::Answered, End::Gone, REFUSED]
            }
            Self::Hash => &[End::Hashed, End::Gone, REFUSED],
            Self::None => &[End::Gone, REFUSED],
            Self::Verify => &[End::Match, End::Mismatch, End::Gone, REFUSED],
        }
    }

    /// Its name in logs and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Hash => "hash",
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::None => "none",
            Self::OpenApi => "openapi",
            Self::Policies => "policies",
            Self::Verify => "verify",
        }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// Answered: a batch, or one of the documents.
    Answered,
    /// Not answered: the caller has left.
    Gone,
    /// A new hash was made.
    Hashed,
    /// The password is the stored one.
    Match,
    /// The password is not the stored one.
    Mismatch,
    /// Not done, for this reason.
    Problem(Code),
}

impl End {
    /// Its name in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Gone => "gone",
            Self::Hashed => "hashed",
            Self::Match => "match",
            Self::Mismatch => "mismatch",
            Self::Problem(code) => code.name(),
        }
    }

    /// Its name in metrics, where refusals count by code elsewhere.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Problem(_) => "refused",
            done => done.name(),
        }
    }
}

/// Where the time went. In a batch, and where a password has two readings, works run side by side: the longest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Waiting for a worker.
    pub queued: Duration,
    /// Computing.
    pub hashed: Duration,
    /// The most lanes of its worker in use meanwhile, its own among them.
    pub lanes: usize,
}

impl Timing {
    pub(crate) fn of(done: &Done) -> Self {
        Self { queued: done.queued, hashed: done.hashed, lanes: done.lanes }
    }

    /// Of two works that ran side by side.
    pub(crate) fn beside(self, other: Self) -> Self {
        Self {
            queued: self.queued.max(other.queued),
            hashed: self.hashed.max(other.hashed),
            lanes: self.lanes.max(other.lanes),
        }
    }

    /// Of two works of which one waited for the other.
    fn then(self, other: Self) -> Self {
        let sum = |a: Duration, b: Duration| a.saturating_add(b);
        Self {
            queued: sum(self.queued, other.queued),
            hashed: sum(self.hashed, other.hashed),
            lanes: self.lanes.max(other.lanes),
        }
    }
}

/// A new hash that was made after a match.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// Its policy.
    pub policy: String,
    /// Its algorithm.
    pub algorithm: Option<&'static str>,
    /// Where the time went.
    pub timing: Timing,
}

/// What became of one hash or verification.
#[derive(Clone, Debug)]
pub struct Step {
    /// [`Operation::Hash`] or [`Operation::Verify`].
    pub operation: Operation,
    /// How it ended.
    pub end: End,
    /// The policy, by its id in our own document; `None` where none lists the parameters, or before they were read.
    pub policy: Option<String>,
    /// The algorithm; `None` where nothing was admitted.
    pub algorithm: Option<&'static str>,
    /// Where the time went; `None` where nothing was computed.
    pub timing: Option<Timing>,
    /// Why the hash should be replaced; only with a match.
    pub rehash: Option<&'static str>,
    /// The hash that replaces it.
    pub upgrade: Option<Upgrade>,
}

impl Step {
    pub(crate) fn new(operation: Operation) -> Self {
        Self {
            operation,
            end: End::Problem(Code::Internal),
            policy: None,
            algorithm: None,
            timing: None,
            rehash: None,
            upgrade: None,
        }
    }

    /// The policy's label: its id, or what stands for it in logs and metrics.
    pub(crate) fn policy_label(&self) -> &str {
        match (&self.policy, self.algorithm) {
            (Some(id), _) => id,
            (None, Some(_)) => UNLISTED,
            (None, None) => NONE,
        }
    }

    pub(crate) fn algorithm_label(&self) -> &'static str {
        self.algorithm.unwrap_or(NONE)
    }

    /// Where the time went, the upgrade's with it.
    fn whole_timing(&self) -> Option<Timing> {
        let upgrade = self.upgrade.as_ref().map(|upgrade| upgrade.timing);
        match (self.timing, upgrade) {
            (Some(timing), Some(upgrade)) => Some(timing.then(upgrade)),
            (timing, upgrade) => timing.or(upgrade),
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.end, End::Problem(_))
    }
}

/// What became of a request. It holds no password, hash, salt, body, header or path.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was asked for.
    pub operation: Operation,
    /// How the request as a whole ended.
    pub end: End,
    /// Its name.
    pub request_id: RequestId,
    /// What it belongs to, where the caller said so.
    pub trace: Trace,
    /// From arrival to answer, or until the caller left.
    pub total: Duration,
    /// Its hashes and verifications: one, or as many as the batch has, or none.
    pub steps: Vec<Step>,
    /// Memory that the workers hold for Argon2 and scrypt at its end.
    pub arena_bytes: u64,
    /// Whether the process was started for it.
    pub is_cold_start: bool,
}

impl Outcome {
    /// Where the time went; `None` where nothing was computed.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        self.steps.iter().filter_map(Step::whole_timing).reduce(Timing::beside)
    }
}

/// Where there is no policy or algorithm.
pub(crate) const NONE: &str = "none";

/// Where an algorithm's parameters are no policy's.
const UNLISTED: &str = "unlisted";
