//! An axis: its unit, its ends, and the places of its numbers. plotters draws it.

use std::ops::Range;

use plotters::coord::{
    combinators::{IntoLogRange as _, LogCoord},
    ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter},
    types::RangedCoordf64,
};
use time::OffsetDateTime;

use crate::number::exact;

/// An axis with its unit.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(crate) unit: String,
    scale: Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
    Elapsed,
    Clock { start: i64 },
}

impl Axis {
    /// Equal steps from zero.
    #[must_use]
    pub fn linear(unit: impl Into<String>) -> Self {
        Self { unit: unit.into(), scale: Scale::Linear }
    }

    /// Equal factors. A value that is not above zero leaves a gap.
    #[must_use]
    pub fn logarithmic(unit: impl Into<String>) -> Self {
        Self { unit: unit.into(), scale: Scale::Logarithmic }
    }

    /// Seconds since the start, written as minutes and seconds.
    #[must_use]
    pub fn elapsed() -> Self {
        Self { unit: "since the start".into(), scale: Scale::Elapsed }
    }

    /// Seconds since `start`, itself in seconds since 1970, written as the time of day in UTC.
    #[must_use]
    pub fn clock(start: i64) -> Self {
        Self { unit: "UTC".into(), scale: Scale::Clock { start } }
    }

    /// Returns whether the axis can show a value.
    pub(crate) fn holds(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Logarithmic || value > 0.0)
    }

    /// Returns an axis for these values. `None` without a value.
    pub(crate) fn fit(&self, values: impl Iterator<Item = f64>) -> Option<FittedAxis> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| self.holds(value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return None;
        }
        Some(match self.scale {
            Scale::Linear => linear(low.min(0.0), high),
            Scale::Logarithmic => logarithmic(low, high),
            Scale::Elapsed => time(low, high, 0, elapsed),
            Scale::Clock { start } => time(low, high, start, clock),
        })
    }
}

/// An axis with its ends and its numbers, for plotters.
#[derive(Clone)]
pub(crate) struct FittedAxis {
    ends: Range<f64>,
    is_logarithmic: bool,
    numbers: Vec<(f64, String)>,
}

impl FittedAxis {
    /// Returns the width of the widest number, in characters.
    pub(crate) fn widest(&self) -> usize {
        self.numbers.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0)
    }
}

impl Ranged for FittedAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        if self.is_logarithmic {
            LogCoord::from(self.ends.clone().log_scale()).map(value, limit)
        } else {
            RangedCoordf64::from(self.ends.clone()).map(value, limit)
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // plotters first requests the minor lines, of which this axis has none.
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.numbers.iter().map(|&(value, _)| value).collect()
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
    }
}

