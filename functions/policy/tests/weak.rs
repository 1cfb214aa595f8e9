//! Unsalted and fast schemes: refused unless named, and wrapped.

#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use saltern_algorithm::{Admitted, Password, compute};
use saltern_encoded::{Encoded, NEW_SALT_BYTES, Setting, argon2, parse, wrapped};
use saltern_policy::{AcceptedWeak, Limits, Policies, Refusal, RehashReason, SHIPPED, Verdict};

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

fn policies(accepted: &str) -> Policies {
    let accepted_weak = if accepted.is_empty() { AcceptedWeak::default() } else { accepted.parse().unwrap() };
    let limits = Limits { workers: 1, memory_budget_bytes: 1 << 30, accepted_weak, ..Limits::default() };
    Policies::load(SHIPPED, &limits).unwrap()
}

fn judge(policies: &Policies, stored: &str, password: &str) -> Verdict {
    let stored = policies.admit_stored(stored).unwrap();
    let candidates = stored.candidates(&Password::new(password.as_bytes()).unwrap());
    let output = |password: &Password| compute(stored.admitted(), password.expose()).unwrap();
    let outputs: Vec<_> = candidates.iter().map(|candidate| output(&candidate.password)).collect();
    policies.verdict(&stored, &candidates, &outputs)
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
