//! Amounts as bars.

use maud::{Markup, html};

use crate::number::rounded;

/// Amounts as bars, one below the other. Bars begin at zero, so their lengths are comparable.
#[derive(Clone, Debug)]
pub struct Bars {
    pub(crate) title: String,
    pub(crate) about: String,
    unit: String,
    amounts: Vec<(String, f64)>,
    write: fn(f64) -> String,
}

impl Bars {
    /// Returns bars of one unit.
    #[must_use]
    pub fn new(title: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            about: String::new(),
            unit: unit.into(),
            amounts: Vec::new(),
            write: rounded,
        }
    }

    /// Sets the caption: a sentence on the contents of the chart.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// Sets the format of its values. The default has three significant digits.
    #[must_use]
    pub fn written(self, write: fn(f64) -> String) -> Self {
        Self { write, ..self }
    }

    /// Adds a bar. A value that is not finite has no bar, and its label is `–`.
    #[must_use]
    pub fn bar(mut self, name: impl Into<String>, value: f64) -> Self {
        self.amounts.push((name.into(), value));
        self
    }

    pub(crate) fn html(&self) -> Markup {
        let amount = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
        let longest = self.amounts.iter().map(|&(_, value)| amount(value)).fold(f64::MIN_POSITIVE, f64::max);
        html! {
            dl.bars { @for (name, value) in &self.amounts {
                dt { (name) }
                dd {
                    span style={ "width:" (format!("{:.2}", LONGEST_PERCENT * amount(*value) / longest)) "%" } {}
                    @if value.is_finite() { ((self.write)(*value)) " " (self.unit) } @else { "–" }
                }
            } }
        }
    }
}

/// The label of the longest bar has the rest of the width.
const LONGEST_PERCENT: f64 = 70.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::exact;

    #[test]
    fn every_value_is_written_beside_its_bar() {
        let bars =
            Bars::new("Speed", "/s").bar("bcrypt-10 <x>", 97.9).bar("half", 48.95).bar("none", f64::NAN);
        let html = bars.html().into_string();
        for text in
            ["bcrypt-10 &lt;x&gt;", "width:70.00%", "97.9 /s", "width:35.00%", "width:0.00%", "–</dd>"]
        {
            assert!(html.contains(text), "{text} in {html}");
        }
    }

    #[test]
    fn values_are_written_as_is_wished() {
        let html = Bars::new("", "ms").written(|value| exact(value, 0)).bar("", 50.0).html().into_string();
        assert!(html.contains("50 ms") && !html.contains("50.0"));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(Bars::new("", "").html().into_string(), "<dl class=\"bars\"></dl>");
    }
}
