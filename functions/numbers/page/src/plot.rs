//! Lines, bands and dots between two axes.

use maud::Markup;
use plotters::{
    chart::{ChartBuilder, ChartContext, LabelAreaPosition},
    coord::cartesian::Cartesian2d,
    prelude::{LineSeries, PathElement, Polygon, SVGBackend},
    style::{
        Color as _, ShapeStyle, TRANSPARENT,
        text_anchor::{HPos, VPos},
    },
};

use crate::{
    axis::{Axis, FittedAxis},
    canvas::{
        Drawing, Fault, PX, Sheet, Width, bold, bold_width, digits_width, marker, series_colour, spread,
        text_style, text_width, write,
    },
    palette::{Colour, GRID, INK, LIMIT, QUIET},
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

    /// Adds a series. Six series have distinct colours, dashes and marks.
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

    /// Returns a complete SVG document, for a README.
    #[must_use]
    pub fn svg(&self) -> String {
        self.drawing(Width::Wide).alone(|sheet| self.draw(sheet, Width::Wide)).into_string()
    }

    pub(crate) fn for_page(&self, width: Width) -> Markup {
        self.drawing(width).for_page(|sheet| self.draw(sheet, width))
    }

    fn drawing(&self, width: Width) -> Drawing<'_> {
        let height = match (self.fit(width), width) {
            (None, _) => 56 * PX,
            (Some(_), Width::Wide) => 310 * PX + self.key(width).height(),
            (Some(_), Width::Narrow) => 280 * PX + self.key(width).height(),
        };
        Drawing { title: &self.title, about: &self.about, width, height }
    }

    /// Returns the axes, if there is a value to show.
    fn fit(&self, width: Width) -> Option<(FittedAxis, FittedAxis)> {
        let (numbers_across, numbers_up) = if width.is_wide() { (8, 6) } else { (5, 5) };
        if !self.series.iter().any(|series| series.middles().iter().any(|point| self.has_place(point))) {
            return None;
        }
        let xs = self.series.iter().flat_map(Series::xs);
        let ys = self.series.iter().flat_map(Series::ys).chain(self.limits.iter().map(|limit| limit.0));
        Some((self.x.fit(xs, numbers_across)?, self.y.fit(ys, numbers_up)?))
    }

    fn draw(&self, sheet: &Sheet<'_>, width: Width) -> Result<(), Fault> {
        let Some((across, up)) = self.fit(width) else {
            let style = text_style(QUIET, TEXT, HPos::Left, VPos::Center);
            return write(sheet, NOTHING, &style, (0, 28 * PX));
        };
        let key = self.key(width);
        let names =
            if key.is_drawn { None } else { self.series.iter().map(|series| bold_width(&series.name)).max() };
        let margins = Margins {
            left: digits_width(up.widest()) + 10 * PX,
            top: key.height() + 30 * PX,
            right: names.map_or(0, |name| name + 14 * PX).max(digits_width(across.widest()) / 2 + 2 * PX),
        };
        self.units(sheet, width, key.height())?;
        key.draw(sheet)?;
        let mut chart = mesh(sheet, &margins, across, up)?;
        for (index, series) in self.series.iter().enumerate() {
            self.bands(&mut chart, index, series)?;
        }
        let mut taken = Vec::new();
        for (limit, label) in &self.limits {
            taken.extend(self.limit_line(sheet, &chart, *limit, label)?);
        }
        for (index, series) in self.series.iter().enumerate() {
            self.lines(sheet, &mut chart, index, series)?;
        }
        self.labels(sheet, &chart, taken)?;
        if names.is_some() { self.names(sheet, &chart) } else { Ok(()) }
    }

    /// Writes the units of the axes, at the far end of each.
    fn units(&self, sheet: &Sheet<'_>, width: Width, top: i32) -> Result<(), Fault> {
        let (_, height) = sheet.dim_in_pixel();
        let height = i32::try_from(height).unwrap_or(0);
        write(sheet, &self.y.unit, &text_style(QUIET, TEXT, HPos::Left, VPos::Top), (0, top))?;
        let right = (width.of_sheet(), height - 2 * PX);
        write(sheet, &self.x.unit, &text_style(QUIET, TEXT, HPos::Right, VPos::Bottom), right)
    }

    fn has_place(&self, &(x, y): &(f64, f64)) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }

    fn bands(&self, chart: &mut Chart<'_, '_>, index: usize, series: &Series) -> Result<(), Fault> {
        let Form::Band(points) = &series.form else {
            return Ok(());
        };
        let style = series_colour(index).light.mix(BAND_OPACITY).filled();
        let has_place =
            |&&(x, low, high): &&(f64, f64, f64)| self.has_place(&(x, low)) && self.has_place(&(x, high));
        for run in points.split(|point| !has_place(&point)) {
            let above = run.iter().map(|&(x, _, high)| (x, high));
            let below = run.iter().rev().map(|&(x, low, _)| (x, low));
            if run.len() > 1 {
                let outline: Vec<_> = above.chain(below).collect();
                chart.draw_series([Polygon::new(outline, style)])?;
            }
        }
        Ok(())
    }

    fn lines(
        &self,
        sheet: &Sheet<'_>,
        chart: &mut Chart<'_, '_>,
        index: usize,
        series: &Series,
    ) -> Result<(), Fault> {
        let style = series_colour(index).light.stroke_width(LINE);
        let (line, dots) = match &series.form {
            Form::Line(points) => (points.clone(), Vec::new()),
            Form::Dots { points, joined } => {
                let points: Vec<_> = points.iter().map(|&(x, y, _)| (x, y)).collect();
                (if *joined { points.clone() } else { Vec::new() }, points)
            }
            Form::Band(_) => return Ok(()),
        };
        for run in line.split(|point| !self.has_place(point)) {
            chart.draw_series(LineSeries::new(run.iter().copied(), style))?;
            // A single value between two gaps has no line, so it gets a mark.
            if let ([point], true) = (run, dots.is_empty()) {
                marker(sheet, index, chart.backend_coord(point))?;
            }
        }
        dots.iter()
            .filter(|point| self.has_place(point))
            .try_for_each(|point| marker(sheet, index, chart.backend_coord(point)))
    }

    /// Draws a line from edge to edge, with its label at the place that covers the fewest points.
    fn limit_line(
        &self,
        sheet: &Sheet<'_>,
        chart: &Chart<'_, '_>,
        limit: f64,
        label: &str,
    ) -> Result<Vec<Room>, Fault> {
        let (xs, ys) = (chart.x_range(), chart.y_range());
        if !self.y.holds(limit) || !(ys.start..=ys.end).contains(&limit) {
            return Ok(Vec::new());
        }
        let (left, right) = (chart.backend_coord(&(xs.start, limit)), chart.backend_coord(&(xs.end, limit)));
        let points = self.series.iter().flat_map(Series::middles).filter(|point| self.has_place(point));
        let points: Vec<_> = points.map(|point| Room::around(chart.backend_coord(&point), 12 * PX)).collect();
        let above = |x: i32, across: HPos| Place::new((x, left.1 - 9 * PX), across, text_width(label));
        let [at_left, at_right] = [above(left.0 + 4 * PX, HPos::Left), above(right.0 - 4 * PX, HPos::Right)];
        let covered = |place: &Place| {
            let outside = if place.room.right > right.0 { points.len() } else { 0 };
            outside + points.iter().filter(|point| point.overlaps(&place.room)).count()
        };
        sheet.draw(&PathElement::new([left, right], LIMIT.light.stroke_width(LINE / 2)))?;
        let place = if covered(&at_right) < covered(&at_left) { at_right } else { at_left };
        write(sheet, label, &text_style(LIMIT, TEXT, place.across, VPos::Center), place.anchor)?;
        Ok(along(left, right).chain([place.room]).collect())
    }

    /// Draws the labels of dots, each at the side that covers the least.
    fn labels(&self, sheet: &Sheet<'_>, chart: &Chart<'_, '_>, mut taken: Vec<Room>) -> Result<(), Fault> {
        let (xs, ys) = (chart.x_range(), chart.y_range());
        let (low, high) =
            (chart.backend_coord(&(xs.start, ys.end)), chart.backend_coord(&(xs.end, ys.start)));
        // A label may extend a little to the right, but not over the numbers at the left.
        let inside = Room { left: low.0, top: low.1 - 16 * PX, right: high.0 + 24 * PX, bottom: high.1 };
        let (mut labels, mut written) = (Vec::new(), Vec::new());
        for series in &self.series {
            let Form::Dots { points, joined } = &series.form else {
                continue;
            };
            let has_place = |point: &&(f64, f64, String)| self.has_place(&(point.0, point.1));
            let dots: Vec<_> = points.iter().filter(has_place).collect();
            let ats: Vec<_> = dots.iter().map(|dot| chart.backend_coord(&(dot.0, dot.1))).collect();
            taken.extend(ats.iter().map(|&at| Room::around(at, 7 * PX)));
            if *joined {
                taken.extend(ats.windows(2).flat_map(|ends| along(ends[0], ends[1])));
            }
            labels.extend(dots.iter().map(|dot| dot.2.as_str()).zip(ats));
        }
        for (label, at) in labels.into_iter().filter(|(label, _)| !label.is_empty()) {
            let covered = |place: &Place| {
                let outside = if inside.holds(&place.room) { 0 } else { taken.len() };
                outside + taken.iter().filter(|taken| taken.overlaps(&place.room)).count()
            };
            // A label over another label is unreadable. A label over a line is not.
            let is_free = |place: &Place| !written.iter().any(|written: &Room| written.overlaps(&place.room));
            let places = Place::beside(at, text_width(label)).into_iter().filter(is_free);
            let Some(place) = places.min_by_key(covered) else {
                continue;
            };
            write(sheet, label, &text_style(INK, TEXT - 1, place.across, VPos::Center), place.anchor)?;
            written.push(place.room);
        }
        Ok(())
    }

    /// Draws the names of lines and bands at their ends.
    fn names(&self, sheet: &Sheet<'_>, chart: &Chart<'_, '_>) -> Result<(), Fault> {
        let mut ends: Vec<_> = self
            .series
            .iter()
            .enumerate()
            .filter_map(|(index, series)| {
                let ats = series.middles().into_iter().filter(|point| self.has_place(point));
                let ats: Vec<_> = ats.map(|point| chart.backend_coord(&point)).collect();
                let count = i64::try_from(ats.len()).unwrap_or(i64::MAX);
                let &end = ats.last()?;
                Some((index, &series.name, end, ats.iter().map(|at| i64::from(at.1)).sum::<i64>() / count))
            })
            .collect();
        // If lines end at nearly the same height, their names keep the order of the lines.
        ends.sort_by_key(|&(_, _, end, mean)| (end.1 / (NAME_HEIGHT / 2), mean));
        let (xs, ys) = (chart.x_range(), chart.y_range());
        let right = chart.backend_coord(&(xs.end, ys.end)).0 + 8 * PX;
        let bounds = (chart.backend_coord(&(xs.end, ys.end)).1, chart.backend_coord(&(xs.end, ys.start)).1);
        let wished: Vec<_> = ends.iter().map(|(_, _, end, _)| end.1).collect();
        for ((index, name, ..), y) in ends.iter().zip(spread(&wished, NAME_HEIGHT, bounds)) {
            let style = bold(&text_style(series_colour(*index), TEXT, HPos::Left, VPos::Center));
            write(sheet, name, &style, (right, y))?;
        }
        Ok(())
    }

    /// Names are at the ends of lines if they fit there, otherwise in a key above.
    fn key(&self, width: Width) -> Key {
        let has_dots = self.series.iter().any(|series| matches!(series.form, Form::Dots { .. }));
        let mut entries = Vec::new();
        let (mut x, mut row) = (0, 0);
        for (index, series) in self.series.iter().enumerate() {
            let room = KEY_MARK + bold_width(&series.name) + 16 * PX;
            if x > 0 && x + room > width.of_sheet() {
                (x, row) = (0, row + 1);
            }
            let is_dots = matches!(series.form, Form::Dots { .. });
            let is_band = matches!(series.form, Form::Band(_));
            entries.push(KeyEntry { index, name: series.name.clone(), is_dots, is_band, x, row });
            x += room;
        }
        let is_drawn = !entries.is_empty() && (!width.is_wide() || (has_dots && entries.len() > 1));
        Key { entries, is_drawn }
    }
}

