//! Admission and verdict, as the contract states them.

use saltern_encoded::{Encoded, NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use saltern_kernels::{Password, compute};
use saltern_policy::{AcceptedWeak, Candidate, Limits, Policies, Refusal, RehashReason, Verdict};
use serde_json::{Value, json};

const PASSWORD: &[u8] = b"correct horse";

/// Policies that are cheap to compute: PBKDF2, bcrypt 4, bcrypt 5 (current), bcrypt 6.
fn policies(change: impl FnOnce(&mut Value)) -> Policies {
    let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
    document["keep"] = json!({});
    let policy = |id: &str, rest: Value| {
        let mut policy = json!({"id": id, "status": "active", "rationale": "cheap", "source": "this test"});
        policy.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        policy
    };
    (document["current"], document["decoy"]) = (json!("b5"), json!("b4"));
    document["policies"] = json!([
        policy("p", json!({"algorithm": "pbkdf2-sha512", "iterations": 10, "status": "verify-only"})),
        policy("b4", json!({"algorithm": "bcrypt", "cost": 4})),
        policy("b5", json!({"algorithm": "bcrypt", "cost": 5})),
        policy("b6", json!({"algorithm": "bcrypt", "cost": 6})),
    ]);
    change(&mut document);
    let limits = Limits { workers: 1, memory_budget_bytes: 1 << 30, ..Limits::default() };
    Policies::load(document.to_string().as_bytes(), &limits).unwrap()
}

fn current_is(policy: Value) -> Policies {
    policies(|document| {
        document["current"] = json!("now");
        let mut policy = policy;
        for (key, value) in [("id", "now"), ("status", "active"), ("rationale", "x"), ("source", "x")] {
            policy[key] = json!(value);
        }
        document["policies"].as_array_mut().unwrap().push(policy);
    })
}

/// One policy, bcrypt-9, with this floor; bcrypt is kept from cost 7 on.
fn current_is_with_floor_of_bcrypt(floor: u64) -> Policies {
    policies(|document| {
        document["keep"] = json!({"bcrypt": {"min": 7, "unit": "u", "source": "s"}});
        document["floors"]["bcrypt_cost"]["min"] = json!(floor);
        document["policies"] = json!([{
            "id": "b9", "status": "active", "rationale": "r", "source": "s", "algorithm": "bcrypt", "cost": 9
        }]);
        (document["current"], document["decoy"]) = (json!("b9"), json!("b9"));
    })
}

/// The hash of a password with any setting, as other software makes it.
fn hash_under(setting: &Setting, password: &[u8]) -> String {
    let ceilings = *policies(|_| ()).ceilings();
    let admitted = saltern_kernels::Admitted::new(setting.clone(), &ceilings).unwrap();
    let output = compute(&admitted, password).unwrap();
    Encoded::new(setting.clone(), output.expose()).unwrap().to_string()
}

fn fresh(params: Params) -> Setting {
    Setting::fresh(params, *b"sixteen byte salt".first_chunk::<NEW_SALT_BYTES>().unwrap())
}

fn bcrypt(cost: u32) -> Setting {
    fresh(Params::Bcrypt(bcrypt::Params::new(cost).unwrap()))
}

fn verify(policies: &Policies, password: &[u8], stored: &str) -> Verdict {
    let stored = policies.admit_stored(stored).unwrap();
    let candidates = stored.candidates(&Password::new(password).unwrap());
    let output = |candidate: &Candidate| compute(stored.admitted(), candidate.password.expose()).unwrap();
    let (first, second) = (output(&candidates.first), candidates.second.as_ref().map(output));
    policies.verdict(&stored, &candidates, &first, second.as_ref())
}

fn rehash(policies: &Policies, setting: &Setting) -> Option<RehashReason> {
    let verdict = verify(policies, PASSWORD, &hash_under(setting, PASSWORD));
    assert!(verdict.matches);
    verdict.rehash
}

#[test]
fn a_hash_of_an_older_policy_is_replaced_and_one_of_a_newer_policy_is_not() {
    let policies = policies(|_| ());
    let pbkdf2 = fresh(Params::Pbkdf2(pbkdf2::Params::new(pbkdf2::Prf::Sha512, 10).unwrap()));
    for (setting, id, reason) in [
        (pbkdf2, "p", Some(RehashReason::OlderPolicy)),
        (bcrypt(4), "b4", Some(RehashReason::OlderPolicy)),
        (bcrypt(5), "b5", None),
        (bcrypt(6), "b6", None),
    ] {
        let verdict = verify(&policies, PASSWORD, &hash_under(&setting, PASSWORD));
        let expected = Verdict { matches: true, rehash: reason, policy: Some(id.to_owned()) };
        assert_eq!(verdict, expected);
    }
}

#[test]
fn a_mismatch_names_the_policy_and_never_a_reason() {
    let verdict = verify(&policies(|_| ()), b"wrong", &hash_under(&bcrypt(4), PASSWORD));
    assert_eq!(verdict, Verdict { matches: false, rehash: None, policy: Some("b4".to_owned()) });
}

#[test]
fn another_bcrypt_prefix_alone_is_no_reason_for_a_rehash() {
    for prefix in ["$2a$", "$2y$"] {
        let stored = hash_under(&bcrypt(5), PASSWORD).replacen("$2b$", prefix, 1);
        assert_eq!(verify(&policies(|_| ()), PASSWORD, &stored).rehash, None, "{prefix}");
    }
}

#[test]
fn unlisted_hashes_are_compared_with_the_current_policy() {
    let argon2 = |m, t, p, version| {
        let params = argon2::Params::new(argon2::Variant::Id, version, m, t, p).unwrap();
        fresh(Params::Argon2(params))
    };
    let (v16, v19) = (argon2::Version::V16, argon2::Version::V19);
    let now = current_is(json!({"algorithm": "argon2id", "memory_kib": 64, "passes": 2, "parallelism": 2}));
    let below = Some(RehashReason::UnlistedParameters);
    for (setting, reason) in [
        (argon2(32, 2, 2, v19), below),
        (argon2(128, 1, 2, v19), below),
        (argon2(128, 3, 1, v19), below),
        (argon2(64, 2, 2, v16), below),
        (argon2(128, 2, 2, v19), None),
        (argon2(64, 3, 4, v19), None),
        (bcrypt(7), Some(RehashReason::OtherAlgorithm)),
    ] {
        assert_eq!(rehash(&now, &setting), reason, "{setting:?}");
    }
    let scrypt = |n, r, p| fresh(Params::Scrypt(scrypt::Params::new(n, r, p).unwrap()));
    let now = current_is(json!({"algorithm": "scrypt", "log_n": 5, "r": 4, "p": 2}));
    for (setting, reason) in [
        (scrypt(4, 8, 2), below),
        (scrypt(5, 2, 4), below),
        (scrypt(6, 4, 1), below),
        (scrypt(6, 4, 2), None),
    ] {
        assert_eq!(rehash(&now, &setting), reason, "{setting:?}");
    }
    let pbkdf2 = |prf, i| fresh(Params::Pbkdf2(pbkdf2::Params::new(prf, i).unwrap()));
    let now = current_is(json!({"algorithm": "pbkdf2-sha256", "iterations": 100}));
    for (setting, reason) in [
        (pbkdf2(pbkdf2::Prf::Sha256, 99), below),
        (pbkdf2(pbkdf2::Prf::Sha256, 101), None),
        (pbkdf2(pbkdf2::Prf::Sha512, 101), Some(RehashReason::OtherAlgorithm)),
    ] {
        assert_eq!(rehash(&now, &setting), reason, "{setting:?}");
    }
}

/// At or above its threshold a hash is as dear to guess as one of current. A replacement would gain
/// nothing, or make a guess cheaper.
#[test]
fn an_unlisted_hash_is_kept_from_its_algorithm_s_threshold_on() {
    let policies = policies(|document| {
        let threshold = |min: u64| json!({"min": min, "unit": "u", "source": "s"});
        document["keep"] = json!({
            "argon2": threshold(256), "bcrypt": threshold(7), "pbkdf2-sha256": threshold(100), "scrypt": threshold(256),
        });
    });
    let argon2 = |variant, m, t| {
        fresh(Params::Argon2(argon2::Params::new(variant, argon2::Version::V19, m, t, 1).unwrap()))
    };
    let pbkdf2 = |prf, i| fresh(Params::Pbkdf2(pbkdf2::Params::new(prf, i).unwrap()));
    let scrypt = |n, r, p| fresh(Params::Scrypt(scrypt::Params::new(n, r, p).unwrap()));
    let other = Some(RehashReason::OtherAlgorithm);
    for (setting, reason) in [
        (bcrypt(7), None),
        // Listed before current.
        (bcrypt(4), Some(RehashReason::OlderPolicy)),
        // m × (3t − 1): 128 × 2, and one KiB less.
        (argon2(argon2::Variant::Id, 128, 1), None),
        (argon2(argon2::Variant::I, 128, 1), None),
        (argon2(argon2::Variant::Id, 127, 1), other),
        (scrypt(5, 8, 1), None),
        (scrypt(5, 4, 1), other),
        (pbkdf2(pbkdf2::Prf::Sha256, 100), None),
        (pbkdf2(pbkdf2::Prf::Sha256, 99), other),
        // No threshold.
        (pbkdf2(pbkdf2::Prf::Sha512, 1_000), other),
    ] {
        assert_eq!(rehash(&policies, &setting), reason, "{setting:?}");
    }
}

#[test]
fn a_weak_hash_is_replaced_above_its_threshold_too() {
    let policies = current_is_with_floor_of_bcrypt(8);
    assert_eq!(policies.admit_stored(&hash_under(&bcrypt(7), PASSWORD)).err(), Some(Refusal::WeakScheme));
    let accepting = policies.accepting(AcceptedWeak::all());
    assert_eq!(rehash(&accepting, &bcrypt(7)), Some(RehashReason::WeakScheme));
}

#[test]
fn a_hash_with_a_short_salt_or_output_belongs_to_no_policy() {
    let policies = current_is(json!({"algorithm": "pbkdf2-sha256", "iterations": 100}));
    // RustCrypto's form, with a salt of 8 bytes and with an output of 16 bytes.
    for (salt, output_bytes) in [("c2FsdHNhbHQ", 32), ("c2l4dGVlbiBieXRlIHNhbA", 16)] {
        let zeros = "A".repeat((output_bytes * 8_usize).div_ceil(6));
        let stored = format!("$pbkdf2-sha256$i=100,l={output_bytes}${salt}${zeros}");
        let stored = policies.admit_stored(&stored).unwrap();
        let output = compute(stored.admitted(), PASSWORD).unwrap();
        let setting = stored.admitted().setting().clone();
        let right = Encoded::new(setting, output.expose()).unwrap().to_string();
        let verdict = verify(&policies, PASSWORD, &right);
        let reason = Some(RehashReason::UnlistedParameters);
        assert_eq!(verdict, Verdict { matches: true, rehash: reason, policy: None });
    }
}

#[test]
fn a_rehash_must_not_cover_bytes_that_bcrypt_ignored() {
    let long = [b'x'; 73];
    let stored_long = hash_under(&bcrypt(4), &long);
    let stored_short = hash_under(&bcrypt(4), b"abc");
    for (rehash_truncated, reason) in [(false, None), (true, Some(RehashReason::OlderPolicy))] {
        let policies = policies(|document| document["rehash_truncated"] = json!(rehash_truncated));
        for (password, stored) in
            [(&long[..], &stored_long), (b"abc\0def", &stored_short), (b"abc\0abc", &stored_short)]
        {
            let verdict = verify(&policies, password, stored);
            assert_eq!((verdict.matches, verdict.rehash), (true, reason));
        }
        let whole = verify(&policies, &long[..72], &stored_long);
        assert_eq!(
            (whole.matches, whole.rehash),
            (true, Some(RehashReason::OlderPolicy)),
            "all 72 bytes are read"
        );
    }
}

#[test]
fn a_hashed_nul_is_no_truncation() {
    // Software that stores lengths does not stop at the NUL.
    let stored = hash_under(&bcrypt(4), b"abc\0def");
    let policies = policies(|_| ());
    let verdict = verify(&policies, b"abc\0def", &stored);
    assert_eq!((verdict.matches, verdict.rehash), (true, Some(RehashReason::OlderPolicy)));
    assert!(!verify(&policies, b"abc", &stored).matches);
}

#[test]
fn no_password_matches_the_decoy() {
    let policies = policies(|_| ());
    let stored = policies.admit_decoy().unwrap();
    assert_eq!(stored.admitted().work(), 1 << 4, "the decoy policy's work");
    let candidates = stored.candidates(&Password::new(PASSWORD).unwrap());
    let output = compute(stored.admitted(), PASSWORD).unwrap();
    let verdict = policies.verdict(&stored, &candidates, &output, None);
    assert_eq!(verdict, Verdict { matches: false, rehash: None, policy: None });
}

#[test]
fn verify_accepts_new_hashes() {
    let policies = policies(|_| ());
    for id in [None, Some("b4"), Some("b6")] {
        let new = policies.admit_new(id, &Password::new(PASSWORD).unwrap()).unwrap();
        let stored = new.encode(&compute(new.admitted(), PASSWORD).unwrap()).unwrap();
        assert!(stored.starts_with("$2b$"), "{stored}");
        assert!(verify(&policies, PASSWORD, &stored).matches);
        assert_eq!(new.policy(), id.unwrap_or("b5"));
    }
}

#[test]
fn a_new_hash_is_refused_for_its_policy_or_its_password() {
    let policies = policies(|_| ());
    let refusal = |id, password: &[u8]| policies.admit_new(id, &Password::new(password).unwrap()).err();
    assert_eq!(refusal(Some("unknown"), PASSWORD), Some(Refusal::UnknownPolicy));
    assert_eq!(refusal(Some("p"), PASSWORD), Some(Refusal::PolicyNotForHashing));
    assert_eq!(refusal(None, &[b'x'; 72]), None);
    assert_eq!(refusal(None, &[b'x'; 73]), Some(Refusal::PasswordTooLong));
    assert_eq!(refusal(None, b"a\0b"), Some(Refusal::PasswordHasNul));
    assert_eq!(refusal(None, b""), None);
}
