//! Unsalted and fast schemes: refused unless accepted by name, and wrapped.

use saltern_encoded::{Encoded, NEW_SALT_BYTES, Scheme, Setting, argon2, parse, wrapped};
use saltern_kernels::{Admitted, compute};
use saltern_policy::{AcceptedWeak, Refusal, RehashReason, Verdict};
use saltern_vectors::{Expected, Tests, Topic, Verify};

use crate::support::{judge, policies};

#[test]
fn an_unsalted_digest_is_refused_unless_it_is_accepted_by_name() {
    for (accepted, admitted) in
        [("", false), ("ldap-md5", false), ("ldap-sha", true), ("ldap-md5,ldap-sha", true), ("all", true)]
    {
        let refusal = policies(accepted).admit_stored(SHA_OF_SALTERN).err();
        assert_eq!(refusal, (!admitted).then_some(Refusal::WeakScheme), "{accepted}");
    }
}

#[test]
fn only_schemes_can_be_accepted() {
    for wrong in ["", "bcrypt-12", "ldap-sha,", "LDAP-SHA", "all,ldap-sha"] {
        let error = wrong.parse::<AcceptedWeak>().unwrap_err();
        assert!(error.contains("ldap-sha"), "{error}");
    }
    for names in ["all", "bcrypt", "ldap-sha,spring-pbkdf2"] {
        assert_eq!(names.parse::<AcceptedWeak>().unwrap().to_string(), names);
    }
}

/// For each weak scheme, a vector is refused by default, and verified if its scheme is accepted.
/// Its hash should be replaced.
#[test]
fn every_weak_scheme_is_refused_unless_it_is_accepted_by_name() {
    let mut seen = Vec::new();
    // DES too reads all of a password of one character.
    for vector in right_passwords().filter(|vector| vector.password == b"x") {
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
fn a_scheme_that_is_not_weak_is_always_admitted() {
    let (policies, mut admitted) = (policies(""), 0);
    for vector in right_passwords() {
        if parse(&vector.hash).is_ok_and(|encoded| encoded.scheme().weakness().is_none()) {
            let admission = policies.admit_stored_with(&vector.hash, |_| Some(&vector.site_key));
            assert!(admission.is_ok(), "{}", vector.hash);
            admitted += 1;
        }
    }
    assert!(admitted > 0);
}

#[test]
fn a_wrapped_weak_hash_is_always_admitted_and_should_be_replaced() {
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
fn a_rehash_must_not_cover_bytes_that_des_ignored() {
    let policies = policies("des-crypt");
    for (password, stored, rehash) in [
        ("saltmine", DES_OF_SALTMINE, Some(RehashReason::WeakScheme)),
        ("saltminer", DES_OF_SALTMINE, None),
        ("saltmine\0", DES_OF_SALTMINE, None),
        // DES reads seven bits of each byte.
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
fn a_salted_and_slow_scheme_is_admitted_and_should_be_replaced() {
    let policies = policies("");
    for stored in [MD5_CRYPT_OF_SALTERN, SHA512_CRYPT_OF_SALTERN, SCRYPT_7_OF_SALTERN] {
        for label in ["", "{CRYPT}", "{crypt}"] {
            let verdict = judge(&policies, &format!("{label}{stored}"), "saltern");
            let reason = Some(RehashReason::OtherAlgorithm);
            assert_eq!(verdict, Verdict { matches: true, rehash: reason, policy: None }, "{label}{stored}");
        }
        // Strings of C end at the NUL.
        let verdict = judge(&policies, stored, "saltern\0and more");
        assert_eq!((verdict.matches, verdict.rehash), (true, None), "{stored}");
    }
}

#[test]
fn a_weak_scheme_with_a_label_stays_weak() {
    for label in ["", "{CRYPT}", "{crypt}", "{DES-CRYPT}"] {
        let refusal = policies("").admit_stored(&format!("{label}{DES_OF_SALTMINE}")).err();
        assert_eq!(refusal, Some(Refusal::WeakScheme), "{label}");
    }
}

#[test]
fn drupals_phpass_of_an_md5_digest_is_verified_by_the_password() {
    for (password, matches) in [("saltern", true), ("d88474d6d9eee923ae63121f1f1411fe", false)] {
        assert_eq!(judge(&policies(""), DRUPAL_UPDATED_OF_SALTERN, password).matches, matches, "{password}");
    }
}

fn right_passwords() -> impl Iterator<Item = Verify> {
    let groups = Topic::ALL.iter().flat_map(|topic| topic.load().test_groups);
    let tests = groups.flat_map(|group| match group.tests {
        Tests::Verify { tests } => tests,
        _ => Vec::new(),
    });
    tests.filter(|vector| vector.result == Expected::Match)
}

/// Wraps a hash by the definition: argon2id of the stored string.
fn wrap(stored: &str) -> String {
    let params = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 64, 1, 1).unwrap();
    let setting = wrapped::Setting::fresh(params, [7; NEW_SALT_BYTES], &parse(stored).unwrap()).unwrap();
    let outer = Setting::Argon2(setting.outer().clone());
    let admitted = Admitted::new(outer, policies("").ceilings()).unwrap();
    let output = compute(&admitted, stored.as_bytes()).unwrap();
    Encoded::new(Setting::Wrapped(Box::new(setting)), output.expose()).unwrap().to_string()
}

/// The hash of `saltern`, by `openssl dgst -sha1 -binary | base64`.
const SHA_OF_SALTERN: &str = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";

/// Hashes by libxcrypt 4.4.33, which made the vectors too.
const DES_OF_SALTMINE: &str = "saNs.ieOcCf9M";
const DES_OF_SAELT: &str = "saRdVzflIRrRI";
const MD5_CRYPT_OF_SALTERN: &str = "$1$saltsalt$gx4sGZlAqmP0o1yDaibqm1";
const SCRYPT_7_OF_SALTERN: &str = "$7$26..../....saltsalt$GtE8IkyEIX/ob1yhwSqyOA0jNID.gajuACeN8HqZkw3";
const SHA512_CRYPT_OF_SALTERN: &str = concat!(
    "$6$rounds=1000$saltsalt$",
    "cOzK6C5JhyvlAG7mF0FZfLbBuFTCvzXnaA29.hcTguffSQcbAef0SvColLGwEdyA1SK/gP0iwFa1hvjGj9dKb."
);

/// phpass of the MD5 digest of `saltern`, by passlib.
const DRUPAL_UPDATED_OF_SALTERN: &str = "U$P$54bLtrAT78Aijuyj/ikGX/fg8GlIT3.";

/// Schemes of deprecated encoders. `tests/foreign.rs` has hashes of some.
const WITHOUT_A_VECTOR: [&str; 5] =
    ["django-unsalted-sha1", "spring-md5", "spring-sha-1", "spring-sha-256", "spring-sha256"];
