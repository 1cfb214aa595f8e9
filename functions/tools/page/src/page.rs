//! The page around the charts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{Plot, palette};

/// A page: the verdict first, then the large figures, then the sections.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    verdict: Verdict,
    warning: String,
    facts: Vec<(String, String)>,
    sections: Vec<Section>,
    footer: String,
}

/// The conclusion of the page in one sentence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The goal was reached.
    Kept(String),
    /// The goal was missed.
    Missed(String),
    /// The page has no goal: the sentence only states a result.
    Stated(String),
}

/// A part of a page under a heading.
#[derive(Clone, Debug)]
pub struct Section {
    heading: String,
    /// The parts in their order, and whether each is a chart.
    parts: Vec<(Markup, bool)>,
}

/// A table. Columns of numbers are aligned right.
#[derive(Clone, Debug)]
pub struct Table {
    caption: String,
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl Page {
    /// Returns a page without sections.
    #[must_use]
    pub fn new(title: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            title: title.into(),
            verdict,
            warning: String::new(),
            facts: Vec::new(),
            sections: Vec::new(),
            footer: String::new(),
        }
    }

    /// Adds large figures at the top, each as a name and a value.
    #[must_use]
    pub fn facts<Name, Value>(mut self, facts: impl IntoIterator<Item = (Name, Value)>) -> Self
    where
        Name: Into<String>,
        Value: Into<String>,
    {
        self.facts.extend(facts.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Sets a warning about the figures, below the verdict.
    #[must_use]
    pub fn warning(self, warning: impl Into<String>) -> Self {
        Self { warning: warning.into(), ..self }
    }

    /// Adds sections.
    #[must_use]
    pub fn sections(mut self, sections: impl IntoIterator<Item = Section>) -> Self {
        self.sections.extend(sections);
        self
    }

    /// Sets the text at the foot of the page. It names the source of the figures.
    #[must_use]
    pub fn footer(self, footer: impl Into<String>) -> Self {
        Self { footer: footer.into(), ..self }
    }

    /// Returns the page as one HTML file.
    #[must_use]
    pub fn html(&self) -> String {
        let style = [include_str!("style.css"), &palette::style_sheet()].concat();
        let ids = self.ids();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // A second barrier: the browser loads nothing and runs nothing on this page.
                    meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                    title { (self.title) }
                    style { (PreEscaped(style)) }
                }
                body {
                    header {
                        h1 { (self.title) }
                        (self.verdict.html())
                        @if !self.warning.is_empty() { p.warning role="note" { (self.warning) } }
                    }
                    main {
                        @if !self.facts.is_empty() {
                            dl.facts style={ "--columns:" (columns(self.facts.len())) } { @for (name, value) in &self.facts { div { dt { (name) } dd { (value) } } } }
                        }
                        nav aria-label="Contents" { ul { @for (section, id) in self.sections.iter().zip(&ids) {
                            li { a href=(format!("#{id}")) { (section.heading) } }
                        } } }
                        @for (section, id) in self.sections.iter().zip(&ids) { (section.html(id)) }
                    }
                    @if !self.footer.is_empty() { footer { (self.footer) } }
                }
            }
        }
        .into_string()
    }

    /// Returns the target of the link to each section: its heading, with its number if another section
    /// before it has the same.
    fn ids(&self) -> Vec<String> {
        self.sections.iter().fold(Vec::new(), |mut ids, section| {
            let id = section.id();
            ids.push(if ids.contains(&id) { format!("{id}-{}", ids.len()) } else { id });
            ids
        })
    }
}

/// Returns the number of columns of the large figures, so that the rows have nearly equal lengths.
fn columns(facts: usize) -> usize {
    const MOST: usize = 6;
    facts.div_ceil(facts.div_ceil(MOST).max(1)).max(1)
}

impl Verdict {
    fn html(&self) -> Markup {
        let (class, mark, sentence) = match self {
            Self::Kept(sentence) => ("verdict kept", "✓", sentence),
            Self::Missed(sentence) => ("verdict missed", "✗", sentence),
            Self::Stated(sentence) => ("verdict", "", sentence),
        };
        html! { p class=(class) { @if !mark.is_empty() { span aria-hidden="true" { (mark) " " } } (sentence) } }
    }
}

impl Section {
    /// Returns an empty section.
    #[must_use]
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), parts: Vec::new() }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn prose(self, text: impl Into<String>) -> Self {
        self.part(html! { p { (text.into()) } })
    }

    /// Adds notes: paragraphs in small, quiet type, for remarks on the table or chart before them.
    #[must_use]
    pub fn notes<Note: Into<String>>(self, notes: impl IntoIterator<Item = Note>) -> Self {
        notes.into_iter().fold(self, |section, note| section.part(html! { p.note { (note.into()) } }))
    }

    /// Adds a table.
    #[must_use]
    pub fn table(self, table: Table) -> Self {
        self.part(table.html())
    }

    /// Adds charts. Consecutive charts stand side by side on a wide screen.
    #[must_use]
    pub fn charts(mut self, charts: impl IntoIterator<Item = Plot>) -> Self {
        self.parts.extend(charts.into_iter().map(|chart| (chart.html(), true)));
        self
    }

    fn part(mut self, part: Markup) -> Self {
        self.parts.push((part, false));
        self
    }

    /// Returns the heading as the target of a link.
    fn id(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        self.heading.chars().map(letter).collect()
    }

    fn html(&self, id: &str) -> Markup {
        html! {
            section id=(id) {
                h2 { (self.heading) }
                @for run in self.parts.chunk_by(|one, other| one.1 && other.1) {
                    @if run[0].1 {
                        div.charts { @for (part, _) in run { (part) } }
                    } @else {
                        @for (part, _) in run { (part) }
                    }
                }
            }
        }
    }
}

