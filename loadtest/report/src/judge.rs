//! The verdict on an evening: whether it went as expected, in a sentence.

use saltern_page::{count, milliseconds, percent};

use crate::{
    evening::{Evening, Expected},
    record::whole,
};

pub(crate) struct Judgement {
    /// Whether the run kept all budgets.
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
            (0, _, _) => Some("no login was sent".to_owned()),
            (_, 0, 0) => None,
            (_, 0, wrong) => Some(format!("{wrong} answers were WRONG")),
            (_, dropped, _) => Some(format!(
                "k6 dropped {dropped} iterations, by answers slower than LOAD_SLOWEST_MS or a busy machine, so the run has no result"
            )),
        } {
            return Self { held: false, as_expected: false, sentence: fault };
        }
        let (as_expected, verb) = match (evening.about.expected, held) {
            (Expected::Holds, true) => (true, "held".to_owned()),
            (Expected::Falls, false) => match wrong_fall(evening) {
                None => (true, "fell as expected".to_owned()),
                Some(otherwise) => (false, format!("should fall, but fell for ANOTHER REASON ({otherwise})")),
            },
            (Expected::Holds, false) => (false, "should hold, but FELL".to_owned()),
            (Expected::Falls, true) => (false, "should fall, but HELD".to_owned()),
        };
        Self { held, as_expected, sentence: format!("{verb}: {}", figures(evening)) }
    }
}

/// Returns a reason if the fall has none of the causes that the evening should show.
fn wrong_fall(evening: &Evening) -> Option<String> {
    for (kind, failed) in BROKEN_TARGET {
        if counts(evening, kind) {
            let operations = evening.callers.totals.failed.get(kind).copied().unwrap_or_default();
            return Some(format!("{} operations {failed}", count(whole(operations))));
        }
    }
    let causes = &evening.about.falls_by;
    let is_found = causes.is_empty() || causes.iter().any(|cause| is_found(cause, evening));
    (!is_found).then(|| format!("without {}", causes.join(" and without ")))
}

fn is_found(cause: &str, evening: &Evening) -> bool {
    match cause {
        "hello_p99" => evening
            .summary
            .broken
            .iter()
            .any(|budget| budget.starts_with("hello_ms") && budget.contains("p(99)")),
        kind => counts(evening, kind),
    }
}

/// Returns whether more operations failed in this way than by accident.
fn counts(evening: &Evening, kind: &str) -> bool {
    let totals = &evening.callers.totals;
    let failed = totals.failed.get(kind).copied().unwrap_or_default();
    whole(failed) > ACCIDENT_SHARE * whole(totals.requested)
}

/// Returns the most important figures.
fn figures(evening: &Evening) -> String {
    let totals = &evening.callers.totals;
    let mut parts = vec![format!("up to {} logins a second", count(evening.peak()))];
    if let Some(ms) = totals.ms {
        parts.push(format!("p90 {}", milliseconds(ms.p90)));
    }
    parts.push(failed(evening));
    if let Some(hello) = totals.hello_ms {
        parts.push(format!("/hello p99 {}", milliseconds(hello.p99)));
    }
    if let Some(fleet) = &evening.fleet {
        parts.push(format!("at most {} concurrent requests", count(whole(fleet.totals.concurrency))));
    }
    parts.join(", ")
}

fn failed(evening: &Evening) -> String {
    match share_failed(evening) {
        0.0 => "none failed".to_owned(),
        share => format!("{} failed", percent(share, 1.0)),
    }
}

/// Returns the share of all logins that failed, from 0 to 1.
pub(crate) fn share_failed(evening: &Evening) -> f64 {
    let totals = &evening.callers.totals;
    whole(totals.failed.values().sum()) / whole(totals.requested.max(1))
}

