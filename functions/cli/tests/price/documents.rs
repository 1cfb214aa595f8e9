//! Broken and foolish policy documents: each has its sentence.

use saltern_cli::price::{Warning, warnings};
use saltern_policy::{Limits, Policies, SHIPPED};
use serde_json::{Value, json};

fn load(document: &Value) -> Result<Policies, String> {
    let limits = Limits { workers: 1, memory_budget_bytes: 8 << 30, ..Limits::default() };
    Policies::load(document.to_string().as_bytes(), &limits).map_err(|error| error.to_string())
}

fn policy(id: &str, status: &str, rest: &Value) -> Value {
    let mut policy = json!({"id": id, "status": status, "rationale": "r", "source": "s"});
    policy.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    policy
}

fn bcrypt(cost: u32) -> Value {
    json!({"algorithm": "bcrypt", "cost": cost})
}

fn argon2id(memory_kib: u32, passes: u32) -> Value {
    json!({"algorithm": "argon2id", "memory_kib": memory_kib, "passes": passes, "parallelism": 1})
}

fn pbkdf2(hash: &str, iterations: u32) -> Value {
    json!({"algorithm": format!("pbkdf2-{hash}"), "iterations": iterations})
}

/// bcrypt-12, and argon2id with 64 MiB and four passes, which costs an attacker more. No warning.
fn sound() -> Value {
    let mut document: Value = serde_json::from_slice(SHIPPED).unwrap();
    document["policies"] =
        json!([policy("bcrypt-12", "active", &bcrypt(12)), policy("now", "active", &argon2id(65_536, 4)),]);
    (document["current"], document["decoy"]) = (json!("now"), json!("now"));
    let threshold = |min: u64| json!({"min": min, "unit": "u", "source": "s"});
    document["keep"] = json!({
        "argon2": threshold(720_896),
        "bcrypt": threshold(13),
        "pbkdf2-sha512": threshold(2_580_000),
        "scrypt": threshold(771_000),
    });
    document
}

fn without_floors(document: &mut Value) {
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
}

/// A change of the sound document, and words of its sentence.
type Case = (&'static str, fn(&mut Value), &'static str);

#[test]
fn a_sound_document_has_no_warning() {
    assert_eq!(warnings(&load(&sound()).unwrap()), [] as [Warning; 0]);
}

const REFUSED: &[Case] = &[
    (
        "argon2id with 8 KiB and one pass as current",
        |d| d["policies"][1] = policy("now", "active", &argon2id(8, 1)),
        "policy `now` is below the floor `argon2_memory_kib`",
    ),
    (
        "bcrypt-4 after bcrypt-12",
        |d| d["policies"][1] = policy("now", "active", &bcrypt(4)),
        "policy `now` is below the floor `bcrypt_cost`",
    ),
    (
        "bcrypt-31 as a policy",
        |d| d["policies"][0] = policy("bcrypt-31", "active", &bcrypt(31)),
        "policy `bcrypt-31` exceeds a ceiling",
    ),
    (
        "a threshold of an algorithm that has none",
        |d| d["keep"]["md5"] = d["keep"]["bcrypt"].clone(),
        "`keep` has no threshold `md5`",
    ),
    (
        "a threshold without its source",
        |d| drop(d["keep"]["bcrypt"].as_object_mut().unwrap().remove("source")),
        "missing field `source`",
    ),
    ("a decoy that is not listed", |d| d["decoy"] = json!("bcrypt-10"), "`decoy` names `bcrypt-10`"),
    (
        "a current policy that makes no hashes",
        |d| d["policies"][1]["status"] = json!("verify-only"),
        "which is verify-only",
    ),
];

#[test]
fn a_broken_document_is_refused_with_its_sentence() {
    for (name, change, words) in REFUSED {
        let mut document = sound();
        change(&mut document);
        let sentence = load(&document).unwrap_err();
        assert!(sentence.contains(words), "{name}: {sentence}");
    }
}

