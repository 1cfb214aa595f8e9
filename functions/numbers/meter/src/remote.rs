//! What `saltern-numbers calibrate --on-lambda` asks a function, and what the function answers.
//!
//! The event has one member and no other, so that nothing else is taken for it. It goes by a direct `Invoke`: through a
//! Function URL comes only what has a path and a method.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Effort, Machine, Measured};

/// The event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// What is asked.
    #[serde(rename = "saltern-calibrate")]
    pub question: Question,
}

/// How long does this take?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// A hash of nobody's password, for its algorithm and parameters.
    pub hash: String,
    /// Whether a full worker is measured, or one hash by itself.
    pub in_lanes: bool,
    /// As [`Effort::fewest_samples`]. The function takes fewer where its deadline wants it.
    pub fewest_samples: usize,
    /// As [`Effort::most_samples`].
    pub most_samples: usize,
    /// As [`Effort::time`].
    pub milliseconds: u64,
}

impl Question {
    /// The question about this hash.
    #[must_use]
    pub fn new(hash: String, in_lanes: bool, effort: &Effort) -> Self {
        Self {
            hash,
            in_lanes,
            fewest_samples: effort.fewest_samples,
            most_samples: effort.most_samples,
            milliseconds: u64::try_from(effort.time.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The effort that is asked for.
    #[must_use]
    pub fn effort(&self) -> Effort {
        Effort {
            fewest_samples: self.fewest_samples,
            most_samples: self.most_samples,
            time: Duration::from_millis(self.milliseconds),
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What is answered.
    #[serde(rename = "saltern-calibrate")]
    pub answer: Answer,
}

/// What was measured, and on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The machine of this environment.
    pub machine: Machine,
    /// The function's memory, in MB as AWS writes it.
    pub memory_mb: u64,
    /// The figures, or why there are none.
    pub outcome: Outcome,
}

/// The figures, or why there are none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The figures.
    Measured(Measured),
    /// Why there are none.
    Refused(Reason),
}

/// Why a function does not measure something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Something else was being measured. The time of this invocation is not enough to tell; now it may be asked again.
    Busy,
    /// It is over a ceiling of the function's policy document, or beyond its memory.
    CostOutOfBounds,
    /// The function would be ended before.
    DeadlineExceeded,
    /// A fault of the function's own ended it. Its log says where.
    Fault,
    /// The system gave no memory for it.
    OutOfMemory,
    /// The hash is not one that the function verifies.
    UnsupportedHash,
}
