//! The shipped policies without floors, and a verification that goes from the stored string to the
//! verdict. `tests/floors.rs` tests the floors.

use saltern_kernels::{Password, compute};
use saltern_policy::{AcceptedWeak, Candidate, FirebaseProject, Limits, Policies, SHIPPED, Verdict};
use serde_json::{Value, json};

/// The shipped policies with these weak schemes accepted.
pub(crate) fn policies(accepted: &str) -> Policies {
    let accepted_weak = if accepted.is_empty() { AcceptedWeak::default() } else { accepted.parse().unwrap() };
    load(Limits { accepted_weak, ..Limits::default() })
}

/// The shipped policies with the Firebase hashes of a project.
pub(crate) fn policies_with(firebase_project: Option<FirebaseProject>) -> Policies {
    load(Limits { firebase_project, ..Limits::default() })
}

fn load(limits: Limits) -> Policies {
    let mut document: Value = serde_json::from_slice(SHIPPED).unwrap();
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
    let limits = Limits { workers: 1, memory_budget_bytes: 1 << 30, ..limits };
    Policies::load(document.to_string().as_bytes(), &limits).unwrap()
}

pub(crate) fn judge(policies: &Policies, stored: &str, password: &str) -> Verdict {
    judge_with(policies, stored, password, &[])
}

/// The same with these site keys.
pub(crate) fn judge_with(
    policies: &Policies,
    stored: &str,
    password: &str,
    site_keys: &[(&str, &[u8])],
) -> Verdict {
    let site_key = |id: &str| site_keys.iter().find(|(other, _)| *other == id).map(|(_, key)| *key);
    let stored = policies.admit_stored_with(stored, site_key).unwrap();
    let candidates = stored.candidates(&Password::new(password.as_bytes()).unwrap());
    let output = |candidate: &Candidate| compute(stored.admitted(), candidate.password.expose()).unwrap();
    let (first, second) = (output(&candidates.first), candidates.second.as_ref().map(output));
    policies.verdict(&stored, &candidates, &first, second.as_ref())
}
