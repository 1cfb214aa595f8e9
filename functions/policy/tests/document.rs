//! Invalid policy documents, each with the message for the operator.

use saltern_policy::{Limits, Policies, SHIPPED, Status};
use serde_json::{Value, json};

fn roomy() -> Limits {
    Limits { workers: 2, memory_budget_bytes: 1 << 30, ..Limits::default() }
}

fn shipped() -> Value {
    serde_json::from_slice(SHIPPED).unwrap()
}

fn load(document: &Value, limits: &Limits) -> Result<Policies, String> {
    Policies::load(document.to_string().as_bytes(), limits).map_err(|e| e.to_string())
}

fn valid_by_schema(document: &Value) -> bool {
    let schema = serde_json::from_str(include_str!("../policies.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(document)
}

#[test]
fn the_shipped_document_is_valid_and_realistic() {
    assert!(valid_by_schema(&shipped()));
    let policies = load(&shipped(), &roomy()).unwrap();
    let ids: Vec<_> = policies.list().iter().map(|p| (p.id(), p.algorithm(), p.status())).collect();
    assert_eq!(
        ids,
        [
            ("pbkdf2-sha512-2016", "pbkdf2-sha512", Status::VerifyOnly),
            ("bcrypt-10-2019", "bcrypt", Status::VerifyOnly),
            ("bcrypt-12-2023", "bcrypt", Status::Active),
            ("argon2id-2026", "argon2id", Status::Active),
        ]
    );
    assert_eq!(policies.current().id(), "argon2id-2026");
    assert_eq!(shipped()["decoy"], policies.decoy().id(), "the shipped document names its decoy");
}

#[test]
fn the_digest_is_the_sha256_of_the_bytes() {
    use sha2::{Digest as _, Sha256};
    let policies = Policies::load(SHIPPED, &roomy()).unwrap();
    let hex = policies.digest().strip_prefix("sha256:").unwrap();
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    assert_eq!(bytes, Sha256::digest(SHIPPED).as_slice());
}

/// A change of the shipped document, words of the message, and whether the schema rejects it too.
type Case = (&'static str, fn(&mut Value), &'static str, bool);

const INVALID: &[Case] = &[
    ("unknown field", |d| d["colour"] = json!("red"), "colour", true),
    ("unknown field in a policy", |d| d["policies"][1]["rounds"] = json!(5), "rounds", true),
    ("another algorithm's parameter", |d| d["policies"][1]["passes"] = json!(5), "does not have", true),
    ("parameter missing", |d| drop_key(&mut d["policies"][1], "cost"), "has no `cost`", true),
    ("no source", |d| d["policies"][1]["source"] = json!(" "), "no rationale or no source", true),
    ("no rationale", |d| drop_key(&mut d["policies"][1], "rationale"), "rationale", true),
    ("unknown algorithm", |d| d["policies"][1]["algorithm"] = json!("md5"), "unknown algorithm", true),
    ("argon2i as a policy", |d| d["policies"][3]["algorithm"] = json!("argon2i"), "unknown algorithm", true),
    ("unknown status", |d| d["policies"][1]["status"] = json!("retired"), "retired", true),
    ("id with a space", |d| d["policies"][1]["id"] = json!("a b"), "id `a b` is invalid", true),
    ("id twice", |d| d["policies"][1]["id"] = json!("bcrypt-12-2023"), "occurs twice", false),
    (
        "parameters twice",
        |d| d["policies"][1]["cost"] = json!(12),
        "the algorithm and parameters of another",
        false,
    ),
    ("current not listed", |d| d["current"] = json!("x"), "`current` names `x`", false),
    ("current verify-only", |d| d["current"] = json!("bcrypt-10-2019"), "verify-only", false),
    ("decoy not listed", |d| d["decoy"] = json!("x"), "`decoy` names `x`", false),
    ("decoy missing", |d| drop_key(d, "decoy"), "`decoy` is missing", true),
    ("no policies", |d| d["policies"] = json!([]), "`current` names", true),
    ("bcrypt cost 3", |d| d["policies"][1]["cost"] = json!(3), "4 <= cost <= 31", true),
    ("bcrypt cost over its ceiling", |d| d["policies"][1]["cost"] = json!(16), "exceeds a ceiling", false),
    (
        "argon2 memory over its ceiling",
        |d| d["policies"][3]["memory_kib"] = json!(262_145),
        "exceeds a ceiling",
        false,
    ),
    ("argon2 m·t over its ceiling", |d| d["policies"][3]["passes"] = json!(54), "exceeds a ceiling", false),
    (
        "argon2 of two lanes over the fixed ceiling",
        |d| {
            d["policies"][3]["parallelism"] = json!(2);
            d["policies"][3]["passes"] = json!(9);
        },
        "Argon2 with parallelism above 1: 512 MiB written",
        false,
    ),
    ("argon2 without passes", |d| d["policies"][3]["passes"] = json!(0), "passes >= 1", true),
    (
        "argon2 lanes without memory",
        |d| d["policies"][3]["parallelism"] = json!(16_777_215),
        "8 * parallelism",
        false,
    ),
    (
        "PBKDF2 without iterations",
        |d| d["policies"][0]["iterations"] = json!(0),
        "at least one iteration",
        true,
    ),
    ("negative", |d| d["policies"][0]["iterations"] = json!(-1), "cannot be read", true),
    (
        "too large for 32 bits",
        |d| d["policies"][0]["iterations"] = json!(1_u64 << 32),
        "cannot be read",
        true,
    ),
    ("ceiling missing", |d| drop_key(&mut d["ceilings"], "bcrypt_cost"), "`bcrypt_cost` is missing", true),
    (
        "ceiling unknown",
        |d| d["ceilings"]["md5"] = d["ceilings"]["bcrypt_cost"].clone(),
        "`md5` is not a ceiling",
        true,
    ),
    ("floors missing", |d| drop_key(d, "floors"), "floors", true),
    ("floor missing", |d| drop_key(&mut d["floors"], "salt_bytes"), "`salt_bytes` is missing", true),
    (
        "floor unknown",
        |d| d["floors"]["md5"] = d["floors"]["salt_bytes"].clone(),
        "`md5` is not a floor",
        true,
    ),
    ("floor without witness", |d| drop_key(&mut d["floors"]["salt_bytes"], "witness"), "witness", true),
    (
        "bcrypt cost below its floor",
        |d| d["policies"][1]["cost"] = json!(4),
        "below the floor `bcrypt_cost`",
        false,
    ),
    (
        "PBKDF2 below its floor",
        |d| d["policies"][0]["iterations"] = json!(999),
        "below the floor `pbkdf2_iterations`",
        false,
    ),
    (
        "argon2 memory below its floor",
        |d| d["policies"][3]["memory_kib"] = json!(511),
        "below the floor `argon2_memory_kib`",
        false,
    ),
    (
        "argon2 m·t below its floor",
        |d| (d["policies"][3]["memory_kib"], d["policies"][3]["passes"]) = (json!(1023), json!(1)),
        "below the floor `argon2_memory_passes_kib`",
        false,
    ),
    (
        "a floor above all salts",
        |d| d["floors"]["salt_bytes"]["min"] = json!(17),
        "below the floor `salt_bytes`",
        false,
    ),
    ("ceiling without source", |d| drop_key(&mut d["ceilings"]["bcrypt_cost"], "source"), "source", true),
];

fn drop_key(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().remove(key);
}

#[test]
fn an_invalid_document_is_refused_with_a_message_of_one_line() {
    for (name, change, words, by_schema) in INVALID {
        let mut document = shipped();
        change(&mut document);
        let message = load(&document, &roomy()).unwrap_err();
        assert!(message.contains(words), "{name}: {message}");
        assert!(!message.contains('\n'), "{name}: {message}");
        assert_eq!(!valid_by_schema(&document), *by_schema, "{name}: the schema");
    }
}

/// A JSON value cannot hold a member twice, so the text gets the second one.
#[test]
fn a_ceiling_a_floor_or_a_threshold_that_occurs_twice_is_refused() {
    for (object, name) in [("ceilings", "bcrypt_cost"), ("floors", "salt_bytes"), ("keep", "bcrypt")] {
        let (text, again) = (shipped().to_string(), &shipped()[object][name]);
        let begin = format!("\"{object}\":{{");
        assert_eq!(text.matches(&begin).count(), 1, "{object}");
        let twice = text.replace(&begin, &format!("{begin}\"{name}\":{again},"));
        let message = Policies::load(twice.as_bytes(), &roomy()).unwrap_err().to_string();
        assert!(message.contains(&format!("`{name}` occurs twice")), "{message}");
    }
}

#[test]
fn a_document_with_one_policy_needs_no_decoy() {
    let mut document = shipped();
    drop_key(&mut document, "decoy");
    document["policies"].as_array_mut().unwrap().drain(..3);
    assert!(valid_by_schema(&document));
    assert_eq!(load(&document, &roomy()).unwrap().decoy().id(), "argon2id-2026");
}

#[test]
fn as_many_workers_hold_a_hash_as_the_memory_budget_has_room_for() {
    let policy_mib = 64;
    let limits = |workers, mib: u64| Limits { workers, memory_budget_bytes: mib << 20, ..roomy() };
    for (mib, holders) in [(5 * policy_mib, 4), (4 * policy_mib, 4), (4 * policy_mib - 1, 3), (policy_mib, 1)]
    {
        let policies = load(&shipped(), &limits(4, mib)).unwrap();
        assert_eq!(policies.holders().get(), holders, "{mib} MiB");
        assert_eq!(policies.ceilings().scrypt_memory_bytes, (mib << 20) / holders as u64, "{mib} MiB");
    }
    let message = load(&shipped(), &limits(4, policy_mib - 1)).unwrap_err();
    assert!(
        message.contains("takes 64 MiB for one hash, more than the memory budget of 63 MiB"),
        "{message}"
    );
}

#[test]
fn callers_that_share_memory_leave_a_hash_of_the_largest_policy_to_others() {
    let limits =
        |mib: u64| Limits { workers: 2, memory_budget_bytes: mib << 20, shares_memory: true, ..roomy() };
    // argon2id-2026 takes 64 MiB.
    for (mib, reserved, ceiling) in
        [(255, 0, 255 << 19), (256, 64 << 20, 64 << 20), (400, 64 << 20, 136 << 20)]
    {
        let policies = load(&shipped(), &limits(mib)).unwrap();
        let found = (policies.reserved_bytes(), policies.ceilings().scrypt_memory_bytes);
        assert_eq!(found, (reserved, ceiling.min(128 << 20)), "{mib} MiB");
        let alone = Limits { shares_memory: false, ..limits(mib) };
        assert_eq!(load(&shipped(), &alone).unwrap().reserved_bytes(), 0);
    }
}

#[test]
fn the_memory_budget_lowers_the_ceilings() {
    let limits = Limits { workers: 4, memory_budget_bytes: 400 << 20, ..roomy() };
    let ceilings = *load(&shipped(), &limits).unwrap().ceilings();
    assert_eq!(ceilings.argon2_memory_kib, 100 << 10);
    assert_eq!(ceilings.scrypt_memory_bytes, 100 << 20);
}

#[test]
fn settings_lower_ceilings_and_never_raise_them() {
    let set = |name: &str, value: u64| Limits {
        lowered_ceilings: format!("{name}={value}").parse().unwrap(),
        ..roomy()
    };
    assert_eq!(load(&shipped(), &set("bcrypt_cost", 13)).unwrap().ceilings().bcrypt_cost, 13);
    for (limits, words) in [
        (set("bcrypt_cost", 16), "settings only lower ceilings"),
        (set("colour", 1), "not a ceiling"),
        (set("bcrypt_cost", 11), "exceeds a ceiling"),
    ] {
        let message = load(&shipped(), &limits).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
}