/// Values of one name.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Line(Vec<(f64, f64)>),
    Band(Vec<(f64, f64, f64)>),
    Dots { points: Vec<(f64, f64, String)>, joined: bool },
}

impl Series {
    /// A line through points, in the order of x. A value that is not finite leaves a gap.
    #[must_use]
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), form: Form::Line(points) }
    }

    /// A band between a low and a high value at each x.
    #[must_use]
    pub fn band(name: impl Into<String>, points: Vec<(f64, f64, f64)>) -> Self {
        Self { name: name.into(), form: Form::Band(points) }
    }

    /// Points with labels. A label may be empty. A label without space is left out.
    #[must_use]
    pub fn dots(name: impl Into<String>, points: Vec<(f64, f64, String)>) -> Self {
        Self { name: name.into(), form: Form::Dots { points, joined: false } }
    }

    /// Points with labels, joined by a line in their order. A label without space is left out.
    #[must_use]
    pub fn joined_dots(name: impl Into<String>, points: Vec<(f64, f64, String)>) -> Self {
        Self { name: name.into(), form: Form::Dots { points, joined: true } }
    }

    fn xs(&self) -> Vec<f64> {
        match &self.form {
            Form::Line(points) => points.iter().map(|point| point.0).collect(),
            Form::Band(points) => points.iter().map(|point| point.0).collect(),
            Form::Dots { points, .. } => points.iter().map(|point| point.0).collect(),
        }
    }

    fn ys(&self) -> Vec<f64> {
        match &self.form {
            Form::Line(points) => points.iter().map(|point| point.1).collect(),
            Form::Band(points) => points.iter().flat_map(|point| [point.1, point.2]).collect(),
            Form::Dots { points, .. } => points.iter().map(|point| point.1).collect(),
        }
    }

    /// Returns its points, or the middle of a band.
    fn middles(&self) -> Vec<(f64, f64)> {
        match &self.form {
            Form::Line(points) => points.clone(),
            Form::Band(points) => {
                points.iter().map(|&(x, low, high)| (x, f64::midpoint(low, high))).collect()
            }
            Form::Dots { points, .. } => points.iter().map(|&(x, y, _)| (x, y)).collect(),
        }
    }
}

