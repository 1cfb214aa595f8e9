//! Every vector through the service: JSON, policies, workers, verdict.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking, as tests do")]

#[expect(dead_code, reason = "the tests of the contract use the rest")]
mod support;

use saltern_algorithm::{Kernels, Pool, PoolSettings};
use saltern_policy::{AcceptedWeak, Limits, Policies};
use saltern_service::Service;
use saltern_vectors::{Expected, Group, Topic, Vector as _, Verify};
use serde_json::{Value, json};
use support::*;

#[tokio::test]
async fn every_vector_is_answered_as_expected_by_our_kernels() {
    every_vector_is_answered_as_expected_by(Kernels::Lanes).await;
}

#[tokio::test]
async fn every_vector_is_answered_as_expected_by_the_crates() {
    every_vector_is_answered_as_expected_by(Kernels::Crates).await;
}

async fn every_vector_is_answered_as_expected_by(kernels: Kernels) {
    let limits = Limits {
        workers: 1,
        memory_budget_bytes: 1 << 30,
        accepted_weak: AcceptedWeak::all(),
        ..Limits::default()
    };
    let policies = Policies::load(document().to_string().as_bytes(), &limits).unwrap();
    let settings = PoolSettings { queue: None, kernels, ..one_worker() };
    let service = Service::new(policies, Pool::start(&settings).unwrap());
    for topic in Topic::ALL {
        let mut vectors = Vec::new();
        for group in topic.load().test_groups.iter().filter(|group| is_verified(topic, group)) {
            vectors.extend(Verify::of(group).iter().map(|vector| {
                (vector.password.clone(), vector.hash.clone(), vector.result, vector.comment.clone())
            }));
        }
        assert_eq!(vectors.is_empty(), topic == Topic::Frameworks, "{topic:?}");
        let (text, binary): (Vec<_>, Vec<_>) =
            vectors.into_iter().partition(|(password, ..)| std::str::from_utf8(password).is_ok());
        for (password, hash, ..) in binary {
            // JSON is UTF-8: such a password has no way in.
            let body =
                [b"{\"password\": \"", password.as_slice(), b"\", \"hash\": \"", hash.as_bytes(), b"\"}"];
            post_bytes("/verify", body.concat()).of(&service).await.problem(400, "invalid_json");
        }
        for chunk in text.chunks(16) {
            let results =
                verified(&service, chunk.iter().map(|(password, hash, ..)| (&password[..], &hash[..]))).await;
            for (result, (_, hash, expected, comment)) in results.iter().zip(chunk) {
                assert_eq!(told(result), wanted(*expected), "{topic:?}: {comment}: {hash}: {result}");
            }
        }
    }
}

/// Whether the group's scheme is verified so far.
fn is_verified(topic: Topic, group: &Group) -> bool {
    match group.scheme() {
        Some("drupal7" | "drupal7-updated" | "ldap-crypt" | "phpass") | None => true,
        Some(_) => topic == Topic::Crypt,
    }
}

async fn verified(service: &Service, pairs: impl Iterator<Item = (&[u8], &str)>) -> Vec<Value> {
    let operation = |(password, hash): (&[u8], &str)| {
        let password = std::str::from_utf8(password).unwrap();
        json!({"op": "verify", "password": password, "hash": hash})
    };
    let operations: Vec<Value> = pairs.map(operation).collect();
    let ask = post("/batch", &json!({"operations": operations})).header("saltern-deadline-ms", "60000");
    ask.of(service).await.ok()["results"].as_array().unwrap().clone()
}

fn told(result: &Value) -> &str {
    match (&result["body"]["match"], &result["problem"]["code"]) {
        (Value::Bool(true), _) => "match",
        (Value::Bool(false), _) => "mismatch",
        (_, code) => code.as_str().unwrap(),
    }
}

fn wanted(expected: Expected) -> &'static str {
    match expected {
        Expected::CostOutOfBounds => "cost_out_of_bounds",
        Expected::InvalidHash => "invalid_hash",
        Expected::Match => "match",
        Expected::Mismatch => "mismatch",
        Expected::UnsupportedHash => "unsupported_hash",
    }
}
