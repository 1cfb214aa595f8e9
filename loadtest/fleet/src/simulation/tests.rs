//! Compares the simulation with theory and with itself.

use super::*;
use crate::{arguments, demand::Capacity, number::ratio, plan::capacity};

/// Simulates a plan with these flags.
fn simulated(flags: &str) -> Outcome {
    run(&arguments::plan(flags).unwrap(), Durations::documented()).unwrap()
}

/// Simulates a plan with these flags. Also applies the formula to its busiest seconds.
fn with_formula(flags: &str) -> (Outcome, Capacity) {
    let outcome = simulated(flags);
    let formula = capacity(&arguments::plan(flags).unwrap(), outcome.requests.unwrap());
    (outcome, formula)
}

/// Returns the mean of the times of a hash, relative to their median.
fn mean_of_median() -> f64 {
    let mut random = Rng::with_seed(9);
    (0..10_000).map(|_| Spread::measured().draw(&mut random)).sum::<f64>() / 1e4
}

/// Logins a second, policy, median seconds. By Little's law the concurrency is the rate times the
/// duration.
const LITTLE: [(u32, &str, f64); 4] = [
    (10, "bcrypt-11", 0.164),
    (100, "bcrypt-12", 0.327),
    (3000, "bcrypt-11", 0.164),
    (3000, "argon2id-19456-2-1", 0.022),
];

#[test]
fn concurrency_is_rate_times_duration() {
    for (rate, policy, seconds) in LITTLE {
        let got = simulated(&format!("--rate={rate} --minutes=5 --policy={policy}")).mean_concurrency;
        let rate = f64::from(rate);
        let expected = rate * seconds * mean_of_median();
        // The standard error of 300 seconds.
        let tolerance = 0.01 + 3.0 / (rate * 300.0).sqrt();
        assert!((got / expected - 1.0).abs() < tolerance, "{rate} {policy}: {got} for {expected}");
    }
}

/// Quota of concurrency and logins a second under bcrypt-11. Some logins are throttled.
const LOSS: [(u64, u32); 4] = [(20, 100), (100, 600), (500, 3000), (500, 3300)];

/// Returns the share of requests that find all `servers` busy, if each request is served at once or
/// lost (Erlang's B formula). It does not depend on the distribution of durations.
fn erlang_b(servers: u64, erlangs: f64) -> f64 {
    (1..=servers).fold(1.0, |blocked, server| erlangs * blocked / (ratio(server, 1) + erlangs * blocked))
}

#[test]
fn the_throttled_share_follows_erlangs_formula() {
    for (quota, rate) in LOSS {
        // Only the first requests have a cold start, which the formula does not include.
        let flags = format!("--account-concurrency={quota} --rate={rate} --minutes=20");
        let outcome = simulated(&flags);
        let expected = erlang_b(quota, f64::from(rate) * 0.164 * mean_of_median());
        let got = ratio(outcome.throttled_logins, outcome.logins);
        assert!((got / expected - 1.0).abs() < 0.1, "{flags}: {got} for {expected}");
    }
}

/// Logins a second, policy, and the share that may spill over. With the provisioned concurrency of
/// the formula no login is throttled. With some hundred environments none waits for a cold start.
/// With fewer, chance makes a few logins wait.
const PREPARED: [(u64, &str, f64); 4] = [
    (3000, "bcrypt-11", 0.0),
    (3000, "bcrypt-12", 0.0),
    (20_000, "argon2id-19456-2-1", 0.0),
    (3000, "argon2id-19456-2-1", 0.001),
];

#[test]
fn the_provisioned_concurrency_of_the_formula_suffices() {
    for (rate, policy, may_spill) in PREPARED {
        let flags =
            format!("--policy={policy} --account-concurrency=3000 --stages=10:100,0:{rate},120:{rate}");
        let (_, formula) = with_formula(&flags);
        let totals = simulated(&format!("{flags} --provisioned={}", formula.provisioned)).series.totals;
        assert_eq!(totals.answered, totals.requested, "{flags}");
        let spilled = ratio(totals.spillover, totals.requested);
        assert!(spilled <= may_spill, "{flags}: {spilled}");
    }
}

#[test]
fn the_formula_uses_the_average_batch() {
    let flags = "--batch=4 --backends=20 --rate=3000 --minutes=2 --account-concurrency=3000";
    let (outcome, formula) = with_formula(flags);
    let environments = ratio(formula.environments, 1);
    assert!((outcome.mean_concurrency / environments - 1.0).abs() < 0.03, "{environments}");
    // The result of the formula suffices. The result for full batches does not.
    let spilled =
        |provisioned: u64| simulated(&format!("{flags} --provisioned={provisioned}")).series.totals.spillover;
    assert_eq!(spilled(formula.provisioned), 0);
    assert!(spilled(206) > 10_000);
}

#[test]
fn a_step_from_cold_is_throttled_and_a_rise_is_not() {
    let throttled = |stages: &str| {
        let flags = format!("--policy=bcrypt-12 --account-concurrency=3000 --stages={stages}");
        simulated(&flags).throttled_logins
    };
    assert!(throttled("30:3000") > 100);
    assert_eq!(throttled("1:0,30:3000,30:3000"), 0);
}

#[test]
fn the_same_plan_gives_the_same_evening() {
    let outcome = || {
        let outcome = simulated("--rate=500 --minutes=1");
        (outcome.logins, outcome.latencies.percentile(99), outcome.series.seconds)
    };
    assert_eq!(outcome(), outcome());
}

#[test]
fn batches_fill_at_a_high_rate_per_backend_and_a_lone_login_does_not_wait() {
    let of = |flags: &str| {
        let outcome = simulated(&format!("--minutes=1 --batch=4 {flags}"));
        let p50 = outcome.latencies.percentile(50).unwrap();
        (ratio(outcome.logins, outcome.series.totals.requested), p50)
    };
    let (logins_a_request, p50) = of("--rate=6000");
    assert!(logins_a_request > 3.9 && (191.8..194.0).contains(&p50), "{logins_a_request} {p50}");
    let (logins_a_request, p50) = of("--rate=1");
    assert!(logins_a_request < 1.01 && (163.5..165.0).contains(&p50), "{logins_a_request} {p50}");
    // With fifty backends too few logins reach each backend within two milliseconds.
    let (logins_a_request, _) = of("--rate=6000 --backends=50");
    assert!(logins_a_request < 1.5, "{logins_a_request}");
}

#[test]
fn the_cost_follows_from_the_run_time() {
    let outcome = simulated("--stages=100:1000");
    let million = outcome.series.totals.usd / ratio(outcome.logins, 1_000_000);
    // The list price of 164 ms, and a little for slower hashes and cold starts.
    assert!((3.97..4.15).contains(&million), "{million}");
    let idle = simulated("--provisioned=100 --stages=100:0").series;
    // A thousand seconds of a hundred environments.
    let expected = 100.0 * 1000.0 * 1769.0 / 1024.0 * 0.000_003_333_4;
    assert!((idle.totals.usd - expected).abs() < 1e-6, "{}", idle.totals.usd);
}

#[test]
fn hashes_beyond_the_service_are_refused() {
    let arguments = arguments::plan("--policy=bcrypt-20").unwrap();
    let refused = crate::plan::run(&arguments).unwrap_err().to_string();
    assert!(refused.contains("longest deadline"), "{refused}");
}
