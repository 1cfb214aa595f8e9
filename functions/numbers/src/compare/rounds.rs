//! Interleaved measuring: rounds of A B C … C B A.
//!
//! The clock, the neighbours and the temperature of a machine drift. So contenders are not measured
//! one after the other, and each ratio is taken within one round.

use core::{fmt, hint::black_box};
use std::{thread, time::Duration};

use saltern_meter::{median, thread_time};
use serde::Serialize;

use saltern_page::Table;

/// One way of computing the same hashes.
pub(crate) struct Contender<'a> {
    /// The name in the table.
    pub(crate) name: String,
    /// The number of hashes that one call of `run` computes.
    pub(crate) at_once: usize,
    /// Computes the first `at_once` hashes of the measurement and returns their outputs.
    pub(crate) run: Box<dyn FnMut() -> Vec<Vec<u8>> + Send + 'a>,
}

/// The measurements of one setting.
#[derive(Clone, Serialize)]
pub(crate) struct Measurement {
    /// The setting in words.
    pub(crate) title: String,
    /// Rounds of A B C … C B A.
    pub(crate) rounds: usize,
    /// One for each contender; the first is the baseline.
    pub(crate) rows: Vec<Row>,
}

impl Measurement {
    /// Returns the figures of a contender.
    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Returns the measurement as a table.
    pub(crate) fn table(&self) -> Table {
        let cells = |row: &Row| {
            [
                row.name.clone(),
                row.at_once.to_string(),
                format!("{:.2}", row.call_ms),
                format!("{:.2}", row.hash_ms),
                format!("{:.3} ×", row.call_time_ratio),
                format!("{:.2} ×", row.hashes_per_core_ratio),
                format!("{:.2} ×", row.fastest_hashes_per_core_ratio),
            ]
        };
        let caption =
            format!("{}: medians of {} interleaved rounds, against the first row", self.title, self.rounds);
        Table::new(caption)
            .words("")
            .numbers_each(["at once", "call ms", "hash ms", "call time", "hashes/core", "by fastest"])
            .rows(self.rows.iter().map(cells))
    }
}

/// The figures of a contender. Times are CPU time of the calling thread.
#[derive(Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) at_once: usize,
    /// Median time of a call, in milliseconds; each of its hashes takes that long.
    pub(crate) call_ms: f64,
    /// Median time divided by the hashes of a call, in milliseconds.
    pub(crate) hash_ms: f64,
    /// Median over the rounds: the time of a call, divided by the baseline's in the same round.
    pub(crate) call_time_ratio: f64,
    /// Median over the rounds: hashes per core, divided by the baseline's in the same round.
    pub(crate) hashes_per_core_ratio: f64,
    /// The same from the fastest call of each contender, which a busy machine distorts least.
    pub(crate) fastest_hashes_per_core_ratio: f64,
    /// Time of a call in each round, in milliseconds.
    pub(crate) call_ms_samples: Vec<f64>,
    /// Time of a call, divided by the baseline's, in each round.
    pub(crate) call_time_ratio_samples: Vec<f64>,
    /// Hashes per core, divided by the baseline's, in each round.
    pub(crate) hashes_per_core_ratio_samples: Vec<f64>,
}

