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

#[test]
fn what_des_does_not_read_must_not_become_required() {
    let policies = policies("des-crypt");
    for (password, stored, rehash) in [
        ("saltmine", DES_OF_SALTMINE, Some(RehashReason::WeakScheme)),
        ("saltminer", DES_OF_SALTMINE, None),
        ("saltmine\0", DES_OF_SALTMINE, None),
        // Of each byte seven bits are read.
        ("sält", DES_OF_SAELT, None),
    ] {
        let verdict = judge(&policies, stored, password);
        assert_eq!((verdict.matches, verdict.rehash), (true, rehash), "{password:?}");
    }
    for password in ["saltmin", "saltmins", "salt\0mine"] {
        assert!(!judge(&policies, DES_OF_SALTMINE, password).matches, "{password:?}");
    }
}

#[test]
fn what_is_salted_and_stretched_needs_no_permission_and_should_be_replaced() {
    let policies = policies("");
    for stored in [MD5_CRYPT_OF_SALTERN, SHA512_CRYPT_OF_SALTERN, SCRYPT_7_OF_SALTERN] {
        for label in ["", "{CRYPT}", "{crypt}"] {
            let verdict = judge(&policies, &format!("{label}{stored}"), "saltern");
            let reason = Some(RehashReason::OtherAlgorithm);
            assert_eq!(verdict, Verdict { matches: true, rehash: reason, policy: None }, "{label}{stored}");
        }
        // C's strings end at the NUL.
        let verdict = judge(&policies, stored, "saltern\0and more");
        assert_eq!((verdict.matches, verdict.rehash), (true, None), "{stored}");
    }
}

#[test]
fn a_label_changes_nothing_about_a_weak_scheme() {
    for label in ["", "{CRYPT}", "{crypt}", "{DES-CRYPT}"] {
        let refusal = policies("").admit_stored(&format!("{label}{DES_OF_SALTMINE}")).err();
        assert_eq!(refusal, Some(Refusal::WeakScheme), "{label}");
    }
}

#[test]
fn what_drupal_made_of_a_digest_is_verified_by_the_password() {
    for (password, matches) in [("saltern", true), ("d88474d6d9eee923ae63121f1f1411fe", false)] {
        assert_eq!(judge(&policies(""), DRUPAL_UPDATED_OF_SALTERN, password).matches, matches, "{password}");
    }
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

/// By libxcrypt 4.4.33, as its vectors are.
const DES_OF_SALTMINE: &str = "saNs.ieOcCf9M";
const DES_OF_SAELT: &str = "saRdVzflIRrRI";
const MD5_CRYPT_OF_SALTERN: &str = "$1$saltsalt$gx4sGZlAqmP0o1yDaibqm1";
const SCRYPT_7_OF_SALTERN: &str = "$7$26..../....saltsalt$GtE8IkyEIX/ob1yhwSqyOA0jNID.gajuACeN8HqZkw3";
const SHA512_CRYPT_OF_SALTERN: &str = concat!(
    "$6$rounds=1000$saltsalt$",
    "cOzK6C5JhyvlAG7mF0FZfLbBuFTCvzXnaA29.hcTguffSQcbAef0SvColLGwEdyA1SK/gP0iwFa1hvjGj9dKb."
);

/// phpass over the MD5 digest, by passlib.
const DRUPAL_UPDATED_OF_SALTERN: &str = "U$P$54bLtrAT78Aijuyj/ikGX/fg8GlIT3.";
