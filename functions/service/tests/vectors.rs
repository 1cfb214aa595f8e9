//! Sends every vector to the service.

use saltern_kernels::Kernels;
use saltern_policy::AcceptedWeak;
use saltern_pool::PoolSettings;
use saltern_seal::Keys;
use saltern_service::Service;
use saltern_vectors::{Expected, Topic, Vector as _, Verify};
use serde_json::{Value, json};

use crate::support::*;

#[tokio::test]
async fn every_vector_gives_its_result_with_our_kernels() {
    every_vector_gives_its_result_with(Kernels::Own).await;
}

#[tokio::test]
async fn every_vector_gives_its_result_with_the_crates() {
    every_vector_gives_its_result_with(Kernels::Crates).await;
}

async fn every_vector_gives_its_result_with(kernels: Kernels) {
    let settings = PoolSettings { queue: None, kernels, ..one_worker() };
    let service = service_accepting(AcceptedWeak::all(), &document(), &settings);
    for topic in Topic::with_passwords() {
        let mut vectors = Vec::new();
        for group in &topic.load().test_groups {
            if let Some(peppered) = Verify::of(group).first().filter(|vector| !vector.site_key.is_empty()) {
                assert_eq!(peppered.site_key, b"site pepper");
                service.install_keys(Keys::parse(KEYS_WITH_SITE_PEPPER.as_bytes()).unwrap());
            }
            vectors.extend(Verify::of(group).iter().map(|vector| {
                (vector.password.clone(), vector.hash.clone(), vector.result, vector.comment.clone())
            }));
        }
        assert!(!vectors.is_empty());
        let (text, binary): (Vec<_>, Vec<_>) =
            vectors.into_iter().partition(|(password, ..)| std::str::from_utf8(password).is_ok());
        for (password, hash, ..) in binary {
            // JSON cannot carry such a password, since it is not UTF-8.
            let body =
                [b"{\"password\": \"", password.as_slice(), b"\", \"hash\": \"", hash.as_bytes(), b"\"}"];
            post_bytes("/verify", body.concat()).send(&service).await.problem(400, "invalid_json");
        }
        for chunk in text.chunks(TOGETHER) {
            let results =
                verified(&service, chunk.iter().map(|(password, hash, ..)| (&password[..], &hash[..]))).await;
            for (result, (_, hash, expected, comment)) in results.iter().zip(chunk) {
                assert_eq!(result_of(result), name_of(*expected), "{topic:?}: {comment}: {hash}: {result}");
            }
        }
    }
}

/// `site pepper` under the id that the vectors name.
const KEYS_WITH_SITE_PEPPER: &str = r#"{
    "current": "a",
    "keys": [{"id": "a", "key": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}],
    "site_keys": [{"id": "site", "key": "c2l0ZSBwZXBwZXI="}]
}"#;

/// Operations of a batch: few enough to finish before the deadline on a busy machine.
const TOGETHER: usize = 4;

async fn verified(service: &Service, pairs: impl Iterator<Item = (&[u8], &str)>) -> Vec<Value> {
    let operation = |(password, hash): (&[u8], &str)| {
        let password = std::str::from_utf8(password).unwrap();
        json!({"op": "verify", "password": password, "hash": hash})
    };
    let operations: Vec<Value> = pairs.map(operation).collect();
    let request = post("/batch", &json!({"operations": operations})).header("saltern-deadline-ms", "60000");
    request.send(service).await.ok()["results"].as_array().unwrap().clone()
}

fn result_of(result: &Value) -> &str {
    match (&result["body"]["match"], &result["problem"]["code"]) {
        (Value::Bool(true), _) => "match",
        (Value::Bool(false), _) => "mismatch",
        (_, code) => code.as_str().unwrap(),
    }
}

fn name_of(expected: Expected) -> &'static str {
    match expected {
        Expected::CostOutOfBounds => "cost_out_of_bounds",
        Expected::InvalidHash => "invalid_hash",
        Expected::Match => "match",
        Expected::Mismatch => "mismatch",
        Expected::UnsupportedHash => "unsupported_hash",
    }
}
