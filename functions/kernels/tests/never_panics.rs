//! Every admitted setting can be computed: no parameter, salt, output length or password makes a
//! crate fail or panic.

use std::env;

use proptest::{collection::vec, prelude::*, sample::select, strategy::Union, string::string_regex};
use saltern_encoded::{
    MAX_ENCODED_BYTES, Params, Setting, argon2, parse, scrypt,
    verify_only::{self, yescrypt::Flavour},
};
use saltern_kernels::{Admitted, Ceilings, MAX_PASSWORD_BYTES, compute, memory_bytes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn whatever_is_admitted_computes(
        text in cheap_stored_hash(),
        password in vec(any::<u8>(), 0..=MAX_PASSWORD_BYTES),
    ) {
        let encoded = parse(&text).unwrap();
        let admitted = Admitted::new(encoded.setting().clone(), &CHEAP);
        prop_assert!(admitted.is_ok(), "{text}");
        let output = compute(&admitted.unwrap(), &password).unwrap();
        prop_assert_eq!(output.expose().len(), encoded.output().len());
        // A random output does not match; the computed output does.
        let right = encoded.with_output(output.expose()).unwrap();
        prop_assert!(output.matches(right.output()));
        prop_assert!(parse(&right.to_string()).unwrap() == right);
    }

    #[test]
    fn whatever_is_admitted_under_no_ceiling_has_parameters_that_the_crates_take(text in expensive_stored_hash()) {
        let Ok(encoded) = parse(&text) else { return Ok(()) };
        let Ok(admitted) = Admitted::new(encoded.setting().clone(), &NO_CEILINGS) else { return Ok(()) };
        prop_assert!(admitted.work() > 0);
        if let Setting::VerifyOnly(verify_only::VerifyOnlySetting::Yescrypt(setting)) = encoded.setting() {
            let params = setting.params();
            let mode = match params.flavour() {
                Flavour::Classic => ::yescrypt::Mode::Classic,
                Flavour::ReadWrite => ::yescrypt::Mode::Rw,
                Flavour::Worm => ::yescrypt::Mode::Worm,
            };
            let (n, r, p, t) = (params.n(), params.r(), params.p(), params.t());
            prop_assert!(::yescrypt::Params::new_with_all_params(mode, n, r, p, t, 0).is_ok(), "{text}");
        }
        let Some(params) = encoded.setting().params() else { return Ok(()) };
        prop_assert_eq!(admitted.memory_bytes(), memory_bytes(params));
        match params {
            Params::Argon2(params) => {
                let (m, t, p) = (params.memory_kib(), params.passes(), params.parallelism());
                prop_assert!(::argon2::Params::new(m, t, p, Some(encoded.output().len())).is_ok(), "{text}");
            }
            Params::Scrypt(params) => {
                prop_assert!(::scrypt::Params::new(params.log_n(), params.r(), params.p()).is_ok(), "{text}");
            }
            Params::Bcrypt(_) | Params::Pbkdf2(_) => {}
        }
    }

    #[test]
    fn argon2_takes_the_parameters_that_its_crate_takes(
        m in near(u32::MAX), t in near(u32::MAX), p in near(argon2::MAX_PARALLELISM),
    ) {
        let ours = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, m, t, p);
        // The crate multiplies p by 8 after checking it, as this crate does.
        let theirs = ::argon2::Params::new(m, t, p, None);
        prop_assert_eq!(ours.is_some(), theirs.is_ok(), "m={} t={} p={}", m, t, p);
    }

    #[test]
    fn what_scrypt_is_given_its_crate_takes(log_n in 0..=u8::MAX, r in near(1 << 30), p in near(1 << 30)) {
        // Above these, 128·N·r overflows 64 bits: admission refuses it under any ceiling.
        let nameable = u128::from(r) << 7 << log_n.min(64) <= u128::from(u64::MAX);
        if let Some(params) = scrypt::Params::new(log_n, r, p).filter(|_| nameable) {
            prop_assert!(::scrypt::Params::new(params.log_n(), params.r(), params.p()).is_ok());
        }
    }
}

#[test]
fn the_lanes_of_scrypt_count_as_memory() {
    let params = Params::Scrypt(scrypt::Params::new(1, 1, 1 << 20).unwrap());
    // N·r, both states and p·r blocks (RFC 7914 §6).
    assert_eq!(memory_bytes(params), 128 * (2 + 2 + (1 << 20)));
}

#[test]
fn bcrypt_reads_a_password_with_nul_bytes_to_its_end() {
    let hash = "$2b$04$......................XuQjdH.wPVNUZ/bOfstdW/FqB8QSjte";
    let admitted = Admitted::new(parse(hash).unwrap().setting().clone(), &CHEAP).unwrap();
    let outputs = [&b"a"[..], b"a\0", b"a\0b"].map(|password| compute(&admitted, password).unwrap());
    assert!(!outputs[0].matches(outputs[1].expose()));
    assert!(!outputs[0].matches(outputs[2].expose()));
    assert!(!outputs[1].matches(outputs[2].expose()));
}

