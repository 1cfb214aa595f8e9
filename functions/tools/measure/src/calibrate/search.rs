//! Finds the last step of a ladder within a time, with few measurements.

use crate::measure::Measured;
use saltern_server::Failure;

use super::bound::{Bound, Stop};

/// The strongest step within the target.
pub(super) struct Strongest {
    /// Its index.
    pub(super) at: usize,
    pub(super) one: Measured,
    /// The limit that the next step exceeds, if it was measured and exceeds one.
    pub(super) next_exceeds: Option<Bound>,
}

/// Returns the strongest step whose time is at most the target; `None` if even the weakest takes
/// longer.
///
/// `works` is the work of each step, ascending. The first step to be measured is the weakest. A
/// later step is measured only if an earlier one predicts a time within the target, or if it is
/// between a step that fits and one that does not. So the time of the whole search is bounded.
pub(super) fn strongest(
    works: &[f64],
    target_ms: f64,
    mut measure: impl FnMut(usize) -> Result<Measured, Stop>,
) -> Result<Option<Strongest>, Failure> {
    let (mut fits, mut exceeded) = (None, None);
    // Steps below `lowest` fit, and steps from `too_long` on do not.
    let (mut lowest, mut too_long, mut at) = (0, works.len(), 0);
    while lowest < too_long {
        let outcome = measure(at);
        // A slope predicts neither a refusal nor the end of a cache.
        let predicted = outcome.as_ref().ok().and_then(|one| {
            let growth = (target_ms / one.cpu_ms.median).min(GROWTH);
            works.iter().rposition(|work| *work <= growth * works[at])
        });
        match outcome {
            Ok(one) if one.cpu_ms.median <= target_ms => {
                fits = Some((at, one));
                // At the end of a cache, time is not proportional to work. So a step that fits
                // predicts the next one, and a step that does not fit predicts none.
                if predicted <= Some(at) {
                    break;
                }
                lowest = at + 1;
            }
            Ok(_) => (too_long, exceeded) = (at, None),
            Err(Stop::Limit(bound)) => (too_long, exceeded) = (at, Some(bound)),
            Err(Stop::Broken(failure)) => return Err(failure),
        }
        let between = lowest..too_long;
        at = predicted.filter(|at| between.contains(at)).unwrap_or(lowest.midpoint(too_long));
    }
    Ok(fits.map(|(at, one)| Strongest { at, one, next_exceeds: exceeded.filter(|_| too_long == at + 1) }))
}

/// The largest factor of work between two measurements: the slope of a short hash is imprecise.
const GROWTH: f64 = 16.0;

#[cfg(test)]
mod tests {
    use crate::measure::Spread;

    use super::*;

    /// Time over work.
    type Shape = fn(f64) -> f64;

    /// Steps of 5 %, from 1.
    fn works() -> Vec<f64> {
        (0..150).map(|step| 1.05_f64.powi(step)).collect()
    }

    /// Searches with `time` of the work as measurement. Returns the step, the number of
    /// measurements and the longest time.
    fn search(
        works: &[f64],
        target_ms: f64,
        time: impl Fn(f64) -> Option<f64>,
    ) -> (Option<usize>, usize, f64) {
        let (mut measurements, mut longest) = (0, 0_f64);
        let found = strongest(works, target_ms, |at| {
            measurements += 1;
            let ms = time(works[at]).ok_or(Stop::Limit(Bound::FunctionCeiling))?;
            longest = longest.max(ms);
            let ms = Spread::of(&[ms]);
            Ok(Measured { at_once: 1, wall_ms: ms, cpu_ms: ms })
        });
        let found = found.ok().flatten();
        // Only the step after the last one can exceed the limit.
        if let Some(found) = &found {
            let next = works.get(found.at + 1).map(|&work| time(work));
            assert_eq!(found.next_exceeds.is_some(), next == Some(None));
        }
        (found.map(|found| found.at), measurements, longest)
    }

    #[test]
    fn the_last_step_that_fits_is_found_with_few_measurements() {
        let works = works();
        let shapes: [(&str, Shape); 5] = [
            ("linear", |work| 0.3 * work),
            ("with a start", |work| 0.5 + 0.3 * work),
            ("slower beyond a cache", |work| if work < 200.0 { 0.2 * work } else { 0.33 * work }),
            ("much slower beyond a cache", |work| if work < 600.0 { 0.2 * work } else { 0.5 * work }),
            ("faster beyond a start", |work| 0.5 * work.powf(0.9)),
        ];
        for (shape, time) in shapes {
            for target_ms in [5.0, 37.0, 100.0, 250.0, 400.0] {
                let wanted = works.iter().rposition(|&work| time(work) <= target_ms);
                let (found, measurements, longest) = search(&works, target_ms, |work| Some(time(work)));
                let (found, wanted) = (found.unwrap(), wanted.unwrap());
                // If time is not proportional to work, the search can miss the last step that fits.
                assert!(
                    found == wanted || (shape != "linear" && found + 1 == wanted),
                    "{shape}, {target_ms} ms"
                );
                assert!(measurements <= 10, "{shape}, {target_ms} ms: {measurements} measurements");
                assert!(longest <= 3.0 * target_ms, "{shape}, {target_ms} ms: {longest} ms");
            }
        }
    }

    #[test]
    fn noise_changes_the_choice_by_at_most_one_step() {
        let works = works();
        for seed in 0..200_u32 {
            let count = std::cell::Cell::new(seed);
            let noisy = |work: f64| {
                // Knuth's multiplicative hash: between 98 and 102 %.
                count.set(count.get().wrapping_mul(2_654_435_761).wrapping_add(1));
                Some(0.3 * work * (0.98 + 0.04 * f64::from(count.get()) / f64::from(u32::MAX)))
            };
            let (found, measurements, _) = search(&works, 250.0, noisy);
            let exactly = works.iter().rposition(|&work| 0.3 * work <= 250.0).unwrap();
            assert!(found.unwrap().abs_diff(exactly) <= 1, "{found:?} for {exactly}");
            assert!(measurements <= 8, "{measurements}");
        }
    }

    #[test]
    fn the_ends_of_a_ladder_are_found() {
        let works = works();
        assert_eq!(search(&works, 5.0, |work| Some(6.0 * work)).0, None);
        assert_eq!(search(&works, 5.0, |work| Some(1e-6 * work)).0, Some(works.len() - 1));
        assert_eq!(search(&[], 5.0, Some).0, None);
        let doublings: Vec<f64> = (4..=15).map(|cost| 2_f64.powi(cost)).collect();
        assert_eq!(search(&doublings, 250.0, |work| Some(work * 0.05)), (Some(8), 3, 204.8));
    }

    #[test]
    fn a_refused_step_does_not_fit() {
        let works = works();
        let (found, measurements, _) = search(&works, 250.0, |work| (work <= 100.0).then_some(0.3 * work));
        assert_eq!(found, works.iter().rposition(|&work| work <= 100.0));
        assert!(measurements <= 10, "{measurements}");
        assert_eq!(search(&works, 250.0, |_| None).0, None);
    }
}
