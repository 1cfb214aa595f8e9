//! Durations and prices compared with figures computed by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use saltern_capacity::{Architecture, Durations, Prices, Usage, gb_seconds, name_of, params_named};
use saltern_kernels::Kernels;
use serde_json::{Value, json};

/// The evenings of the load test have the capacity of the table. Its scripts repeat the numbers,
/// because bash reads no JSON.
#[test]
fn the_evenings_have_the_capacity_of_the_table() {
    let table: Value =
        serde_json::from_str(include_str!("../../../../infra/modules/password-hasher/capacity-table.json"))
            .unwrap();
    let rows = table["rows"].as_array().unwrap();
    let provisioned = |name: &str, batch: u64| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        assert_eq!((&row["logins_per_second"], &row["batch"]), (&json!(3000), &json!(batch)));
        row["expected"]["provisioned"].as_u64().unwrap()
    };
    let alone = provisioned("second wave, bcrypt-11 on arm64", 1);
    let in_fours = provisioned("second wave, bcrypt-11, batches of 4", 4);
    for (file, text, written) in [
        (
            "event",
            include_str!("../../../../loadtest/event"),
            format!("provisioned_alone=$(({alone} / part + 1))"),
        ),
        (
            "event",
            include_str!("../../../../loadtest/event"),
            format!("provisioned_in_fours=$(({in_fours} / part + 1))"),
        ),
        ("sustained", include_str!("../../../../loadtest/sustained"), format!("--provisioned {alone} >")),
        (
            "README.md",
            include_str!("../../../../loadtest/README.md"),
            format!("--rate 3000 --minutes 60 --provisioned {alone}\n"),
        ),
    ] {
        assert!(text.contains(&written), "loadtest/{file} does not have `{written}`");
    }
}

/// Parameters, architecture, memory, hashes, kernels: microseconds, and whether they are
/// extrapolated.
const DURATIONS: &[(&str, Architecture, u64, u64, Kernels, u128, bool)] = &[
    // Only cost 10 was measured on Lambda.
    ("bcrypt-10", Architecture::Arm64, 1769, 1, Kernels::Own, 82_000, false),
    ("bcrypt-11", Architecture::Arm64, 1769, 1, Kernels::Own, 164_000, true),
    ("bcrypt-11", Architecture::X86_64, 1769, 1, Kernels::Own, 145_000, true),
    // Two virtual CPUs do not make one hash faster. Half a virtual CPU doubles the time.
    ("bcrypt-11", Architecture::Arm64, 3538, 1, Kernels::Own, 164_000, true),
    ("bcrypt-10", Architecture::Arm64, 512, 1, Kernels::Own, 283_316, false),
    // A cost without a row has the time of the nearest row, doubled or halved for each step.
    ("bcrypt-13", Architecture::Arm64, 1769, 1, Kernels::Own, 654_000, true),
    ("bcrypt-9", Architecture::Arm64, 1769, 1, Kernels::Own, 41_000, true),
    ("pbkdf2-sha512-200000", Architecture::X86_64, 1769, 1, Kernels::Own, 108_000, true),
    // Batches: with a row, between two rows, above the last row, on two virtual CPUs, without
    // lanes.
    ("bcrypt-11", Architecture::Arm64, 1769, 4, Kernels::Own, 191_880, true),
    ("bcrypt-11", Architecture::Arm64, 1769, 8, Kernels::Own, 313_240, true),
    ("bcrypt-11", Architecture::Arm64, 1769, 3, Kernels::Own, 180_400, true),
    ("bcrypt-11", Architecture::Arm64, 1769, 12, Kernels::Own, 505_120, true),
    ("bcrypt-11", Architecture::Arm64, 3538, 8, Kernels::Own, 191_880, true),
    ("bcrypt-10", Architecture::Arm64, 1769, 4, Kernels::Own, 95_940, true),
    ("bcrypt-10", Architecture::Arm64, 1769, 4, Kernels::Crates, 328_000, false),
    ("bcrypt-11", Architecture::Arm64, 1769, 4, Kernels::Crates, 656_000, true),
    ("argon2id-19456-2-1", Architecture::Arm64, 1769, 4, Kernels::Own, 88_000, true),
];

#[test]
fn durations_follow_memory_batch_and_cost() {
    for &(name, architecture, memory_mb, hashes, kernels, microseconds, extrapolated) in DURATIONS {
        let params = params_named(name).unwrap();
        let planned =
            Durations::documented().batch(params, architecture, memory_mb, hashes, kernels).unwrap();
        assert_eq!(
            (planned.duration.as_micros(), planned.is_extrapolated),
            (microseconds, extrapolated),
            "{name} {architecture:?} {memory_mb} MB × {hashes} {kernels:?}"
        );
    }
}