type Chart<'a, 'b> = ChartContext<'b, SVGBackend<'a>, Cartesian2d<FittedAxis, FittedAxis>>;

struct Margins {
    left: i32,
    top: i32,
    right: i32,
}

/// Draws the grid and its numbers.
fn mesh<'a, 'b>(
    sheet: &'b Sheet<'a>,
    margins: &Margins,
    across: FittedAxis,
    up: FittedAxis,
) -> Result<Chart<'a, 'b>, Fault> {
    let (x_numbers, y_numbers) = (across.how_many(), up.how_many());
    let mut chart = ChartBuilder::on(sheet)
        .margin_top(margins.top)
        .margin_right(margins.right)
        .x_label_area_size(44 * PX)
        .y_label_area_size(margins.left)
        .build_cartesian_2d(across, up)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(x_numbers)
        .y_labels(y_numbers)
        .bold_line_style(stroke(GRID, HAIR))
        // The numbers have no line beside them.
        .axis_style(TRANSPARENT)
        .set_tick_mark_size(LabelAreaPosition::Bottom, 4 * PX)
        .set_tick_mark_size(LabelAreaPosition::Left, 4 * PX)
        .x_label_style(text_style(QUIET, TEXT, HPos::Center, VPos::Top))
        .y_label_style(text_style(QUIET, TEXT, HPos::Right, VPos::Center))
        .draw()?;
    let (xs, ys) = (chart.x_range(), chart.y_range());
    let foot = [(xs.start, ys.start), (xs.end, ys.start)].map(|corner| chart.backend_coord(&corner));
    sheet.draw(&PathElement::new(foot, stroke(QUIET, HAIR)))?;
    Ok(chart)
}

