//! An axis: its unit, its ends, and the places of its numbers.

use std::ops::Range;

use plotters::coord::{
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
    from: Option<f64>,
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
        Self { unit: unit.into(), scale: Scale::Linear, from: Some(0.0) }
    }

    /// Equal factors. A value that is not above zero leaves a gap.
    #[must_use]
    pub fn logarithmic(unit: impl Into<String>) -> Self {
        Self { unit: unit.into(), scale: Scale::Logarithmic, from: None }
    }

    /// Seconds since the start, written as minutes and seconds.
    #[must_use]
    pub fn elapsed() -> Self {
        Self { unit: "since the start".into(), scale: Scale::Elapsed, from: None }
    }

    /// Seconds since `start`, itself in seconds since 1970, written as the time of day in UTC.
    #[must_use]
    pub fn clock(start: i64) -> Self {
        Self { unit: "UTC".into(), scale: Scale::Clock { start }, from: None }
    }

    /// Sets the start of a linear axis, in place of zero.
    #[must_use]
    pub fn from(self, from: f64) -> Self {
        Self { from: Some(from), ..self }
    }

    /// Returns whether the axis can show a value.
    pub(crate) fn holds(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Logarithmic || value > 0.0)
    }

    /// Returns an axis for these values, with about so many numbers. `None` without a value.
    pub(crate) fn fit(&self, values: impl Iterator<Item = f64>, numbers: usize) -> Option<FittedAxis> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| self.holds(value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return None;
        }
        low = self.from.map_or(low, |from| from.min(low));
        Some(match self.scale {
            Scale::Linear => linear(low, high, numbers),
            Scale::Logarithmic => logarithmic(low, high, numbers),
            Scale::Elapsed => time(low, high, numbers, 0, elapsed),
            Scale::Clock { start } => time(low, high, numbers, start, clock),
        })
    }
}

/// An axis with its ends and its numbers, for plotters.
#[derive(Clone)]
pub(crate) struct FittedAxis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    numbers: Vec<(f64, String)>,
}

impl FittedAxis {
    /// Returns the width of the widest number, in characters.
    pub(crate) fn widest(&self) -> usize {
        self.numbers.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0)
    }

    pub(crate) fn how_many(&self) -> usize {
        self.numbers.len()
    }
}

impl Ranged for FittedAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        if self.is_logarithmic {
            RangedCoordf64::from(self.low.ln()..self.high.ln()).map(&value.ln(), limit)
        } else {
            RangedCoordf64::from(self.low..self.high).map(value, limit)
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
        self.low..self.high
    }
}

