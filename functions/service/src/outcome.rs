//! The outcome of a request, from which the log line and the metrics are made.

use std::{borrow::Cow, time::Duration};

use saltern_pool::Done;
use strum::{IntoStaticStr, VariantArray};

use crate::{Caller, Code, Ids, PeerAddress};

/// The operation that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    /// `POST /batch`.
    Batch,
    /// `POST /hash`, or one operation of a batch.
    Hash,
    /// `GET /health`.
    Health,
    /// `GET /metrics`.
    Metrics,
    /// Unknown: the path does not exist, the caller is not known, or the request was rejected before
    /// its path was read.
    None,
    /// `GET /openapi.json`.
    #[strum(serialize = "openapi")]
    OpenApi,
    /// `GET /policies`.
    Policies,
    /// `POST /verify`, or one operation of a batch.
    Verify,
}

impl Operation {
    /// The possible ends of this operation. One problem represents all codes.
    pub(crate) fn ends(self) -> &'static [End] {
        const PROBLEM: End = End::Problem(Code::Internal);
        match self {
            Self::Batch | Self::Health | Self::Metrics | Self::OpenApi | Self::Policies => {
                &[End::Answered, End::Gone, PROBLEM]
            }
            Self::Hash => &[End::Hashed, End::Gone, PROBLEM],
            Self::None => &[End::Gone, PROBLEM],
            Self::Verify => &[End::Match, End::Mismatch, End::Gone, PROBLEM],
        }
    }

    /// The operation's name in logs and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The end of a request or of one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum End {
    /// A batch or a document was answered.
    Answered,
    /// The caller closed the connection before the answer.
    Gone,
    /// A new hash was made.
    Hashed,
    /// The password is correct.
    Match,
    /// The password is wrong.
    Mismatch,
    /// The request or step failed.
    Problem(Code),
}

impl End {
    /// The name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Problem(code) => code.name(),
            done => done.into(),
        }
    }

    /// The name in metrics. All problems share one name: another metric counts them by code.
    pub fn class(self) -> &'static str {
        match self {
            Self::Problem(_) => "refused",
            done => done.name(),
        }
    }
}

/// The times of work. The tasks of a batch run in parallel: of each time the longest counts. Both
/// readings of a password are one work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The time in the queue.
    pub queued: Duration,
    /// The time on a worker. Hashes that take turns also wait in it.
    pub hashed: Duration,
    /// The most lanes of the worker that were in use meanwhile, with the work's own.
    pub lanes: usize,
}

impl Timing {
    pub(crate) fn of(done: &Done) -> Self {
        Self { queued: done.queued, hashed: done.hashed, lanes: done.lanes }
    }

    /// The times of two works that ran in parallel.
    pub(crate) fn beside(self, other: Self) -> Self {
        Self {
            queued: self.queued.max(other.queued),
            hashed: self.hashed.max(other.hashed),
            lanes: self.lanes.max(other.lanes),
        }
    }

    /// The times of two works that ran one after the other.
    fn then(self, other: Self) -> Self {
        let sum = |a: Duration, b: Duration| a.saturating_add(b);
        Self {
            queued: sum(self.queued, other.queued),
            hashed: sum(self.hashed, other.hashed),
            lanes: self.lanes.max(other.lanes),
        }
    }
}

/// A string that replaces the stored one after a match: a new hash, or the same one sealed anew.
#[derive(Clone, Debug)]
pub struct Rehash {
    /// The policy of the string.
    pub policy: Option<String>,
    /// The algorithm of the string.
    pub algorithm: Option<&'static str>,
    /// The times of making a new hash; `None` if the same one was sealed anew.
    pub timing: Option<Timing>,
}

/// One hash or verification of a request.
#[derive(Clone, Debug)]
pub struct Step {
    /// [`Operation::None`] for an operation of a batch that names no other.
    pub operation: Operation,
    /// The end of the step.
    pub end: End,
    /// The id of the policy; `None` if no policy lists the params, or the hash was not admitted.
    pub policy: Option<String>,
    /// Whether the hash is that of the decoy: the request names no stored hash.
    pub is_decoy: bool,
    /// The algorithm; `None` if the hash was not admitted.
    pub algorithm: Option<&'static str>,
    /// The times of the work; `None` if nothing was computed.
    pub timing: Option<Timing>,
    /// Why the hash should be replaced. Only after a match.
    pub rehash_reason: Option<&'static str>,
    /// The hash that replaces the stored one.
    pub rehashed: Option<Rehash>,
    /// The id of the key of the stored hash's seal, or `not_sealed`; `None` without keys.
    pub stored_key: Option<Cow<'static, str>>,
    /// The id of the key under which a string was sealed for the answer.
    pub sealed_under: Option<String>,
}

impl Step {
    pub(crate) fn new(operation: Operation) -> Self {
        Self {
            operation,
            end: End::Problem(Code::Internal),
            policy: None,
            is_decoy: false,
            algorithm: None,
            timing: None,
            rehash_reason: None,
            rehashed: None,
            stored_key: None,
            sealed_under: None,
        }
    }

    /// The policy's label in logs and metrics: its id, `decoy`, `unlisted` or `none`.
    pub(crate) fn policy_label(&self) -> &str {
        match (&self.policy, self.algorithm) {
            _ if self.is_decoy => DECOY,
            (Some(id), _) => id,
            (None, Some(_)) => UNLISTED,
            (None, None) => NONE,
        }
    }

    pub(crate) fn algorithm_label(&self) -> &'static str {
        self.algorithm.unwrap_or(NONE)
    }

    /// The key's label in logs: that of the stored hash's seal, or of a new hash's.
    pub(crate) fn key_label(&self) -> Option<&str> {
        self.stored_key.as_deref().or(self.sealed_under.as_deref())
    }

    /// The times of the step and its rehash.
    fn whole_timing(&self) -> Option<Timing> {
        let rehash = self.rehashed.as_ref().and_then(|rehash| rehash.timing);
        match (self.timing, rehash) {
            (Some(timing), Some(rehash)) => Some(timing.then(rehash)),
            (timing, rehash) => timing.or(rehash),
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.end, End::Problem(_))
    }
}

/// The outcome of a request. It holds no password, hash, salt, body, header or path.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The operation that the request asks for, as far as it counts.
    pub operation: Operation,
    /// The end of the request as a whole.
    pub end: End,
    /// The names of the request.
    pub ids: Ids,
    /// The caller. Its token may have expired.
    pub caller: Caller,
    /// The other end of the connection, if the front door knows it.
    pub peer: Option<PeerAddress>,
    /// The time from arrival to answer, or until the caller closed the connection.
    pub total: Duration,
    /// The hashes and verifications: all of a batch, else one or none.
    pub steps: Vec<Step>,
    /// Memory that the workers hold for Argon2 and scrypt at the end of the request, in bytes.
    pub arena_bytes: u64,
    /// Whether the process was started for this request.
    pub is_cold_start: bool,
}

impl Outcome {
    /// The times of all steps; `None` if nothing was computed.
    pub fn timing(&self) -> Option<Timing> {
        self.steps.iter().filter_map(Step::whole_timing).reduce(Timing::beside)
    }
}

/// The label of a step without policy or algorithm.
pub(crate) const NONE: &str = "none";

/// The label of the policy if the request names no stored hash. Its own label tells these apart
/// from logins under the same policy.
const DECOY: &str = "decoy";

/// The label of params that no policy lists.
const UNLISTED: &str = "unlisted";
