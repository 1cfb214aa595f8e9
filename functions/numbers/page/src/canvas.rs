//! The parts that all plots share: a sheet in two widths, and its text.

use std::io;

use maud::{Markup, PreEscaped, html};
use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    prelude::{Circle, DrawingArea, IntoDrawingArea as _, Polygon, SVGBackend, Text},
    style::{
        Color as _, FontStyle, IntoFont as _, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use crate::palette::{self, Colour, INK, SERIES};

pub(crate) type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The error type of plotters. Writing SVG into a string never fails.
pub(crate) type Fault = DrawingAreaErrorKind<io::Error>;

/// plotters counts in whole units. Ten units a pixel give smooth lines.
pub(crate) const PX: i32 = 10;

/// The width of a plot. One text size does not fit a phone and a wide screen, so each plot is
/// drawn twice. The page shows the drawing that fits.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Width {
    /// For a page wider than `NARROW_UP_TO` pixels.
    Wide,
    /// For a phone.
    Narrow,
}

impl Width {
    pub(crate) const fn of_sheet(self) -> i32 {
        match self {
            Self::Wide => 660 * PX,
            Self::Narrow => 350 * PX,
        }
    }

    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, Self::Wide)
    }
}

/// A drawing with a name and a description for screen readers.
pub(crate) struct Drawing<'a> {
    pub(crate) title: &'a str,
    pub(crate) about: &'a str,
    pub(crate) width: Width,
    pub(crate) height: i32,
}

impl Drawing<'_> {
    /// Returns an SVG element for an HTML page. It needs the style sheet and the heading of the
    /// page.
    pub(crate) fn for_page(&self, draw: impl FnOnce(&Sheet<'_>) -> Result<(), Fault>) -> Markup {
        let (class, width) = match self.width {
            Width::Wide => ("wide", self.width.of_sheet()),
            Width::Narrow => ("narrow", self.width.of_sheet()),
        };
        html! {
            svg class=(class) viewBox={ "0 0 " (width) " " (self.height) } role="img" {
                title { (self.title) }
                @if !self.about.is_empty() { desc { (self.about) } }
                (self.inside(draw))
            }
        }
    }

    /// Returns a complete SVG document with its title on top.
    pub(crate) fn alone(&self, draw: impl FnOnce(&Sheet<'_>) -> Result<(), Fault>) -> Markup {
        const TITLE: i32 = 34 * PX;
        let (width, height) = (self.width.of_sheet(), self.height + TITLE);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 " (-TITLE) " " (width) " " (height) }
                width=(width / PX) height=(height / PX) role="img" {
                title { (self.title) }
                @if !self.about.is_empty() { desc { (self.about) } }
                style { (PreEscaped(palette::style_sheet())) }
                text y=(-TITLE / 2 + 5 * PX) font-size=(15 * PX) font-weight="600" fill=(INK.attribute()) { (self.title) }
                (self.inside(draw))
            }
        }
    }

    /// Returns the marks without the element around them. That of plotters has a fixed size in
    /// pixels.
    fn inside(&self, draw: impl FnOnce(&Sheet<'_>) -> Result<(), Fault>) -> PreEscaped<String> {
        let mut svg = String::new();
        let size = (self.width.of_sheet().unsigned_abs(), self.height.unsigned_abs());
        let sheet = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = draw(&sheet).and_then(|()| sheet.present());
        drop(sheet);
        if drawn.is_err() {
            return PreEscaped(format!(r#"<text y="{}">This chart could not be drawn.</text>"#, 20 * PX));
        }
        let marks = svg.split_once('>').map_or("", |(_, marks)| marks);
        PreEscaped(marks.trim_end().trim_end_matches("</svg>").trim().to_owned())
    }
}

/// Returns a text style: the colour, the size in pixels, and the anchor.
pub(crate) fn text_style(colour: Colour, size: i32, across: HPos, down: VPos) -> TextStyle<'static> {
    // plotters uses a size of 1.24 em. The style sheet names the font family.
    let size = f64::from(size * PX) * 1.24;
    ("sans-serif", size).into_font().color(&colour.light).pos(Pos::new(across, down))
}

pub(crate) fn bold(style: &TextStyle<'static>) -> TextStyle<'static> {
    TextStyle { font: style.font.style(FontStyle::Bold), ..style.clone() }
}

pub(crate) fn write(
    sheet: &Sheet<'_>,
    text: &str,
    style: &TextStyle<'static>,
    at: (i32, i32),
) -> Result<(), Fault> {
    sheet.draw(&Text::new(text.to_owned(), at, style.clone()))
}

/// Returns the approximate width of text. The font of the reader is unknown, so the result is
/// rather too wide.
pub(crate) fn text_width(text: &str) -> i32 {
    times(text.chars().count(), 7 * PX + PX / 2)
}

/// Returns the same for bold text.
pub(crate) fn bold_width(text: &str) -> i32 {
    times(text.chars().count(), 8 * PX + PX / 2)
}

/// Returns the same for a number of digits.
pub(crate) fn digits_width(digits: usize) -> i32 {
    times(digits, 8 * PX)
}

fn times(count: usize, width: i32) -> i32 {
    // A sheet is never wider than this.
    i32::try_from(count.min(1000)).unwrap_or(1000) * width
}

/// The mark of a series. Its shape distinguishes it in addition to its colour.
pub(crate) fn marker(sheet: &Sheet<'_>, series: usize, at: (i32, i32)) -> Result<(), Fault> {
    const R: i32 = 5 * PX;
    const FORMS: [&[(i32, i32)]; 5] = [
        &[(-R, -R), (R, -R), (R, R), (-R, R)],
        &[(0, -R - PX), (R + PX, R), (-R - PX, R)],
        &[(0, -R - 2 * PX), (R + 2 * PX, 0), (0, R + 2 * PX), (-R - 2 * PX, 0)],
        &[(-R - PX, -R), (R + PX, -R), (0, R + PX)],
        &[(-R, -2 * PX), (R, -2 * PX), (R, 2 * PX), (-R, 2 * PX)],
    ];
    let style = series_colour(series).light.filled();
    match series % (FORMS.len() + 1) {
        0 => sheet.draw(&Circle::new(at, R, style)),
        form => {
            let corners = FORMS[form - 1].iter().map(|(x, y)| (at.0 + x, at.1 + y));
            sheet.draw(&Polygon::new(corners.collect::<Vec<_>>(), style))
        }
    }
}

pub(crate) fn series_colour(series: usize) -> Colour {
    SERIES[series % SERIES.len()]
}

/// Returns heights for labels in a column, in their order. They are as near to the wanted heights
/// as the distance and the bounds allow.
pub(crate) fn spread(wished: &[i32], distance: i32, bounds: (i32, i32)) -> Vec<i32> {
    let mut placed = wished.to_vec();
    let mut free = bounds.0;
    for height in &mut placed {
        *height = free.max(*height);
        free = *height + distance;
    }
    let mut free = bounds.1;
    for height in placed.iter_mut().rev() {
        *height = free.min(*height);
        free = *height - distance;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        assert_eq!(spread(&[10, 50, 52], 20, (0, 100)), [10, 50, 70]);
        assert_eq!(spread(&[98, 99], 20, (0, 100)), [80, 100]);
        assert_eq!(spread(&[], 20, (0, 100)), [0_i32; 0]);
    }
}