impl ValueFormatter<f64> for FittedAxis {
    fn format_ext(&self, value: &f64) -> String {
        let number = self.numbers.iter().find(|(at, _)| at.total_cmp(value).is_eq());
        number.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// Ends at a number, so that the highest value is below a line.
fn linear(low: f64, high: f64) -> FittedAxis {
    // If all values are equal, the axis still has a length.
    let high = if high > low { high } else { low + low.abs().max(1.0) };
    let points = RangedCoordf64::from(low..high).key_points(NUMBERS);
    let step = points.array_windows().map(|[one, next]| next - one).fold(high - low, f64::min);
    let first = (low / step).floor();
    let steps = ((high / step - ROUNDING).ceil() - first).clamp(1.0, MOST_STEPS);
    let decimals = (0..MOST_DECIMALS).find(|&decimals| {
        let scaled = (0..decimals).fold(step, |scaled, _| scaled * 10.0);
        (scaled - scaled.round()).abs() < ROUNDING * scaled.max(1.0)
    });
    let decimals = decimals.unwrap_or(MOST_DECIMALS);
    let values = (0_u32..).map(f64::from).take_while(|&at| at <= steps).map(|at| (first + at) * step);
    FittedAxis {
        ends: first * step..(first + steps) * step,
        is_logarithmic: false,
        numbers: values.map(|value| (value, exact(value, decimals))).collect(),
    }
}

/// Begins and ends at 1, 2 or 5 times a power of ten, and shows as many of these as fit.
fn logarithmic(low: f64, high: f64) -> FittedAxis {
    let decades = whole(low.log10().floor())..=whole(high.log10().ceil());
    let powers = decades.filter_map(|decade| Some((decade, 10_f64.powi(i32::try_from(decade).ok()?))));
    let ladder: Vec<_> = powers
        .flat_map(|(decade, power)| [1.0, 2.0, 5.0].map(|times| (times * power, times, decade)))
        .filter(|(value, ..)| value.is_finite())
        .collect();
    let start = ladder.iter().rposition(|&(value, ..)| value * (1.0 - ROUNDING) <= low).unwrap_or(0);
    let above = ladder.iter().position(|&(value, ..)| value * (1.0 + ROUNDING) >= high);
    let end = above.unwrap_or(ladder.len() - 1).max(start + 1).min(ladder.len() - 1);
    let mut shown = ladder[start..=end].to_vec();
    let ends = shown[0].0..shown[shown.len() - 1].0;
    if shown.len() > NUMBERS + 2 {
        shown.retain(|&(_, times, _)| times < 2.0);
        let every = shown.len().div_ceil(NUMBERS + 2);
        shown = shown.into_iter().step_by(every).collect();
    }
    let number = |(value, _, decade): (f64, f64, i64)| {
        let decimals = usize::try_from(-decade).unwrap_or(0);
        (value, exact(value, decimals))
    };
    FittedAxis { ends, is_logarithmic: true, numbers: shown.into_iter().map(number).collect() }
}

/// Is as long as the values, with numbers at whole steps of the clock.
fn time(low: f64, high: f64, start: i64, name: fn(i64, i64) -> String) -> FittedAxis {
    let high = if high > low { high } else { low + 1.0 };
    let (first, last) = (whole(low) + start, whole(high) + start);
    let fits = |step: &&i64| (last - first) / **step <= MOST_TIMES;
    let step =
        STEPS.iter().find(fits).copied().unwrap_or_else(|| ((last - first) / DAY / MOST_TIMES + 1) * DAY);
    let from = first.div_euclid(step) * step;
    let times = (0..=MOST_TIMES + 1).map(|at| from + at * step).filter(|at| (first..=last).contains(at));
    FittedAxis {
        ends: low..high,
        is_logarithmic: false,
        numbers: times.map(|at| (seconds(at - start), name(at, step))).collect(),
    }
}

fn elapsed(at: i64, _step: i64) -> String {
    let (hours, minutes, seconds) = (at / HOUR, at / MINUTE % 60, at % MINUTE);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Shows the date at the start of a day.
fn clock(at: i64, step: i64) -> String {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(at) else {
        return String::new();
    };
    let (hour, minute, second) = at.to_hms();
    if (hour, minute, second) == (0, 0, 0) {
        let month = at.month().to_string();
        format!("{} {}", at.day(), month.get(..3).unwrap_or(&month))
    } else if step < MINUTE {
        format!("{hour:02}:{minute:02}:{second:02}")
    } else {
        format!("{hour:02}:{minute:02}")
    }
}

#[allow(clippy::cast_possible_truncation, reason = "saturates; no axis is that long")]
fn whole(value: f64) -> i64 {
    value.clamp(-LONGEST, LONGEST).floor() as i64
}

#[allow(clippy::cast_precision_loss, reason = "at most LONGEST")]
fn seconds(whole: i64) -> f64 {
    whole as f64
}

/// The numbers of an axis, about.
const NUMBERS: usize = 5;

/// The most steps between the numbers of a time axis.
const MOST_TIMES: i64 = 5;

/// Seconds: ten thousand years.
const LONGEST: f64 = 3.2e11;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Seconds between two numbers of a time axis, up to half a day.
const STEPS: [i64; 17] =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200];

/// The relative rounding error.
const ROUNDING: f64 = 1e-9;

const MOST_DECIMALS: usize = 9;

/// More than any axis needs. It ends an axis whose step is too small to change the value.
const MOST_STEPS: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(axis: &Axis, values: &[f64]) -> Vec<String> {
        let fitted = axis.fit(values.iter().copied()).unwrap();
        fitted.numbers.iter().map(|(_, text)| text.clone()).collect()
    }

    #[test]
    fn linear_numbers_are_round_and_enclose_the_values() {
        assert_eq!(numbers(&Axis::linear("ms"), &[17.0, 212.0]), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(numbers(&Axis::linear("rps"), &[3000.0]), ["0", "1,000", "2,000", "3,000"]);
        assert_eq!(numbers(&Axis::linear("usd"), &[0.031]), ["0.00", "0.01", "0.02", "0.03", "0.04"]);
        assert_eq!(numbers(&Axis::linear("errors"), &[0.0, 0.0]).first().unwrap(), "0.0");
        let fitted = Axis::linear("ms").fit([100.0, 130.0].into_iter()).unwrap();
        assert_eq!(fitted.ends, 0.0..150.0);
    }

    #[test]
    fn logarithmic_numbers_are_ones_twos_and_fives() {
        let numbers = |values: [f64; 2]| numbers(&Axis::logarithmic("ms"), &values);
        assert_eq!(numbers([14.0, 430.0]), ["10", "20", "50", "100", "200", "500"]);
        assert_eq!(numbers([0.02, 9_000.0]), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(numbers([100.0, 100.0]), ["100", "200"]);
    }

    #[test]
    fn times_are_at_whole_steps_of_the_clock() {
        assert_eq!(
            numbers(&Axis::elapsed(), &[0.0, 150.0]),
            ["0:00", "0:30", "1:00", "1:30", "2:00", "2:30"]
        );
        // 21 November 2026, 23:30 UTC.
        let evening = Axis::clock(1_795_303_800);
        assert_eq!(numbers(&evening, &[0.0, 5400.0]), ["23:30", "22 Nov", "00:30", "01:00"]);
        assert_eq!(numbers(&evening, &[0.0, 40.0]).first().unwrap(), "23:30:00");
        assert_eq!(numbers(&evening, &[0.0, 40.0 * 86_400.0]).len(), 5);
    }

    #[test]
    fn every_value_lies_within_its_axis() {
        let values = [1e-9_f64, 0.3, 1.0, 2.0, 7.5, 99.0, 1e6, 1e12];
        for axis in [Axis::linear(""), Axis::logarithmic(""), Axis::elapsed(), Axis::clock(0)] {
            for (low, high) in
                values.into_iter().flat_map(|one| values.map(|other| (one.min(other), one.max(other))))
            {
                let fitted = axis.fit([low, high].into_iter()).unwrap();
                let slack = fitted.ends.end * 1e-6;
                assert!(
                    fitted.ends.start <= low + slack && fitted.ends.end + slack >= high,
                    "{axis:?} {low} {high}"
                );
                assert!(fitted.numbers.len() <= 10, "{axis:?} {low} {high}");
            }
        }
    }

    #[test]
    fn without_values_there_is_no_axis() {
        assert!(Axis::linear("").fit([f64::NAN].into_iter()).is_none());
    }
}
