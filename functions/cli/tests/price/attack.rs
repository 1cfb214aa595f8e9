//! `attack.json`: its schema, its rules, and the figures that follow from it.

use std::{collections::BTreeSet, time::Duration};

use saltern_cli::price::{Attack, Basis, Guess};
use saltern_encoded::{Algorithm, Params, argon2, bcrypt, parse, pbkdf2, scrypt};
use serde_json::Value;

fn document() -> Value {
    serde_json::from_str(include_str!("../../src/price/attack.json")).unwrap()
}

fn argon2id(memory_kib: u32, passes: u32) -> Params {
    let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
    Params::Argon2(argon2::Params::new(variant, version, memory_kib, passes, 1).unwrap())
}

fn bcrypt(cost: u32) -> Params {
    Params::Bcrypt(bcrypt::Params::new(cost).unwrap())
}

fn pbkdf2(prf: pbkdf2::Prf, iterations: u32) -> Params {
    Params::Pbkdf2(pbkdf2::Params::new(prf, iterations).unwrap())
}

fn guess(params: Params) -> Guess<'static> {
    Attack::published().guess_of(params).unwrap()
}

#[test]
fn the_file_is_valid() {
    let schema = serde_json::from_str(include_str!("../../src/price/attack.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&document()).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    let mut wrong = document();
    wrong["rows"][0]["guesses_per_second"] = 0.into();
    assert!(!validator.is_valid(&wrong));
}

/// The price is of one device. A rule with a row of another device would have another price.
#[test]
fn every_rule_has_a_row_of_the_device_with_the_price() {
    let document = document();
    let rows = document["rows"].as_array().unwrap();
    let names: BTreeSet<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), rows.len(), "a name occurs twice");
    for rule in document["rules"].as_array().unwrap() {
        let row = rows.iter().find(|row| row["name"] == rule["row"]).unwrap();
        assert_eq!(row["device"], document["device_hour"]["device"], "{}", rule["row"]);
    }
}

#[test]
fn every_algorithm_has_a_rule_or_a_reason_for_none() {
    let document = document();
    let rules = document["rules"].as_array().unwrap();
    let listed = rules.iter().flat_map(|rule| rule["algorithms"].as_array().unwrap());
    let mut listed: Vec<_> = listed.map(|name| name.as_str().unwrap()).collect();
    let without = document["without_figure"].as_array().unwrap();
    listed.extend(without.iter().map(|entry| entry["algorithm"].as_str().unwrap()));
    let digests = ["md5", "sha1", "sha256", "sha384", "sha512"].map(|hash| format!("digest-{hash}"));
    // A digest has a rule for each function, and a wrapped hash those of its layers.
    let combined = [Algorithm::Digest, Algorithm::Wrapped];
    let algorithms = Algorithm::ALL.into_iter().filter(|algorithm| !combined.contains(algorithm));
    let mut wanted: Vec<_> = algorithms.map(Algorithm::name).collect();
    wanted.extend(digests.iter().map(String::as_str));
    listed.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(listed, wanted);
}

/// The rates per RTX 4090, computed apart from the code.
#[test]
fn the_rates_are_those_of_the_published_figures() {
    for (params, rate) in [
        (bcrypt(5), 184_000.0),
        (bcrypt(10), 5_750.0),
        (bcrypt(11), 2_875.0),
        (bcrypt(12), 1_437.5),
        (argon2id(65_536, 3), 1_667.0),
        (argon2id(65_536, 4), 1_667.0 * 8.0 / 11.0),
        (argon2id(19_456, 2), 1_667.0 * 65_536.0 * 8.0 / (19_456.0 * 5.0)),
        (argon2id(47_104, 1), 1_667.0 * 65_536.0 * 8.0 / (47_104.0 * 2.0)),
        (pbkdf2(pbkdf2::Prf::Sha256, 600_000), 8_865_700.0 * 999.0 / 600_000.0),
        (pbkdf2(pbkdf2::Prf::Sha512, 210_000), 3_120_900.0 * 999.0 / 210_000.0),
        (pbkdf2(pbkdf2::Prf::Sha1, 1_400_000), 2_533_300.0 * 8_192.0 / 1_400_000.0),
        (Params::Scrypt(scrypt::Params::new(17, 8, 1).unwrap()), 7_126.0 / 8.0),
    ] {
        let per_second = guess(params).per_second;
        assert!((per_second / rate - 1.0).abs() < 1e-9, "{params:?}: {per_second}, not {rate}");
    }
}

