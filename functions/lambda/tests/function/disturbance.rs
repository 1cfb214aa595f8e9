//! Measures that sending does not slow down requests, even if CloudWatch fails. The tests print
//! their measurements.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::{
    metrics::{Document, started},
    support::{Function, Response, SOON, event, is_release},
};
use saltern_stubs::cloudwatch::{Behaviour, CloudWatch};
use saltern_stubs::lambda::Invocation;
use serde_json::{Value, json};

/// Functions take turns, so that other load on the machine affects all of them equally. Two of them
/// send nothing. The others send about every second instead of every thirty, one for each behaviour
/// of CloudWatch. The difference of the first two is the machine's noise, which is added to the
/// bounds.
#[test]
fn requests_are_not_slower_if_cloudwatch_fails() {
    let policies = Document::new(0);
    for mode in [&[][..], &[("AWS_LAMBDA_MAX_CONCURRENCY", "4")]] {
        let printing = |name| Arm::new(name, Some(Behaviour::Accepts), &policies, &[mode, PRINTED].concat());
        let mut arms = vec![printing("nothing sent"), printing("nothing sent again")];
        for (name, behaviour) in BEHAVIOURS {
            arms.push(Arm::new(name, behaviour, &policies, mode));
        }
        let are_undisturbed = |_| {
            for arm in &mut arms {
                arm.took.clear();
            }
            for _ in 0..rounds() {
                arms.iter_mut().for_each(Arm::request);
            }
            println!("{}", if mode.is_empty() { "classic Lambda" } else { "Managed Instance" });
            are_undisturbed(&arms)
        };
        // A busy machine may disturb one function more than the others.
        assert!((0..TRIALS).any(are_undisturbed), "the output has the times");
    }
}

fn are_undisturbed(arms: &[Arm]) -> bool {
    let ((p50, p99), (again_p50, again_p99)) = (arms[0].percentiles(), arms[1].percentiles());
    for arm in arms {
        let (own_p50, own_p99) = arm.percentiles();
        let ratio = own_p50.as_secs_f64() / p50.as_secs_f64();
        let (name, held) = (arm.name, arm.held);
        println!("{name:>20}: p50 {own_p50:.2?} ({ratio:.3} ×), p99 {own_p99:.2?}, held {held:.2?}");
    }
    let is_quiet = p99.max(again_p99) < p50 + BOUNDS.1 && p50.abs_diff(again_p50) < p50 / 50;
    if is_release() && !is_quiet {
        println!("NOT CHECKED with the strict bounds: the machine is too busy for reliable measurements");
    }
    let (p50_bound, p99_bound) = if is_release() && is_quiet { BOUNDS } else { COARSE_BOUNDS };
    let p50_most = p50.max(again_p50).mul_f64(p50_bound) + p50.abs_diff(again_p50);
    let p99_most = p99.max(again_p99) + p99_bound + p99.abs_diff(again_p99);
    println!("p50 at most {p50_most:.2?}, p99 at most {p99_most:.2?}");
    arms.iter().map(Arm::percentiles).all(|(p50, p99)| p50 < p50_most && p99 < p99_most)
}

#[test]
fn the_process_ends_within_the_time_that_lambda_gives() {
    let policies = Document::new(0);
    let bound = if is_release() { LAMBDA_WAITS.saturating_sub(KEPT_FOR_PRINTING) } else { DEBUG_END };
    for (name, behaviour) in BEHAVIOURS {
        for is_working in [false, true] {
            let working = if is_working { ", with a running request" } else { "" };
            let ends_in_time = |_| {
                let took = time_to_end(Arm::new(name, behaviour, &policies, &[]), is_working);
                println!("{name:>20}: ended after {took:.2?}{working}");
                took < bound
            };
            // A busy machine may take the processor away.
            assert!((0..TRIALS).any(ends_in_time), "{name}{working}");
        }
    }
}

fn time_to_end(mut arm: Arm, is_working: bool) -> Duration {
    arm.request();
    assert!(arm.function.api.is_idle(SOON));
    let _running = is_working.then(|| {
        let event = event("POST", "/hash", &json!({"password": "p", "policy": "slowest"}));
        let pending = arm.function.api.invoke(Invocation::new(event.to_string()));
        thread::sleep(RUNNING_WITHIN);
        pending
    });
    let terminated = Instant::now();
    arm.function.environment.terminate().unwrap();
    let output = arm.function.environment.wait(SOON).unwrap();
    assert!(output.status.success(), "{output:?}");
    terminated.elapsed()
}

