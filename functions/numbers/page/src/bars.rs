//! Amounts as bars.

use maud::Markup;
use plotters::{
    chart::ChartBuilder,
    prelude::{PathElement, Rectangle},
    style::{
        Color as _,
        text_anchor::{HPos, VPos},
    },
};

use crate::{
    axis::{Axis, FittedAxis},
    canvas::{Drawing, Fault, PX, Sheet, Width, bold, series_colour, text_style, text_width, write},
    number::rounded,
    palette::{INK, QUIET},
    plot::TEXT,
};

/// Amounts as bars, in groups with one bar of every series. Bars begin at zero, so their lengths
/// are comparable.
#[derive(Clone, Debug)]
pub struct Bars {
    pub(crate) title: String,
    pub(crate) about: String,
    unit: String,
    series: Vec<String>,
    groups: Vec<(String, Vec<f64>)>,
    write: fn(f64) -> String,
}

impl Bars {
    /// Returns bars of one unit. The name of a single series may be empty.
    #[must_use]
    pub fn new(title: impl Into<String>, unit: impl Into<String>, series: &[&str]) -> Self {
        let series = series.iter().map(|&name| name.to_owned()).collect();
        Self {
            title: title.into(),
            about: String::new(),
            unit: unit.into(),
            series,
            groups: Vec::new(),
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

    /// Adds a group: one value for each series. A value that is not finite has no bar, and its
    /// label is `–`.
    #[must_use]
    pub fn group(mut self, name: impl Into<String>, values: &[f64]) -> Self {
        self.groups.push((name.into(), values.to_vec()));
        self
    }

    /// Returns a complete SVG document, for a README.
    #[must_use]
    pub fn svg(&self) -> String {
        self.drawing(Width::Wide).alone(|sheet| self.draw(sheet, Width::Wide)).into_string()
    }

    pub(crate) fn for_page(&self, width: Width) -> Markup {
        self.drawing(width).for_page(|sheet| self.draw(sheet, width))
    }

    fn drawing(&self, width: Width) -> Drawing<'_> {
        let rows = self.groups.iter().map(|(_, values)| group_height(values.len())).sum::<i32>();
        Drawing { title: &self.title, about: &self.about, width, height: rows.max(GROUP_NAME) }
    }

    fn draw(&self, sheet: &Sheet<'_>, width: Width) -> Result<(), Fault> {
        let is_amount = |value: &f64| value.is_finite() && *value >= 0.0;
        let amounts = self.groups.iter().flat_map(|(_, values)| values).copied().filter(is_amount);
        let longest = Axis::linear("").fit(amounts.clone(), 1).map(|_| amounts.fold(0.0, f64::max));
        let longest = longest.filter(|&longest| longest > 0.0).unwrap_or(1.0);
        let label = |index: usize, value: f64| {
            let name = self.series.get(index).map_or("", String::as_str);
            let amount = if value.is_finite() { (self.write)(value) } else { NO_AMOUNT.to_owned() };
            let unit = if value.is_finite() { self.unit.as_str() } else { "" };
            [amount.as_str(), unit, name]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let labels = self.groups.iter().flat_map(|(_, values)| values.iter().enumerate());
        let widest = labels.map(|(index, &value)| text_width(&label(index, value))).max().unwrap_or(0);
        let (_, height) = sheet.dim_in_pixel();
        let chart = ChartBuilder::on(sheet)
            .margin_right((widest + 10 * PX).min(width.of_sheet() * 2 / 3))
            .build_cartesian_2d(FittedAxis::plain(0.0, longest), FittedAxis::plain(0.0, f64::from(height)))?;
        let mut top = 0;
        for (name, values) in &self.groups {
            write(
                sheet,
                name,
                &bold(&text_style(INK, TEXT, HPos::Left, VPos::Center)),
                (0, top + GROUP_NAME / 2),
            )?;
            for (index, &value) in values.iter().enumerate() {
                let upper = top + GROUP_NAME + BAR_ROW * i32::try_from(index).unwrap_or(0);
                let lower = upper + BAR;
                let end = if is_amount(&value) { chart.backend_coord(&(value, 0.0)).0 } else { 0 };
                let style = series_colour(index).light.filled();
                sheet.draw(&Rectangle::new([(0, upper), (end, lower)], style))?;
                let style = text_style(INK, TEXT, HPos::Left, VPos::Center);
                write(sheet, &label(index, value), &style, (end + 7 * PX, i32::midpoint(upper, lower)))?;
            }
            let bottom = top + group_height(values.len()) - GROUP_GAP;
            let foot = [(0, top + GROUP_NAME - 3 * PX), (0, bottom)];
            sheet.draw(&PathElement::new(foot, QUIET.light.stroke_width(10)))?;
            top += group_height(values.len());
        }
        Ok(())
    }
}

fn group_height(bars: usize) -> i32 {
    GROUP_NAME + BAR_ROW * i32::try_from(bars).unwrap_or(0) + GROUP_GAP
}

const NO_AMOUNT: &str = "–";

/// Lengths in the units of the sheet.
const GROUP_NAME: i32 = 24 * PX;
const GROUP_GAP: i32 = 12 * PX;
const BAR_ROW: i32 = 22 * PX;
const BAR: i32 = 18 * PX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::exact;

    #[test]
    fn every_value_is_written_beside_its_bar() {
        let bars = Bars::new("Speed", "/s", &["lanes", "libxcrypt"])
            .group("bcrypt-10 <x>", &[97.9, 23.4])
            .group("none", &[f64::NAN]);
        let svg = bars.svg();
        for text in ["97.9 /s lanes", "23.4 /s libxcrypt", "– lanes", "bcrypt-10 &lt;x&gt;"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("<rect").count(), 3);
    }

    #[test]
    fn values_are_written_as_is_wished() {
        let bars = Bars::new("", "ms", &[""]).written(|value| exact(value, 0)).group("", &[50.0]);
        assert!(bars.svg().contains("50 ms") && !bars.svg().contains("50.0"));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(Bars::new("", "", &[]).svg().ends_with("</svg>"));
    }
}
