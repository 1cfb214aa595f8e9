//! The time of a report, in periods.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use saltern_server::Failure;

/// The time from one moment to another, in whole periods. Seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) period: i32,
}

impl Window {
    /// Widens the times to whole periods: the shortest period that a chart can show. The window ends
    /// now at the latest: provisioned environments cost nothing yet in a time that comes.
    pub(crate) fn new(
        from: OffsetDateTime,
        to: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Self, Failure> {
        let (from, to, now) = (from.unix_timestamp(), to.unix_timestamp(), now.unix_timestamp());
        if from >= to {
            return Err(Failure::configuration("--to must be later than --from"));
        }
        if from >= now {
            return Err(Failure::configuration("--from is in the future: give a time in the past"));
        }
        if now - from > FOUND_FOR_DAYS * DAY {
            return Err(Failure::configuration(format!(
                "--from is more than {FOUND_FOR_DAYS} days ago: CloudWatch no longer finds every figure of Saltern"
            )));
        }
        let to = to.min(now);
        let fits = |&&period: &&i32| to - from <= i64::from(period) * MOST_PERIODS;
        let period = *PERIODS.iter().find(fits).unwrap_or(&PERIODS[PERIODS.len() - 1]);
        let step = i64::from(period);
        let (from, to) = (from.div_euclid(step) * step, (to + step - 1).div_euclid(step) * step);
        Ok(Self { from, to, period })
    }

    /// Returns the beginning of each period.
    pub(crate) fn periods(self) -> impl Iterator<Item = i64> {
        (self.from..self.to).step_by(usize::try_from(self.period).unwrap_or(1))
    }

    /// Returns the period in words.
    pub(crate) fn step(self) -> String {
        match self.period {
            60 => "minute".to_owned(),
            3600 => "hour".to_owned(),
            period => format!("{} minutes", period / 60),
        }
    }

    /// Returns the start and the end in words.
    pub(crate) fn in_words(self) -> String {
        let (from, to) = (moment(self.from), moment(self.to));
        let (day, time) = from.split_at(from.len() - TIME);
        match to.strip_prefix(day) {
            Some(end) => format!("{day}{time} to {end} UTC"),
            None => format!("{from} to {to} UTC"),
        }
    }
}

/// Parses a time of the command line, such as `2026-11-21T19:00:00Z`.
pub(crate) fn parse(argument: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(argument, &Rfc3339).map_err(|_| {
        "write it as 2026-11-21T19:00:00Z, or with an offset as 2026-11-21T21:00:00+02:00".into()
    })
}

fn moment(at: i64) -> String {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(at) else {
        return at.to_string();
    };
    format!("{} {} {}, {:02}:{:02}", at.day(), at.month(), at.year(), at.hour(), at.minute())
}

#[allow(clippy::cast_precision_loss, reason = "a window of 455 days is 4e7 seconds")]
pub(crate) fn seconds(whole: i64) -> f64 {
    whole as f64
}

const DAY: i64 = 86_400;

/// The characters of `19:00`.
const TIME: usize = 5;

/// A search finds a metric for this number of days after its last value ("Using search expressions
/// in graphs"). `GetMetricData` keeps minutes for a day longer.
const FOUND_FOR_DAYS: i64 = 14;

/// Periods in seconds. CloudWatch accepts multiples of a minute.
const PERIODS: [i32; 4] = [60, 300, 900, 3600];

/// Eight hours of minutes, because a chart has no more pixels. With 500 series this exceeds the
/// 100,800 points of a page, so the response has several pages.
const MOST_PERIODS: i64 = 480;

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: &str, to: &str) -> Result<Window, Failure> {
        let now = parse("2026-11-21T23:00:00Z").unwrap();
        Window::new(parse(from).unwrap(), parse(to).unwrap(), now)
    }

    #[test]
    fn an_evening_has_periods_of_a_minute() {
        let evening = window("2026-11-21T19:00:30Z", "2026-11-21T21:00:01Z").unwrap();
        assert_eq!((evening.period, evening.to - evening.from), (60, 121 * 60));
        assert_eq!(evening.periods().count(), 121);
        assert_eq!(evening.in_words(), "21 November 2026, 19:00 to 21:01 UTC");
    }

    #[test]
    fn longer_windows_have_longer_periods() {
        let of = |from, to| window(from, to).map(|window| (window.period, window.step())).unwrap();
        assert_eq!(of("2026-11-21T14:00:00Z", "2026-11-21T22:00:00Z"), (60, "minute".to_owned()));
        assert_eq!(of("2026-11-21T14:00:00Z", "2026-11-21T22:00:01Z"), (300, "5 minutes".to_owned()));
        assert_eq!(of("2026-11-20T19:00:00Z", "2026-11-21T19:00:00Z"), (300, "5 minutes".to_owned()));
        assert_eq!(of("2026-11-08T00:00:00Z", "2026-11-21T00:00:00Z"), (3600, "hour".to_owned()));
    }

    #[test]
    fn a_window_ends_now_at_the_latest() {
        let evening = window("2026-11-21T22:00:00Z", "2026-11-22T02:00:00Z").unwrap();
        assert_eq!(evening.in_words(), "21 November 2026, 22:00 to 23:00 UTC");
    }

    #[test]
    fn windows_without_data_are_refused() {
        for (from, to, says) in [
            ("2026-11-21T20:00:00Z", "2026-11-21T20:00:00Z", "later than"),
            ("2026-11-22T20:00:00Z", "2026-11-22T21:00:00Z", "future"),
            ("2026-11-07T22:59:00Z", "2026-11-07T23:30:00Z", "14 days"),
        ] {
            assert!(window(from, to).unwrap_err().to_string().contains(says));
        }
        assert!(parse("yesterday").is_err());
    }
}
