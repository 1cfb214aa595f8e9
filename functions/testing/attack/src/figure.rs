//! An attack as a row of data, its conditions, and the figures that it finds.

use std::{error::Error, fmt, path::PathBuf, pin::Pin, time::Duration};

/// One attack. A broken bound is a failure.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// The attacker's means, for the heading.
    pub(crate) asks: &'static str,
    /// The sentences of SECURITY.md that state the bounds.
    pub(crate) stated: fn() -> Vec<String>,
    pub(crate) run: fn(Field) -> Pin<Box<dyn Future<Output = Found>>>,
}

/// The figures of an attack. An error is a fault of the attack or of the machine.
pub(crate) type Found = Result<Vec<Figure>, Box<dyn Error>>;

/// The attacked program and the size of the attack.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The program `saltern`.
    pub(crate) binary: PathBuf,
    /// Whether the attack is small.
    pub(crate) smoke: bool,
    /// The time of a hunt for what is rarely seen, if it was given.
    pub(crate) hunt: Option<Duration>,
}

impl Field {
    /// Returns the first value in a smoke run and the second in a whole one.
    pub(crate) fn pick<T>(&self, smoke: T, whole: T) -> T {
        if self.smoke { smoke } else { whole }
    }

    /// Returns the time for which a hunt repeats its attack.
    pub(crate) fn hunt(&self) -> Duration {
        self.hunt.unwrap_or(self.pick(Duration::from_secs(3), Duration::from_mins(1)))
    }
}

/// One number, with its unit and bound.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    /// The number, or the reason why this machine cannot tell.
    pub(crate) value: Result<f64, String>,
    pub(crate) unit: &'static str,
    pub(crate) bound: Bound,
    /// Whether the value depends on the speed of the machine. A smoke run does not judge it.
    pub(crate) is_timed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    None,
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    /// Returns a figure without a bound.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        let (name, value) = (name.into(), Ok(value));
        Self { name, value, unit, bound: Bound::None, is_timed: false }
    }

    /// Returns the count of an event that must not happen.
    pub(crate) fn never(name: impl Into<String>, events: usize) -> Self {
        Self::new(name, count(events), "").at_most(0.0)
    }

    pub(crate) fn not_run(name: impl Into<String>, reason: &impl ToString) -> Self {
        Self { value: Err(reason.to_string()), ..Self::new(name, 0.0, "") }
    }

    pub(crate) fn at_most(self, bound: f64) -> Self {
        Self { bound: Bound::AtMost(bound), ..self }
    }

    pub(crate) fn at_least(self, bound: f64) -> Self {
        Self { bound: Bound::AtLeast(bound), ..self }
    }

    /// The value depends on the speed of the machine.
    pub(crate) fn timed(self) -> Self {
        Self { is_timed: true, ..self }
    }
}

impl Bound {
    pub(crate) fn holds(self, value: f64) -> bool {
        match self {
            Self::None => true,
            Self::AtMost(bound) => value <= bound,
            Self::AtLeast(bound) => value >= bound,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => Ok(()),
            Self::AtMost(bound) => write!(formatter, "<= {}", short(bound)),
            Self::AtLeast(bound) => write!(formatter, ">= {}", short(bound)),
        }
    }
}

/// Returns a number as the table prints it.
pub(crate) fn short(value: f64) -> String {
    if value.abs() < 10.0 && value.fract() != 0.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// Returns a count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts of requests and connections")]
pub(crate) fn count(number: usize) -> f64 {
    number as f64
}

/// Returns the part of the whole in per cent, of nothing 100.
pub(crate) fn per_cent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * count(part) / count(whole) }
}