/// bcrypt-12 against OWASP's argon2id: the factor that the documents state.
#[test]
fn the_factors_and_prices_are_those_of_the_documents() {
    let factor = |one, other| guess(one).times_the_price_of(&guess(other));
    assert!((factor(bcrypt(12), argon2id(19_456, 2)) - 6.25).abs() < 0.005);
    assert!((factor(argon2id(65_536, 4), bcrypt(12)) - 1.186).abs() < 0.001);
    for (params, usd) in [
        (bcrypt(12), "58.0"),
        (argon2id(19_456, 2), "≈ 9.28"),
        (argon2id(65_536, 4), "≈ 68.7"),
        (pbkdf2(pbkdf2::Prf::Sha256, 600_000), "5.65"),
    ] {
        assert_eq!(guess(params).price_in_words(0.30), usd, "{params:?}");
        let twice = guess(params).usd_per_billion(0.60) / guess(params).usd_per_billion(0.30);
        assert!((twice - 2.0).abs() < 1e-12);
    }
}

#[test]
fn a_figure_names_its_row_and_says_whether_it_was_measured() {
    for (params, basis, source) in [
        (bcrypt(5), Basis::Measured, "measured: hashcat 3200, RTX 4090"),
        (bcrypt(12), Basis::Scaled, "scaled from cost 5: hashcat 3200, RTX 4090"),
        (argon2id(65_536, 3), Basis::Measured, "measured: hashcat 34000, RTX 4090"),
        // As much transfer as the row, but other parameters.
        (
            argon2id(104_858, 2),
            Basis::Approximate,
            "roughly scaled from m=65536 KiB, t=3, p=1: hashcat 34000, RTX 4090",
        ),
    ] {
        let guess = guess(params);
        assert_eq!((guess.basis, guess.source_in_words().as_str()), (basis, source));
    }
    assert_eq!(guess(bcrypt(12)).rate_in_words(), "1,438");
    assert_eq!(guess(argon2id(19_456, 2)).rate_in_words(), "≈ 8,984");
    let argon2i = argon2::Params::new(argon2::Variant::I, argon2::Version::V19, 65_536, 3, 1).unwrap();
    assert_eq!(guess(Params::Argon2(argon2i)).basis, Basis::Approximate);
}

#[test]
fn foreign_schemes_have_the_rate_of_their_algorithm() {
    let published = Attack::published();
    let stored = |text: &str| {
        let parsed = parse(text).unwrap();
        published
            .guess(parsed.setting())
            .map(|guess| (guess.per_second, guess.basis, guess.row.name.as_str()))
    };
    let sha = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";
    assert_eq!(stored(sha), Some((50_638_700_000.0, Basis::Bound, "sha1")));
    let crypt = format!("$6$rounds=5000$saltsalt${}", ".".repeat(86));
    assert_eq!(stored(&crypt), Some((7_483_400_000.0 / 5_000.0, Basis::Bound, "sha2-512")));
    assert_eq!(stored("ab01FAX.bQRSU"), None, "no figure of DES is at hand");
}

#[test]
fn a_bound_from_below_never_becomes_a_bound_from_above() {
    let price = |text: &str| {
        let parsed = parse(text).unwrap();
        Attack::published().guess(parsed.setting()).unwrap().price_in_words(0.27)
    };
    // 10^9 guesses take 0.02 s and 668 s.
    assert_eq!(price("{SHA}3EvVateGVQQa1aJk+74E1imN5KA="), "≥ 0.00");
    assert_eq!(price(&format!("$6$rounds=5000$saltsalt${}", ".".repeat(86))), "≥ 0.05");
    assert_eq!(guess(pbkdf2(pbkdf2::Prf::Sha256, 1_000)).price_in_words(0.27), "< 0.01");
}

/// The outer layer decides: an inner digest adds almost nothing.
#[test]
fn a_wrapped_hash_costs_both_layers() {
    let published = Attack::published();
    let inner = "{SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let outer = format!("$argon2id$v=19$m=65536,t=3,p=1${}${}", "A".repeat(22), "A".repeat(43));
    let wrapped = parse(&format!("$saltern-wrap{outer}${inner}")).unwrap();
    let per_second = published.guess(wrapped.setting()).unwrap().per_second;
    assert!(per_second < 1_667.0 && per_second > 1_666.9, "{per_second}");
    let slow = format!("$2b$12$abcdefghijklmnopqrstuu{}", ".".repeat(31));
    let wrapped = parse(&format!("$saltern-wrap{outer}${slow}")).unwrap();
    let per_second = published.guess(wrapped.setting()).unwrap().per_second;
    let both = 1.0 / (1.0 / 1_667.0 + 1.0 / 1_437.5);
    assert!((per_second / both - 1.0).abs() < 1e-9, "{per_second}");
}

#[test]
fn devices_try_a_list_on_as_many_accounts_as_their_time_allows() {
    let day = Duration::from_hours(24);
    let accounts = guess(bcrypt(5)).accounts_in(day, 100);
    // 184,000 × 86,400 × 100 / 10^9.
    assert!((accounts - 1_589.76).abs() < 1e-6, "{accounts}");
}