impl Table {
    /// Returns the table for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let headings: Vec<_> = self.columns.iter().map(|(heading, _)| heading.clone()).collect();
        let rows: Vec<_> = [&headings].into_iter().chain(&self.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..headings.len()).map(width).collect();
        let mut text = if self.caption.is_empty() { String::new() } else { format!("{}\n", self.caption) };
        for row in rows {
            let cells = row.iter().zip(&self.columns).zip(&widths).map(|((cell, (_, is_number)), &width)| {
                if *is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// Returns a table without columns. The caption describes the contents; it may be empty.
    #[must_use]
    pub fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds a column of text.
    #[must_use]
    pub fn words(mut self, heading: impl Into<String>) -> Self {
        self.columns.push((heading.into(), false));
        self
    }

    /// Adds a column of numbers.
    #[must_use]
    pub fn numbers(mut self, heading: impl Into<String>) -> Self {
        self.columns.push((heading.into(), true));
        self
    }

    /// Adds columns of numbers.
    #[must_use]
    pub fn numbers_each<Heading: Into<String>>(self, headings: impl IntoIterator<Item = Heading>) -> Self {
        headings.into_iter().fold(self, Self::numbers)
    }

    /// Adds a row, with a cell for every column.
    #[must_use]
    pub fn row<Cell: Into<String>>(self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.rows([cells])
    }

    /// Adds rows, each with a cell for every column.
    #[must_use]
    pub fn rows<Row, Cell>(mut self, rows: impl IntoIterator<Item = Row>) -> Self
    where
        Row: IntoIterator<Item = Cell>,
        Cell: Into<String>,
    {
        self.rows.extend(rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()));
        self
    }

    fn html(self) -> Markup {
        let class =
            |column: usize| self.columns.get(column).is_some_and(|column| column.1).then_some("number");
        html! {
            // A table wider than the screen scrolls alone, by touch or keyboard. The page stays.
            div.table tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    @if !self.caption.is_empty() { caption { span { (self.caption) } } }
                    thead { tr { @for (index, (heading, _)) in self.columns.iter().enumerate() {
                        th scope="col" class=[class(index)] { (heading) }
                    } } }
                    tbody { @for row in &self.rows { tr { @for (index, cell) in row.iter().enumerate() {
                        td class=[class(index)] { (cell) }
                    } } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Series};

    fn page() -> String {
        let plot = Plot::new("<i>", Axis::elapsed(), Axis::linear("ms"))
            .about("a & b")
            .series(Series::line("<s>", vec![(0.0, 1.0), (1.0, 2.0)]));
        let table = Table::new("<c>").words("<w>").numbers("n").row(["<r>", "1"]);
        let section =
            Section::new("<h>").prose("<script>alert(1)</script>").table(table).notes(["<x>"]).charts([plot]);
        Page::new("<t>", Verdict::Missed("<v>".into()))
            .warning("<b>")
            .facts([("<f>", "<g>")])
            .sections([section])
            .footer("<o>")
            .html()
    }

    #[test]
    fn text_is_escaped_everywhere() {
        let html = page();
        for raw in [
            "<b>", "<i>", "<s>", "<c>", "<w>", "<r>", "<h>", "<t>", "<v>", "<f>", "<g>", "<o>", "<x>",
            "<script",
        ] {
            assert!(!html.contains(raw), "{raw}");
        }
        assert!(html.contains("&lt;script&gt;") && html.contains("a &amp; b"));
    }

    #[test]
    fn sections_of_one_heading_have_two_targets() {
        let page = Page::new("", Verdict::Stated(String::new()));
        let html = page.sections([Section::new("An evening"), Section::new("An evening")]).html();
        for id in ["an-evening", "an-evening-1"] {
            assert!(html.contains(&format!("href=\"#{id}\"")) && html.contains(&format!("id=\"{id}\"")));
        }
    }

    #[test]
    fn rows_of_facts_are_even() {
        assert_eq!([0, 1, 5, 6, 7, 8, 9, 12, 13].map(columns), [1, 1, 5, 6, 4, 4, 5, 6, 5]);
    }

    #[test]
    fn nothing_is_loaded() {
        let html = page();
        for reference in ["http://", "https://", "src=", "url(", "@import"] {
            assert!(!html.contains(reference), "{reference}");
        }
        // A link leads to a section of the page.
        assert_eq!(html.matches("href=").count(), html.matches("href=\"#").count());
        assert!(html.contains("href=\"#-h-\"") && html.contains("id=\"-h-\""));
    }

    #[test]
    fn a_chart_has_a_name_and_a_meaning() {
        assert!(page().contains("<title>&lt;i&gt;</title><desc>a &amp; b</desc>"));
    }
}
