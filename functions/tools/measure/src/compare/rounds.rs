//! Interleaved measuring: rounds of A B C … C B A.
//!
//! The clock, the neighbours and the temperature of a machine drift. So contenders are not measured
//! one after the other, and each ratio is taken within one round.

use core::{error::Error, hint::black_box};
use std::{thread, time::Duration};

use saltern_kernels::Output;
use saltern_page::Table;

use crate::measure::{Limit, median, thread_time};

/// One way of computing the same hashes.
pub(crate) struct Contender<'a> {
    /// The name in the table. Contenders that differ only in what follows a comma are variants.
    name: String,
    /// The number of hashes that one call computes.
    at_once: usize,
    run: Box<dyn FnMut() -> Option<Vec<Vec<u8>>> + Send + 'a>,
}

impl<'a> Contender<'a> {
    /// Another implementation, which computes the first hash.
    pub(crate) fn peer(
        name: impl Into<String>,
        mut run: impl FnMut() -> Option<Vec<u8>> + Send + 'a,
    ) -> Self {
        Self::many(name, 1, move || Some(vec![run()?]))
    }

    /// Another implementation, which computes the first `at_once` hashes.
    pub(crate) fn many(
        name: impl Into<String>,
        at_once: usize,
        run: impl FnMut() -> Option<Vec<Vec<u8>>> + Send + 'a,
    ) -> Self {
        Self { name: name.into(), at_once, run: Box::new(run) }
    }

    /// Saltern's code, which computes the first `at_once` hashes.
    pub(crate) fn own(
        name: impl Into<String>,
        at_once: usize,
        mut run: impl FnMut() -> Option<Vec<Output>> + Send + 'a,
    ) -> Self {
        let outputs = move || Some(run()?.iter().map(|output| output.expose().to_vec()).collect());
        Self::many(name, at_once, outputs)
    }

    /// Computes the hashes, and returns their number; `None` if the code fails.
    pub(crate) fn call(&mut self) -> Option<usize> {
        black_box((self.run)()).map(|outputs| outputs.len())
    }
}

/// The measurements of one setting.
pub(crate) struct Measurement {
    /// The setting, as the figures name it.
    pub(crate) setting: String,
    rows: Vec<Row>,
    /// What bounds the hashes, if its contender has a row.
    limit: Option<Limit>,
}

/// The times of a contender: CPU time of the calling thread, as a mean over the cores.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) at_once: usize,
    /// Time of a call in each round, in milliseconds; each of its hashes takes that long.
    call_ms_samples: Vec<f64>,
}

/// Measures the contenders. Each core has its own; all cores run the same contender at the same
/// time, and share caches and memory.
///
/// # Errors
/// If a contender fails, or computes another output than `expected`: the time of a wrong output has
/// no meaning.
pub(crate) fn measure(
    setting: impl Into<String>,
    expected: &[Vec<u8>],
    mut cores: Vec<Vec<Contender<'_>>>,
    rounds: usize,
) -> Result<Measurement, Box<dyn Error>> {
    for contender in cores.iter_mut().flatten() {
        if (contender.run)().is_none_or(|outputs| outputs != expected[..contender.at_once]) {
            return Err(format!("{} computes another output than the others", contender.name).into());
        }
    }
    let row = |contender: &Contender<'_>| Row {
        name: contender.name.clone(),
        at_once: contender.at_once,
        call_ms_samples: Vec::with_capacity(rounds),
    };
    let mut rows: Vec<_> = cores.first().into_iter().flatten().map(row).collect();
    for _ in 0..rounds {
        let mut twice_ms = vec![0.0; rows.len()];
        for index in (0..rows.len()).chain((0..rows.len()).rev()) {
            let time = mean_time(&mut cores, index).ok_or_else(|| format!("{} fails", rows[index].name))?;
            twice_ms[index] += time.as_secs_f64() * 1000.0;
        }
        for (row, twice_ms) in rows.iter_mut().zip(twice_ms) {
            row.call_ms_samples.push(twice_ms / 2.0);
        }
    }
    Ok(Measurement { setting: setting.into(), rows, limit: None })
}

