//! Measures the time from the start of the function to its first poll, and prints it.

use std::time::Duration;

use crate::{
    secrets::{Layer, SEAL_KEYS},
    support::{SOON, bootstrap, is_release},
};
use saltern_stubs::lambda::{Environment, RuntimeApi};

#[test]
fn the_function_starts_within_its_bound() {
    let bounds = Bounds { release: Duration::from_millis(20), debug: Duration::from_millis(500) };
    starts_within("start to first poll", &AS_ON_LAMBDA, bounds);
}

/// The stub of KMS answers without TLS and without a network.
#[test]
fn a_start_with_a_secret_stays_within_its_bound() {
    let layer = Layer::new("start");
    let bounds = Bounds { release: Duration::from_millis(60), debug: Duration::from_secs(2) };
    starts_within("start to first poll with a secret", &layer.variables(&SEAL_KEYS), bounds);
}

#[derive(Clone, Copy)]
struct Bounds {
    /// Of a release build on an idle machine.
    release: Duration,
    /// Of the best start of a debug build beside other tests. It only finds a function that waits or
    /// measures at its start.
    debug: Duration,
}

/// Starts the function several times.
fn starts_within(figure: &str, variables: &[(&str, &str)], bounds: Bounds) {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let api = RuntimeApi::start().unwrap();
            let environment = Environment::start(&bootstrap(), &api, variables).unwrap();
            api.first_poll(SOON).unwrap() - environment.started
        })
        .collect();
    times.sort_unstable();
    let (best, median, worst) = (times[0], times[RUNS / 2], times[RUNS - 1]);
    println!("{figure}: median {median:.2?}, best {best:.2?} and worst {worst:.2?} of {RUNS}");
    let (time, bound) = if is_release() { (median, bounds.release) } else { (best, bounds.debug) };
    assert!(time < bound, "{figure}: {time:?}, at most {bound:?}");
}

const RUNS: usize = 21;

/// With a region, the function sends to CloudWatch, and its extension registers before the first
/// poll.
const AS_ON_LAMBDA: [(&str, &str); 1] = [("AWS_REGION", "eu-north-1")];
