//! Which of the matches that need a new string get one.

use core::{fmt, str::FromStr};
use std::sync::atomic::{AtomicU64, Ordering};

/// The share of upgrades that the operator wants: none while a table may not change, such as
/// before the evening of a show, or a few at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upgrades {
    percent: u8,
}

impl Default for Upgrades {
    fn default() -> Self {
        Self { percent: 100 }
    }
}

impl FromStr for Upgrades {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let percent = match text {
            "on" => Some(100),
            "off" => Some(0),
            _ => text.strip_suffix('%').and_then(|percent| percent.parse().ok()),
        };
        match percent {
            Some(percent @ 0..=100) => Ok(Self { percent }),
            _ => Err("use on, off or a share from 0% to 100%"),
        }
    }
}

impl fmt::Display for Upgrades {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.percent {
            0 => f.write_str("off"),
            100 => f.write_str("on"),
            percent => write!(f, "{percent}%"),
        }
    }
}

/// Takes turns: of 100 upgrades that are due one after the other, exactly the wanted share is made.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    wanted: Upgrades,
    due: AtomicU64,
}

impl Turns {
    pub(crate) fn of(wanted: Upgrades) -> Self {
        Self { wanted, due: AtomicU64::new(0) }
    }

    /// Whether the next upgrade is made.
    pub(crate) fn take(&self) -> bool {
        let percent = u64::from(self.wanted.percent);
        let before = self.due.fetch_add(1, Ordering::Relaxed) % 100;
        (before * percent) / 100 != ((before + 1) * percent) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_printed_as_it_is_read() {
        for text in ["on", "off", "1%", "50%", "99%"] {
            assert_eq!(text.parse::<Upgrades>().unwrap().to_string(), text);
        }
        assert_eq!(Upgrades::default(), "100%".parse().unwrap());
        assert_eq!("0%".parse::<Upgrades>(), "off".parse());
        for wrong in ["", "yes", "50", "101%", "-1%", "1.5%", "%", "50 %", "256%"] {
            assert!(wrong.parse::<Upgrades>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn of_a_hundred_upgrades_the_wanted_share_is_made() {
        for percent in 0..=100 {
            let turns = Turns::of(Upgrades { percent });
            let made = (0..300).filter(|_| turns.take()).count();
            assert_eq!(made, 3 * usize::from(percent));
        }
        // A quarter is each fourth, and no run of 25 after a run of 75.
        let turns = Turns::of(Upgrades { percent: 25 });
        let made: Vec<bool> = (0..8).map(|_| turns.take()).collect();
        assert_eq!(made, [false, false, false, true, false, false, false, true]);
    }
}
