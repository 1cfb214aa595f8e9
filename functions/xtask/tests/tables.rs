//! No table of a document is copied into another document. What a program writes may be.

use std::collections::BTreeSet;

use super::tree::{is_a, texts};

#[test]
fn no_table_is_copied() {
    let documents =
        texts().into_iter().filter(|(name, _)| is_a(name, &["md"]) && !name.contains("/results/"));
    let documents: Vec<_> = documents.map(|(name, text)| (name, rows(&text))).collect();
    assert!(documents.iter().map(|(_, rows)| rows.len()).sum::<usize>() > 500, "too few rows were found");
    for (at, (name, rows)) in documents.iter().enumerate() {
        for (other, copied) in &documents[..at] {
            let both: Vec<_> = rows.intersection(copied).collect();
            assert!(
                both.len() < COPY,
                "{name} and {other} have the rows {both:?}: link from one to the other"
            );
        }
    }
}

#[test]
fn a_copied_table_is_found() {
    let table = "| name | number |\n|---|---|\n| `a` | one | since 2025 |\n| [b](b.md) | two |\n";
    let found = |other: &str| rows(table).intersection(&rows(other)).count() >= COPY;
    assert!(found("  | Name | number |\n|---|---|\n| a    | one | of many |\n| b | two |\n"));
    assert!(!found("| name | number |\n|---|---|\n| a | two |\n| b | two |\n"));
    assert!(!found(&format!("<!-- x:begin -->\n{table}<!-- x:end -->\n```\n{table}```\n")));
}

/// So many equal rows are a copy. A header counts too.
const COPY: usize = 3;

/// The name and the value of each row outside of code blocks and generated parts, in plain text.
fn rows(text: &str) -> BTreeSet<String> {
    let shown: String = text.split("```").step_by(2).collect();
    let by_hand = shown.split(":begin -->").filter_map(|part| part.rsplit(":end -->").next());
    let lines = by_hand.flat_map(str::lines).map(str::trim_start);
    let rows = lines.filter(|line| line.starts_with('|') && !line.starts_with("|-"));
    rows.map(|row| plain(row).split('|').take(3).collect::<Vec<_>>().join("|")).collect()
}

/// A row without the addresses of its links, the signs of code, and the differences of case and width.
fn plain(row: &str) -> String {
    let parts = row.split("](").enumerate();
    let text =
        parts.map(|(at, part)| part.split_once(')').filter(|_| at > 0).map_or(part, |(_, after)| after));
    text.collect::<String>().replace(['`', '[', ' '], "").to_lowercase()
}
