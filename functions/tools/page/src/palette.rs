//! All colours, for the light page and the dark page.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// A colour of a chart: its attribute on the light page, and its replacement on the dark page.
#[derive(Clone, Copy)]
pub(crate) struct Colour {
    pub(crate) light: RGBColor,
    dark: &'static str,
}

impl Colour {
    /// Returns the colour as plotters writes it.
    pub(crate) fn attribute(self) -> String {
        let RGBColor(red, green, blue) = self.light;
        format!("#{red:02X}{green:02X}{blue:02X}")
    }
}

const fn colour(red: u8, green: u8, blue: u8, dark: &'static str) -> Colour {
    Colour { light: RGBColor(red, green, blue), dark }
}

/// Numbers at an axis.
pub(crate) const QUIET: Colour = colour(0x5B, 0x67, 0x75, "#9aa7b5");
/// Lines between numbers.
pub(crate) const GRID: Colour = colour(0xE3, 0xE7, 0xEC, "#29323d");
/// Limits.
pub(crate) const LIMIT: Colour = colour(0xA8, 0x1D, 0x2F, "#ff8494");

/// The series in order, after Okabe and Ito, whose colours suit all kinds of colour vision. They
/// are darker on the light page and lighter on the dark page, so that names in them have a contrast
/// of at least 4.5.
pub(crate) const SERIES: [Colour; 6] = [
    colour(0x00, 0x62, 0xA8, "#62b5f5"),
    colour(0xB3, 0x4A, 0x00, "#ff9d5c"),
    colour(0x00, 0x74, 0x59, "#42d3a5"),
    colour(0x97, 0x3C, 0x80, "#eaa0d0"),
    colour(0x82, 0x5F, 0x00, "#ecc04f"),
    colour(0x4B, 0x55, 0x63, "#b4bfcb"),
];

/// The dashes of the lines of the series, in the units of `plot`. So series also differ without
/// colour.
const DASHES: [&str; SERIES.len()] = ["none", "90 40", "24 34", "130 40 24 40", "50 30", "160 50"];

/// Returns the part of the style sheet for charts.
pub(crate) fn style_sheet() -> String {
    let mut sheet = String::from(FONT);
    for (colour, dashes) in SERIES.iter().zip(DASHES) {
        let _infallible =
            write!(sheet, "polyline[stroke='{}']{{stroke-dasharray:{dashes}}}", colour.attribute());
    }
    let _infallible = write!(sheet, "polyline[stroke='{}']{{stroke-dasharray:40 30}}", LIMIT.attribute());
    sheet.push_str("@media (prefers-color-scheme:dark){");
    for colour in [QUIET, GRID, LIMIT].into_iter().chain(SERIES) {
        let (light, dark) = (colour.attribute(), colour.dark);
        let _infallible =
            write!(sheet, "svg [fill='{light}']{{fill:{dark}}}svg [stroke='{light}']{{stroke:{dark}}}");
    }
    sheet + "}"
}

/// Line joins have no spikes. Digits of one width align columns of numbers.
const FONT: &str = "svg text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;\
                    font-variant-numeric:tabular-nums}svg polyline{stroke-linejoin:round;stroke-linecap:round}";

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The background colours of the style sheet.
    const LIGHT: &str = "#ffffff";
    const DARK: &str = "#10161d";

    #[test]
    fn text_in_every_colour_is_readable_on_both_pages() {
        let sheet = include_str!("style.css");
        assert!([LIGHT, DARK].iter().all(|page| sheet.contains(&format!("--page:{page};"))));
        for colour in [QUIET, LIMIT].into_iter().chain(SERIES) {
            let light = contrast(&colour.attribute(), LIGHT);
            let dark = contrast(colour.dark, DARK);
            assert!(light >= 4.5 && dark >= 4.5, "{}: {light:.1}, {dark:.1}", colour.attribute());
        }
    }
}
