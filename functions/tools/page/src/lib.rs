//! One HTML page with figures, tables and charts, in one file. The page loads nothing and runs
//! nothing. It fits a phone and a wide screen, in the light and the dark colour scheme.
//!
//! A program says only what is on the page:
//!
//! - [`Page`]: a title, a [`Verdict`], a `warning`, large figures (`facts`), `contents`, sections
//!   and a footer.
//! - [`Section`]: a heading, then paragraphs (`prose`), small remarks (`notes`), tables and charts,
//!   in the order of the calls.
//! - [`Table`]: a caption, columns of text (`words`) or of `numbers`, and rows. It is also text for
//!   a terminal (`text`).
//! - [`Plot`]: a chart with a title and a caption (`about`).
//! - Cells: [`rounded`], [`exact`], [`count`], [`milliseconds`], [`percent`] and [`usd`] write
//!   numbers. [`or_nothing`] writes a value that may be absent.
//!
//! Methods with a plural name take any iterator, so also an `Option`: `None` adds nothing.
//!
//! ```
//! use saltern_page::{Axis, Page, Plot, Section, Series, Verdict};
//!
//! let p90 = Series::line("p90", vec![(0.0, 180.0), (60.0, 212.0), (120.0, 208.0)]);
//! let plot = Plot::new("Answer time", Axis::elapsed(), Axis::linear("ms"))
//!     .about("The 90th percentile stays below the limit.")
//!     .series(p90)
//!     .limit(300.0, "limit");
//! let page = Page::new("An evening", Verdict::Kept("All limits kept.".into()))
//!     .facts([("p90", "212 ms")])
//!     .sections([Section::new("Latency").prose("Measured by the caller.").charts([plot])]);
//! assert!(page.html().starts_with("<!DOCTYPE html>"));
//! ```
//!
//! All text is escaped: by maud in HTML, by plotters in SVG.
//!
//! # Colours
//!
//! plotters writes the colours of the light page as attributes. The style sheet selects on these
//! attributes: it replaces each by the colour of the dark page, and gives each series its dashes.
//! So one drawing serves both pages. All colours are in `palette.rs`.

#![forbid(unsafe_code)]

mod axis;
mod number;
mod page;
mod palette;
mod plot;

pub use axis::Axis;
pub use number::{count, exact, milliseconds, or_nothing, percent, rounded, usd};
pub use page::{Page, Section, Table, Verdict};
pub use plot::{Plot, Series};
