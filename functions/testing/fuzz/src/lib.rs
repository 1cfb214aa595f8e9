//! Properties of stored hashes, for the fuzz targets and the smoke test. A violated property
//! panics.
//!
//! `functions/testing/fuzz/search` searches for violations. `cargo test` takes the test vectors,
//! and mutates them for a few seconds. Bytes that are not UTF-8 are ignored, since the parser takes
//! `&str`.

use std::sync::LazyLock;

use saltern_encoded::{MAX_ENCODED_BYTES, Setting, parse, verify_only::Cost};
use saltern_kernels::compute;
use saltern_policy::{AcceptedWeak, Limits, Policies, Refusal, SHIPPED};
use saltern_seal::{Context, Keys, MAX_SEALED_BYTES, NotSealed, Sealed, is_sealed};

/// Checks that a parsed hash prints as the same text. So no two texts have the same meaning.
///
/// # Panics
/// If the property does not hold.
pub fn parse_print_parse(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(encoded) = parse(text) else { return };
    assert!(text.len() <= MAX_ENCODED_BYTES);
    let printed = encoded.to_string();
    assert_eq!(printed, text);
    assert!(parse(&printed).is_ok_and(|again| again == encoded));
}

/// Checks that an admitted hash is below the shipped ceilings, and computes it if it is cheap.
///
/// A hash that is not admitted must have one of the four codes for stored hashes.
///
/// # Panics
/// If the property does not hold.
pub fn admit(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let stored = match POLICIES.admit_stored(text) {
        Ok(stored) => stored,
        Err(refusal) => {
            let of_a_stored_hash = matches!(
                refusal,
                Refusal::CostOutOfBounds
                    | Refusal::InvalidHash
                    | Refusal::SiteKeyUnavailable
                    | Refusal::UnsupportedHash
            );
            assert!(of_a_stored_hash, "{refusal:?}");
            return;
        }
    };
    let admitted = stored.admitted();
    let setting = admitted.setting();
    assert!(admitted.work() > 0, "{text}");
    assert!(is_below_the_ceilings(setting), "{text}");
    assert!(admitted.memory_bytes() <= MOST_MEMORY_BYTES, "{text}");
    if is_cheap(setting, admitted.work(), admitted.memory_bytes()) {
        let output = compute(admitted, b"saltern").expect("a cheap hash wants little memory");
        assert_eq!(output.expose().len(), setting.output_bytes(), "{text}");
        // Verifying twice gives the same answer.
        let again = compute(admitted, b"saltern").expect("a cheap hash wants little memory");
        assert!(again.matches(output.expose()), "{text}");
    }
}

/// Checks that a parsed seal prints as the same text, and that the text, sealed, opens to itself.
///
/// # Panics
/// If the property does not hold.
pub fn open_seal(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    for context in [None, Context::new("user-7")] {
        // A random string does not open. A vector opens to a text that seals.
        if let Ok(opened) = KEYS.open(text, context.as_ref()) {
            assert!(text.len() <= MAX_SEALED_BYTES && !is_sealed(&opened.text), "{text}");
        }
    }
    if let Ok(sealed) = Sealed::parse(text) {
        assert_eq!(sealed.to_string(), text);
    }
    let context = Context::new("user-7");
    match KEYS.seal(text, context.as_ref()) {
        Ok(sealed) => {
            assert!(sealed.len() <= MAX_SEALED_BYTES && Sealed::parse(&sealed).is_ok(), "{text}");
            let opened = KEYS.open(&sealed, context.as_ref()).expect("the same key opens it");
            assert_eq!(*opened.text, text);
            assert!(KEYS.open(&sealed, Context::new("user-8").as_ref()).is_err(), "{text}");
        }
        Err(refusal) => {
            assert_eq!(refusal, NotSealed::NotAHash);
            assert!(text.is_empty() || text.len() > MAX_ENCODED_BYTES || is_sealed(text), "{text}");
        }
    }
}

/// Checks the ceilings again, on the params and with numbers that cannot overflow.
fn is_below_the_ceilings(setting: &Setting) -> bool {
    let ceilings = POLICIES.ceilings();
    match setting {
        Setting::Argon2(setting) => {
            let params = setting.params();
            let written = u128::from(params.memory_kib()) * u128::from(params.passes());
            params.memory_kib() <= ceilings.argon2_memory_kib
                && written <= u128::from(ceilings.argon2_memory_passes_kib)
                && params.parallelism() <= ceilings.argon2_parallelism
        }
        Setting::Bcrypt(setting) => setting.params().cost() <= ceilings.bcrypt_cost,
        Setting::Pbkdf2(setting) => {
            let blocks = setting.output_bytes().div_ceil(setting.params().prf().block_bytes()) as u128;
            u128::from(setting.params().iterations()) * blocks
                <= u128::from(ceilings.pbkdf2_iterations_blocks)
        }
        Setting::VerifyOnly(setting) => match setting.cost() {
            Cost::Rounds(rounds) => rounds <= ceilings.sha_crypt_rounds,
            Cost::Memory { blocks, other_blocks, work } => {
                128 * u128::from(blocks) <= u128::from(ceilings.scrypt_memory_bytes)
                    && 128 * u128::from(other_blocks) <= u128::from(ceilings.scrypt_memory_bytes)
                    && work <= ceilings.scrypt_n_r_p
            }
        },
        Setting::Wrapped(setting) => {
            let params = setting.outer().params();
            params.memory_kib() <= ceilings.argon2_memory_kib
                && is_below_the_ceilings(setting.inner().setting())
        }
        Setting::Scrypt(setting) => {
            let params = setting.params();
            let (n, r, p) = (1_u128 << params.log_n(), u128::from(params.r()), u128::from(params.p()));
            let most_memory = u128::from(ceilings.scrypt_memory_bytes);
            128 * n * r <= most_memory
                && 128 * p * r <= most_memory
                && n * r * p <= u128::from(ceilings.scrypt_n_r_p)
        }
    }
}

/// Whether computing takes well under a millisecond.
fn is_cheap(setting: &Setting, work: u64, memory_bytes: u64) -> bool {
    let little_work = match setting {
        Setting::Argon2(_) => work <= 256,
        Setting::Bcrypt(_) => work <= 16,
        Setting::Pbkdf2(_) => work <= 2048,
        Setting::Scrypt(_) => work <= 512,
        // The fewest rounds of sha-crypt, and all of md5-crypt.
        Setting::VerifyOnly(_) => work <= 1000,
        // The inner layer may be expensive.
        Setting::Wrapped(_) => false,
    };
    little_work && memory_bytes <= 1 << 20
}

static POLICIES: LazyLock<Policies> = LazyLock::new(|| {
    let limits = Limits {
        workers: 1,
        memory_budget_bytes: u64::MAX,
        accepted_weak: AcceptedWeak::all(),
        ..Limits::default()
    };
    Policies::load(SHIPPED, &limits).expect("the shipped document is valid")
});

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(KEY).expect("the document is valid"));

/// The key of the contract's vector.
const KEY: &[u8] = br#"{"current": "2026a", "keys": [
    {"id": "2026a", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "context": true}]}"#;

/// The most memory of an admitted hash: the 256 MiB of `argon2_memory_kib`, or twice the 128 MiB of
/// `scrypt_memory_bytes`.
const MOST_MEMORY_BYTES: u64 = 256 << 20;