#[test]
fn memory_does_not_grow_while_nothing_can_be_sent() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Throttles).unwrap();
    let function = started(&cloudwatch, &policies, &[]);
    // The first calls bring the SDK's code into memory, so they come before both measurements.
    let requests_until = |calls| {
        while !cloudwatch.has_calls(calls, Duration::ZERO) {
            assert!(function.api.is_idle(SOON));
            assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
        }
        resident_kib(function.environment.pid())
    };
    let (before, after) = (requests_until(2), requests_until(6));
    println!("resident after 2 refused calls {before} KiB, after 6 {after} KiB");
    assert!(after < before + 1_024, "{before} KiB, then {after} KiB");
}

/// A function and the times of its responses.
struct Arm {
    name: &'static str,
    function: Function,
    took: Vec<Duration>,
    /// The time in which Lambda would not have sent the next request.
    held: Duration,
    _cloudwatch: Option<CloudWatch>,
}

impl Arm {
    fn new(
        name: &'static str,
        behaviour: Option<Behaviour>,
        policies: &Document,
        more: &[(&str, &str)],
    ) -> Self {
        let cloudwatch = CloudWatch::start(behaviour.unwrap_or_default()).unwrap();
        let function = started(&cloudwatch, policies, more);
        let kept = behaviour.map(|_| cloudwatch);
        Self { name, function, took: Vec::new(), held: Duration::ZERO, _cloudwatch: kept }
    }

    fn request(&mut self) {
        let previous_response = Instant::now();
        assert!(self.function.api.is_idle(SOON));
        self.held += previous_response.elapsed();
        let event = event("POST", "/hash", &json!({"password": "p", "policy": "slow"}));
        let sent = Instant::now();
        let pending = self.function.api.invoke(Invocation::new(event.to_string()));
        let response = Response::of(&pending);
        self.took.push(sent.elapsed());
        assert_eq!(response.status, 200, "{response:?}");
    }

    /// Returns the median, and the median of the 99th percentiles of all blocks. So a single
    /// disturbance by the machine has no effect.
    fn percentiles(&self) -> (Duration, Duration) {
        let of_block = |block: &[Duration]| percentile(block, 99);
        let p99: Vec<_> = self.took.chunks(self.took.len() / BLOCKS).map(of_block).collect();
        (percentile(&self.took, 50), percentile(&p99, 50))
    }
}

fn percentile(durations: &[Duration], percent: usize) -> Duration {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) * percent / 100]
}

fn resident_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn rounds() -> usize {
    if is_release() { ROUNDS } else { DEBUG_ROUNDS }
}

/// `None` is an endpoint that refuses connections.
const BEHAVIOURS: [(&str, Option<Behaviour>); 5] = [
    ("accepted", Some(Behaviour::Accepts)),
    ("throttled", Some(Behaviour::Throttles)),
    ("no response", Some(Behaviour::NeverResponds)),
    ("disconnected", Some(Behaviour::AcceptsAndDisconnects)),
    ("unreachable", None),
];

const PRINTED: &[(&str, &str)] = &[("SALTERN_DISTRIBUTIONS", "printed")];

/// A few seconds of work for each function, with several calls of CloudWatch.
const ROUNDS: usize = 300;
const DEBUG_ROUNDS: usize = 50;

const BLOCKS: usize = 5;

/// The best of so many trials counts.
const TRIALS: usize = 3;

/// The bounds of a release build on an idle machine: p50 within 5 %, p99 within 5 ms.
const BOUNDS: (f64, Duration) = (1.05, Duration::from_millis(5));

/// The bounds of a debug build beside other tests, or on a busy machine. They only find a request
/// that waits for a call.
const COARSE_BOUNDS: (f64, Duration) = (2.0, Duration::from_millis(250));

/// Lambda's time from SIGTERM to SIGKILL, for a process with an internal extension.
const LAMBDA_WAITS: Duration = Duration::from_millis(500);

/// The part of this time in which a function with a tenth of a core prints unsent distributions. A
/// whole core needs a millisecond or two.
const KEPT_FOR_PRINTING: Duration = Duration::from_millis(75);

/// The bound of a debug build beside other tests. It only finds an end that waits for something.
const DEBUG_END: Duration = Duration::from_secs(2);

/// The time from sending a request to the first instruction of the hash.
const RUNNING_WITHIN: Duration = Duration::from_millis(20);
