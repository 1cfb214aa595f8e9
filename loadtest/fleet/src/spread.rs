//! The distribution of the time of a hash around its median: measured once with the real kernel,
//! then sampled.

use core::num::NonZeroUsize;
use std::{
    io,
    sync::LazyLock,
    time::{Duration, Instant},
};

use saltern_algorithm::{Password, Pool, PoolSettings, Work};
use saltern_meter::{Machine, Others, children_time, process_time, quantile};
use saltern_policy::Policies;
use serde::{Deserialize, Serialize};

use crate::{arguments::SpreadArguments, documents, progress::progress, random::Random};
use saltern_program::{Failure, say};

/// The times of a hash divided by their median.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Spread {
    about: String,
    command: String,
    policy: String,
    machine: String,
    samples: usize,
    /// The share of other processes in all cores during the measurement.
    others_percent: f64,
    /// The percentiles 0 to 100.
    times_of_median: Vec<f64>,
}

impl Spread {
    /// Returns the committed measurement.
    #[expect(clippy::expect_used, reason = "the file is part of the build; a test reads it")]
    pub(crate) fn measured() -> &'static Self {
        static MEASURED: LazyLock<Spread> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../spread.json")).expect("spread.json is a spread")
        });
        &MEASURED
    }

    /// Returns the spread of measurements in any unit, relative to their median.
    pub(crate) fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let median = quantile(&samples, 0.5);
        Self::over(samples, median)
    }

    /// Returns the spread of measurements relative to `one`.
    pub(crate) fn over(mut samples: Vec<f64>, one: f64) -> Self {
        samples.sort_by(f64::total_cmp);
        let times_of_median =
            (0..=STEPS).map(|step| quantile(&samples, f64::from(step) / f64::from(STEPS)) / one);
        Self {
            about: ABOUT.to_owned(),
            command: String::new(),
            policy: String::new(),
            machine: String::new(),
            samples: samples.len(),
            others_percent: 0.0,
            times_of_median: times_of_median.collect(),
        }
    }

    /// Draws a time relative to the median.
    pub(crate) fn draw(&self, random: &mut Random) -> f64 {
        quantile(&self.times_of_median, random.unit())
    }
}

/// `saltern-fleet spread`: measures the spread on this machine.
pub(crate) fn measure(arguments: &SpreadArguments) -> Result<(), Failure> {
    let policies = documents::policies(Some(&arguments.policies))?;
    let others = others_until_now()?;
    let milliseconds = time_hashes(&policies, &arguments.policy, arguments.samples)?;
    let mut sorted = milliseconds.clone();
    sorted.sort_by(f64::total_cmp);
    let spread = Spread {
        command: format!(
            "saltern-fleet spread --policies {} --policy {} --samples {}",
            arguments.policies.display(),
            arguments.policy,
            arguments.samples
        ),
        policy: arguments.policy.clone(),
        machine: Machine::this().cpu,
        others_percent: (share_of_others(&others)? * 1000.0).round() / 10.0,
        ..Spread::of(milliseconds)
    };
    let text = serde_json::to_string_pretty(&spread).map_err(|error| Failure::system(error.to_string()))?;
    say(&format!("{text}\n"))?;
    let median = quantile(&sorted, 0.5);
    progress(&format!("median {median:.1} ms; others took {} % of the cores", spread.others_percent));
    Ok(())
}

/// Returns the CPU milliseconds of `samples` hashes, computed in sequence. This process does
/// nothing else meanwhile.
fn time_hashes(policies: &Policies, policy: &str, samples: usize) -> Result<Vec<f64>, Failure> {
    let pool = Pool::start(&PoolSettings::new(NonZeroUsize::MIN))
        .map_err(|error| Failure::system(format!("no thread can be started for hashing ({error})")))?;
    let password =
        Password::new(b"how long does it take").map_err(|error| Failure::system(error.to_string()))?;
    let mut milliseconds = Vec::with_capacity(samples);
    // The first hash of a process has cold caches and is left out.
    for _ in 0..=samples {
        let new = policies.admit_new(Some(policy), &password).map_err(|_| {
            Failure::configuration(format!("--policy {policy} makes no hashes: choose an active policy"))
        })?;
        let deadline = Instant::now() + LONGEST;
        let work = Work::new(new.admitted().clone(), password.clone(), deadline);
        let before = process_time();
        let done = pool.submit(work).ok().and_then(|ticket| ticket.wait().ok());
        let done = done.ok_or_else(|| Failure::system("a hash was not computed"))?;
        drop(done);
        milliseconds.push(process_time().saturating_sub(before).as_secs_f64() * 1e3);
    }
    milliseconds.remove(0);
    Ok(milliseconds)
}

/// Begins to measure the share of other programs.
pub(crate) fn others_until_now() -> Result<Others, Failure> {
    own_time().and_then(Others::until_now).map_err(|error| unreadable(&error))
}

/// Returns the share of all cores that other programs have taken since then.
pub(crate) fn share_of_others(since: &Others) -> Result<f64, Failure> {
    own_time().and_then(|own| since.share_since(own)).map_err(|error| unreadable(&error))
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::system(format!("/proc cannot be read ({error})"))
}

/// Returns the CPU time of this process and of its ended children.
fn own_time() -> io::Result<Duration> {
    Ok(process_time() + children_time()?)
}

/// The deadline of a hash.
const LONGEST: Duration = Duration::from_mins(1);

const STEPS: u32 = 100;

const ABOUT: &str = "One hash's CPU time over the median: the least, what a hundredth of all samples are below, two hundredths, and so on to the most. What neighbours take of a core is not in it, here or on Lambda.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_spread_has_a_median_of_one_and_is_drawn_with_its_distribution() {
        let spread = Spread::measured();
        assert!(spread.samples >= 200 && !spread.command.is_empty());
        assert!((quantile(&spread.times_of_median, 0.5) - 1.0).abs() < 1e-9);
        assert!(spread.times_of_median.is_sorted());
        let mut random = Random::new(3);
        let mut drawn: Vec<f64> = (0..20_000).map(|_| spread.draw(&mut random)).collect();
        drawn.sort_by(f64::total_cmp);
        for part in [0.1, 0.5, 0.9] {
            let (got, wanted) = (quantile(&drawn, part), quantile(&spread.times_of_median, part));
            assert!((got / wanted - 1.0).abs() < 0.01, "{part}: {got}, {wanted}");
        }
    }

    #[test]
    fn the_time_of_an_ended_child_is_own_time() {
        let before = own_time().unwrap();
        let burn = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", burn]).status().unwrap().success());
        assert!(own_time().unwrap() >= before + Duration::from_millis(50));
    }
}
