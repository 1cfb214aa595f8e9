//! Conversions between whole numbers and shares.

#[expect(clippy::cast_precision_loss, reason = "counts and prices have few digits")]
pub(crate) fn ratio(number: u64, of: u64) -> f64 {
    number as f64 / of.max(1) as f64
}

/// Returns the next whole number. Negative numbers become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(crate) fn rounded_up(number: f64) -> u64 {
    number.ceil() as u64
}
