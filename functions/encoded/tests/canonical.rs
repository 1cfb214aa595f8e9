//! A hash is accepted in one form only: no two accepted strings state the same hash, and a string
//! prints as it was read.
//!
//! `parse` takes `&str`. The service refuses bytes that are not UTF-8 before it calls `parse`.

#![allow(clippy::unwrap_used, reason = "a test stops if a value is missing")]

use std::{collections::BTreeSet, env, fmt::Write as _};

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use saltern_encoded::{
    Encoded, MAX_ENCODED_BYTES, NEW_OUTPUT_BYTES, NEW_SALT_BYTES, Params, ParseError, Setting, Weakness,
    argon2, bcrypt, parse, pbkdf2, scrypt, verify_only::Cost,
};
use saltern_vectors::{Expected, Tests, Topic, Vector as _, Verify};

#[test]
fn every_valid_vector_prints_as_it_was_read() {
    let hashes = valid_hashes();
    assert!(!hashes.is_empty());
    for hash in hashes {
        assert!(prints_back_if_accepted(&hash).is_some(), "{hash}");
    }
}

#[test]
fn every_truncation_of_every_scheme_is_refused_or_another_hash() {
    let mut tried = 0;
    for hash in one_of_each_form_and_length() {
        let encoded = parse(&hash).unwrap();
        for (end, _) in hash.char_indices() {
            is_refused_or_another_hash(&hash[..end], &encoded);
            is_refused_or_another_hash(&hash[end..], &encoded);
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[test]
fn every_truncation_is_refused_if_the_scheme_has_one_length() {
    let mut tried = 0;
    for hash in one_of_each_form_and_length() {
        if has_one_length(&parse(&hash).unwrap()) {
            for (end, _) in hash.char_indices() {
                assert!(parse(&hash[..end]).is_err(), "{hash} up to {end}");
                tried += 1;
            }
        }
    }
    assert!(tried > 0);
}

#[test]
fn every_corrupted_character_of_every_scheme_is_refused_or_another_hash() {
    let mut tried = 0;
    let mut hashes = one_of_each_form_and_length();
    // The shortest and the longest of each form. Random edits of all forms are tested below.
    hashes = hashes
        .chunk_by(|hash, next| form(hash) == form(next))
        .flat_map(|scheme| [scheme.first(), scheme.last().filter(|_| scheme.len() > 1)])
        .flatten()
        .cloned()
        .collect();
    for hash in hashes {
        let encoded = parse(&hash).unwrap();
        for (at, original) in hash.char_indices() {
            let (before, after) = (&hash[..at], &hash[at + original.len_utf8()..]);
            is_refused_or_another_hash(&format!("{before}{after}"), &encoded);
            for corrupt in CORRUPTIONS {
                is_refused_or_another_hash(&format!("{before}{corrupt}{after}"), &encoded);
                is_refused_or_another_hash(&format!("{before}{corrupt}{original}{after}"), &encoded);
                tried += 1;
            }
        }
    }
    assert!(tried > 0);
}

#[test]
fn only_a_listed_deviation_differs_from_the_printed_form_of_its_parts() {
    let mut deviating = 0;
    for hash in valid_hashes() {
        let encoded = parse(&hash).unwrap();
        let own = encoded.preparation().map_or(&hash[..], |before| &hash[before.to_string().len()..]);
        let behind_its_label = &own[own.find('$').unwrap_or(0)..];
        if OF_NEW_HASHES.contains(&encoded.scheme().name()) && canonical(&encoded) != behind_its_label {
            deviating += 1;
            assert!(is_listed(behind_its_label), "{hash}");
        }
    }
    assert!(deviating > 0);
}

/// The vectors are output of the software, and independent of the parser.
#[test]
fn every_vector_of_a_scheme_is_read_as_that_scheme() {
    let mut tried = BTreeSet::new();
    for topic in Topic::VERIFY_ONLY {
        for group in &topic.load().test_groups {
            for vector in Verify::of(group) {
                let Ok(scheme) = parse(&vector.hash).map(|encoded| encoded.scheme()) else { continue };
                assert_eq!(Some(scheme.weakness().is_some()), group.weak, "{topic:?} {}", vector.tc_id);
                if !group.scheme.as_deref().is_some_and(|name| LABELLED.contains(&name)) {
                    assert_eq!(Some(scheme.name()), group.scheme.as_deref(), "{topic:?} {}", vector.tc_id);
                }
                tried.insert(scheme.name());
            }
        }
    }
    assert!(tried.len() > 10, "{tried:?}");
}

#[test]
fn fewer_rounds_of_sha_crypt_than_the_least_are_printed_as_written_and_count_as_the_least() {
    for (written, counted) in [("0", 1_000), ("999", 1_000), ("1000", 1_000), ("5000", 5_000)] {
        let text = format!("$5$rounds={written}$salt${}", ".".repeat(43));
        let encoded = parse(&text).unwrap();
        let Setting::VerifyOnly(setting) = encoded.setting() else { panic!("{text}") };
        assert_eq!(setting.cost(), Cost::Rounds(counted), "{text}");
        assert_eq!(encoded.to_string(), text);
    }
}

#[test]
fn a_label_is_accepted_before_its_own_schemes_only() {
    let (des, md5) = ("sawuNefBucy0A", "$1$salt$......................");
    for accepted in [
        format!("{{CRYPT}}{des}"),
        format!("{{crypt}}{md5}"),
        format!("{{DES-CRYPT}}{des}"),
        format!("{{MD5-CRYPT}}{md5}"),
    ] {
        assert_eq!(parse(&accepted).unwrap().to_string(), accepted);
    }
    for refused in [
        format!("{{DES-CRYPT}}{md5}"),
        format!("{{MD5-CRYPT}}{des}"),
        format!("{{CRYPT}}{{CRYPT}}{des}"),
        "{CRYPT}$apr1$salt$......................".to_owned(),
        "{CRYPT}".to_owned(),
        format!("{{CRYPT}}{{SHA}}{}=", "A".repeat(27)),
    ] {
        assert_eq!(parse(&refused).err(), Some(ParseError::Invalid), "{refused}");
    }
    assert_eq!(parse(&format!("{{Crypt}}{des}")).err(), Some(ParseError::Unsupported));
}

#[test]
fn a_scheme_that_is_not_verified_is_unsupported_behind_a_label_too() {
    let crypt_blowfish = "04$......................4QqIrvEqWMALFbTSEMvHWTOXWbOgbsm";
    for refused in [
        format!("$2x${crypt_blowfish}"),
        format!("{{bcrypt}}$2x${crypt_blowfish}"),
        format!("{{BLF-CRYPT}}$2x${crypt_blowfish}"),
        format!("{{CRYPT}}$2${crypt_blowfish}"),
        "{CRYPT}$gy$j9T$salt$.".to_owned(),
        format!("bcrypt$$2x${crypt_blowfish}"),
        format!("bcrypt_sha256$$2x${crypt_blowfish}"),
        format!("$wp$2x${crypt_blowfish}"),
        "argon2$argon2x$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA".to_owned(),
    ] {
        assert_eq!(parse(&refused).err(), Some(ParseError::Unsupported), "{refused}");
    }
    for refused in [
        // Known schemes that never follow.
        "{bcrypt}$1$salt$......................".to_owned(),
        "bcrypt$$1$salt$......................".to_owned(),
        // Texts that state no scheme.
        "{bcrypt}2x".to_owned(),
        "{bcrypt}$2x".to_owned(),
        format!("{{bcrypt}}$$2x${crypt_blowfish}"),
    ] {
        assert_eq!(parse(&refused).err(), Some(ParseError::Invalid), "{refused}");
    }
}

/// Every text of at most so many symbols, between a beginning and an end, is refused or prints back.
#[test]
fn every_short_text_of_a_small_alphabet_prints_back_if_accepted() {
    let (salt, output) = ("c2FsdHNhbHQ", "c29tZW91dHB1dHNvbWVvdXRwdXQ");
    let phc = format!("${salt}${output}");
    let bcrypt = format!("${}", ".".repeat(53));
    let sha_crypt = format!("${}", ".".repeat(43));
    let rows: [(&str, &str, usize, &str); 10] = [
        ("", "$ { } = , : 1 a A . /", 5, ""),
        ("", "{ } CRYPT crypt bcrypt SHA $1$salt$...................... sawuNefBucy0A $ :", 4, ""),
        ("$argon2id$v=19$", "m= t=1 p=1 , 8 0 1 $", 6, &phc),
        ("$argon2", "id i $v= 1 9 6 $ $m=8,t=1,p=1", 5, &phc),
        ("$pbkdf2", "-sha256 $ i= l= , 0 1 20", 6, &phc),
        ("$scrypt$", "ln= ,r= ,p= , 0 1 8 $", 6, &phc),
        ("$2", "a b y x $ 0 1 3 4", 5, &bcrypt),
        ("$5$", "rounds= 0 1 9 $ a 99", 6, &sha_crypt),
        ("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbH", "A Q g = + / . $", 4, &phc[12..]),
        ("{SSHA}", "A AAAAAAAAAAAAAAAAAAAAAAAAAA Q g = + / .", 5, ""),
    ];
    let mut counts = Vec::new();
    for (beginning, alphabet, most, end) in rows {
        let symbols: Vec<_> = alphabet.split(' ').collect();
        let mut accepted = 0;
        let mut texts = vec![beginning.to_owned()];
        for _ in 0..most {
            texts = texts
                .iter()
                .flat_map(|text| symbols.iter().map(move |symbol| format!("{text}{symbol}")))
                .collect();
            accepted += texts
                .iter()
                .filter(|text| prints_back_if_accepted(&format!("{text}{end}")).is_some())
                .count();
        }
        counts.push(accepted);
    }
    assert_eq!(counts, [0, 10, 3, 5, 244, 8, 21, 39_909, 403, 346]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn every_form_of_every_scheme_is_accepted_and_prints_back(text in any_stored_hash()) {
        let encoded = parse(&text);
        prop_assert!(encoded.is_ok(), "{text}");
        prop_assert_eq!(encoded.unwrap().to_string(), text);
    }

    #[test]
    fn a_new_hash_parses_to_itself_in_canonical_form(
        params in any_params(),
        salt in any::<[u8; NEW_SALT_BYTES]>(),
        output in any::<[u8; NEW_OUTPUT_BYTES]>(),
    ) {
        let setting = Setting::fresh(params, salt);
        let encoded = Encoded::new(setting.clone(), &output[..setting.output_bytes()]).unwrap();
        let text = encoded.to_string();
        let again = parse(&text).unwrap();
        prop_assert!(again == encoded, "{text}");
        prop_assert_eq!(again.setting().params(), Some(params));
        prop_assert_eq!(again.setting().salt(), &salt[..]);
        prop_assert_eq!(again.output(), &output[..setting.output_bytes()]);
        prop_assert_eq!(canonical(&again), text);
    }

    #[test]
    fn a_mutated_hash_is_refused_or_another_hash(
        text in any_stored_hash(),
        mutations in vec((any::<Index>(), 0..4_u8, any::<char>(), select(CORRUPTIONS)), 1..6),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        for (at, kind, anything, likely) in mutations {
            let at = at.index(characters.len() + 1);
            match kind {
                0 => characters.insert(at, likely),
                1 if at < characters.len() => characters[at] = likely,
                2 if at < characters.len() => { characters.remove(at); }
                _ => characters.insert(at, anything),
            }
        }
        is_refused_or_another_hash(&characters.into_iter().collect::<String>(), &parse(&text).unwrap());
    }

    #[test]
    fn any_text_after_a_scheme_is_refused_or_prints_back(scheme in select(SCHEMES.split(' ').collect::<Vec<_>>()), rest in any::<String>()) {
        prints_back_if_accepted(&format!("${scheme}${rest}"));
        prints_back_if_accepted(&format!("{scheme}${rest}"));
        prints_back_if_accepted(&format!("{{{scheme}}}{rest}"));
        prints_back_if_accepted(&format!("{scheme}{rest}"));
    }

    #[test]
    fn a_text_longer_than_the_bound_is_refused(text in any_stored_hash(), more in MAX_ENCODED_BYTES..2 * MAX_ENCODED_BYTES) {
        prop_assert_eq!(parse(&format!("{text}{}", "A".repeat(more))).err(), Some(ParseError::Invalid));
    }
}

/// A text that differs from an accepted hash does not state the same hash, unless a deviation is
/// listed for one of them.
fn is_refused_or_another_hash(text: &str, hash: &Encoded) {
    let Some(other) = prints_back_if_accepted(text) else { return };
    let is_the_same = other.preparation() == hash.preparation()
        && other.label() == hash.label()
        && other.scheme() == hash.scheme()
        && other.setting() == hash.setting()
        && other.output() == hash.output();
    let is_deviation = |text: &str| {
        text.contains("{PBKDF2") && text.ends_with('=')
            || text.match_indices('$').any(|(at, _)| is_listed(&text[at..]) || has_fewest_rounds(&text[at..]))
    };
    if is_the_same && text != hash.to_string() {
        assert!(is_deviation(text) || is_deviation(&hash.to_string()), "{text} is another text of {hash}");
    }
}

fn prints_back_if_accepted(text: &str) -> Option<Encoded> {
    let encoded = parse(text).ok()?;
    assert_eq!(encoded.to_string(), text);
    assert_eq!(encoded.output().len(), encoded.setting().output_bytes(), "{text}");
    Some(encoded)
}

/// The strings of all vectors that parse.
fn valid_hashes() -> Vec<String> {
    let mut hashes = Vec::new();
    for topic in Topic::ALL {
        for group in &topic.load().test_groups {
            for vector in Verify::of(group) {
                assert_eq!(parse(&vector.hash).err(), refusal(vector.result), "{topic:?} {}", vector.tc_id);
                if refusal(vector.result).is_none() {
                    hashes.push(vector.hash.clone());
                }
            }
            if let Tests::Firebase { project, tests } = &group.tests {
                hashes.extend(tests.iter().map(|user| project.stored(user)));
            }
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// One of these strings for each scheme, form and length. The parsers do not depend on the content
/// of salts and outputs.
fn one_of_each_form_and_length() -> Vec<String> {
    let mut hashes = valid_hashes();
    hashes.sort_by_cached_key(|hash| (form(hash), hash.len()));
    hashes.dedup_by_key(|hash| (form(hash), hash.len()));
    hashes
}

/// The scheme, its label or version (such as `$2y$`), and the names of the parameters in their
/// order.
fn form(hash: &str) -> (&'static str, String) {
    let is_parameter = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let beginning = match hash.as_bytes() {
        [b'{', ..] => hash.split_inclusive('}').next(),
        [b'$', ..] => hash[1..].split('$').next(),
        _ => hash.split_once('$').map(|(name, _)| name),
    };
    let parts = hash.split(['$', ',']).filter_map(|field| field.split_once('='));
    let names = parts.filter(|(_, value)| is_parameter(value)).map(|(name, _)| name);
    (parse(hash).unwrap().scheme().name(), beginning.into_iter().chain(names).collect())
}

/// Whether the last field has one length. It has not if the software chooses the length of the
/// output, or if it ends with a salt.
fn has_one_length(encoded: &Encoded) -> bool {
    let scheme = match encoded.setting() {
        Setting::Wrapped(setting) => setting.inner().scheme(),
        _ => encoded.scheme(),
    };
    let free_output =
        ["argon2", "aspnet-identity-v3", "django-argon2", "grub-pbkdf2-sha512", "pbkdf2", "scrypt"];
    let salted = scheme.name().starts_with("ldap-") && scheme.weakness() == Some(Weakness::Fast);
    !free_output.contains(&scheme.name()) && !salted
}

const fn refusal(result: Expected) -> Option<ParseError> {
    match result {
        Expected::InvalidHash => Some(ParseError::Invalid),
        Expected::UnsupportedHash => Some(ParseError::Unsupported),
        Expected::CostOutOfBounds | Expected::Match | Expected::Mismatch => None,
    }
}

/// The text that the reference software prints for these parts: a second implementation.
fn canonical(encoded: &Encoded) -> String {
    let setting = encoded.setting();
    let tail = format!("${}${}", base64(setting.salt(), STANDARD), base64(encoded.output(), STANDARD));
    match setting.params().unwrap() {
        Params::Argon2(params) => {
            let name = match params.variant() {
                argon2::Variant::D => "argon2d",
                argon2::Variant::I => "argon2i",
                argon2::Variant::Id => "argon2id",
            };
            let version = match params.version() {
                argon2::Version::V16 => 16,
                argon2::Version::V19 => 19,
            };
            let (m, t, p) = (params.memory_kib(), params.passes(), params.parallelism());
            format!("${name}$v={version}$m={m},t={t},p={p}{tail}")
        }
        Params::Bcrypt(params) => {
            // The prefix is not a parameter, so it is taken from the text.
            let text = encoded.to_string();
            let prefix = &text[text.find('$').unwrap()..][..4];
            let (salt, output) = (base64(setting.salt(), BCRYPT), base64(encoded.output(), BCRYPT));
            format!("{prefix}{:02}${salt}{output}", params.cost())
        }
        Params::Pbkdf2(params) => {
            let name = match params.prf() {
                pbkdf2::Prf::Sha1 => "pbkdf2",
                pbkdf2::Prf::Sha256 => "pbkdf2-sha256",
                pbkdf2::Prf::Sha512 => "pbkdf2-sha512",
            };
            format!("${name}$i={},l={}{tail}", params.iterations(), setting.output_bytes())
        }
        Params::Scrypt(params) => {
            format!("$scrypt$ln={},r={},p={}{tail}", params.log_n(), params.r(), params.p())
        }
    }
}

/// Whether a deviation in `SCHEMES.md` describes this hash of a scheme of new hashes.
fn is_listed(hash: &str) -> bool {
    let bcrypt_padding = hash.starts_with("$2");
    let no_version = hash.starts_with("$argon2i$m=") || hash.starts_with("$argon2d$m=");
    let cost_order = hash.starts_with("$argon2") && hash.contains(",p=") && hash.contains(",t=");
    let parallelism_first = cost_order && hash.find(",p=") < hash.find(",t=");
    let passes_first = hash.starts_with("$argon2id$v=19$t=");
    let whole_n = hash.starts_with("$scrypt$n=");
    let no_length = hash.starts_with("$pbkdf2-sha") && !hash.contains(",l=");
    bcrypt_padding || no_version || parallelism_first || passes_first || whole_n || no_length
}

/// Whether sha-crypt counts the stated rounds as the fewest, which is a listed deviation.
fn has_fewest_rounds(hash: &str) -> bool {
    let rounds = hash.strip_prefix("$5$rounds=").or(hash.strip_prefix("$6$rounds="));
    let rounds = rounds.and_then(|rest| rest.split_once('$')?.0.parse::<u32>().ok());
    rounds.is_some_and(|rounds| rounds < 1_000)
}

fn any_stored_hash() -> impl Strategy<Value = String> {
    prop_oneof![
        any_argon2(),
        any_bcrypt(),
        any_crypt(),
        any_pbkdf2(),
        any_scrypt(),
        any_hash_of_other_software()
    ]
    .prop_filter("longer than the bound", |text| text.len() <= MAX_ENCODED_BYTES)
}

fn any_argon2() -> BoxedStrategy<String> {
    let variants =
        select(&["d$v=16$", "d$v=19$", "i$v=16$", "i$v=19$", "id$v=16$", "id$v=19$", "i$", "d$"][..]);
    (variants, any_argon2_params(), any_salt(), any_output(argon2::MIN_OUTPUT_BYTES), 0..3_u8)
        .prop_map(|(variant, params, salt, output, order)| {
            let (m, t, p) = (params.memory_kib(), params.passes(), params.parallelism());
            // The Node packages print their orders only with `v=`.
            let costs = match order {
                1 if variant.contains("v=") => format!("m={m},p={p},t={t}"),
                2 if variant.contains("v=") => format!("t={t},m={m},p={p}"),
                _ => format!("m={m},t={t},p={p}"),
            };
            format!("$argon2{variant}{costs}${}${}", base64(&salt, STANDARD), base64(&output, STANDARD))
        })
        .boxed()
}

fn any_bcrypt() -> BoxedStrategy<String> {
    let characters = vec(select(BCRYPT.as_bytes()), 22 + 30);
    // 31 characters have two bits more than 23 bytes: only every fourth character can end an
    // output.
    let last = (0..16_usize).prop_map(|n| BCRYPT.as_bytes()[n * 4]);
    (select(&["2a", "2b", "2y"][..]), bcrypt::MIN_COST..=bcrypt::MAX_COST, characters, last)
        .prop_map(|(prefix, cost, mut characters, last)| {
            characters.push(last);
            format!("${prefix}${cost:02}${}", String::from_utf8(characters).unwrap())
        })
        .boxed()
}

/// Hashes of crypt(3), and of phpass and Drupal, which are similar.
fn any_crypt() -> BoxedStrategy<String> {
    let form = |regex: &str| {
        let regex = regex.replace('#', ALPHABET).replace("SALT", SALT);
        proptest::string::string_regex(&regex).unwrap().boxed()
    };
    // The last character of an output has only the bits of its last byte.
    let forms = [
        r"\$(1|apr1)\$SALT{0,8}\$#{21}[./01]",
        r"(\{CRYPT\}|\{SHA256-CRYPT\})?\$5\$(rounds=[1-9][0-9]{0,8}\$)?#{0,16}\$#{42}[./0-9A-D]",
        r"\$6\$(rounds=(0|[1-9][0-9]{0,8})\$)?SALT{0,6}\$#{85}[./01]",
        r"\$7\$[/0-9A-D][/0-9A-Za-z]\.{4}[/0-9]\.{4}#{0,43}\$#{42}[./0-9A-D]",
        r"\$S\$[5-9A-S]#{8}#{43}",
        r"U?\$[HP]\$[5-9A-S]#{8}#{21}[./01]",
        r"U\$S\$[5-9A-S]#{8}#{43}",
        r"\$md5(,rounds=[1-9][0-9]{0,8})?\$#{0,40}\$?\$#{21}[./01]",
        r"\$y\$(j[0-9A-D]|[./][./0-9A-D])[./0-9A-Za-j](\.\.)?\$(#{4}){0,20}(#[./01]|#{2}[./0-9A-D])?\$#{42}[./0-9A-D]",
        r"\$y\$(j[0-9A-D]|/[./0-9A-D])([./0-9A-Za-j]|[k-r]#)(0\.|/)([./0-9A-Za-j]|[k-r]#|[s-v]##)\$#{4}\$#{42}[./0-9A-D]",
        r"_[/0-9A-D]#{3}#{4}#{10}[.26AEIMQUYcgkosw]",
        r"(\{crypt\}|\{DES-CRYPT\})?#{2}#{10}[.26AEIMQUYcgkosw]",
    ];
    let sha1 = (1..=u32::MAX, "[./0-9A-Za-z]{1,64}", any::<[u8; 20]>()).prop_map(|(rounds, salt, output)| {
        // Groups of three in reverse; the first byte again before the last two.
        let threes = output[..18].chunks(3).flat_map(|three| three.iter().rev());
        let printed: Vec<u8> = threes.chain([&output[0], &output[19], &output[18]]).copied().collect();
        format!("$sha1${rounds}${salt}${}", low_bits_first(&printed))
    });
    prop_oneof![12 => proptest::strategy::Union::new(forms.map(form)), 1 => sha1].boxed()
}

/// A character of crypt(3)'s alphabet, and a character of a salt that is hashed as text, as regular
/// expressions.
const ALPHABET: &str = "[./0-9A-Za-z]";
const SALT: &str = r##"["#%&'()+,\-./0-9<=>?@A-Z\[\]^_`a-z{|}~]"##;

/// crypt(3)'s Base64 by its definition: three bytes as a number, and its digits to the base 64 from
/// the lowest.
fn low_bits_first(bytes: &[u8]) -> String {
    let digits = |three: &[u8]| {
        let number = three.iter().rev().fold(0_usize, |number, &byte| number * 256 + usize::from(byte));
        (0..=three.len())
            .map(move |place| {
                char::from(CRYPT.as_bytes()[number / 64_usize.pow(u32::try_from(place).unwrap()) % 64])
            })
            .collect::<String>()
    };
    bytes.chunks(3).map(digits).collect()
}

fn any_pbkdf2() -> BoxedStrategy<String> {
    let functions = select(&[("sha1", 20), ("sha256", 32), ("sha512", 64)][..]);
    let of_one_block = (functions, 1..=u32::MAX, any_salt(), vec(any::<u8>(), 64));
    let of_one_block = of_one_block.prop_map(|((function, block), iterations, salt, bytes)| {
        let (salt, output) = (base64(&salt, STANDARD), base64(&bytes[..block], STANDARD));
        format!("$pbkdf2-{function}$i={iterations}${salt}${output}")
    });
    let schemes = select(&["pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512"][..]);
    let with_length = (schemes, 1..=u32::MAX, any_salt(), any_output(saltern_encoded::MIN_OUTPUT_BYTES))
        .prop_map(|(scheme, iterations, salt, output)| {
            let (salt, length, output) = (base64(&salt, STANDARD), output.len(), base64(&output, STANDARD));
            format!("${scheme}$i={iterations},l={length}${salt}${output}")
        });
    prop_oneof![with_length, of_one_block].boxed()
}

fn any_scrypt() -> BoxedStrategy<String> {
    (any_scrypt_params(), any_salt(), any_output(saltern_encoded::MIN_OUTPUT_BYTES), any::<bool>())
        .prop_map(|(params, salt, output, whole_n)| {
            let (ln, r, p) = (params.log_n(), params.r(), params.p());
            // N itself has 32 bits.
            let n = 1_u32.checked_shl(ln.into()).filter(|_| whole_n);
            let n = n.map_or_else(|| format!("ln={ln}"), |n| format!("n={n}"));
            format!("$scrypt${n},r={r},p={p}${}${}", base64(&salt, STANDARD), base64(&output, STANDARD))
        })
        .boxed()
}

/// Hashes of other software, with any salt, cost and output.
fn any_hash_of_other_software() -> BoxedStrategy<String> {
    prop_oneof![
        any_aspnet(),
        any_digest(),
        any_django(),
        any_foreign_pbkdf2(),
        any_foreign_scrypt(),
        any_bcrypt_of_a_digest(),
        any_prepared(),
    ]
    .boxed()
}

/// Hashes of passwords that a site prepared.
fn any_prepared() -> BoxedStrategy<String> {
    let preparations = "(md5-hex|sha1-hex|sha256-base64|pepper-(ap|pre)pend,k=[a-z0-9-]{1,32})";
    let inner = prop_oneof![any_bcrypt(), any_crypt(), any_digest(), any_django()];
    (preparations, inner)
        .prop_map(|(preparation, inner)| format!("$saltern-prep$v=1,p={preparation}${inner}"))
        .boxed()
}

fn any_aspnet() -> BoxedStrategy<String> {
    let v2 = vec(any::<u8>(), 48).prop_map(|rest| padded(&[&[0], &rest[..]].concat()));
    let v3 = (0..3_u32, 1..=u32::MAX, 16..200_u32, 16..200_usize, vec(any::<u8>(), 400)).prop_map(
        |(function, iterations, salt, output, bytes)| {
            let numbers = [function, iterations, salt].map(u32::to_be_bytes);
            let rest = &bytes[..usize::try_from(salt).unwrap() + output];
            padded(&[&[1], numbers.as_flattened(), rest].concat())
        },
    );
    prop_oneof![v2, v3].boxed()
}

/// Digests of directories, Spring Security and Django.
fn any_digest() -> BoxedStrategy<String> {
    let lengths = [("MD5", 16), ("SHA", 20), ("SHA256", 32), ("SHA384", 48), ("SHA512", 64)];
    let unsalted = (select(lengths.to_vec()), vec(any::<u8>(), 64), any::<bool>()).prop_map(
        |((name, length), bytes, lower)| format!("{{{}}}{}", cased(name, lower), padded(&bytes[..length])),
    );
    let lengths = [("SMD5", 16), ("SSHA", 20), ("SSHA256", 32), ("SSHA384", 48), ("SSHA512", 64)];
    let salted = (select(lengths.to_vec()), vec(any::<u8>(), 65..128), any::<bool>()).prop_map(
        |((name, length), bytes, lower)| {
            format!("{{{}}}{}", cased(name, lower), padded(&bytes[64 - length..]))
        },
    );
    let lengths = [("{MD5}{", "}", 16), ("{SHA-1}{", "}", 20), ("{SHA-256}{", "}", 32), ("md5$", "$", 16)];
    let lengths = [&lengths[..], &[("sha256$", "$", 32), ("sha512$", "$", 64)]].concat();
    let hexadecimal = (select(lengths), any_text_salt(), vec(any::<u8>(), 64)).prop_map(
        |((head, middle, length), salt, bytes)| format!("{head}{salt}{middle}{}", hex(&bytes[..length])),
    );
    let repeated = vec(any::<u8>(), 40).prop_map(|bytes| format!("{{sha256}}{}", hex(&bytes)));
    let labels =
        [("{SHA1}", 20), ("{LDAP-MD5}", 16), ("{SHA256.B64}", 32), ("{ldap}{SSHA}", 28), ("{ldap}{sha}", 20)];
    let labelled = (select(labels.to_vec()), vec(any::<u8>(), 64))
        .prop_map(|((label, length), bytes)| format!("{label}{}", padded(&bytes[..length])));
    let labels = [("{PLAIN-MD5}", 16), ("{SHA1.HEX}", 20), ("{SSHA256.HEX}", 36), ("{SMD5.HEX}", 20)];
    let in_hexadecimal = (select(labels.to_vec()), vec(any::<u8>(), 64))
        .prop_map(|((label, length), bytes)| format!("{label}{}", hex(&bytes[..length])));
    let nothing = vec(any::<u8>(), 20).prop_map(|bytes| format!("sha1$${}", hex(&bytes)));
    let mysql = vec(any::<u8>(), 20).prop_map(|bytes| format!("*{}", hex(&bytes).to_uppercase()));
    let others = prop_oneof![nothing, mysql, any_digest_of_a_template()];
    prop_oneof![unsalted, salted, labelled, in_hexadecimal, hexadecimal, repeated, others].boxed()
}

/// Digests of Kratos, whose template says what was hashed.
fn any_digest_of_a_template() -> BoxedStrategy<String> {
    let functions = select(&[("md5", 16), ("sha1", 20), ("sha256", 32), ("sha512", 64)][..]);
    let templates = "[a-z{}]{0,8}(\\{SALT\\}[-:{]?\\{PASSWORD\\}|\\{PASSWORD\\}\\{SALT\\})[A-Z{}]{0,8}";
    (functions, templates, vec(any::<u8>(), 1..64), vec(any::<u8>(), 64))
        .prop_map(|((function, length), template, salt, bytes)| {
            let [template, salt, output] = [template.as_bytes(), &salt, &bytes[..length]].map(padded);
            format!("${function}$pf={template}${salt}${output}")
        })
        .boxed()
}

fn any_django() -> BoxedStrategy<String> {
    let argon2 = any_argon2().prop_map(|inner| format!("argon2{inner}"));
    let bcrypt = any_bcrypt().prop_map(|inner| format!("bcrypt${inner}"));
    prop_oneof![argon2, bcrypt].boxed()
}

fn any_foreign_pbkdf2() -> BoxedStrategy<String> {
    let functions = [("sha1", 20), ("sha256", 32), ("sha512", 64)];
    let of_text =
        (select(functions.to_vec()), 1..=u32::MAX, any_text_salt(), vec(any::<u8>(), 64), any::<bool>());
    let of_text = of_text.prop_map(|((function, length), iterations, salt, bytes, django)| {
        let output = &bytes[..length];
        if django && function != "sha512" {
            format!("pbkdf2_{function}${iterations}${salt}${}", padded(output))
        } else {
            format!("pbkdf2:{function}:{iterations}${salt}${}", hex(output))
        }
    });
    let heads = [
        ("$pbkdf2$", 20),
        ("$pbkdf2-sha256$", 32),
        ("$pbkdf2-sha512$", 64),
        ("{PBKDF2}", 20),
        ("{PBKDF2-SHA1}", 20),
        ("{PBKDF2-SHA256}", 32),
        ("{PBKDF2-SHA512}", 64),
    ];
    let salt = vec(any::<u8>(), 1..300);
    let of_bytes = (select(heads.to_vec()), 1..=u32::MAX, salt, vec(any::<u8>(), 64), any::<bool>());
    let of_bytes = of_bytes.prop_map(|((head, length), iterations, salt, bytes, pads)| {
        let pads = pads && head.starts_with('{');
        let text = |bytes: &[u8]| if pads { padded(bytes) } else { base64(bytes, ADAPTED) };
        format!("{head}{iterations}${}${}", text(&salt), text(&bytes[..length]))
    });
    let grub = (1..=u32::MAX, vec(any::<u8>(), 1..200), vec(any::<u8>(), 10..200));
    let grub = grub.prop_map(|(iterations, salt, output)| {
        format!("grub.pbkdf2.sha512.{iterations}.{}.{}", hex(&salt), hex(&output)).to_uppercase()
    });
    let grub = grub.prop_map(|text| text.replace("GRUB.PBKDF2.SHA512", "grub.pbkdf2.sha512"));
    let fixed = vec(any::<u8>(), 48).prop_map(|bytes| format!("{{PKCS5S2}}{}", padded(&bytes)));
    let heads = [("{pbkdf2}", 40), ("{pbkdf2@SpringSecurity_v5_8}", 48)];
    let spring = (select(heads.to_vec()), vec(any::<u8>(), 48), any::<bool>());
    let spring = spring.prop_map(|((head, characters), bytes, in_hex)| {
        let bytes = &bytes[..characters];
        head.to_owned() + &if in_hex { hex(bytes) } else { padded(bytes) }
    });
    prop_oneof![of_text, of_bytes, grub, fixed, spring].boxed()
}

fn any_foreign_scrypt() -> BoxedStrategy<String> {
    let of_text = (any_scrypt_params(), any_text_salt(), vec(any::<u8>(), 64), any::<bool>());
    let of_text = of_text.prop_filter_map("N beyond 32 bits", |(params, salt, output, django)| {
        let (n, r, p) = (1_u32.checked_shl(params.log_n().into())?, params.r(), params.p());
        Some(if django {
            format!("scrypt${n}${salt}${r}${p}${}", padded(&output))
        } else {
            format!("scrypt:{n}:{r}:{p}${salt}${}", hex(&output))
        })
    });
    let labels = select(&["{scrypt}", "{scrypt@SpringSecurity_v5_8}"][..]);
    let spring =
        (labels, 1..=15_u32, 1..=255_u32, 1..=255_u32, vec(any::<u8>(), 1..200), vec(any::<u8>(), 32));
    let spring = spring.prop_map(|(label, log_n, r, p, salt, output)| {
        let costs = log_n << 16 | r << 8 | p;
        format!("{label}${costs:x}${}${}", padded(&salt), padded(&output))
    });
    let firebase = (1..=15_u32, 1..=255_u32, vec(any::<u8>(), 1..200), vec(any::<u8>(), 64));
    let firebase = firebase.prop_map(|(n, r, salt, output)| {
        format!("$fbscrypt$v=1,n={n},r={r},p=1${}${}", padded(&salt), padded(&output))
    });
    prop_oneof![of_text, spring, firebase].boxed()
}

fn any_bcrypt_of_a_digest() -> BoxedStrategy<String> {
    let wordpress = any_bcrypt().prop_map(|inner| format!("$wp$2y${}", &inner[4..]));
    let django = any_bcrypt().prop_map(|inner| format!("bcrypt_sha256${inner}"));
    let passlib = (any_bcrypt(), any::<bool>()).prop_map(|(inner, second)| {
        let (cost, salt, output) = (inner[4..6].parse::<u32>().unwrap(), &inner[7..28], &inner[29..]);
        // Four bits of the last character are not part of the salt.
        let last = &BCRYPT[BCRYPT.find(&inner[28..29]).unwrap() & !0b1111..][..1];
        let costs = if second { format!("v=2,t=2b,r={cost}") } else { format!("2a,{cost}") };
        format!("$bcrypt-sha256${costs}${salt}{last}${output}")
    });
    prop_oneof![wordpress, django, passlib].boxed()
}

/// A salt that is hashed as text.
fn any_text_salt() -> impl Strategy<Value = String> {
    "[!#-%'-z~]{1,64}".prop_map(|salt| salt.replace('$', "_"))
}

fn cased(name: &str, lower: bool) -> String {
    if lower { name.to_lowercase() } else { name.to_owned() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn any_params() -> impl Strategy<Value = Params> {
    let prf = select(&[pbkdf2::Prf::Sha1, pbkdf2::Prf::Sha256, pbkdf2::Prf::Sha512][..]);
    prop_oneof![
        any_argon2_params().prop_map(Params::Argon2),
        (bcrypt::MIN_COST..=bcrypt::MAX_COST)
            .prop_map(|cost| Params::Bcrypt(bcrypt::Params::new(cost).unwrap())),
        (prf, 1..=u32::MAX).prop_map(|(prf, i)| Params::Pbkdf2(pbkdf2::Params::new(prf, i).unwrap())),
        any_scrypt_params().prop_map(Params::Scrypt),
    ]
}

fn any_argon2_params() -> impl Strategy<Value = argon2::Params> {
    use argon2::{MAX_PARALLELISM, MIN_MEMORY_KIB_PER_LANE, Variant, Version};
    let variant = select(&[Variant::D, Variant::I, Variant::Id][..]);
    let version = select(&[Version::V16, Version::V19][..]);
    let parallelism = prop_oneof![1..17_u32, 1..=MAX_PARALLELISM];
    (variant, version, any::<u32>(), 1..=u32::MAX, parallelism).prop_map(
        |(variant, version, memory, passes, lanes)| {
            let memory = memory.max(lanes * MIN_MEMORY_KIB_PER_LANE);
            argon2::Params::new(variant, version, memory, passes, lanes).unwrap()
        },
    )
}

fn any_scrypt_params() -> impl Strategy<Value = scrypt::Params> {
    (1..=scrypt::MAX_LOG_N, 1..1_u32 << 15, 1..1_u32 << 15)
        .prop_filter_map("outside RFC 7914 §2", |(log_n, r, p)| scrypt::Params::new(log_n, r, p))
}

fn any_salt() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), saltern_encoded::MIN_SALT_BYTES..400)
}

fn any_output(least: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), least..300)
}

/// Unpadded Base64 by its definition, independent of the crate that is tested.
fn base64(bytes: &[u8], alphabet: &str) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let index = usize::try_from(bits >> (18 - 6 * place) & 0b11_1111).unwrap();
            write!(text, "{}", &alphabet[index..=index]).unwrap();
        }
    }
    text
}

/// The same, padded with equals signs to a multiple of four characters.
fn padded(bytes: &[u8]) -> String {
    let text = base64(bytes, STANDARD);
    let missing = text.len().next_multiple_of(4) - text.len();
    text + &"=".repeat(missing)
}

/// Random cases of each property. `SALTERN_RANDOM_CASES` sets more for a long run.
fn cases() -> u32 {
    env::var("SALTERN_RANDOM_CASES").map_or(RANDOM_CASES, |text| text.parse().unwrap())
}

const RANDOM_CASES: u32 = 512;

/// The names in the vectors for strings of another scheme behind a label.
const LABELLED: [&str; 6] =
    ["dovecot-argon2", "ldap-argon2", "ldap-crypt", "prepared", "spring-argon2", "spring-bcrypt"];

/// The schemes of new hashes.
const OF_NEW_HASHES: [&str; 4] = ["argon2", "bcrypt", "pbkdf2", "scrypt"];

const ADAPTED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./";
const STANDARD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CRYPT: &str = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BCRYPT: &str = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Beginnings of schemes, between spaces.
const SCHEMES: &str = "1 2a 2b 2y 2x 5 6 7 H P S U$S _ apr1 argon2d argon2i argon2id bcrypt bcrypt-sha256 \
    bcrypt_sha256 fbscrypt md5 md5,rounds=5 pbkdf2 pbkdf2-sha256 pbkdf2-sha512 pbkdf2_sha256 \
    saltern-prep$v=1,p=md5-hex sha256$pf=e1NBTFR9e1BBU1NXT1JEfQ== pbkdf2:sha256:1 scrypt \
    scrypt:2:8:1 sha1 sha256 sha512 SSHA SSHA.HEX ldap}{SSHA wp y {CRYPT}";

/// Characters of each class in the formats: separators, both alphabets, digits, similar characters,
/// blanks.
const CORRUPTIONS: &[char] = &[
    '$', ',', '=', '+', '-', '/', '.', '_', '0', '1', '4', '9', 'A', 'B', 'a', 'm', 'p', 't', 'v', 'z', ' ',
    '\n', '\0', 'ä', '４', '٤', '{', '}', ':',
];
