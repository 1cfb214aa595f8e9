//! Runs every vector from the stored string to the answer: parsing, admission under the shipped
//! ceilings, computation.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rustix::time::{ClockId, clock_gettime};
use saltern_encoded::{ParseError, Setting};
use saltern_kernels::{Admitted, Ceilings, Password, compute, prepare, prepare_for_site};
use saltern_vectors::{Expected, Prf, Topic, Verify, for_each, for_each_of, libxcrypt, nist_digests};
use serde_json::Value;

/// Makes a test of each topic, so that they run side by side.
macro_rules! every_vector {
    ($($name:ident: $topic:ident $(of $scheme:literal)*;)*) => {$(
        #[test]
        fn $name() {
            every_vector_of(Topic::$topic, &[$($scheme),*]);
        }
    )*};
}

every_vector! {
    argon2: Argon2;
    bcrypt: Bcrypt;
    crypt: Crypt;
    crypt_behind_a_label: Ldap of "ldap-crypt";
    deviations: Deviations;
    drupal: Products of "drupal7" of "drupal7-updated";
    floors: Floors;
    foreign: Foreign;
    hostile: Hostile;
    pbkdf2: Pbkdf2;
    phpass: Products of "phpass";
    scrypt: Scrypt;
    sites: Sites;
    wrapped: Wrapped;
}

#[test]
fn each_listed_deviation_has_its_example_among_the_vectors() {
    let mut matching = Vec::new();
    for topic in Topic::with_passwords() {
        for_each(topic, |vector: &Verify| {
            if vector.result == Expected::Match && vector.password == b"saltern" {
                matching.push(vector.hash.clone());
            }
        });
    }
    let (_, from_there) = include_str!("../../encoded/SCHEMES.md").split_once("\n## Deviations\n").unwrap();
    let (table, _) = from_there.split_once("\n## ").unwrap();
    let last_cell = |row: &'static str| Some(row.strip_suffix("` |")?.rsplit_once('`')?.1);
    let examples: Vec<_> = table.lines().filter_map(last_cell).collect();
    assert_eq!(examples.len(), 9);
    for example in examples {
        assert!(matching.iter().any(|hash| hash == example), "{example}");
    }
}

#[test]
fn messages_have_the_digests_of_nist() {
    for vector in nist_digests() {
        let label = match vector.prf {
            Prf::Sha1 => "SHA",
            Prf::Sha256 => "SHA256",
            Prf::Sha512 => "SHA512",
        };
        let stored = format!("{{{label}}}{}", BASE64_STANDARD.encode(&vector.digest));
        let encoded = saltern_encoded::parse(&stored).unwrap();
        let admitted = Admitted::new(encoded.setting().clone(), &shipped_ceilings()).unwrap();
        assert!(compute(&admitted, &vector.message).unwrap().matches(&vector.digest), "{vector:?}");
    }
}

#[test]
fn libxcrypts_known_answers() {
    let ceilings = shipped_ceilings();
    let (mut matches, mut mismatches, mut unsupported) = (0, 0, 0);
    for vector in libxcrypt() {
        let answer = verify(&vector, &ceilings);
        assert_eq!(answer, vector.result, "{vector:?}");
        *match answer {
            Expected::Match => &mut matches,
            Expected::Mismatch => &mut mismatches,
            _ => &mut unsupported,
        } += 1;
    }
    assert_eq!((matches, mismatches, unsupported), (4_012, 8, 1_036));
}

/// Only the time shows that the refusal comes before the computation: the processor time of this
/// thread, which computes.
#[test]
fn a_cost_over_a_ceiling_is_refused_before_any_work() {
    let ceilings = shipped_ceilings();
    let before = computed();
    let mut refused = 0;
    for topic in [Topic::Hostile, Topic::Wrapped] {
        for_each(topic, |vector: &Verify| {
            if vector.result == Expected::CostOutOfBounds {
                assert_eq!(verify(vector, &ceilings), Expected::CostOutOfBounds, "{}", vector.comment);
                refused += 1;
            }
        });
    }
    assert!(refused > 0);
    let took = computed().saturating_sub(before);
    assert!(took < REFUSALS_TAKE_AT_MOST, "{took:?}");
}

fn computed() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// Computes the vectors of these schemes of a topic, or without schemes all of the topic.
fn every_vector_of(topic: Topic, schemes: &[&str]) {
    let ceilings = shipped_ceilings();
    let is_as_expected = |vector: &Verify| {
        let Verify { tc_id, comment, hash, .. } = vector;
        assert_eq!(verify(vector, &ceilings), vector.result, "{topic:?} {tc_id}: {comment}: {hash}");
    };
    if schemes.is_empty() {
        for_each(topic, is_as_expected);
    }
    for scheme in schemes {
        for_each_of(topic, scheme, is_as_expected);
    }
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
    let innermost = match encoded.setting() {
        Setting::Wrapped(setting) => setting.inner(),
        _ => &encoded,
    };
    let reading = innermost.scheme().reading();
    let password = Password::new(&vector.password).unwrap();
    let given = match innermost.preparation() {
        Some(preparation) => prepare_for_site(preparation, &vector.site_key, &password),
        None => password,
    };
    let text = given.expose();
    let to_nul = text.iter().position(|&byte| byte == 0).filter(|_| reading.may_stop_at_nul);
    let readings = [Some(text.len()), to_nul];
    let matches = readings.into_iter().flatten().any(|end| {
        let password = given.part(|text| &text[..end]);
        let prepared = prepare(reading.preparation, innermost.setting().salt(), &password);
        compute(&admitted, prepared.expose()).unwrap().matches(encoded.output())
    });
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

/// A refusal is only arithmetic. The cheapest of these hashes would take a second, the most
/// expensive a year. The bound leaves room for a busy machine.
const REFUSALS_TAKE_AT_MOST: Duration = Duration::from_secs(10);
