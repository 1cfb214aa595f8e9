//! Numbers and times as people write them.

use std::time::Duration;

/// Writes a number with its thousands separated: `3,000,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Writes a number with its noun: `1 hash`, `3,000 hashes`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Writes a time with two digits: `12 min`, `3.4 h`.
pub fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < MINUTE => (s, "s"),
        s if s < HOUR => (s / MINUTE, "min"),
        s if s < 2.0 * DAY => (s / HOUR, "h"),
        s => (s / DAY, "days"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (3_000_000, "3,000,000")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_time_has_the_unit_of_its_size() {
        for (seconds, text) in
            [(0.25, "250 ms"), (1.5, "1.5 s"), (90.0, "1.5 min"), (7200.0, "2.0 h"), (864_000.0, "10 days")]
        {
            assert_eq!(in_words(Duration::from_secs_f64(seconds)), text);
        }
    }
}
