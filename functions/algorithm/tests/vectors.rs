//! Every vector from the stored string to the answer: parse, admission under the shipped ceilings, computation.

#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use std::time::{Duration, Instant};

use saltern_algorithm::{Admitted, Ceilings, compute};
use saltern_encoded::{DEVIATIONS, ParseError};
use saltern_vectors::{Expected, Topic, Verify, for_each};
use serde_json::Value;

#[test]
fn argon2() {
    every_vector_of(Topic::Argon2);
}

#[test]
fn bcrypt() {
    every_vector_of(Topic::Bcrypt);
}

#[test]
fn deviations() {
    every_vector_of(Topic::Deviations);
}

#[test]
fn foreign() {
    every_vector_of(Topic::Foreign);
}

#[test]
fn hostile() {
    every_vector_of(Topic::Hostile);
}

#[test]
fn pbkdf2() {
    every_vector_of(Topic::Pbkdf2);
}

#[test]
fn scrypt() {
    every_vector_of(Topic::Scrypt);
}

#[test]
fn each_listed_deviation_has_its_example_among_the_vectors() {
    let mut matching = Vec::new();
    for_each(Topic::Deviations, |vector: &Verify| {
        if vector.result == Expected::Match && vector.password == b"saltern" {
            matching.push(vector.hash.clone());
        }
    });
    for deviation in DEVIATIONS {
        assert!(matching.iter().any(|hash| hash == deviation.example), "{}", deviation.what);
    }
}

/// A cost that was computed first and refused afterwards gives the same answer: only the clock tells.
#[test]
fn what_costs_too_much_is_refused_before_any_work() {
    let ceilings = shipped_ceilings();
    let start = Instant::now();
    let mut refused = 0;
    for_each(Topic::Hostile, |vector: &Verify| {
        if vector.result == Expected::CostOutOfBounds {
            assert_eq!(verify(vector, &ceilings), Expected::CostOutOfBounds, "{}", vector.comment);
            refused += 1;
        }
    });
    assert!(refused > 0);
    assert!(start.elapsed() < REFUSALS_TAKE_AT_MOST, "{:?}", start.elapsed());
}

fn every_vector_of(topic: Topic) {
    let ceilings = shipped_ceilings();
    for_each(topic, |vector: &Verify| {
        let Verify { tc_id, comment, hash, .. } = vector;
        assert_eq!(verify(vector, &ceilings), vector.result, "{topic:?} {tc_id}: {comment}: {hash}");
    });
}

fn verify(vector: &Verify, ceilings: &Ceilings) -> Expected {
    let encoded = match saltern_encoded::parse(&vector.hash) {
        Ok(encoded) => encoded,
        Err(ParseError::Invalid) => return Expected::InvalidHash,
        Err(ParseError::Unsupported) => return Expected::UnsupportedHash,
    };
    let Ok(admitted) = Admitted::new(encoded.setting().clone(), ceilings) else {
        return Expected::CostOutOfBounds;
    };
    let matches = compute(&admitted, &vector.password).unwrap().matches(encoded.output());
    if matches { Expected::Match } else { Expected::Mismatch }
}

fn shipped_ceilings() -> Ceilings {
    let document: Value = serde_json::from_str(include_str!("../../policy/policies.json")).unwrap();
    let wide = |name: &str| document["ceilings"][name]["max"].as_u64().unwrap();
    let narrow = |name: &str| u32::try_from(wide(name)).unwrap();
    Ceilings {
        bcrypt_cost: narrow("bcrypt_cost"),
        argon2_memory_kib: narrow("argon2_memory_kib"),
        argon2_memory_passes_kib: wide("argon2_memory_passes_kib"),
        argon2_parallelism: narrow("argon2_parallelism"),
        sha_crypt_rounds: 1_000_000,
        pbkdf2_iterations_blocks: wide("pbkdf2_iterations_blocks"),
        scrypt_memory_bytes: wide("scrypt_memory_bytes"),
        scrypt_n_r_p: wide("scrypt_n_r_p"),
    }
}

/// Refusing is arithmetic; the cheapest of these hashes would take a second, the dearest a year.
const REFUSALS_TAKE_AT_MOST: Duration = Duration::from_millis(500);
