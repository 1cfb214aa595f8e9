//! An attack as a row of data, and the figures that it finds.

use std::{error::Error, pin::Pin};

use crate::field::Field;

/// One attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// The attacker's means, for the heading.
    pub(crate) asks: &'static str,
    pub(crate) state: State,
    /// The sentences of SECURITY.md that state the bounds.
    pub(crate) stated: fn() -> Vec<String>,
    pub(crate) run: fn(Field) -> Running,
}

/// An attack under way.
pub(crate) type Running = Pin<Box<dyn Future<Output = Found>>>;

/// The figures of an attack. An error is a fault of the attack or of the machine.
pub(crate) type Found = Result<Vec<Figure>, Box<dyn Error>>;

/// Whether the server holds the bounds of an attack today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A broken bound is a failure.
    #[allow(dead_code, reason = "an attack becomes held when its fix lands")]
    Held,
    /// A broken bound is printed. Bounds that hold are reported, so that the row becomes `Held`.
    #[allow(dead_code, reason = "every attack is held when all fixes have landed")]
    Open,
}

/// One number, with its unit and bound.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) unit: &'static str,
    pub(crate) bound: Bound,
    /// Whether the value depends on the speed of the machine. A smoke run does not judge it.
    pub(crate) is_timed: bool,
    /// The least share of the first binary's value.
    pub(crate) least_of_first: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Is(f64),
    /// The reason why this machine cannot tell.
    NotRun(String),
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
        let value = Value::Is(value);
        Self { name: name.into(), value, unit, bound: Bound::None, is_timed: false, least_of_first: None }
    }

    pub(crate) fn not_run(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { value: Value::NotRun(reason.into()), ..Self::new(name, 0.0, "") }
    }

    /// Returns the value, if the attack ran.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            Value::Is(value) => Some(value),
            Value::NotRun(_) => None,
        }
    }

    pub(crate) fn name_and_unit(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
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

    /// Of two binaries the last must reach this share of the first one's value.
    pub(crate) fn at_least_of_first(self, share: f64) -> Self {
        Self { least_of_first: Some(share), ..self }
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

/// Returns a count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts of requests and connections")]
pub(crate) fn count(number: usize) -> f64 {
    number as f64
}

/// Returns the part of the whole in per cent, of nothing 100.
pub(crate) fn per_cent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * count(part) / count(whole) }
}