fn stroke(colour: Colour, width: u32) -> ShapeStyle {
    colour.light.stroke_width(width)
}

/// A rectangle on the sheet.
struct Room {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Room {
    fn around((x, y): (i32, i32), r: i32) -> Self {
        Self { left: x - r, top: y - r, right: x + r, bottom: y + r }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// Returns the rectangles that a line covers.
fn along(from: (i32, i32), to: (i32, i32)) -> impl Iterator<Item = Room> {
    const STEPS: i32 = 24;
    let between = |from: i32, to: i32, step: i32| from + (to - from) / STEPS * step;
    (1..STEPS).map(move |step| Room::around((between(from.0, to.0, step), between(from.1, to.1, step)), PX))
}

/// A possible place of a label.
struct Place {
    anchor: (i32, i32),
    across: HPos,
    room: Room,
}

impl Place {
    fn new(anchor: (i32, i32), across: HPos, width: i32) -> Self {
        const HALF: i32 = 7 * PX;
        let left = match across {
            HPos::Left => anchor.0,
            HPos::Center => anchor.0 - width / 2,
            HPos::Right => anchor.0 - width,
        };
        let room = Room { left, top: anchor.1 - HALF, right: left + width, bottom: anchor.1 + HALF };
        Self { anchor, across, room }
    }

    /// The best place comes first.
    fn beside((x, y): (i32, i32), width: i32) -> [Self; 6] {
        const GAP: i32 = 10 * PX;
        let (above, below) = (y - 15 * PX, y + 16 * PX);
        [
            Self::new((x + GAP, y), HPos::Left, width),
            Self::new((x, above), HPos::Center, width),
            Self::new((x, below), HPos::Center, width),
            Self::new((x - GAP, y), HPos::Right, width),
            Self::new((x + GAP / 2, above), HPos::Left, width),
            Self::new((x + GAP / 2, below), HPos::Left, width),
        ]
    }
}

/// Draws the key above the chart, with the mark of each series.
struct Key {
    entries: Vec<KeyEntry>,
    is_drawn: bool,
}

struct KeyEntry {
    index: usize,
    name: String,
    is_dots: bool,
    is_band: bool,
    x: i32,
    row: i32,
}

impl Key {
    fn height(&self) -> i32 {
        let rows = self.entries.last().map_or(0, |last| last.row + 1);
        if self.is_drawn { rows * KEY_ROW + 6 * PX } else { 0 }
    }

    fn draw(&self, sheet: &Sheet<'_>) -> Result<(), Fault> {
        for entry in self.entries.iter().filter(|_| self.is_drawn) {
            let colour = series_colour(entry.index);
            let (x, y) = (entry.x, entry.row * KEY_ROW + 9 * PX);
            let end = x + KEY_MARK - 8 * PX;
            if entry.is_dots {
                marker(sheet, entry.index, (x + 8 * PX, y))?;
            } else if entry.is_band {
                let corners = [(x, y - 5 * PX), (end, y - 5 * PX), (end, y + 5 * PX), (x, y + 5 * PX)];
                sheet.draw(&Polygon::new(corners, colour.light.mix(BAND_OPACITY).filled()))?;
            } else {
                sheet.draw(&PathElement::new([(x, y), (end, y)], stroke(colour, LINE)))?;
            }
            let name_at = if entry.is_dots { x + 18 * PX } else { x + KEY_MARK };
            let style = bold(&text_style(colour, TEXT, HPos::Left, VPos::Center));
            write(sheet, &entry.name, &style, (name_at, y))?;
        }
        Ok(())
    }
}

/// Lengths in pixels.
const TEXT: i32 = 13;

/// Lengths in the units of the sheet.
const LINE: u32 = 22;
const HAIR: u32 = 10;
/// The width of a name at the end of a line.
const NAME_HEIGHT: i32 = 16 * PX;

const KEY_ROW: i32 = 20 * PX;
const KEY_MARK: i32 = 40 * PX;

const BAND_OPACITY: f64 = 0.22;

const NOTHING: &str = "Nothing was measured.";

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot::new("A < B & \"C\"", Axis::elapsed(), Axis::linear("ms"))
            .series(Series::line("p50", vec![(0.0, 80.0), (60.0, 90.0), (120.0, 95.0)]))
            .series(Series::line("p90", vec![(0.0, 180.0), (60.0, f64::NAN), (120.0, 212.0)]))
            .series(Series::band("p50 to p99", vec![(0.0, 80.0, 300.0), (120.0, 95.0, 400.0)]))
            .limit(300.0, "<limit>")
    }