/// Runs a contender on all cores at the same time. Returns the mean of its times; `None` if it fails.
fn mean_time(cores: &mut [Vec<Contender<'_>>], index: usize) -> Option<Duration> {
    let total: Option<Duration> = thread::scope(|scope| {
        let threads: Vec<_> =
            cores.iter_mut().map(|core| scope.spawn(|| thread_time_of(&mut core[index]))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no contender panics")).sum()
    });
    Some(total?.div_f64(count(cores.len())))
}

/// Returns CPU time, not wall time: it excludes the time of other programs.
fn thread_time_of(contender: &mut Contender<'_>) -> Option<Duration> {
    let start = thread_time();
    contender.call()?;
    Some(thread_time().saturating_sub(start))
}

impl Measurement {
    /// Shows each contender's distance from this limit, if a contender reaches it.
    pub(crate) fn with_limit(self, limit: Option<Limit>) -> Self {
        Self { limit, ..self }
    }

    /// Returns the fastest contender of this name, or of this name and a variant after a comma.
    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        let is_named = |row: &&Row| {
            let rest = row.name.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        };
        self.rows.iter().filter(is_named).min_by(|one, other| one.hash_ms().total_cmp(&other.hash_ms()))
    }

    /// Returns the measurement as a table, against the first row.
    pub(crate) fn table(&self) -> Table {
        let baseline = &self.rows[0];
        let limit = self.limit.and_then(|limit| Some((limit, self.row(&limit.contender())?.hash_ms())));
        let cells = |row: &Row| {
            let cells = [
                row.name.clone(),
                row.at_once.to_string(),
                format!("{:.2}", row.call_ms()),
                format!("{:.2}", row.hash_ms()),
                format!("{:.3} ×", median(&row.call_time_against(baseline))),
                format!("{:.2} ×", median(&row.hashes_per_core_against(baseline))),
            ];
            let figure = limit.map(|(limit, limit_ms)| limit.figure(row.hash_ms(), limit_ms));
            cells.into_iter().chain(figure).collect::<Vec<_>>()
        };
        let table = Table::new(format!("{}: against {}", self.setting, baseline.name))
            .words("")
            .numbers_each(["at once", "call ms", "hash ms", "call time", "hashes/core"]);
        let table = limit.into_iter().fold(table, |table, (limit, _)| table.numbers(limit.heading()));
        table.rows(self.rows.iter().map(cells))
    }
}

impl Row {
    /// Returns the median time of a call.
    fn call_ms(&self) -> f64 {
        median(&self.call_ms_samples)
    }

    /// Returns the median time of a call, divided by its hashes.
    pub(crate) fn hash_ms(&self) -> f64 {
        self.call_ms() / count(self.at_once)
    }

    /// Returns the time of a call, divided by the other's in the same round.
    pub(crate) fn call_time_against(&self, other: &Self) -> Vec<f64> {
        self.call_ms_samples.iter().zip(&other.call_ms_samples).map(|(own, other)| own / other).collect()
    }

    /// Returns the hashes per core, divided by the other's in the same round.
    pub(crate) fn hashes_per_core_against(&self, other: &Self) -> Vec<f64> {
        let hashes = count(self.at_once) / count(other.at_once);
        self.call_time_against(other).iter().map(|ratio| hashes / ratio).collect()
    }
}

/// Returns a count as a factor of ratios and rates.
pub(crate) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_contender_with_a_wrong_output_is_an_error() {
        let contender = |output: Option<u8>| Contender::peer("", move || output.map(|output| vec![output]));
        let measured = |other| {
            let contenders = vec![vec![contender(Some(1)), contender(other)]];
            measure("", &[vec![1]], contenders, 1).is_ok()
        };
        assert!(measured(Some(1)));
        assert!(!measured(Some(2)));
        assert!(!measured(None));
    }

    #[test]
    fn a_contender_that_fails_in_a_round_is_an_error() {
        let mut calls = 0;
        let contender = Contender::peer("", move || {
            calls += 1;
            (calls < 3).then(|| vec![1])
        });
        assert!(measure("", &[vec![1]], vec![vec![contender]], 1).is_err());
    }

    #[test]
    fn all_cores_run_at_the_same_time() {
        let (entered, alone) = (AtomicUsize::new(0), AtomicBool::new(false));
        let meets = || {
            let mut is_checked = false;
            let (entered, alone) = (&entered, &alone);
            Contender::peer("", move || {
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
                Some(vec![1])
            })
        };
        let cores = vec![vec![meets(), meets()], vec![meets(), meets()]];
        let measurement = measure("", &[vec![1]], cores, 3).unwrap();
        assert!(!alone.load(Relaxed));
        assert_eq!(measurement.rows.iter().map(|row| row.call_ms_samples.len()).collect::<Vec<_>>(), [3, 3]);
    }

    #[test]
    fn ratios_are_of_one_round_and_the_fastest_variant_has_the_name() {
        let row = |name: &str, at_once, samples: &[f64]| Row {
            name: name.to_owned(),
            at_once,
            call_ms_samples: samples.to_vec(),
        };
        let rows = vec![
            row("lib, slow", 1, &[9.0, 9.0]),
            row("lib, fast", 1, &[2.0, 4.0]),
            row("4 lanes", 4, &[4.0, 4.0]),
            row("library", 1, &[1.0, 1.0]),
        ];
        let measurement = Measurement { setting: String::new(), rows, limit: None };
        let (lib, lanes) = (measurement.row("lib").unwrap(), measurement.row("4 lanes").unwrap());
        assert_eq!(lib.name, "lib, fast");
        assert_eq!(lanes.call_time_against(lib), [2.0, 1.0]);
        assert_eq!(lanes.hashes_per_core_against(lib), [2.0, 4.0]);
        assert!(measurement.row("lanes").is_none());
    }

    const TO_MEET: Duration = Duration::from_mins(1);
}
