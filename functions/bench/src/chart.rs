//! The README's chart: bcrypt hashes per second per core against lanes, as SVG.
//!
//! No background and middle tones only, so that it reads on a light page and on a dark one.

use core::fmt::{self, Write as _};
use std::{fs, io, path::Path};

use crate::{
    kernels::bcrypt::{LIBXCRYPT, lanes},
    measure::Measurement,
    summary::cpu,
};

/// Draws it.
pub(crate) fn write(measurement: &Measurement, file: &Path) -> io::Result<()> {
    let chart = Chart::of(measurement).ok_or_else(|| io::Error::other("no lanes were measured"))?;
    fs::write(file, chart.to_string())
}

struct Chart {
    title: String,
    /// Lanes, hashes per second per core, and that over libxcrypt's.
    points: Vec<(usize, f64, f64)>,
    libxcrypt: f64,
}

impl Chart {
    fn of(measurement: &Measurement) -> Option<Self> {
        let libxcrypt = MS_PER_SECOND / measurement.row(LIBXCRYPT)?.hash_ms;
        let point = |at_once: usize| {
            let row = measurement.row(&lanes(at_once))?;
            Some((at_once, row.hashes_per_core_ratio * libxcrypt, row.hashes_per_core_ratio))
        };
        let points: Vec<_> = (1..=MOST_LANES).filter_map(point).collect();
        let title = format!("bcrypt-10 hashes per second per core, {}", cpu());
        (!points.is_empty()).then_some(Self { title, points, libxcrypt })
    }

    fn top(&self) -> f64 {
        let highest = self.points.iter().map(|point| point.1).fold(self.libxcrypt, f64::max);
        (highest * HEADROOM / GRID).ceil() * GRID
    }

    fn y(&self, rate: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * rate / self.top()
    }
}

#[allow(clippy::cast_precision_loss, reason = "at most MOST_LANES")]
fn x(at_once: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * (at_once as f64 - 0.5) / MOST_LANES as f64
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="{INK}">"#
        )?;
        let title = escaped(&self.title);
        writeln!(f, "<title>{title}</title>")?;
        writeln!(f, r#"<text x="{LEFT}" y="24" font-size="15" font-weight="600">{title}</text>"#)?;
        let mut rate = 0.0;
        while rate <= self.top() {
            let y = self.y(rate);
            writeln!(
                f,
                r#"<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1}" y2="{y:.1}" stroke="{INK}" stroke-opacity="0.25"/>"#
            )?;
            writeln!(f, r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{rate}</text>"#, LEFT - 8.0, y + 4.0)?;
            rate += GRID;
        }
        let mut path = String::new();
        for (index, &(at_once, rate, _)) in self.points.iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            write!(path, "{command}{:.1} {:.1}", x(at_once), self.y(rate))?;
        }
        writeln!(f, r#"<path d="{path}" fill="none" stroke="{LANES}" stroke-width="2.5"/>"#)?;
        for &(at_once, rate, ratio) in &self.points {
            let (x, y) = (x(at_once), self.y(rate));
            writeln!(f, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{LANES}"/>"#)?;
            writeln!(
                f,
                r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="{LANES}" font-weight="600">{ratio:.2} ×</text>"#,
                y - 11.0
            )?;
            writeln!(
                f,
                r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{at_once}</text>"#,
                BOTTOM + 18.0
            )?;
        }
        let y = self.y(self.libxcrypt);
        writeln!(
            f,
            r#"<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1}" y2="{y:.1}" stroke="{OTHER}" stroke-width="2" stroke-dasharray="6 4"/>"#
        )?;
        writeln!(
            f,
            r#"<text x="{RIGHT}" y="{:.1}" text-anchor="end" fill="{OTHER}" font-weight="600">libxcrypt crypt_r, one after the other: {:.1}</text>"#,
            y + 18.0,
            self.libxcrypt
        )?;
        writeln!(
            f,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">lanes: hashes at once in one thread</text>"#,
            f64::midpoint(LEFT, RIGHT),
            BOTTOM + 38.0
        )?;
        writeln!(f, "</svg>")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

const MS_PER_SECOND: f64 = 1000.0;

const MOST_LANES: usize = 8;

/// Pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 704.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 312.0;

/// Hashes a second between two lines.
const GRID: f64 = 10.0;

/// Room above the highest point for its label.
const HEADROOM: f64 = 1.08;

/// Contrast of 3.5 and more to white and to a dark page (#0d1117).
const INK: &str = "#768390";
const LANES: &str = "#2f81f7";
const OTHER: &str = "#d9622b";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_inside() {
        let points = vec![(1, 20.0, 1.0), (2, 37.4, 1.87), (8, 77.2, 3.86)];
        let chart = Chart { title: "A & B".into(), points, libxcrypt: 20.0 };
        for (at_once, rate, _) in &chart.points {
            assert!((LEFT..=RIGHT).contains(&x(*at_once)) && (TOP..=BOTTOM).contains(&chart.y(*rate)));
        }
        let svg = chart.to_string();
        assert!(svg.contains("3.86 ×") && svg.contains("A &amp; B") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
