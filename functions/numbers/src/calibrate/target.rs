//! `--target`: a time with a unit.

use std::{ops::RangeInclusive, time::Duration};

/// Reads `250ms`, `0.5s`.
pub(crate) fn parse(argument: &str) -> Result<Duration, String> {
    let (number, seconds) = match argument.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (argument.strip_suffix('s').ok_or(NO_TIME)?, 1.0),
    };
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = number.parse().ok().filter(|_| is_plain).ok_or(NO_TIME)?;
    let target = Duration::try_from_secs_f64(number * seconds).map_err(|_| OUT_OF_RANGE)?;
    if RANGE.contains(&target) { Ok(target) } else { Err(OUT_OF_RANGE.to_owned()) }
}

const NO_TIME: &str = "write a number and its unit, such as 250ms or 0.5s";

/// Below 5 ms the request costs more than the hash; no login may take longer than 5 s.
const RANGE: RangeInclusive<Duration> = Duration::from_millis(5)..=Duration::from_secs(5);
const OUT_OF_RANGE: &str = "give a time from 5ms to 5s: 100ms to 500ms are usual for a login";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_needs_a_unit_and_a_range() {
        for (text, ms) in [("250ms", 250), ("0.5s", 500), ("5ms", 5), ("5s", 5000), ("1000ms", 1000)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "250", "ms", "s", "-5ms", "1e2ms", "infs", "NaNms", "250 ms", "1m", "1.2.3s"] {
            assert_eq!(parse(text), Err(NO_TIME.to_owned()), "{text}");
        }
        for text in ["4.9ms", "5.1s", "0ms", "99999999999999999999999s"] {
            assert_eq!(parse(text), Err(OUT_OF_RANGE.to_owned()), "{text}");
        }
    }
}