fn cheap_stored_hash() -> impl Strategy<Value = String> {
    let p = 1..=CHEAP.argon2_parallelism;
    let argon2 = (argon2_head(), p, 0..64_u32, 1..4_u32).prop_map(|(head, p, more, t)| {
        let m = p * argon2::MIN_MEMORY_KIB_PER_LANE + more;
        format!("{head}$m={m},t={t},p={p}")
    });
    let argon2 = with_salt_and_output(argon2, argon2::MIN_OUTPUT_BYTES);
    let scrypt = (1..8_u8, 1..5_u32, 1..5_u32).prop_map(|(ln, r, p)| format!("$scrypt$ln={ln},r={r},p={p}"));
    let scrypt = with_salt_and_output(scrypt, saltern_encoded::MIN_OUTPUT_BYTES);
    prop_oneof![argon2, scrypt, bcrypt(4..5), pbkdf2(1..20), cheap_crypt(), foreign()]
}

/// Forms of other software, each with cheap costs.
fn foreign() -> BoxedStrategy<String> {
    let digest = (select(&["{SMD5}", "{SSHA}", "{SSHA256}", "{SSHA512}"][..]), "[A-Za-z0-9+/]{22,33}")
        .prop_map(|(label, text)| format!("{label}{}", text.repeat(4)));
    let repeated = "[0-9a-f]{80}".prop_map(|text| format!("{{sha256}}{text}"));
    let salted = ("[!-#%-~]{1,64}", "[0-9a-f]{32}").prop_map(|(salt, text)| format!("md5${salt}${text}"));
    let firebase = (1..8_u8, 1..5_u32, "([A-Za-z0-9+/]{4}){1,64}", "[A-Za-z0-9+/]{85}[AQgw]==")
        .prop_map(|(n, r, salt, output)| format!("$fbscrypt$v=1,n={n},r={r},p=1${salt}${output}"));
    let werkzeug = (1..20_u32, "[!-#%-~]{1,200}", "[0-9a-f]{64}")
        .prop_map(|(i, salt, output)| format!("pbkdf2:sha256:{i}${salt}${output}"));
    prop_oneof![digest, repeated, salted, firebase, werkzeug].boxed()
}

/// Forms of crypt(3), and the similar ones of phpass and Drupal.
fn cheap_crypt() -> BoxedStrategy<String> {
    let forms = [
        r"\$(1|apr1)\$#{0,8}\$#{21}[./01]",
        r"\$5\$(rounds=(0|1[0-9]{3})\$)?#{0,16}\$#{42}[./0-9A-D]",
        r"\$6\$(rounds=(0|1[0-9]{3})\$)?#{0,16}\$#{85}[./01]",
        r"\$7\$[/0-4][/0-2]\.{4}[/0-2]\.{4}#{0,43}\$#{42}[./0-9A-D]",
        r"U?(\$S\$[56]#{51}|\$[HP]\$[5-8]#{29}[./01])",
        r"\$md5(,rounds=[1-9][0-9])?\$#{0,40}\$?\$#{21}[./01]",
        r"\$sha1\$[1-9][0-9]?\$#{1,64}\$\.{28}",
        // p = 1 needs four blocks, p = 2 needs eight.
        r"\$y\$(j[/0-4]|[./][./0-4])[./0-2]\$(#{4}){0,20}(#[./01])?\$#{42}[./0-9A-D]",
        r"\$y\$(j[0-4]|/[./0-4])[./0-2](\.\.|/[./0]|0\.[./])\$#{4}\$#{42}[./0-9A-D]",
        r"_[/0-9A-Z]\.{3}#{4}#{10}[.26AEIMQUYcgkosw]",
        r"#{12}[.26AEIMQUYcgkosw]",
    ];
    let form = |form: &str| string_regex(&form.replace('#', "[./0-9A-Za-z]")).unwrap().boxed();
    Union::new(forms.map(form)).boxed()
}

/// yescrypt's parameters from the whole range of the format.
fn expensive_yescrypt() -> BoxedStrategy<String> {
    r"\$y\$[./0ij][./0-9A-Za-z]{2,16}\$[./0-9A-Za-z]{4}\$[./0-9A-Za-z]{42}[./]".boxed()
}

