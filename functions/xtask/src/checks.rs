//! The checks that CHECKS.md lists.

/// One command and its purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// The name for `cargo xtask test PART`.
    pub(crate) part: &'static str,
    pub(crate) when: When,
    /// A program and its arguments, without a space in any of them.
    pub(crate) command: &'static str,
    /// The property that a pass shows, for the heading.
    pub(crate) shows: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Change,
    ChangeBesideCargo,
    Slow { minutes: u64 },
    IdleMachine,
}

/// Returns the checks in the order of their table.
pub(crate) fn all() -> Vec<Check> {
    include_str!("../CHECKS.md").lines().filter_map(row).collect()
}

/// Reads a row of the table; `None` if the line is not one.
fn row(line: &'static str) -> Option<Check> {
    let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
    let (part, rest) = line.split_once("` | ")?;
    let (when, rest) = rest.split_once(" | `")?;
    let (command, shows) = rest.split_once("` | ")?;
    Some(Check { part, when: When::read(when)?, command, shows })
}

impl When {
    fn read(text: &str) -> Option<Self> {
        match text {
            "change" => Some(Self::Change),
            "change, beside cargo" => Some(Self::ChangeBesideCargo),
            "slow, idle machine" => Some(Self::IdleMachine),
            _ => {
                let minutes = text.strip_prefix("slow, ")?.strip_suffix(" min")?;
                Some(Self::Slow { minutes: minutes.parse().ok()? })
            }
        }
    }

    pub(crate) fn is_slow(self) -> bool {
        matches!(self, Self::Slow { .. } | Self::IdleMachine)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_read_and_has_another_name() {
        let names: BTreeSet<_> = all().iter().map(|check| check.part).collect();
        let rows = include_str!("../CHECKS.md").lines().filter(|line| line.starts_with('|'));
        // The first two rows are the heading.
        assert_eq!(names.len(), rows.skip(2).count(), "{names:?}");
    }

    #[test]
    fn the_slow_checks_are_in_the_order_of_their_minutes() {
        assert!(all().is_sorted_by_key(|check| match check.when {
            When::Change | When::ChangeBesideCargo => 0,
            When::Slow { minutes } => minutes,
            When::IdleMachine => u64::MAX,
        }));
    }
}
