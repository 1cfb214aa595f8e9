//! Whether an evening went as it was expected to, in a sentence.

use saltern_page::{exact, rounded};

use crate::evening::{Evening, Expected};

pub(crate) struct Judgement {
    /// No budget was broken.
    pub(crate) held: bool,
    pub(crate) as_expected: bool,
    pub(crate) sentence: String,
}

impl Judgement {
    pub(crate) fn of(evening: &Evening) -> Self {
        let totals = &evening.callers.totals;
        let held = evening.summary.broken.is_empty();
        let wrong = totals.failed.get("wrong").copied().unwrap_or_default();
        if let Some(fault) = match (totals.requested, totals.dropped, wrong) {
            (0, _, _) => Some("nothing was asked".to_owned()),
            (_, 0, 0) => None,
            (_, 0, wrong) => Some(format!("{wrong} answers were WRONG")),
            (_, dropped, _) => {
                Some(format!("k6 could not begin {dropped} of its iterations, so the run says nothing"))
            }
        } {
            return Self { held, as_expected: false, sentence: fault };
        }
        let (as_expected, verb) = match (evening.about.expected, held) {
            (Expected::Holds, true) => (true, "held"),
            (Expected::Falls, false) => (true, "fell, as it was to"),
            (Expected::Holds, false) => (false, "was to hold, and FELL"),
            (Expected::Falls, true) => (false, "was to fall, and HELD"),
        };
        Self { held, as_expected, sentence: format!("{verb}: {}", figures(evening)) }
    }
}

/// What it came to.
fn figures(evening: &Evening) -> String {
    let totals = &evening.callers.totals;
    let mut parts = vec![format!("up to {} logins a second", exact(evening.peak(), 0))];
    if let Some(ms) = totals.ms {
        parts.push(format!("p90 {} ms", exact(ms.p90, 0)));
    }
    parts.push(failed(evening));
    if let Some(hello) = totals.hello_ms {
        parts.push(format!("/hello p99 {} ms", exact(hello.p99, 0)));
    }
    if let Some(fleet) = &evening.fleet {
        parts.push(format!("{} requests at once at the most", exact(whole(fleet.totals.concurrency), 0)));
    }
    parts.join(", ")
}

fn failed(evening: &Evening) -> String {
    match percent_failed(evening) {
        0.0 => "none failed".to_owned(),
        percent => format!("{} % failed", rounded(percent)),
    }
}

pub(crate) fn percent_failed(evening: &Evening) -> f64 {
    let totals = &evening.callers.totals;
    100.0 * whole(totals.failed.values().sum()) / whole(totals.requested.max(1))
}

/// All evenings in one sentence.
pub(crate) fn together(evenings: &[Evening], judgements: &[Judgement]) -> String {
    let pairs = || evenings.iter().zip(judgements);
    let unexpected: Vec<_> = pairs()
        .filter(|(_, judgement)| !judgement.as_expected)
        .map(|(evening, judgement)| format!("{} {}", evening.about.short, judgement.sentence))
        .collect();
    if !unexpected.is_empty() {
        return format!("Not as expected. {}.", unexpected.join(". "));
    }
    let told = |held: bool| -> Vec<String> {
        let those = pairs().filter(|(_, judgement)| judgement.held == held);
        those.map(|(evening, _)| format!("{} ({})", evening.about.short, figures(evening))).collect()
    };
    let sentence =
        |verb: &str, those: &[String]| (!those.is_empty()).then(|| format!("{verb}: {}.", those.join("; ")));
    [sentence("Fell, as they were to", &told(false)), sentence("Held", &told(true))]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

#[allow(clippy::cast_precision_loss, reason = "counts of a run, far below 2^52")]
pub(crate) fn whole(count: u64) -> f64 {
    count as f64
}
