//! The number of Argon2 hashes at once on a worker, as settings give it.

use core::{num::NonZeroUsize, str::FromStr};

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

/// Parses the number in settings. The error gives the range.
impl FromStr for Argon2Lanes {
    type Err = String;

    fn from_str(number: &str) -> Result<Self, String> {
        let lanes: Option<NonZeroUsize> = number.parse().ok();
        let lanes = lanes.filter(|lanes| lanes.get() <= MOST_ARGON2_LANES);
        lanes.map(Self).ok_or_else(|| format!("give a whole number from 1 to {MOST_ARGON2_LANES}"))
    }
}

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
