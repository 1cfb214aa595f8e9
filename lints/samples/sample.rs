//! What a module is (Opening).
//!
//! A plain sentence has a subject, a verb and an object.

/// Returns a value. Where the doc goes on (Opening), each
/// sentence is read.
fn sample() -> &'static str {
    // A line comment that makes
    // sense of nothing. Somebody wrote it (Opening, Words).
    let text = "Hence a // string is not read"; // Hence the comment behind it is read (Words).
    let raw = r#"What "stands" in a raw // string is not read, whoever wrote it"#;
    /* This block is long (Length), and goes on with many words after the comma, and again after the
    next one, until a reader has forgotten how it began, and must read it once more. */
    let quote = '"'; // See goal 7 (Tracker).
    // This line is short in words but has too many columns, `because_of_one_very_long_name_in_it` (Columns).
    text
}
