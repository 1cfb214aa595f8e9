//! Numbers as text.

/// Writes a number with `decimals` decimals and a comma between thousands. Returns `–` if it is not
/// finite.
#[must_use]
pub fn exact(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let is_zero = plain.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut text = if value < 0.0 && !is_zero { "−".to_owned() } else { String::new() };
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// Writes a number with three significant digits, but always with all digits before the point.
/// Returns `–` if it is not finite.
#[must_use]
pub fn rounded(value: f64) -> String {
    // Rounding may carry into the next power of ten: 9.996 becomes 10.0 and not 10.00.
    let decimals = (0..=SMALLEST_DECIMALS).find(|&decimals| {
        let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
        (value.abs() * scale).round() >= 100.0
    });
    let decimals = if value == 0.0 { 0 } else { decimals.unwrap_or(SMALLEST_DECIMALS) };
    exact(value, decimals)
}

/// Writes a whole number: `10,800,000`.
#[must_use]
pub fn count(value: f64) -> String {
    exact(value, 0)
}

/// Writes whole milliseconds with their unit: `212 ms`.
#[must_use]
pub fn milliseconds(value: f64) -> String {
    format!("{} ms", count(value))
}

/// Writes an amount in dollars with its unit: to the cent, and with three digits below one dollar.
#[must_use]
pub fn usd(value: f64) -> String {
    let amount = if value.abs() < 1.0 { rounded(value) } else { exact(value, 2) };
    format!("{amount} USD")
}

/// Writes `part` as a percentage of `whole`: `0.3 %`, or `< 0.01 %` for a smaller share that is not
/// zero.
#[must_use]
pub fn percent(part: f64, whole: f64) -> String {
    let percent = 100.0 * part / whole;
    if !percent.is_finite() {
        NOTHING.to_owned()
    } else if 0.0 < percent && percent < SMALLEST_PERCENT {
        format!("< {SMALLEST_PERCENT} %")
    } else {
        format!("{} %", rounded(percent))
    }
}

/// Writes a value, or `–` if it is absent.
#[must_use]
pub fn or_nothing<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), write)
}

const NOTHING: &str = "–";

const SMALLEST_PERCENT: f64 = 0.01;

/// Enough for the price of one hash in dollars.
const SMALLEST_DECIMALS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_separates_thousands() {
        assert_eq!(exact(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(exact(999.6, 0), "1,000");
        assert_eq!(exact(-1500.0, 0), "−1,500");
        assert_eq!(exact(-0.001, 1), "0.0");
        assert_eq!(exact(f64::NAN, 1), "–");
    }

    #[test]
    fn units_follow_their_numbers() {
        assert_eq!([count(10_800_000.0), milliseconds(212.4)], ["10,800,000", "212 ms"]);
        assert_eq!([usd(1234.567), usd(0.25), usd(0.0)], ["1,234.57 USD", "0.250 USD", "0 USD"]);
        let percents =
            [(1.0, 3.0), (0.0, 3.0), (1.0, 1e6), (1.0, 0.0)].map(|(part, whole)| percent(part, whole));
        assert_eq!(percents, ["33.3 %", "0 %", "< 0.01 %", "–"]);
        assert_eq!([or_nothing(Some(2.0), count), or_nothing(None, count)], ["2", "–"]);
    }

    #[test]
    fn numbers_are_written_with_three_significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (5.956, "5.96"),
            (9.996, "10.0"),
            (43.04, "43.0"),
            (212.4, "212"),
            (10_800.0, "10,800"),
            (0.000_013_333_4, "0.0000133"),
            (-2.5, "−2.50"),
        ] {
            assert_eq!(rounded(value), text);
        }
        assert_eq!(rounded(f64::INFINITY), "–");
        assert_eq!(rounded(1e-30), "0.000000000000");
    }
}
