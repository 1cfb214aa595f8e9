//! Unsalted and fast schemes: refused unless named, and wrapped.

#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

#[expect(dead_code, reason = "the tests of foreign forms use the rest")]
mod support;

use saltern_algorithm::{Admitted, compute};
use saltern_encoded::{Encoded, NEW_SALT_BYTES, Scheme, Setting, argon2, parse, wrapped};
use saltern_policy::{AcceptedWeak, Refusal, RehashReason};
use saltern_vectors::{Expected, Group, Topic, Verify};
use support::{judge, policies};

#[test]
fn an_unsalted_digest_is_refused_until_it_is_named() {
    for (accepted, admitted) in
        [("", false), ("ldap-md5", false), ("ldap-sha", true), ("ldap-md5,ldap-sha", true), ("all", true)]
    {
        let refusal = policies(accepted).admit_stored(SHA_OF_SALTERN).err();
        assert_eq!(refusal, (!admitted).then_some(Refusal::WeakScheme), "{accepted}");
    }
}

#[test]
fn only_weak_schemes_can_be_named() {
    for wrong in ["", "bcrypt", "ldap-sha,", "LDAP-SHA", "all,ldap-sha"] {
        let error = wrong.parse::<AcceptedWeak>().unwrap_err().to_string();
        assert!(error.contains("ldap-sha"), "{error}");
    }
}

#[test]
fn a_weak_match_should_be_replaced_and_says_why() {
    let policies = policies("all");
    assert_eq!(judge(&policies, SHA_OF_SALTERN, "saltern").rehash, Some(RehashReason::WeakScheme));
    assert!(!judge(&policies, SHA_OF_SALTERN, "Saltern").matches);
}

/// Of every weak scheme there is a vector, and each is refused, allowed by its own name, and to be replaced.
#[test]
fn every_weak_scheme_is_refused_until_it_is_named() {
    let mut seen = Vec::new();
    for vector in right_passwords() {
        let Some(scheme) = parse(&vector.hash).ok().map(|encoded| encoded.scheme()) else { continue };
        if scheme.weakness().is_none() || seen.contains(&scheme) {
            continue;
        }
        seen.push(scheme);
        let password = std::str::from_utf8(&vector.password).unwrap();
        assert_eq!(policies("").admit_stored(&vector.hash).err(), Some(Refusal::WeakScheme), "{scheme:?}");
        let verdict = judge(&policies(scheme.name()), &vector.hash, password);
        assert!(verdict.matches, "{scheme:?}");
        assert_eq!((verdict.policy, verdict.rehash), (None, Some(RehashReason::WeakScheme)), "{scheme:?}");
    }
    for scheme in Scheme::ALL.iter().filter(|scheme| scheme.weakness().is_some()) {
        assert!(seen.contains(scheme) || WITHOUT_A_VECTOR.contains(&scheme.name()), "{scheme:?}");
    }
}

#[test]
fn what_is_neither_unsalted_nor_fast_needs_no_permission() {
    let (policies, mut admitted) = (policies(""), 0);
    for vector in right_passwords() {
        if parse(&vector.hash).is_ok_and(|encoded| encoded.scheme().weakness().is_none()) {
            assert!(policies.admit_stored(&vector.hash).is_ok(), "{}", vector.hash);
            admitted += 1;
        }
    }
    assert!(admitted > 0);
}

#[test]
fn what_is_wrapped_verifies_without_permission_and_stays_to_be_replaced() {
    let policies = policies("");
    let wrapped = wrap(SHA_OF_SALTERN);
    assert!(wrapped.starts_with("$saltern-wrap$argon2id$v=19$m=64,t=1,p=1$"), "{wrapped}");
    assert!(wrapped.ends_with("${SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA="), "{wrapped}");
    let verdict = judge(&policies, &wrapped, "saltern");
    assert!(verdict.matches);
    assert_eq!(verdict.rehash, Some(RehashReason::WeakScheme));
    assert!(!judge(&policies, &wrapped, "Saltern").matches);
}

fn right_passwords() -> impl Iterator<Item = Verify> {
    let groups = Topic::ALL.into_iter().flat_map(|topic| topic.load().test_groups);
    let tests = groups.flat_map(|group| match group {
        Group::Verify { tests, .. } => tests,
        _ => Vec::new(),
    });
    tests.filter(|vector| vector.result == Expected::Match)
}

/// Wraps as the definition says it: argon2id over the stored string.
fn wrap(stored: &str) -> String {
    let params = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 64, 1, 1).unwrap();
    let setting = wrapped::Setting::fresh(params, [7; NEW_SALT_BYTES], &parse(stored).unwrap()).unwrap();
    let outer = Setting::Argon2(setting.outer().clone());
    let admitted = Admitted::new(outer, policies("").ceilings()).unwrap();
    let output = compute(&admitted, stored.as_bytes()).unwrap();
    Encoded::new(Setting::Wrapped(Box::new(setting)), output.expose()).unwrap().to_string()
}

/// `saltern`, by `openssl dgst -sha1 -binary | base64`.
const SHA_OF_SALTERN: &str = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";

/// What nobody has printed for years: `tests/foreign.rs` has some.
const WITHOUT_A_VECTOR: [&str; 5] =
    ["django-unsalted-sha1", "spring-md5", "spring-sha-1", "spring-sha-256", "spring-sha256"];
