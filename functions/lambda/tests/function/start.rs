//! Measures the time from the start of the function to its first poll, and prints it.

use std::time::Duration;

use crate::support::{SOON, bootstrap, is_release};
use saltern_stubs::lambda::{Environment, RuntimeApi};

#[test]
fn the_function_starts_within_its_bound() {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let api = RuntimeApi::start().unwrap();
            let environment = Environment::start(&bootstrap(), &api, &AS_ON_LAMBDA).unwrap();
            api.first_poll(SOON).unwrap() - environment.started
        })
        .collect();
    times.sort_unstable();
    let (median, worst) = (times[RUNS / 2], times[RUNS - 1]);
    println!("start to first poll: median {median:.2?}, worst of {RUNS} {worst:.2?}");
    let bound = if is_release() { BOUND } else { DEBUG_BOUND };
    assert!(median < bound, "start to first poll: {median:?}, at most {bound:?}");
}

const RUNS: usize = 21;

/// With a region, the function sends to CloudWatch, and its extension registers before the first
/// poll.
const AS_ON_LAMBDA: [(&str, &str); 1] = [("AWS_REGION", "eu-north-1")];

/// The bound of a release build on an idle machine.
const BOUND: Duration = Duration::from_millis(20);

/// The bound of a debug build beside other tests. It only finds a function that waits or measures
/// at its start.
const DEBUG_BOUND: Duration = Duration::from_millis(500);