/// Measures the contenders; the first is the baseline. Each contender must first compute
/// `expected`.
///
/// # Errors
/// [`WrongOutput`] if a contender computes another output: the time of a wrong output has no
/// meaning.
pub(crate) fn compare(
    title: String,
    expected: &[Vec<u8>],
    contenders: &mut [Contender<'_>],
    rounds: usize,
) -> Result<Measurement, WrongOutput> {
    compare_on_cores(title, expected, &mut [contenders], rounds)
}

/// The same on several cores, each with its own copy of the contenders. All cores run the same
/// contender at the same time, and share caches and memory. Times are means over the cores.
pub(crate) fn compare_on_cores(
    title: String,
    expected: &[Vec<u8>],
    cores: &mut [&mut [Contender<'_>]],
    rounds: usize,
) -> Result<Measurement, WrongOutput> {
    for contender in cores.iter_mut().flat_map(|contenders| contenders.iter_mut()) {
        if (contender.run)() != expected[..contender.at_once] {
            return Err(WrongOutput { contender: contender.name.clone() });
        }
    }
    let count = cores.first().map_or(0, |contenders| contenders.len());
    let mut milliseconds = vec![Vec::with_capacity(rounds); count];
    let mut fastest = vec![Duration::MAX; count];
    for _ in 0..rounds {
        let mut times = vec![Duration::ZERO; count];
        for index in (0..count).chain((0..count).rev()) {
            let time = mean_time(cores, index);
            times[index] += time;
            fastest[index] = fastest[index].min(time);
        }
        for (all, time) in milliseconds.iter_mut().zip(times) {
            all.push(time.as_secs_f64() * 1000.0 / RUNS_A_ROUND);
        }
    }
    let contenders: &[Contender<'_>] = cores.first().map_or(&[], |contenders| contenders);
    let rows =
        contenders.iter().zip(&milliseconds).zip(&fastest).map(|((contender, calls), fastest_call)| {
            let hashes = hashes_of(contender);
            let baseline_hashes = hashes_of(&contenders[0]);
            let ratios: Vec<f64> =
                calls.iter().zip(&milliseconds[0]).map(|(call, base)| call / base).collect();
            let call_ms = median(calls);
            let call_time_ratio = median(&ratios);
            let gain = hashes / baseline_hashes;
            Row {
                name: contender.name.clone(),
                at_once: contender.at_once,
                call_ms,
                hash_ms: call_ms / hashes,
                call_time_ratio,
                hashes_per_core_ratio: gain / call_time_ratio,
                fastest_hashes_per_core_ratio: gain * fastest[0].div_duration_f64(*fastest_call),
                call_ms_samples: calls.clone(),
                hashes_per_core_ratio_samples: ratios.iter().map(|ratio| gain / ratio).collect(),
                call_time_ratio_samples: ratios,
            }
        });
    Ok(Measurement { title, rounds, rows: rows.collect() })
}

fn hashes_of(contender: &Contender<'_>) -> f64 {
    f64::from(u32::try_from(contender.at_once).unwrap_or(u32::MAX))
}

/// Runs a contender on all cores at the same time. Returns the mean of its times.
fn mean_time(cores: &mut [&mut [Contender<'_>]], index: usize) -> Duration {
    let count = u32::try_from(cores.len()).unwrap_or(u32::MAX);
    let Some((own, others)) = cores.split_first_mut() else { return Duration::ZERO };
    let total: Duration = thread::scope(|scope| {
        let others: Vec<_> = others
            .iter_mut()
            .map(|contenders| scope.spawn(move || thread_time_of(contenders, index)))
            .collect();
        let own = thread_time_of(own, index);
        others.into_iter().map(|other| other.join().expect("no contender panics")).sum::<Duration>() + own
    });
    total / count
}

/// Returns CPU time, not wall time: it excludes the time of other programs.
fn thread_time_of(contenders: &mut [Contender<'_>], index: usize) -> Duration {
    let start = thread_time();
    black_box((contenders[index].run)());
    thread_time().saturating_sub(start)
}

/// Each round runs every contender twice: A B C, then C B A.
const RUNS_A_ROUND: f64 = 2.0;

/// A contender computed another output than the others.
#[derive(Debug)]
pub(crate) struct WrongOutput {
    contender: String,
}

impl fmt::Display for WrongOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} computes another output than the others", self.contender)
    }
}

impl core::error::Error for WrongOutput {}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_contender_with_a_wrong_output_is_an_error() {
        let right = || Contender { name: "right".into(), at_once: 1, run: Box::new(|| vec![vec![1]]) };
        let wrong = Contender { name: "wrong".into(), at_once: 1, run: Box::new(|| vec![vec![2]]) };
        assert!(compare(String::new(), &[vec![1]], &mut [right(), right()], 1).is_ok());
        assert!(compare(String::new(), &[vec![1]], &mut [right(), wrong], 1).is_err());
    }

    #[test]
    fn all_cores_run_at_the_same_time() {
        let (entered, alone) = (AtomicUsize::new(0), AtomicBool::new(false));
        let meets = || {
            let mut is_checked = false;
            let (entered, alone) = (&entered, &alone);
            let run = move || {
                // The first call checks the output, on one core after the other.
                if is_checked {
                    let both = (entered.fetch_add(1, Relaxed) + 1).next_multiple_of(2);
                    let began = Instant::now();
                    while entered.load(Relaxed) < both && began.elapsed() < TO_MEET {
                        thread::yield_now();
                    }
                    alone.fetch_or(entered.load(Relaxed) < both, Relaxed);
                }
                is_checked = true;
                vec![vec![1]]
            };
            Contender { name: String::new(), at_once: 1, run: Box::new(run) }
        };
        let (mut one, mut other) = ([meets(), meets()], [meets(), meets()]);
        let cores: &mut [&mut [Contender<'_>]] = &mut [&mut one, &mut other];
        let measurement = compare_on_cores(String::new(), &[vec![1]], cores, 3).unwrap();
        assert!(!alone.load(Relaxed));
        assert_eq!(measurement.rows.iter().map(|row| row.call_ms_samples.len()).collect::<Vec<_>>(), [3, 3]);
    }

    const TO_MEET: Duration = Duration::from_mins(1);
}
