//! Policies as data: the document, admission of hashes, and the verdict on a match.
//!
//! Only this crate decides which params a new hash gets, which stored hashes are verified, and
//! whether a hash should be replaced after a match. It computes no slow hash.

#![forbid(unsafe_code)]

mod admission;
mod document;
mod error;
mod firebase;
mod floors;
mod keep;
mod lowered;
mod over_ceiling;
mod verdict;
mod weak;

pub use admission::{Candidate, Candidates, NewHash, Refusal, Stored, Wrapping};
pub use document::{CEILING_NAMES, CeilingEntry, Limits, Policies, Policy, Status, parameters_of};
pub use error::DocumentError;
pub use firebase::FirebaseProject;
pub use floors::{FloorEntry, WeakHash};
pub use keep::{KEEP_NAMES, KeepEntry, keep_measure};
pub use lowered::LoweredCeilings;
pub use over_ceiling::OverCeiling;
pub use verdict::{RehashReason, Verdict};
pub use weak::{AcceptedWeak, scheme_names};

/// The document that Saltern ships: the default.
pub const SHIPPED: &[u8] = include_bytes!("../policies.json");
