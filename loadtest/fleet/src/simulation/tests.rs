//! Compares the simulation with theory, with itself and with the clock.

use saltern_capacity::{Architecture, Demand, params_named};
use saltern_meter::thread_time;

use super::*;
use crate::{
    function::{ManagedInstances, ProvisionedConcurrency},
    plan,
};

const ALONE: Client = Client { backends: 1, batch: 1, wait: Duration::ZERO };

fn constant(rate: f64, seconds: u64) -> Shape {
    Shape::constant(rate, Duration::from_secs(seconds))
}

fn scenario<'a>(function: &'a Function, policy: &str, shape: &'a Shape) -> Scenario<'a> {
    Scenario {
        function,
        durations: Durations::documented(),
        spread: Spread::measured(),
        params: params_named(policy).unwrap(),
        shape,
        client: ALONE,
        seed: 1,
        at_most: 20_000_000,
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn share(part: u64, of: u64) -> f64 {
    part as f64 / of as f64
}

/// Logins a second, policy, median seconds. By Little's law the concurrency is the rate times the
/// duration.
const LITTLE: &[(f64, &str, f64)] = &[
    (10.0, "bcrypt-11", 0.164),
    (100.0, "bcrypt-12", 0.327),
    (1500.0, "bcrypt-11", 0.164),
    (3000.0, "bcrypt-11", 0.164),
    (3000.0, "argon2id-19456-2-1", 0.022),
];

#[test]
fn concurrency_is_rate_times_duration() {
    for &(rate, policy, seconds) in LITTLE {
        let (function, shape) = (Function::unprepared(), constant(rate, 300));
        let scenario = scenario(&function, policy, &shape);
        let mean_of_median = {
            let mut random = Random::new(9);
            (0..10_000).map(|_| scenario.spread.draw(&mut random)).sum::<f64>() / 1e4
        };
        let outcome = run(&scenario).unwrap();
        let expected = rate * seconds * mean_of_median;
        // The standard error of 300 seconds.
        let tolerance = 0.01 + 3.0 / (rate * 300.0).sqrt();
        assert!(
            (outcome.mean_concurrency / expected - 1.0).abs() < tolerance,
            "{rate} {policy}: {} for {expected}",
            outcome.mean_concurrency
        );
    }
}

/// Reserved concurrency and logins a second under bcrypt-11. Some logins are throttled.
const LOSS: &[(u64, f64)] = &[(20, 100.0), (100, 600.0), (500, 3000.0), (500, 3300.0)];

/// Returns the share of requests that find all `servers` busy, if each request is served at once or
/// lost (Erlang's B formula). It does not depend on the distribution of durations.
fn erlang_b(servers: u64, erlangs: f64) -> f64 {
    (1..=servers).fold(1.0, |blocked, server| erlangs * blocked / (share(server, 1) + erlangs * blocked))
}

#[test]
fn the_throttled_share_follows_erlangs_formula() {
    for &(reserved, rate) in LOSS {
        // Without cold starts, which the formula does not include.
        let function = Function { reserved: Some(reserved), cold_start_ms: 0, ..Function::unprepared() };
        let shape = constant(rate, 1200);
        let outcome = run(&scenario(&function, "bcrypt-11", &shape)).unwrap();
        let mut random = Random::new(9);
        let mean = (0..10_000).map(|_| Spread::measured().draw(&mut random)).sum::<f64>() / 1e4;
        let expected = erlang_b(reserved, rate * 0.164 * mean);
        let got = share(outcome.throttled_logins, outcome.logins);
        assert!((got / expected - 1.0).abs() < 0.1, "{reserved} at {rate}/s: {got} for {expected}");
    }
}

/// Logins a second, policy, and the share that may spill over. With the provisioned concurrency of
/// the formula no login is throttled. With some hundred environments none waits for a cold start.
/// With fewer, chance makes a few logins wait.
const PREPARED: &[(f64, &str, f64)] = &[
    (1500.0, "bcrypt-11", 0.0),
    (3000.0, "bcrypt-11", 0.0),
    (3000.0, "bcrypt-12", 0.0),
    (20_000.0, "argon2id-19456-2-1", 0.0),
    (3000.0, "argon2id-19456-2-1", 0.001),
];

#[test]
fn the_provisioned_concurrency_of_the_formula_suffices() {
    for &(rate, policy, may_spill) in PREPARED {
        let params = params_named(policy).unwrap();
        let planned = Durations::documented().one(params, Architecture::Arm64, 1769).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and positive")]
        let demand = Demand {
            logins_per_second: rate as u64,
            per_request: planned.duration,
            batch: 1,
            account_concurrency: 3000,
        };
        let environments = demand.capacity(Limits::documented()).provisioned;
        let provisioned = Some(ProvisionedConcurrency { environments, asked_at_seconds: -900 });
        let function = Function { account_concurrency: 3000, provisioned, ..Function::unprepared() };
        let shape: Shape = format!("10:100,0:{rate},120:{rate}").parse().unwrap();
        let outcome = run(&scenario(&function, policy, &shape)).unwrap();
        let totals = &outcome.series.totals;
        assert_eq!(outcome.throttled_logins, 0, "{rate} {policy}");
        assert!(totals.cold_starts <= totals.spillover, "{rate} {policy}");
        let spilled = share(totals.spillover, totals.requested);
        assert!(spilled <= may_spill, "{rate} {policy}: {spilled}");
    }
}

#[test]
fn the_formula_uses_the_average_batch() {
    let client = Client { backends: 20, batch: 4, wait: Duration::from_millis(2) };
    let shape = constant(3000.0, 120);
    let plan = |provisioned: Option<u64>| {
        let provisioned =
            provisioned.map(|environments| ProvisionedConcurrency { environments, asked_at_seconds: -900 });
        let function = Function { provisioned, account_concurrency: 3000, ..Function::unprepared() };
        let scenario = Scenario { client, ..scenario(&function, "bcrypt-11", &shape) };
        let outcome = run(&scenario).unwrap();
        (plan::Formula::of(&scenario, outcome.requests.unwrap()), outcome)
    };
    let (formula, outcome) = plan(None);
    let environments = share(formula.environments(), 1);
    assert!((outcome.mean_concurrency / environments - 1.0).abs() < 0.03, "{environments}");
    // The result of the formula suffices. The result for full batches does not.
    assert_eq!(plan(Some(formula.provisioned())).1.series.totals.spillover, 0);
    let spilled = plan(Some(206)).1.series.totals.spillover;
    assert!(spilled > 10_000, "{spilled}");
}

#[test]
fn a_step_from_cold_is_throttled_and_a_rise_is_not() {
    let function = Function { account_concurrency: 3000, ..Function::unprepared() };
    let step: Shape = "30:3000".parse().unwrap();
    let rise: Shape = "1:0,30:3000,30:3000".parse().unwrap();
    let throttled = |shape: &Shape| {
        let outcome = run(&scenario(&function, "bcrypt-12", shape)).unwrap();
        outcome.throttled_logins
    };
    assert!(throttled(&step) > 100);
    assert_eq!(throttled(&rise), 0);
}

#[test]
fn the_same_seed_gives_the_same_evening() {
    let (function, shape) = (Function::unprepared(), constant(500.0, 30));
    let outcome = |seed| {
        let outcome = run(&Scenario { seed, ..scenario(&function, "bcrypt-11", &shape) }).unwrap();
        let seconds: Vec<_> =
            outcome.series.seconds.iter().map(|second| (second.requested, second.answered)).collect();
        (outcome.logins, outcome.latencies.percentile(99), seconds)
    };
    assert_eq!(outcome(5), outcome(5));
    assert_ne!(outcome(5), outcome(6));
}

#[test]
fn a_simulation_of_a_part_estimates_the_whole() {
    let function = Function { account_concurrency: 20_000, ..Function::unprepared() };
    let shape: Shape = "20:1000,60:20000,60:20000".parse().unwrap();
    let whole = run(&scenario(&function, "bcrypt-11", &shape)).unwrap();
    let part = run(&Scenario { at_most: 100_000, ..scenario(&function, "bcrypt-11", &shape) }).unwrap();
    assert_eq!((whole.scale, part.scale), (1, 19));
    let close = |what: &str, part: f64, whole: f64, within: f64| {
        assert!((part / whole - 1.0).abs() < within, "{what}: {part} for {whole}");
    };
    close("logins", share(part.logins * part.scale, 1), share(whole.logins, 1), 0.02);
    close("concurrency", part.mean_concurrency, whole.mean_concurrency, 0.02);
    // A smaller sample varies more.
    let most = share(part.series.totals.concurrency, whole.series.totals.concurrency);
    assert!((1.0..1.4).contains(&most), "{most}");
    close("cost", part.series.totals.usd, whole.series.totals.usd, 0.02);
    for percent in [50, 90] {
        close(
            "latency",
            part.latencies.percentile(percent).unwrap(),
            whole.latencies.percentile(percent).unwrap(),
            0.01,
        );
    }
}

#[test]
fn batches_fill_at_a_high_rate_per_backend_and_a_lone_login_does_not_wait() {
    let function = Function::unprepared();
    let client = Client { backends: 1, batch: 4, wait: Duration::from_millis(2) };
    let of = |rate: f64, client: Client| {
        let shape = constant(rate, 60);
        let outcome = run(&Scenario { client, ..scenario(&function, "bcrypt-11", &shape) }).unwrap();
        (share(outcome.logins, outcome.series.totals.requested), outcome.latencies.percentile(50).unwrap())
    };
    let (logins_a_request, p50) = of(6000.0, client);
    assert!(logins_a_request > 3.9, "{logins_a_request}");
    assert!((191.8..194.0).contains(&p50), "{p50}");
    let (logins_a_request, p50) = of(1.0, client);
    assert!(logins_a_request < 1.01, "{logins_a_request}");
    assert!((163.9..165.0).contains(&p50), "{p50}");
    // With fifty backends too few logins reach each backend within two milliseconds.
    let (logins_a_request, _) = of(6000.0, Client { backends: 50, ..client });
    assert!(logins_a_request < 1.5, "{logins_a_request}");
}

#[test]
fn requests_on_a_managed_instance_share_the_lanes_of_a_processor() {
    let managed = ManagedInstances { environments: 1, requests_at_once: 4, vcpus: 1, ec2_usd_per_hour: 0.0 };
    let function = Function { managed: Some(managed), ..Function::unprepared() };
    let busy = constant(100.0, 60);
    let outcome = run(&scenario(&function, "bcrypt-11", &busy)).unwrap();
    let answered = share(outcome.logins - outcome.throttled_logins, 60);
    // Four lanes take 117 % of the time of one hash: nearly 21 hashes a second instead of 6.
    assert!((18.0..21.0).contains(&answered), "{answered}");
    let p90 = outcome.latencies.percentile(90).unwrap();
    assert!((180.0..215.0).contains(&p90), "{p90}");
}

#[test]
fn the_cost_follows_from_the_run_time() {
    let (function, shape) = (Function::unprepared(), constant(1000.0, 100));
    let outcome = run(&scenario(&function, "bcrypt-11", &shape)).unwrap();
    let million = outcome.series.totals.usd / share(outcome.logins, 1_000_000);
    // The list price of 164 ms, and a little for slower hashes and cold starts.
    assert!((3.97..4.15).contains(&million), "{million}");
    let provisioned = Some(ProvisionedConcurrency { environments: 100, asked_at_seconds: -900 });
    let empty: Shape = "100:0".parse().unwrap();
    let idle = run(&scenario(&Function { provisioned, ..function }, "bcrypt-11", &empty)).unwrap();
    // A thousand seconds of a hundred environments.
    let expected = 100.0 * 1000.0 * 1769.0 / 1024.0 * 0.000_003_333_4;
    assert!((idle.series.totals.usd - expected).abs() < 1e-6, "{}", idle.series.totals.usd);
    let at_the_start = idle.series.seconds[0].usd;
    assert!((at_the_start - expected * 901.0 / 1000.0).abs() < 1e-6, "{at_the_start}");
}

#[test]
fn an_hour_at_3000_a_second_takes_seconds() {
    let (function, shape) = (Function::unprepared(), constant(3000.0, 3600));
    // CPU time, because other tests run at the same time. It is three seconds on a quick machine; a
    // simulation whose time is not linear in its length takes minutes.
    let began = thread_time();
    let outcome = run(&scenario(&function, "bcrypt-11", &shape)).unwrap();
    let took = thread_time().saturating_sub(began);
    assert_eq!((outcome.scale, outcome.series.seconds.len()), (1, 3601));
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_part_that_is_too_small_is_rejected() {
    let (function, shape) = (Function::unprepared(), constant(3000.0, 60));
    let of = |at_most| run(&Scenario { at_most, ..scenario(&function, "bcrypt-11", &shape) });
    let refused = of(8000).unwrap_err().to_string();
    assert!(refused.contains("write --at-most 9000"), "{refused}");
    let outcome = of(9000).unwrap();
    assert_eq!(outcome.scale, 20);
    assert!(outcome.series.totals.concurrency <= 1000, "{}", outcome.series.totals.concurrency);
}

#[test]
fn batches_of_a_part_are_rejected_with_too_few_backends() {
    let (function, shape) = (Function::unprepared(), constant(3000.0, 60));
    let client = Client { backends: 2, batch: 4, wait: Duration::from_millis(2) };
    let scenario = Scenario { client, at_most: 1000, ..scenario(&function, "bcrypt-11", &shape) };
    assert!(run(&scenario).unwrap_err().to_string().contains("--backends must be 180 or more"));
}