/// Parameters from the whole range of the format. None of these hashes is computed.
fn expensive_stored_hash() -> impl Strategy<Value = String> {
    let numbers = (argon2_head(), near(u32::MAX), near(u32::MAX), near(argon2::MAX_PARALLELISM));
    let argon2 = numbers.prop_map(|(head, m, t, p)| format!("{head}$m={m},t={t},p={p}"));
    let argon2 = with_salt_and_output(argon2, argon2::MIN_OUTPUT_BYTES);
    let numbers = (1..=scrypt::MAX_LOG_N, near(1 << 30), near(1 << 15));
    let scrypt = numbers.prop_map(|(ln, r, p)| format!("$scrypt$ln={ln},r={r},p={p}"));
    let scrypt = with_salt_and_output(scrypt, saltern_encoded::MIN_OUTPUT_BYTES);
    prop_oneof![argon2, scrypt, bcrypt(4..32), pbkdf2(1..u32::MAX), expensive_yescrypt()]
}

fn argon2_head() -> impl Strategy<Value = &'static str> {
    select(
        &["$argon2d$v=16", "$argon2d$v=19", "$argon2i", "$argon2i$v=19", "$argon2id$v=16", "$argon2id$v=19"]
            [..],
    )
}

fn bcrypt(costs: std::ops::Range<u32>) -> BoxedStrategy<String> {
    (costs, "[./A-Za-z0-9]{52}", select(&['.', 'O', 'e', 'u'][..]))
        .prop_map(|(cost, text, last)| format!("$2b${cost:02}${text}{last}"))
        .boxed()
}

fn pbkdf2(iterations: std::ops::Range<u32>) -> BoxedStrategy<String> {
    let schemes = select(&["pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512"][..]);
    let (salt, output) = (bytes(saltern_encoded::MIN_SALT_BYTES), bytes(saltern_encoded::MIN_OUTPUT_BYTES));
    (schemes, iterations, salt, output)
        .prop_map(|(scheme, i, salt, output)| {
            let length = output.len() * 6 / 8;
            format!("${scheme}$i={i},l={length}${salt}${output}")
        })
        .prop_filter("longer than the bound", |text| text.len() <= MAX_ENCODED_BYTES)
        .boxed()
}

fn with_salt_and_output(
    head: impl Strategy<Value = String> + 'static,
    least_output: usize,
) -> BoxedStrategy<String> {
    (head, bytes(saltern_encoded::MIN_SALT_BYTES), bytes(least_output))
        .prop_map(|(head, salt, output)| format!("{head}${salt}${output}"))
        .prop_filter("longer than the bound", |text| text.len() <= MAX_ENCODED_BYTES)
        .boxed()
}

/// Base64 of at least and at most so many bytes. Short texts are as likely as long ones.
fn bytes(least: usize) -> impl Strategy<Value = String> {
    let least = (least * 8).div_ceil(6);
    prop_oneof![least..least + 8, least..100, least..MAX_ENCODED_BYTES - least]
        // Base64 never has 4n + 1 characters.
        .prop_map(|characters| if characters % 4 == 1 { characters + 1 } else { characters })
        // The last character is A, so no bit is set after the last byte.
        .prop_flat_map(|characters| vec(select(ALPHABET.as_bytes()), characters - 1))
        .prop_map(|characters| String::from_utf8(characters).unwrap() + "A")
}

/// Numbers up to a bound. Small numbers and powers of two are as likely as all others.
fn near(bound: u32) -> impl Strategy<Value = u32> {
    let powers =
        (0..32_u32, 0..3_u32).prop_map(|(bit, add)| (1_u32 << bit).wrapping_add(add).wrapping_sub(1));
    prop_oneof![0..64_u32, powers, Just(bound), Just(bound.saturating_add(1)), any::<u32>()]
}

/// Returns the number of random cases per property. `SALTERN_RANDOM_CASES` sets it for a long run.
fn cases() -> u32 {
    env::var("SALTERN_RANDOM_CASES").map_or(RANDOM_CASES, |text| text.parse().unwrap())
}

const RANDOM_CASES: u32 = 512;

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Ceilings that admit every cheap hash made here, and no hash that takes a millisecond.
const CHEAP: Ceilings = Ceilings {
    bcrypt_cost: 4,
    argon2_memory_kib: 16 * 8 + 64,
    argon2_memory_passes_kib: 3 * (16 * 8 + 64),
    argon2_parallelism: 16,
    pbkdf2_iterations_blocks: 20 * 52,
    // yescrypt's tables for p = 2, 24 KiB, are at most an eighth of it.
    scrypt_memory_bytes: 1 << 18,
    scrypt_n_r_p: 128 * 5 * 8,
    sha_crypt_rounds: u64::MAX,
};

const NO_CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: u32::MAX,
    argon2_memory_kib: u32::MAX,
    argon2_memory_passes_kib: u64::MAX,
    argon2_parallelism: u32::MAX,
    pbkdf2_iterations_blocks: u64::MAX,
    scrypt_memory_bytes: u64::MAX,
    scrypt_n_r_p: u64::MAX,
    sha_crypt_rounds: u64::MAX,
};
