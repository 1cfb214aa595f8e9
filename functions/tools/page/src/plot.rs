//! Lines and dots between two axes, drawn by plotters.

use std::io;

use maud::{Markup, PreEscaped, html};
use plotters::{
    chart::ChartBuilder,
    coord::ranged1d::Ranged as _,
    drawing::DrawingAreaErrorKind,
    prelude::{Circle, IntoDrawingArea as _, PathElement, SVGBackend},
    style::{Color as _, IntoFont as _, ShapeStyle, TextStyle},
};

use crate::{
    axis::{Axis, FittedAxis},
    palette::{Colour, GRID, LIMIT, QUIET, SERIES},
};

/// A chart between two axes: figures over time, or one figure against another.
#[derive(Clone, Debug)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) about: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    /// The places of limits on the y axis, with their labels.
    limits: Vec<(f64, String)>,
}

impl Plot {
    /// Returns a chart without series.
    #[must_use]
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), about: String::new(), x, y, series: Vec::new(), limits: Vec::new() }
    }

    /// Sets the caption: a sentence on the contents of the chart. It stands below the title, and
    /// screen readers read it.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// Adds a series. Six series have distinct colours and dashes.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a limit to the y axis.
    #[must_use]
    pub fn limit(mut self, at: f64, label: impl Into<String>) -> Self {
        self.limits.push((at, label.into()));
        self
    }

    /// Returns the title, the caption, the names of the series and the drawing, for a page.
    pub(crate) fn html(&self) -> Markup {
        html! {
            figure {
                figcaption { h3 { (self.title) } @if !self.about.is_empty() { p { (self.about) } } }
                ul.key {
                    @for (series, colour) in self.series.iter().zip(colours()) {
                        li { (key(colour, series.has_dots)) " " (series.name) }
                    }
                    @for (_, label) in &self.limits { li { (key(LIMIT, false)) " " (label) } }
                }
                svg.plot viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" { (self.name()) (self.marks()) }
            }
        }
    }

    /// Returns the name and the description for screen readers.
    fn name(&self) -> Markup {
        html! { title { (self.title) } @if !self.about.is_empty() { desc { (self.about) } } }
    }

    /// Returns the drawing without the element around it. That of plotters has a fixed size in
    /// pixels.
    fn marks(&self) -> PreEscaped<String> {
        let Some((x, y)) = self.fit() else {
            return html! { text y=(28 * PX) font-size=(TEXT * PX) fill=(QUIET.attribute()) { (NOTHING) } };
        };
        let mut svg = String::new();
        let _infallible = self.draw(&mut svg, x, y);
        let marks = svg.split_once('>').map_or("", |(_, marks)| marks);
        PreEscaped(marks.trim_end().trim_end_matches("</svg>").trim().to_owned())
    }

    /// Returns the axes, if there is a value to show.
    fn fit(&self) -> Option<(FittedAxis, FittedAxis)> {
        let shown: Vec<_> = self.series.iter().flat_map(|series| series.runs(self)).flatten().collect();
        let limits = self.limits.iter().map(|limit| limit.0).filter(|_| !shown.is_empty());
        let y = self.y.fit(shown.iter().map(|at| at.1).chain(limits))?;
        Some((self.x.fit(shown.iter().map(|at| at.0))?, y))
    }

    fn draw(&self, svg: &mut String, x: FittedAxis, y: FittedAxis) -> Result<(), Fault> {
        let (left, right) = (x.range().start, x.range().end);
        let sheet =
            SVGBackend::with_string(svg, (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs())).into_drawing_area();
        let mut chart = ChartBuilder::on(&sheet)
            .margin_top(10 * PX)
            .margin_right(digits_width(x.widest()) / 2)
            .x_label_area_size(46 * PX)
            .y_label_area_size(digits_width(y.widest()) + 34 * PX)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(stroke(GRID, HAIR))
            .axis_style(stroke(QUIET, HAIR))
            .set_all_tick_mark_size(4 * PX)
            .label_style(text_style(QUIET))
            .x_desc(&self.x.unit)
            .y_desc(&self.y.unit)
            .draw()?;
        for (series, colour) in self.series.iter().zip(colours()) {
            let lines = series.drawn_lines(self).into_iter();
            chart.draw_series(lines.map(|line| PathElement::new(line, stroke(colour, LINE))))?;
            let dots = series.drawn_dots(self).into_iter();
            chart.draw_series(dots.map(|at| Circle::new(at, DOT, colour.light.filled())))?;
        }
        for (limit, _) in self.limits.iter().filter(|(limit, _)| self.y.holds(*limit)) {
            let ends = [(left, *limit), (right, *limit)];
            chart.draw_series([PathElement::new(ends, stroke(LIMIT, LINE / 2))])?;
        }
        drop(chart);
        sheet.present()
    }

    fn has_place(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }
}

/// Values of one name.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    has_dots: bool,
}

