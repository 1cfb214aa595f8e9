//! Whether an evening went as it was expected to, in a sentence.

use saltern_page::{exact, rounded};

use crate::{
    evening::{Cause, Evening, Expected},
    record::whole,
};

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
            (Expected::Holds, true) => (true, "held".to_owned()),
            (Expected::Falls, false) => match wrong_fall(evening) {
                None => (true, "fell, as it was to".to_owned()),
                Some(otherwise) => (false, format!("was to fall, and fell OTHERWISE ({otherwise})")),
            },
            (Expected::Holds, false) => (false, "was to hold, and FELL".to_owned()),
            (Expected::Falls, true) => (false, "was to fall, and HELD".to_owned()),
        };
        Self { held, as_expected, sentence: format!("{verb}: {}", figures(evening)) }
    }

    /// For the head of a page, where there is room for what matters most.
    fn in_short(&self, evening: &Evening) -> String {
        let p90 =
            evening.callers.totals.ms.map_or(String::new(), |ms| format!(", p90 {} ms", exact(ms.p90, 0)));
        match (self.as_expected, self.held) {
            (true, true) => {
                format!("held {} logins a second: {}{p90}", exact(evening.peak(), 0), failed(evening))
            }
            (true, false) => format!("fell, as it was to: {}{p90}", failed(evening)),
            (false, _) => self.sentence.clone(),
        }
    }
}

/// Why a fall is not the one that the evening is there to show, if it is not.
fn wrong_fall(evening: &Evening) -> Option<String> {
    for (kind, says) in NOBODY_IS_THERE {
        if counts(evening, kind) {
            let count = evening.callers.totals.failed.get(kind).copied().unwrap_or_default();
            return Some(format!("{} operations {says}", exact(whole(count), 0)));
        }
    }
    let causes = &evening.about.falls_by;
    let is_there = causes.is_empty() || causes.iter().any(|cause| cause.is_there(evening));
    (!is_there).then(|| {
        format!(
            "without {}",
            causes.iter().map(|cause| cause.in_words()).collect::<Vec<_>>().join(" and without ")
        )
    })
}

impl Cause {
    fn is_there(self, evening: &Evening) -> bool {
        match self {
            Self::Throttled => counts(evening, "throttled"),
            Self::Overloaded => counts(evening, "overloaded"),
            Self::DeadlineExceeded => counts(evening, "deadline_exceeded"),
            Self::Timeout => counts(evening, "timeout"),
            Self::HelloP99 => evening
                .summary
                .broken
                .iter()
                .any(|budget| budget.starts_with("hello_ms") && budget.contains("p(99)")),
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Throttled => "a 429 of Lambda's",
            Self::Overloaded => "a 503 overloaded",
            Self::DeadlineExceeded => "a 503 that came too late",
            Self::Timeout => "anybody who gave up",
            Self::HelloP99 => "a slow /hello",
        }
    }
}

