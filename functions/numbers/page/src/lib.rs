//! One HTML page with figures, tables and charts, in one file: nothing is loaded, nothing runs, and it reads on a phone
//! and on a wide screen, by day and by night.
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
//!     .fact("p90", "212 ms")
//!     .section(Section::new("Latency").prose("Measured by the caller.").chart(plot));
//! assert!(page.html().starts_with("<!DOCTYPE html>"));
//! ```
//!
//! Whatever text goes in comes out escaped: maud does it for HTML, plotters for SVG.
//!
//! # Colours
//!
//! plotters draws with the colours of the light page, as attributes. The style sheet selects on those attributes: it puts
//! the dark page's colour in the place of each, and gives each series its dashes. So one drawing serves both, and
//! `palette.rs` is the only place that knows a colour.

#![forbid(unsafe_code)]

mod axis;
mod bars;
mod canvas;
mod number;
mod page;
mod palette;
mod plot;

pub use axis::Axis;
pub use bars::Bars;
pub use number::{exact, rounded};
pub use page::{Chart, Page, Section, Table, Verdict};
pub use plot::{Plot, Series};