impl Series {
    /// A line through points, in the order of x. A value that is not finite leaves a gap.
    #[must_use]
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, has_dots: false }
    }

    /// Dots, joined by a line in their order.
    #[must_use]
    pub fn joined_dots(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, has_dots: true }
    }

    /// Returns its points from gap to gap.
    fn runs(&self, plot: &Plot) -> impl Iterator<Item = &[(f64, f64)]> {
        self.points.split(|&(x, y)| !plot.has_place(x, y)).filter(|run| !run.is_empty())
    }

    /// Returns its lines, from gap to gap.
    fn drawn_lines(&self, plot: &Plot) -> Vec<Vec<(f64, f64)>> {
        self.runs(plot).filter(|run| run.len() > 1).map(<[_]>::to_vec).collect()
    }

    /// Returns its dots. A value between two gaps has no line, so it is a dot.
    fn drawn_dots(&self, plot: &Plot) -> Vec<(f64, f64)> {
        self.runs(plot).filter(|run| self.has_dots || run.len() == 1).flatten().copied().collect()
    }
}

/// Returns the mark beside the name of a line.
fn key(colour: Colour, has_dots: bool) -> Markup {
    let attribute = colour.attribute();
    html! {
        svg viewBox={ "0 0 " (32 * PX) " " (12 * PX) } aria-hidden="true" {
            polyline points=(format!("0,{} {},{0}", 6 * PX, 32 * PX)) stroke=(attribute) stroke-width=(LINE) {}
            @if has_dots { circle cx="50%" cy="50%" r=(DOT) fill=(attribute) {} }
        }
    }
}

/// The error type of plotters. Writing SVG into a string never fails.
type Fault = DrawingAreaErrorKind<io::Error>;

fn stroke(colour: Colour, width: u32) -> ShapeStyle {
    colour.light.stroke_width(width)
}

/// Returns the style of text in a colour. The style sheet names the font family.
fn text_style(colour: Colour) -> TextStyle<'static> {
    // plotters writes a size that is smaller by this factor.
    ("sans-serif", f64::from(TEXT * PX) * 1.24).into_font().color(&colour.light)
}

/// Returns the approximate width of a number. The font of the reader is unknown, so the result is
/// rather too wide.
fn digits_width(digits: usize) -> i32 {
    i32::try_from(digits).unwrap_or(0) * 85
}

/// The colours of the series, in their order.
fn colours() -> impl Iterator<Item = Colour> {
    SERIES.into_iter().cycle()
}

/// plotters counts in whole units. Ten units a pixel give smooth lines.
const PX: i32 = 10;

/// The size of a drawing. A page scales it to the width of its column: the text is readable on a
/// phone, and not too large on a wide screen.
const WIDTH: i32 = 460 * PX;
const HEIGHT: i32 = 280 * PX;

/// The height of text in pixels.
const TEXT: i32 = 14;

/// Lengths in the units of the drawing.
const LINE: u32 = 22;
const HAIR: u32 = 10;
const DOT: i32 = 45;

const NOTHING: &str = "Nothing was measured.";

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot::new("A < B & \"C\"", Axis::elapsed(), Axis::linear("ms"))
            .series(Series::line("p50", vec![(0.0, 80.0), (60.0, 90.0), (120.0, 95.0)]))
            .series(Series::line("p90", vec![(0.0, 180.0), (60.0, f64::NAN), (120.0, 212.0)]))
            .limit(300.0, "<limit>")
    }

    #[test]
    fn text_is_escaped() {
        let svg = plot().html().into_string();
        assert!(svg.contains("A &lt; B &amp;") && svg.contains("&lt;limit&gt;"));
        assert!(!svg.contains("<limit>"));
    }

    #[test]
    fn a_value_between_gaps_is_drawn_as_a_dot() {
        // The second series is two values with a gap between them.
        let dot = format!("r=\"{DOT}\" opacity=\"1\" fill=\"{}\"", SERIES[1].attribute());
        let drawn = plot().html().into_string();
        assert_eq!(drawn.matches(&dot).count(), 2, "{drawn}");
    }

    #[test]
    fn series_are_named() {
        let drawn = plot().html().into_string();
        assert!(["p50", "p90"].iter().all(|name| drawn.contains(name)), "{drawn}");
    }

    #[test]
    fn without_values_it_says_so() {
        let empty = Plot::new("Nothing", Axis::elapsed(), Axis::linear("ms")).limit(300.0, "");
        assert!(empty.html().into_string().contains(NOTHING));
        let gaps = empty.series(Series::line("p90", vec![(0.0, f64::NAN)]));
        assert!(gaps.html().into_string().contains(NOTHING));
    }

    #[test]
    fn extreme_values_are_drawn() {
        for value in [f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX, -1e300] {
            for y in [Axis::linear(""), Axis::logarithmic("")] {
                let dots = Series::joined_dots("a", vec![(0.0, value), (1.0, 1.0)]);
                let drawn = Plot::new("", Axis::linear(""), y).series(dots).html().into_string();
                assert!(drawn.contains("<circle") && drawn.ends_with("</svg></figure>"), "{value}");
            }
        }
    }
}