/// Whether so many failed in this way that it is no accident.
fn counts(evening: &Evening, kind: &str) -> bool {
    let totals = &evening.callers.totals;
    let failed = totals.failed.get(kind).copied().unwrap_or_default();
    whole(failed) > ACCIDENT_SHARE * whole(totals.requested)
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

/// All evenings, in a sentence each; where one went otherwise than it was to, those alone.
pub(crate) fn together(evenings: &[Evening], judgements: &[Judgement]) -> String {
    let pairs = || evenings.iter().zip(judgements);
    let sentence = |(evening, judgement): (&Evening, &Judgement)| {
        format!("{} {}.", capitalised(&evening.about.short), judgement.in_short(evening))
    };
    if judgements.iter().all(|judgement| judgement.as_expected) {
        return pairs().map(sentence).collect::<Vec<_>>().join(" ");
    }
    let otherwise = pairs().filter(|(_, judgement)| !judgement.as_expected).map(sentence);
    core::iter::once("Not as it was to be.".to_owned()).chain(otherwise).collect::<Vec<_>>().join(" ")
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Kinds of failures that say of a function or a backend nothing but that it is not there or broken: no evening shows that.
const NOBODY_IS_THERE: [(&str, &str); 2] =
    [("unreachable", "had no connection"), ("fault", "were answered 5xx")];

/// One operation of a thousand may go wrong for reasons of the machine's.
const ACCIDENT_SHARE: f64 = 0.001;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evening::tests::{evening, spoilt};

    const SLOW: &str = "operation_ms{kind:right}: p(90)<300 (is 800)";

    #[test]
    fn an_evening_goes_as_expected_or_it_does_not() {
        for (expected, broken, as_expected, sentence) in [
            (Expected::Holds, &[][..], true, "held: up to 100 logins a second, p90 180 ms, none failed"),
            (Expected::Falls, &[SLOW][..], true, "fell, as it was to: up to 100"),
            (Expected::Holds, &[SLOW][..], false, "was to hold, and FELL: up to 100"),
            (Expected::Falls, &[][..], false, "was to fall, and HELD: up to 100"),
        ] {
            let judgement = Judgement::of(&evening("one", expected, broken));
            assert_eq!(judgement.as_expected, as_expected);
            assert!(judgement.sentence.starts_with(sentence), "{}", judgement.sentence);
        }
    }

    /// What it is to fall by, how many of 400 failed in which way, and whether that is as expected.
    type Fall = (&'static [Cause], &'static [(&'static str, u64)], &'static str, bool);

    const FALLS: &[Fall] = &[
        (&[Cause::Throttled], &[("throttled", 40)], SLOW, true),
        (&[Cause::Throttled], &[], SLOW, false),
        (&[Cause::Throttled], &[("timeout", 40)], SLOW, false),
        // A dead function is no evening, whatever it did before it died.
        (&[Cause::Throttled], &[("unreachable", 400)], SLOW, false),
        (&[Cause::Throttled], &[("throttled", 40), ("fault", 100)], SLOW, false),
        (&[], &[("unreachable", 400)], SLOW, false),
        (&[], &[("timeout", 40)], SLOW, true),
        (&[Cause::HelloP99, Cause::Timeout], &[], "hello_ms: p(99)<100 (is 4000)", true),
        (&[Cause::HelloP99, Cause::Timeout], &[("timeout", 40)], SLOW, true),
        (&[Cause::HelloP99, Cause::Timeout], &[], SLOW, false),
    ];

    #[test]
    fn a_fall_for_another_reason_is_not_the_one_that_was_expected() {
        for &(falls_by, failed, broken, as_expected) in FALLS {
            let mut evening = evening("one", Expected::Falls, &[broken]);
            evening.about.falls_by = falls_by.to_vec();
            evening.callers.totals.failed =
                failed.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect();
            let judgement = Judgement::of(&evening);
            assert_eq!(judgement.as_expected, as_expected, "{falls_by:?} {failed:?}: {}", judgement.sentence);
            assert_eq!(judgement.sentence.contains("OTHERWISE"), !as_expected, "{}", judgement.sentence);
        }
    }

    #[test]
    fn a_run_that_says_nothing_is_not_as_expected_even_where_a_fall_is() {
        for (evening, sentence) in [
            (spoilt(7, 0), "k6 could not begin 7 of its iterations, so the run says nothing"),
            (spoilt(0, 1), "1 answers were WRONG"),
        ] {
            let judgement = Judgement::of(&evening);
            assert!(!judgement.as_expected);
            assert_eq!(judgement.sentence, sentence);
        }
        let mut silent = evening("silent", Expected::Holds, &[]);
        silent.callers = crate::record::Series::default();
        assert_eq!(Judgement::of(&silent).sentence, "nothing was asked");
    }

    #[test]
    fn together_they_have_a_sentence_each() {
        let evenings = [evening("zero", Expected::Falls, &[SLOW]), evening("two", Expected::Holds, &[])];
        let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
        let sentence = together(&evenings, &judgements);
        assert_eq!(
            sentence,
            "Zero fell, as it was to: none failed, p90 180 ms. Two held 100 logins a second: none failed, p90 180 ms."
        );
        let evenings = [evening("two", Expected::Holds, &[SLOW]), evening("three", Expected::Holds, &[])];
        let judgements: Vec<_> = evenings.iter().map(Judgement::of).collect();
        let sentence = together(&evenings, &judgements);
        assert!(
            sentence.starts_with("Not as it was to be. Two was to hold, and FELL: up to 100"),
            "{sentence}"
        );
        assert!(!sentence.contains("Three"), "{sentence}");
    }
}