impl ValueFormatter<f64> for FittedAxis {
    fn format_ext(&self, value: &f64) -> String {
        let at = self.numbers.iter().find(|(at, _)| at.total_cmp(value).is_eq());
        at.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// Ends at a number, so that the highest value is below a line.
fn linear(low: f64, high: f64, numbers: usize) -> FittedAxis {
    // If all values are equal, the axis still has a length.
    let high = if high > low { high } else { low + low.abs().max(1.0) };
    let points = RangedCoordf64::from(low..high).key_points(numbers);
    let step = points.windows(2).map(|pair| pair[1] - pair[0]).fold(high - low, f64::min);
    let low = (low / step).floor() * step;
    let high = ((high / step) - ROUNDING).ceil() * step;
    let decimals = (0..MOST_DECIMALS).find(|&decimals| {
        let scaled = (0..decimals).fold(step, |scaled, _| scaled * 10.0);
        (scaled - scaled.round()).abs() < ROUNDING * scaled.max(1.0)
    });
    let decimals = decimals.unwrap_or(MOST_DECIMALS);
    let mut points = Vec::new();
    let mut value = low;
    while value <= high + step * ROUNDING && points.len() < MOST_NUMBERS {
        points.push((value, exact(value, decimals)));
        value = (value / step + 1.0).round() * step;
    }
    FittedAxis { low, high, is_logarithmic: false, numbers: points }
}

/// Begins and ends at 1, 2 or 5 times a power of ten, and shows as many of these as fit.
fn logarithmic(low: f64, high: f64, numbers: usize) -> FittedAxis {
    let mut decade = 10_f64.powf(low.log10().floor());
    let mut ladder = vec![decade];
    while ladder.last().is_some_and(|&last| last < high) && ladder.len() < MOST_NUMBERS {
        ladder.extend([2.0 * decade, 5.0 * decade, 10.0 * decade]);
        decade *= 10.0;
    }
    let above = ladder.iter().position(|&step| step * (1.0 + ROUNDING) >= high).unwrap_or(ladder.len() - 1);
    let below = ladder.iter().rposition(|&step| step * (1.0 - ROUNDING) <= low).unwrap_or(0);
    let above = above.max(below + 1).min(ladder.len() - 1);
    let shown: Vec<f64> = ladder[below..=above].to_vec();
    let is_power = |value: f64| (value.log10() - value.log10().round()).abs() < ROUNDING;
    let only_powers = shown.len() > numbers.max(2) + 2;
    let named = |value: f64| (value, exact(value, usize_of(-(value.log10() + ROUNDING).floor())));
    FittedAxis {
        low: shown[0],
        high: shown[shown.len() - 1],
        is_logarithmic: true,
        numbers: shown.into_iter().filter(|&value| !only_powers || is_power(value)).map(named).collect(),
    }
}

/// Is as long as the values, with numbers at whole steps of the clock.
fn time(low: f64, high: f64, numbers: usize, start: i64, name: fn(i64, i64) -> String) -> FittedAxis {
    let high = if high > low { high } else { low + 1.0 };
    let (first, last) = (whole(low) + start, whole(high) + start);
    let room = i64::try_from(numbers.max(1)).unwrap_or(1);
    let fits = |step: &&i64| (last - first) / **step <= room;
    let step = STEPS.iter().find(fits).copied().unwrap_or_else(|| {
        let days = (last - first) / DAY / room + 1;
        days * DAY
    });
    let mut at = first.div_euclid(step) * step;
    let mut points = Vec::new();
    while at <= last && points.len() < MOST_NUMBERS {
        if at >= first {
            points.push((seconds(at - start), name(at, step)));
        }
        at += step;
    }
    FittedAxis { low, high, is_logarithmic: false, numbers: points }
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
fn whole(seconds: f64) -> i64 {
    seconds.clamp(-LONGEST, LONGEST).floor() as i64
}

#[allow(clippy::cast_precision_loss, reason = "at most LONGEST")]
fn seconds(whole: i64) -> f64 {
    whole as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to few decimals")]
fn usize_of(decimals: f64) -> usize {
    decimals.clamp(0.0, 12.0) as usize
}

/// Seconds: ten thousand years.
const LONGEST: f64 = 3.2e11;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Seconds between two numbers of a time axis.
const STEPS: [i64; 17] = [
    1,
    2,
    5,
    10,
    15,
    30,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
];

/// The relative rounding error.
const ROUNDING: f64 = 1e-9;

const MOST_DECIMALS: usize = 9;

/// More than any axis needs. It ends a loop whose step is too small to change the value.
const MOST_NUMBERS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(axis: &Axis, values: &[f64]) -> Vec<String> {
        let fitted = axis.fit(values.iter().copied(), 6).unwrap();
        fitted.numbers.iter().map(|(_, text)| text.clone()).collect()
    }

    #[test]
    fn linear_numbers_are_round_and_enclose_the_values() {
        assert_eq!(numbers(&Axis::linear("ms"), &[17.0, 212.0]), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(numbers(&Axis::linear("rps"), &[3000.0]), ["0", "1,000", "2,000", "3,000"]);
        assert_eq!(numbers(&Axis::linear("usd"), &[0.031]), ["0.00", "0.01", "0.02", "0.03", "0.04"]);
        assert_eq!(numbers(&Axis::linear("errors"), &[0.0, 0.0]).first().unwrap(), "0.0");
        let fitted = Axis::linear("ms").from(90.0).fit([100.0, 130.0].into_iter(), 6).unwrap();
        assert!(fitted.low <= 90.0 && fitted.low > 80.0 && fitted.high >= 130.0);
    }

    #[test]
    fn logarithmic_numbers_are_ones_twos_and_fives() {
        assert_eq!(
            numbers(&Axis::logarithmic("ms"), &[14.0, 430.0]),
            ["10", "20", "50", "100", "200", "500"]
        );
        assert_eq!(
            numbers(&Axis::logarithmic("n"), &[0.02, 9_000.0]),
            ["0.1", "1", "10", "100", "1,000", "10,000"]
        );
        assert_eq!(numbers(&Axis::logarithmic("n"), &[0.05, 0.05]), ["0.05", "0.1"]);
        assert!(Axis::logarithmic("n").fit([0.0, -1.0].into_iter(), 6).is_none());
    }

    #[test]
    fn time_falls_on_whole_steps() {
        assert_eq!(
            numbers(&Axis::elapsed(), &[0.0, 300.0]),
            ["0:00", "1:00", "2:00", "3:00", "4:00", "5:00"]
        );
        // 2026-11-21T19:52:00Z
        let evening = Axis::clock(1_795_290_720);
        assert_eq!(numbers(&evening, &[0.0, 3600.0]), ["20:00", "20:10", "20:20", "20:30", "20:40", "20:50"]);
        assert_eq!(numbers(&evening, &[0.0, 86_400.0]), ["22 Nov", "06:00", "12:00", "18:00"]);
    }

    #[test]
    fn every_value_lies_within_its_axis() {
        let values = [1e-9, 0.3, 1.0, 2.0, 7.5, 99.0, 1e6, 1e12];
        for axis in [Axis::linear(""), Axis::logarithmic(""), Axis::elapsed(), Axis::clock(0)] {
            for low in values {
                for high in values {
                    let fitted = axis.fit([low, high].into_iter(), 5).unwrap();
                    let slack = fitted.high * 1e-6;
                    let (low, high) = (low.min(high), low.max(high));
                    assert!(
                        fitted.low <= low + slack && fitted.high + slack >= high,
                        "{axis:?} {low} {high}"
                    );
                    assert!(fitted.numbers.len() <= MOST_NUMBERS);
                }
            }
        }
    }

    #[test]
    fn without_values_there_is_no_axis() {
        assert!(Axis::linear("").fit([f64::NAN].into_iter(), 5).is_none());
    }
}