/// A change of the sound document, the code of its warning, the factor, and words of the sentence.
type Foolish = (&'static str, fn(&mut Value), &'static str, Option<f64>, &'static str);

const FOOLISH: &[Foolish] = &[
    (
        "argon2id with 8 KiB and one pass as current, without floors",
        |d| {
            without_floors(d);
            d["policies"][1] = policy("now", "active", &argon2id(8, 1));
        },
        "below_owasp",
        None,
        "policy `now` makes hashes below OWASP's minimum (m=47104 t=1 or m=19456 t=2 or",
    ),
    (
        "bcrypt-4 after bcrypt-12, without floors",
        |d| {
            without_floors(d);
            d["policies"][1] = policy("now", "active", &bcrypt(4));
        },
        "weaker_replacement",
        Some(256.0),
        "policy `bcrypt-12` is replaced by `now`, which makes a guess 256 times cheaper",
    ),
    (
        "OWASP's minimum of argon2id after bcrypt-12",
        |d| d["policies"][1] = policy("now", "active", &argon2id(19_456, 2)),
        "weaker_replacement",
        Some(6.25),
        "6.25 times cheaper (≈ 8,984 guesses a second instead of 1,438 on an RTX 4090): choose a stronger `current`",
    ),
    (
        "OWASP's minimum of argon2id after bcrypt-14",
        |d| {
            d["policies"][0] = policy("bcrypt-14", "verify-only", &bcrypt(14));
            d["policies"][1] = policy("now", "active", &argon2id(19_456, 2));
        },
        "weaker_replacement",
        Some(25.0),
        "policy `bcrypt-14` is replaced by `now`, which makes a guess 25.0 times cheaper",
    ),
    (
        "OWASP's minimum of argon2id after scrypt with 128 MiB",
        |d| {
            d["policies"][0] = policy(
                "scrypt-17",
                "verify-only",
                &json!({"algorithm": "scrypt", "log_n": 17, "r": 8, "p": 1}),
            );
            d["policies"][1] = policy("now", "active", &argon2id(19_456, 2));
        },
        "weaker_replacement",
        Some(10.09),
        "policy `scrypt-17` is replaced by `now`, which makes a guess 10.1 times cheaper",
    ),
    (
        "PBKDF2 after bcrypt",
        |d| d["policies"][1] = policy("now", "active", &pbkdf2("sha256", 600_000)),
        "weaker_replacement",
        Some(10.27),
        "policy `bcrypt-12` is replaced by `now`, which makes a guess 10.3 times cheaper",
    ),
    (
        "a weaker policy that waits to become current",
        |d| d["policies"].as_array_mut().unwrap().push(policy("next", "verify-only", &bcrypt(10))),
        "weaker_successor",
        Some(4.74),
        "policy `next` stands after `now`, and makes a guess 4.74 times cheaper",
    ),
    (
        "bcrypt-9 as current",
        |d| d["policies"][1] = policy("now", "active", &bcrypt(9)),
        "below_owasp",
        None,
        "policy `now` makes hashes below OWASP's minimum (cost 10): raise its cost",
    ),
    (
        "PBKDF2 below NIST's number as current",
        |d| d["policies"][1] = policy("now", "active", &pbkdf2("sha512", 9_999)),
        "below_nist",
        None,
        "policy `now` makes hashes below the 10,000 iterations of NIST",
    ),
    (
        "an old policy that still makes hashes",
        |d| d["policies"][0] = policy("bcrypt-8", "active", &bcrypt(8)),
        "below_owasp",
        None,
        "policy `bcrypt-8` makes hashes below OWASP's minimum (cost 10): make it verify-only",
    ),
    (
        "a ceiling of bcrypt-31",
        |d| d["ceilings"]["bcrypt_cost"]["max"] = json!(31),
        "ceiling_too_high",
        Some(65_536.0),
        "the ceiling `bcrypt_cost` of 31 admits 65,500 times the work of the shipped ceiling",
    ),
    (
        "a ceiling of a thousand billion iterations",
        |d| d["ceilings"]["pbkdf2_iterations_blocks"]["max"] = json!(1_000_000_000_000_u64),
        "ceiling_too_high",
        Some(200_000.0),
        "the ceiling `pbkdf2_iterations_blocks` of 1,000,000,000,000 admits",
    ),
    (
        "the ceiling of the specification of sha-crypt",
        |d| d["ceilings"]["sha_crypt_rounds"]["max"] = json!(999_999_999),
        "ceiling_too_high",
        Some(1_000.0),
        "the ceiling `sha_crypt_rounds` of 999,999,999 admits",
    ),
    (
        "a ceiling of memory above that of memory times passes",
        |d| d["ceilings"]["argon2_memory_kib"]["max"] = json!(2_097_152),
        "ceiling_never_reached",
        None,
        "the ceiling `argon2_memory_kib` of 2,097,152 is never reached, because `argon2_memory_passes_kib` is lower",
    ),
    (
        "a ceiling below its floor",
        |d| d["floors"]["sha_crypt_rounds"]["min"] = json!(1_000_001),
        "ceiling_below_floor",
        None,
        "the ceiling `sha_crypt_rounds` of 1,000,000 is below the floor `sha_crypt_rounds` of 1,000,001",
    ),
    (
        "the ceiling of all schemes with rounds below the floor of phpass",
        |d| d["floors"]["phpass_rounds"]["min"] = json!(1_000_001),
        "ceiling_below_floor",
        None,
        "the ceiling `sha_crypt_rounds` of 1,000,000 is below the floor `phpass_rounds` of 1,000,001",
    ),
    (
        "a ceiling that refuses what OWASP recommends",
        |d| d["ceilings"]["scrypt_n_r_p"]["max"] = json!(131_072),
        "ceiling_below_owasp",
        None,
        "the ceilings refuse scrypt at OWASP's minimum",
    ),
    (
        "a decoy that no user has yet",
        |d| {
            d["policies"].as_array_mut().unwrap().push(policy("next", "verify-only", &argon2id(65_536, 5)));
            d["decoy"] = json!("next");
        },
        "decoy_of_no_user",
        None,
        "`decoy` names `next`, which stands after `current`",
    ),
    (
        "a threshold that keeps weaker hashes",
        |d| d["keep"]["bcrypt"]["min"] = json!(10),
        "keep_too_low",
        Some(4.74),
        "`keep` of `bcrypt` at 10 keeps hashes on which a guess is 4.74 times cheaper than under `current`: raise it to 13",
    ),
    (
        "a threshold that replaces stronger hashes",
        |d| d["keep"]["bcrypt"]["min"] = json!(15),
        "keep_too_high",
        Some(6.75),
        "`keep` of `bcrypt` at 15 replaces hashes on which a guess is up to 6.75 times dearer than under `current`: lower it to 13",
    ),
    (
        "no threshold",
        |d| d["keep"] = json!({}),
        "keep_missing",
        None,
        "`keep` has no threshold for some algorithms",
    ),
    (
        "a threshold of memory that is too low",
        |d| d["keep"]["argon2"]["min"] = json!(97_280),
        "keep_too_low",
        Some(7.41),
        "`keep` of `argon2` at 97,280 keeps hashes on which a guess is 7.41 times cheaper",
    ),
];

#[test]
fn a_foolish_document_has_its_sentence() {
    assert!(REFUSED.len() + FOOLISH.len() >= 21);
    for (name, change, code, factor, words) in FOOLISH {
        let mut document = sound();
        change(&mut document);
        let warnings = warnings(&load(&document).unwrap());
        let of_code = || warnings.iter().filter(|warning| warning.code == *code);
        let found = of_code().find(|warning| warning.sentence.contains(words));
        let found = found.unwrap_or_else(|| panic!("{name}: {warnings:#?}"));
        assert_eq!(found.factor.is_some(), factor.is_some(), "{name}: {found:?}");
        if let (Some(found), Some(wanted)) = (found.factor, factor) {
            assert!((found / wanted - 1.0).abs() < 0.002, "{name}: {found}");
        }
        for warning in &warnings {
            assert!(
                !warning.sentence.contains('\n') && !warning.sentence.ends_with('.'),
                "{name}: {warning:?}"
            );
        }
    }
}

#[test]
fn a_missing_threshold_is_proposed() {
    let mut document = sound();
    document["keep"] = json!({});
    let warnings = warnings(&load(&document).unwrap());
    let [warning] = warnings.as_slice() else { panic!("{warnings:#?}") };
    for part in [
        "`argon2` from 721,000",
        "`bcrypt` from 13",
        "`scrypt` from 771,000",
        "`pbkdf2-sha512` from 2,580,000",
    ] {
        assert!(warning.sentence.contains(part), "{part}: {}", warning.sentence);
    }
    // The ceiling of PBKDF2 admits nothing as dear with the other functions.
    assert!(!warning.sentence.contains("pbkdf2-sha256"), "{}", warning.sentence);
}

/// And OWASP's minimum of argon2id in place of its current policy would make a guess cheaper.
#[test]
fn the_shipped_document_is_sound_and_owasp_s_minimum_would_not_be() {
    let mut shipped: Value = serde_json::from_slice(SHIPPED).unwrap();
    let found = |document: &Value| -> Vec<_> {
        let warnings = warnings(&load(document).unwrap());
        warnings.iter().map(|warning| (warning.code, warning.subject.clone())).collect()
    };
    assert_eq!(found(&shipped), []);
    let current = shipped["policies"].as_array_mut().unwrap().last_mut().unwrap();
    (current["memory_kib"], current["passes"]) = (19456.into(), 2.into());
    let weaker = |policy: &str| ("weaker_replacement", policy.to_owned());
    let warned = found(&shipped);
    assert!(
        warned.contains(&weaker("bcrypt-10-2019")) && warned.contains(&weaker("bcrypt-12-2023")),
        "{warned:?}"
    );
}
