//! How long the function takes from being started to its first poll. Prints what it measures.

use std::time::Duration;

use crate::support::{SOON, bootstrap, is_release};
use saltern_stubs::lambda::{Environment, RuntimeApi};

#[test]
fn the_first_poll_comes_soon() {
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

/// With a region the function sends to CloudWatch, and its extension registers first.
const AS_ON_LAMBDA: [(&str, &str); 1] = [("AWS_REGION", "eu-north-1")];

/// The project's: 20 ms, on an idle machine, in release.
const BOUND: Duration = Duration::from_millis(20);

/// A debug build beside other tests: only a hang or a calibration at start-up would take longer.
const DEBUG_BOUND: Duration = Duration::from_millis(500);