/// Returns a sentence for each evening, or only for the unexpected ones if there are any.
pub(crate) fn together(evenings: &[Evening], judgements: &[Judgement]) -> String {
    let pairs = || evenings.iter().zip(judgements);
    let sentence = |(evening, judgement): (&Evening, &Judgement)| {
        format!("{} {}.", capitalised(&evening.about.short), judgement.sentence)
    };
    if judgements.iter().all(|judgement| judgement.as_expected) {
        return pairs().map(sentence).collect::<Vec<_>>().join(" ");
    }
    let unexpected = pairs().filter(|(_, judgement)| !judgement.as_expected).map(sentence);
    core::iter::once("Not as expected.".to_owned()).chain(unexpected).collect::<Vec<_>>().join(" ")
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Failures of a target that is absent or broken. No evening should show these.
const BROKEN_TARGET: [(&str, &str); 2] =
    [("unreachable", "had no connection"), ("fault", "were answered 5xx")];

/// One operation of a thousand may fail because of this machine.
const ACCIDENT_SHARE: f64 = 0.001;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evening::tests::{evening, spoilt};

    const SLOW: &str = "operation_ms{kind:right}: p(90)<300 (is 800)";

    #[test]
    fn an_evening_is_compared_with_its_expectation() {
        for (expected, broken, as_expected, sentence) in [
            (Expected::Holds, &[][..], true, "held: up to 100 logins a second, p90 180 ms, none failed"),
            (Expected::Falls, &[SLOW][..], true, "fell as expected: up to 100"),
            (Expected::Holds, &[SLOW][..], false, "should hold, but FELL: up to 100"),
            (Expected::Falls, &[][..], false, "should fall, but HELD: up to 100"),
        ] {
            let judgement = Judgement::of(&evening("one", expected, broken));
            assert_eq!(judgement.as_expected, as_expected);
            assert!(judgement.sentence.starts_with(sentence), "{}", judgement.sentence);
        }
    }

    /// The expected causes, the failures of 400 operations by kind, the broken budget, and whether
    /// that is as expected.
    type Fall = (&'static [&'static str], &'static [(&'static str, u64)], &'static str, bool);

    const FALLS: &[Fall] = &[
        (&["throttled"], &[("throttled", 40)], SLOW, true),
        (&["throttled"], &[], SLOW, false),
        (&["throttled"], &[("timeout", 40)], SLOW, false),
        // A dead function is a failure, even if the expected failures came first.
        (&["throttled"], &[("unreachable", 400)], SLOW, false),
        (&["throttled"], &[("throttled", 40), ("fault", 100)], SLOW, false),
        (&[], &[("unreachable", 400)], SLOW, false),
        (&[], &[("timeout", 40)], SLOW, true),
        (&["hello_p99", "timeout"], &[], "hello_ms: p(99)<100 (is 4000)", true),
        (&["hello_p99", "timeout"], &[("timeout", 40)], SLOW, true),
        (&["hello_p99", "timeout"], &[], SLOW, false),
    ];

    #[test]
    fn a_fall_for_another_reason_is_not_expected() {
        for &(falls_by, failed, broken, as_expected) in FALLS {
            let mut evening = evening("one", Expected::Falls, &[broken]);
            evening.about.falls_by = falls_by.iter().map(ToString::to_string).collect();
            evening.callers.totals.failed =
                failed.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect();
            let judgement = Judgement::of(&evening);
            assert_eq!(judgement.as_expected, as_expected, "{falls_by:?} {failed:?}: {}", judgement.sentence);
            assert_eq!(judgement.sentence.contains("ANOTHER REASON"), !as_expected, "{}", judgement.sentence);
        }
    }

    #[test]
    fn a_run_without_a_result_is_not_an_expected_fall() {
        for (evening, sentence) in [
            (
                spoilt(7, 0),
                "k6 dropped 7 iterations, by answers slower than LOAD_SLOWEST_MS or a busy machine, so the run has no result",
            ),
            (spoilt(0, 1), "1 answers were WRONG"),
        ] {
            let judgement = Judgement::of(&evening);
            assert!(!judgement.as_expected);
            assert_eq!(judgement.sentence, sentence);
        }
        let mut silent = evening("silent", Expected::Holds, &[]);
        silent.callers = crate::record::Series::default();
        let judgement = Judgement::of(&silent);
        assert_eq!((judgement.held, judgement.sentence.as_str()), (false, "no login was sent"));
    }

    #[test]
    fn each_evening_has_a_sentence() {
        let evenings = [evening("zero", Expected::Falls, &[SLOW]), evening("two", Expected::Holds, &[])];
        let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
        let sentence = together(&evenings, &judgements);
        assert_eq!(
            sentence,
            "Zero fell as expected: up to 100 logins a second, p90 180 ms, none failed. \
             Two held: up to 100 logins a second, p90 180 ms, none failed."
        );
        let evenings = [evening("two", Expected::Holds, &[SLOW]), evening("three", Expected::Holds, &[])];
        let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
        let sentence = together(&evenings, &judgements);
        assert!(sentence.starts_with("Not as expected. Two should hold, but FELL: up to 100"), "{sentence}");
        assert!(!sentence.contains("Three"), "{sentence}");
    }
}