    #[test]
    fn text_is_escaped() {
        let svg = plot().svg();
        assert!(svg.contains("A &lt; B &amp;") && svg.contains("&lt;limit&gt;"));
        assert!(!svg.contains("<limit>"));
    }

    #[test]
    fn a_value_between_gaps_is_drawn_as_a_dot() {
        let svg = plot().svg();
        // The second series is two values with a gap between them; its mark is a square.
        let squares = svg.matches(&format!("fill=\"{}\" points", series_colour(1).attribute())).count();
        assert_eq!(squares, 2);
    }

    #[test]
    fn without_values_it_says_so() {
        let empty = Plot::new("Nothing", Axis::elapsed(), Axis::linear("ms"));
        assert!(empty.svg().contains(NOTHING));
        let gaps = empty.series(Series::line("p90", vec![(0.0, f64::NAN)]));
        assert!(gaps.svg().contains(NOTHING));
    }

    #[test]
    fn extreme_values_are_drawn() {
        for value in [f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX, -1e300] {
            for y in [Axis::linear(""), Axis::logarithmic("")] {
                let points = vec![(0.0, value, "label".into()), (1.0, 1.0, String::new())];
                let dots = Series::joined_dots("a", points);
                let svg = Plot::new("", Axis::linear(""), y).series(dots).svg();
                assert!(svg.ends_with("</svg>"), "{value}");
            }
        }
    }
}
