//! Finds the last step of a ladder within a time, with few measurements.

/// The precision of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Enough to choose the next step to measure.
    Rough,
    /// Enough to decide about a step.
    Exact,
}

/// Returns the strongest step whose time is at most the target; `None` if even the weakest takes
/// longer.
///
/// `works` is the work of each step, ascending. `measure` returns the milliseconds of a step, or
/// `None` if the place of the measurement refuses it. A step is measured only if earlier
/// measurements predict a time within the target, or if it is the next step. So the time of the
/// whole search is bounded.
pub(super) fn strongest<E>(
    works: &[f64],
    target_ms: f64,
    mut measure: impl FnMut(usize, Care) -> Result<Option<f64>, E>,
) -> Result<Option<usize>, E> {
    let Some(mut at) = near(works, target_ms, &mut measure)? else { return Ok(None) };
    // Every step up to `fits` fits, and no step from `too_long`. `reach` is the last step within
    // the slope at `fits`.
    let (mut fits, mut reach, mut too_long) = (None, None, works.len());
    let mut was_refused = false;
    loop {
        let ms = measure(at, Care::Exact)?;
        let predicted = ms.and_then(|ms| last_within(works, target_ms / ms * works[at]));
        if ms.is_some_and(|ms| ms <= target_ms) {
            (fits, reach) = (Some(at), predicted);
        } else {
            too_long = at;
        }
        was_refused |= ms.is_none();
        let lowest = fits.map_or(0, |fits| fits + 1);
        // At the end of a cache, time is not proportional to work. So a step that fits predicts the
        // next one, and a step that does not fit predicts none.
        if lowest >= too_long || (fits.is_some() && reach <= fits) {
            return Ok(fits);
        }
        at = match predicted {
            Some(predicted) if !was_refused && (lowest..too_long).contains(&predicted) => predicted,
            // A slope predicts neither a refusal nor the end of a cache.
            _ => lowest.midpoint(too_long),
        };
    }
}

/// Finds a first step near the target, with rough measurements from the weakest step, each time at
/// most [`GROWTH`] times the work.
fn near<E>(
    works: &[f64],
    target_ms: f64,
    measure: &mut impl FnMut(usize, Care) -> Result<Option<f64>, E>,
) -> Result<Option<usize>, E> {
    if works.is_empty() {
        return Ok(None);
    }
    let mut at = 0;
    loop {
        let Some(ms) = measure(at, Care::Rough)? else { return Ok(Some(at.saturating_sub(1))) };
        let next = last_within(works, works[at] * (target_ms / ms).min(GROWTH)).unwrap_or(0);
        // The last jump was small or too far, so the slope is precise here.
        if next <= at || works[next] / works[at] <= CLOSE {
            return Ok(Some(next));
        }
        at = next;
    }
}

fn last_within(works: &[f64], work: f64) -> Option<usize> {
    works.iter().rposition(|&of_step| of_step <= work)
}

/// The largest factor of work between two rough measurements, because a rough measurement is
/// imprecise.
const GROWTH: f64 = 16.0;

/// Within this factor, time is linear in the work.
const CLOSE: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Time over work.
    type Shape = fn(f64) -> f64;

    /// Steps of 5 %, from 1.
    fn works() -> Vec<f64> {
        (0..150).map(|step| 1.05_f64.powi(step)).collect()
    }

    /// Searches with `time` of the work as measurement. Returns the step, the number of exact
    /// measurements and the longest time.
    fn search(
        works: &[f64],
        target_ms: f64,
        time: impl Fn(f64) -> Option<f64>,
    ) -> (Option<usize>, usize, f64) {
        let (mut exact, mut longest) = (0, 0_f64);
        let found = strongest(works, target_ms, |at, care| {
            exact += usize::from(care == Care::Exact);
            let ms = time(works[at]);
            longest = longest.max(ms.unwrap_or(0.0));
            Ok::<_, ()>(ms)
        });
        (found.unwrap(), exact, longest)
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
                let (found, exact, longest) = search(&works, target_ms, |work| Some(time(work)));
                let (found, wanted) = (found.unwrap(), wanted.unwrap());
                // If time is not proportional to work, the search can miss the last step that fits.
                assert!(
                    found == wanted || (shape != "linear" && found + 1 == wanted),
                    "{shape}, {target_ms} ms"
                );
                assert!(exact <= 8, "{shape}, {target_ms} ms: {exact} measurements");
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
            let (found, exact, _) = search(&works, 250.0, noisy);
            let exactly = works.iter().rposition(|&work| 0.3 * work <= 250.0).unwrap();
            assert!(found.unwrap().abs_diff(exactly) <= 1, "{found:?} for {exactly}");
            assert!(exact <= 6, "{exact}");
        }
    }

    #[test]
    fn a_doubling_needs_one_exact_measurement() {
        let works: Vec<f64> = (4..=15).map(|cost| 2_f64.powi(cost)).collect();
        let (found, exact, longest) = search(&works, 250.0, |work| Some(work * 0.05));
        assert_eq!((found, exact), (Some(8), 1));
        assert!(longest <= 250.0);
    }

    #[test]
    fn the_ends_of_a_ladder_are_found() {
        let works = works();
        assert_eq!(search(&works, 5.0, |work| Some(6.0 * work)).0, None);
        assert_eq!(search(&works, 5.0, |work| Some(1e-6 * work)).0, Some(works.len() - 1));
        assert_eq!(search(&[], 5.0, Some).0, None);
    }

    #[test]
    fn a_refused_step_does_not_fit() {
        let works = works();
        let (found, exact, _) = search(&works, 250.0, |work| (work <= 100.0).then_some(0.3 * work));
        assert_eq!(found, works.iter().rposition(|&work| work <= 100.0));
        assert!(exact <= 8, "{exact}");
        assert_eq!(search(&works, 250.0, |_| None).0, None);
    }
}
