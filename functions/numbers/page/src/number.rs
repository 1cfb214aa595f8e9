//! Numbers as people read them.

/// A number with so many decimals and a comma between thousands.
#[must_use]
pub fn exact(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let is_nothing = plain.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut text = if value < 0.0 && !is_nothing { "−".to_owned() } else { String::new() };
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// A number with three significant digits, or all that stand before the point; `–` for what is no number.
#[must_use]
pub fn rounded(value: f64) -> String {
    // Rounding may carry into the next power of ten: 9.996 is 10.0 and not 10.00.
    let decimals = (0..=SMALLEST_DECIMALS).find(|&decimals| {
        let scale = (0..decimals).fold(1.0, |scale, _| scale * 10.0);
        (value.abs() * scale).round() >= 100.0
    });
    let decimals = if value == 0.0 { 0 } else { decimals.unwrap_or(SMALLEST_DECIMALS) };
    exact(value, decimals)
}

/// Enough for the price of one hash in dollars.
const SMALLEST_DECIMALS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(exact(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(exact(999.6, 0), "1,000");
        assert_eq!(exact(-1500.0, 0), "−1,500");
        assert_eq!(exact(-0.001, 1), "0.0");
        assert_eq!(exact(f64::NAN, 1), "–");
    }

    #[test]
    fn three_digits_say_enough() {
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
