//! The event that `saltern-numbers calibrate --on-lambda` sends to a function, and the function's
//! response.
//!
//! The event has exactly one member, so no other event matches it. It needs a direct `Invoke`:
//! every event of a Function URL has a path and a method.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Effort, Machine, Measured};

/// The event of a direct `Invoke`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The setting to measure.
    #[serde(rename = "saltern-calibrate")]
    pub question: Question,
}

/// A setting to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// A made-up hash that has the setting.
    pub hash: String,
    /// Whether to measure a full worker and not one hash alone.
    pub in_lanes: bool,
    /// As [`Effort::fewest_samples`]. The function takes fewer if its deadline is near.
    pub fewest_samples: usize,
    /// As [`Effort::most_samples`].
    pub most_samples: usize,
    /// As [`Effort::time`].
    pub milliseconds: u64,
}

impl Question {
    /// Creates the question.
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

    /// Returns the limits of the measurement.
    #[must_use]
    pub fn effort(&self) -> Effort {
        Effort {
            fewest_samples: self.fewest_samples,
            most_samples: self.most_samples,
            time: Duration::from_millis(self.milliseconds),
        }
    }
}

/// The response of the function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The answer.
    #[serde(rename = "saltern-calibrate")]
    pub answer: Answer,
}

/// The measurement and the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The machine of this execution environment.
    pub machine: Machine,
    /// The function's memory, in MB as AWS writes it.
    pub memory_mb: u64,
    /// The measurement, or the reason for its absence.
    pub outcome: Outcome,
}

/// The measurement, or the reason for its absence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The measurement.
    Measured(Measured),
    /// The reason for which nothing was measured.
    Refused(Reason),
}

/// The reason for which a function does not measure a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Another measurement used the time of this invocation. A retry can succeed.
    Busy,
    /// The setting exceeds a ceiling of the function's policy document, or its memory.
    CostOutOfBounds,
    /// The measurement would exceed the function's deadline.
    DeadlineExceeded,
    /// A fault of the function ended the measurement. The function's log has the place.
    Fault,
    /// The system gave no memory.
    OutOfMemory,
    /// The function does not verify such hashes.
    UnsupportedHash,
}
