//! The number of Argon2 hashes at once on a worker, as settings give it.

use core::{fmt, num::NonZeroUsize, str::FromStr};

/// A number of Argon2 hashes at once on each worker, 1 to [`MOST_ARGON2_LANES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Lanes(NonZeroUsize);

impl Argon2Lanes {
    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0.get()
    }
}

/// Four: two do not hide the wait for memory, where lanes gain.
impl Default for Argon2Lanes {
    fn default() -> Self {
        Self(const { NonZeroUsize::new(4).unwrap() })
    }
}

/// Parses the number in settings.
impl FromStr for Argon2Lanes {
    type Err = NotArgon2Lanes;

    fn from_str(number: &str) -> Result<Self, NotArgon2Lanes> {
        let lanes: NonZeroUsize = number.parse().map_err(|_| NotArgon2Lanes)?;
        if lanes.get() <= MOST_ARGON2_LANES { Ok(Self(lanes)) } else { Err(NotArgon2Lanes) }
    }
}

/// The text is no [`Argon2Lanes`]. The message gives the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotArgon2Lanes;

impl fmt::Display for NotArgon2Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "give a whole number from 1 to {MOST_ARGON2_LANES}")
    }
}

impl core::error::Error for NotArgon2Lanes {}

/// The most Argon2 hashes that a worker computes at once.
pub const MOST_ARGON2_LANES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argon2_lanes_have_a_range() {
        for (text, lanes) in [("0", None), ("1", Some(1)), ("8", Some(8)), ("9", None), ("four", None)] {
            assert_eq!(text.parse().ok().map(Argon2Lanes::get), lanes, "{text}");
        }
    }
}