#[test]
fn written_parameters_can_be_parsed() {
    for name in ["bcrypt-4", "bcrypt-31", "argon2id-19456-2-1", "pbkdf2-sha512-100000"] {
        assert_eq!(name_of(params_named(name).unwrap()), name);
    }
    for wrong in [
        "",
        "bcrypt",
        "bcrypt-",
        "bcrypt-3",
        "bcrypt-32",
        "bcrypt-11-2",
        "argon2id-19456-2",
        "scrypt-17",
        "pbkdf2-sha512-0",
    ] {
        assert!(params_named(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_figure_names_its_source() {
    for text in [
        include_str!("../../../../infra/modules/password-hasher/limits.json"),
        include_str!("../../../../infra/modules/password-hasher/prices.json"),
        include_str!("../../../../infra/modules/password-hasher/durations.json"),
    ] {
        let file: Value = serde_json::from_str(text).unwrap();
        let rows = ["policies", "batch_percent_of_one"].map(|table| file[table].as_object());
        let all = file.as_object().into_iter().chain(rows.into_iter().flatten()).flatten();
        let figures =
            all.filter(|(_, figure)| !figure["value"].is_null() || !figure["extrapolated"].is_null());
        let mut count = 0;
        for (name, figure) in figures {
            // A text, or the name of a text that several figures share.
            let source = figure["source"].as_str().unwrap();
            assert!(source.contains(' ') || file["sources"][source].is_string(), "{name}: {source}");
            count += 1;
        }
        assert!(count >= 9, "{count}");
    }
}

#[test]
fn another_file_of_durations_is_read_or_refused_with_a_reason() {
    let text = include_str!("../../../../infra/modules/password-hasher/durations.json");
    let own = text.replace("\"arm64_milliseconds\": 164", "\"arm64_milliseconds\": 171");
    let durations = Durations::read(&own).unwrap();
    let planned = durations.one(params_named("bcrypt-11").unwrap(), Architecture::Arm64, 1769).unwrap();
    assert_eq!(planned.duration, Duration::from_millis(171));
    let unknown = text.replace("\"bcrypt-11\"", "\"bcrypt-eleven\"");
    assert!(Durations::read(&unknown).unwrap_err().contains("bcrypt-eleven"));
    let batch = text.replace("\"1\": 100, \"2\": 103", "\"2\": 103");
    assert!(Durations::read(&batch).unwrap_err().contains("a batch of 1"));
    let faster = Durations::read(&text.replace("\"1\": 100, \"2\": 103", "\"1\": 100, \"3\": 90")).unwrap();
    let bcrypt = params_named("bcrypt-11").unwrap();
    let planned = faster.batch(bcrypt, Architecture::Arm64, 1769, 2, Kernels::Own).unwrap();
    assert_eq!(planned.duration.as_micros(), 155_800);
}

/// Architecture, memory, milliseconds, US dollars a million: computed from the list prices by hand.
const PER_MILLION: &[(Architecture, u64, u64, f64)] = &[
    (Architecture::Arm64, 1769, 250, 5.96),
    (Architecture::X86_64, 1769, 250, 7.40),
    (Architecture::Arm64, 1769, 164, 3.98),
    (Architecture::Arm64, 1769, 327, 7.73),
    (Architecture::X86_64, 1769, 290, 8.55),
];

#[test]
fn the_cost_of_a_million_logins_follows_the_list_prices() {
    let prices = Prices::listed();
    for &(architecture, memory_mb, milliseconds, usd) in PER_MILLION {
        let got = prices.usd_per_million(architecture, memory_mb, Duration::from_millis(milliseconds), 1);
        assert!((got - usd).abs() < 0.005, "{architecture:?} {milliseconds} ms: {got}");
    }
    let four = prices.usd_per_million(Architecture::Arm64, 1769, Duration::from_micros(191_880), 4);
    assert!((four - 1.156).abs() < 0.001, "{four}");
}

/// Provisioned concurrency held for an hour at 1,769 MB on arm64: US dollars.
const HELD: &[(f64, f64)] = &[(400.0, 8.29), (800.0, 16.58), (1000.0, 20.73)];

#[test]
fn the_cost_of_an_hour_of_provisioned_concurrency_follows_the_list_prices() {
    let hour = gb_seconds(1769, Duration::from_hours(1));
    for &(environments, usd) in HELD {
        let usage = Usage { provisioned_gb_seconds: environments * hour, ..Usage::default() };
        let got = Prices::listed().usd(Architecture::Arm64, &usage);
        assert!((got - usd).abs() < 0.005, "{environments}: {got}");
    }
    // An hour at 3,000 a second, a quarter of a second each, on 800 provisioned.
    let run = 3000.0 * 0.25 * hour;
    let usage = Usage {
        requests: 3000 * 3600,
        provisioned_gb_seconds: 800.0 * hour,
        provisioned_run_gb_seconds: run,
        ..Usage::default()
    };
    let got = Prices::listed().usd(Architecture::Arm64, &usage);
    assert!((got - 55.0).abs() < 0.05, "{got}");
}
