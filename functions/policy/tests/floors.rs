//! The floors: each has a witness that is verified without permission. Hashes below it are weak.

use saltern_encoded::parse;
use saltern_policy::{AcceptedWeak, Limits, Policies, Refusal, RehashReason, SHIPPED, WeakHash};
use saltern_vectors::{Expected, Source, Topic, Vector as _, Verify};
use serde_json::{Value, json};

use crate::support::judge;

fn shipped() -> Value {
    serde_json::from_slice(SHIPPED).unwrap()
}

fn load(document: &Value, accepted: &str) -> Policies {
    let accepted_weak = if accepted.is_empty() { AcceptedWeak::default() } else { accepted.parse().unwrap() };
    let limits = Limits { workers: 1, memory_budget_bytes: 1 << 30, accepted_weak, ..Limits::default() };
    Policies::load(document.to_string().as_bytes(), &limits).unwrap()
}

/// Calls a function with every vector and its source.
fn for_each(mut check: impl FnMut(&Source, &Verify)) {
    for group in &Topic::Floors.load().test_groups {
        for vector in Verify::of(group) {
            check(&group.source, vector);
        }
    }
}

fn has(vector: &Verify, flag: &str) -> bool {
    vector.flags.iter().any(|own| own == flag)
}

fn password(vector: &Verify) -> &str {
    std::str::from_utf8(&vector.password).unwrap()
}

const BELOW: &str = "BelowFloor";
const BENEATH: &str = "BeneathAnother";

#[test]
fn every_floor_has_a_witness_that_is_verified_without_permission_and_is_at_the_floor() {
    let document = shipped();
    for (name, floor) in document["floors"].as_object().unwrap() {
        let mut raised = document.clone();
        raised["floors"][name]["min"] = json!(floor["min"].as_u64().unwrap() + 1);
        let (strict, raised) = (load(&document, ""), load(&raised, ""));
        let mut named = false;
        for_each(|source, vector| {
            if !has(vector, name) || has(vector, BELOW) || has(vector, BENEATH) {
                return;
            }
            let verdict = judge(&strict, &vector.hash, password(vector));
            assert!(verdict.matches, "{name}: {}", vector.comment);
            assert_ne!(verdict.rehash, Some(RehashReason::WeakScheme), "{name}: {}", vector.comment);
            assert_eq!(raised.admit_stored(&vector.hash).err(), Some(Refusal::WeakScheme), "{name}");
            named |= floor["witness"] == source.name;
        });
        assert!(named, "{name}: no vector is by {}", floor["witness"]);
    }
}

#[test]
fn a_hash_below_a_floor_is_refused_unless_its_scheme_is_accepted_and_then_replaced() {
    let (document, mut ran) = (shipped(), 0);
    let strict = load(&document, "");
    for_each(|_, vector| {
        if !has(vector, BELOW) {
            return;
        }
        let encoded = parse(&vector.hash).unwrap();
        let floor = strict.weakness(&encoded).and_then(WeakHash::floor).unwrap();
        assert!(has(vector, floor), "{}: {floor}", vector.comment);
        assert_eq!(vector.result, Expected::Match);
        let other = if encoded.scheme().name() == "bcrypt" { "argon2" } else { "bcrypt" };
        for accepted in ["", other] {
            let refusal = load(&document, accepted).admit_stored(&vector.hash).err();
            assert_eq!(refusal, Some(Refusal::WeakScheme), "{}", vector.comment);
        }
        for accepted in [encoded.scheme().name(), "all"] {
            let policies = load(&document, accepted);
            let verdict = judge(&policies, &vector.hash, password(vector));
            assert!(verdict.matches, "{}", vector.comment);
            assert_eq!(verdict.rehash, Some(RehashReason::WeakScheme), "{}", vector.comment);
            assert!(!judge(&policies, &vector.hash, "Saltern").matches);
        }
        ran += 1;
    });
    assert!(ran > 10);
}

/// The outer layer of a wrapped hash decides: a guess costs at least that.
#[test]
fn a_hash_below_a_floor_is_verified_beneath_a_layer_that_is_not_and_replaced() {
    let (policies, mut ran) = (load(&shipped(), ""), 0);
    for_each(|_, vector| {
        if has(vector, BENEATH) {
            let verdict = judge(&policies, &vector.hash, password(vector));
            assert!(verdict.matches, "{}", vector.comment);
            assert_eq!(verdict.rehash, Some(RehashReason::WeakScheme), "{}", vector.comment);
            ran += 1;
        }
    });
    assert!(ran > 0);
}

#[test]
fn a_hash_below_a_floor_and_over_a_ceiling_is_over_the_ceiling() {
    let stored =
        "$argon2id$v=19$m=8,t=1000000,p=1$c2l4dGVlbiBieXRlIHNhbA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for accepted in ["", "argon2"] {
        let refusal = load(&shipped(), accepted).admit_stored(stored).err();
        assert_eq!(refusal, Some(Refusal::CostOutOfBounds));
    }
}
