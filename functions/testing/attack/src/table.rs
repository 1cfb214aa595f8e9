//! The table: a row for each figure, with its bound.

use crate::figure::{Attack, Bound, Figure, short};

/// Prints the figures of each attack, and counts the rows for the verdict.
pub(crate) struct Table {
    smoke: bool,
    ok: usize,
    failed: Vec<String>,
    not_run: Vec<String>,
}

impl Table {
    /// Prints the head of the table.
    pub(crate) fn new(smoke: bool) -> Self {
        print_row("attack", "figure", "value", "bound", "");
        Self { smoke, ok: 0, failed: Vec::new(), not_run: Vec::new() }
    }

    /// Prints and judges the figures of one attack, or the reason why there are none.
    pub(crate) fn add(&mut self, attack: &Attack, found: &Result<Vec<Figure>, String>) {
        let figures = match found {
            Ok(figures) => figures,
            Err(error) => {
                println!("{:<ATTACK$}failed to run: {error}", attack.name);
                return self.failed.push(format!("{}: failed to run", attack.name));
            }
        };
        let mut is_broken = false;
        for figure in figures {
            let name = format!("{}: {}", attack.name, figure.name);
            let said = match &figure.value {
                Err(reason) => {
                    self.not_run.push(name);
                    format!("NOT RUN: {reason}")
                }
                Ok(_) if figure.bound == Bound::None || (self.smoke && figure.is_timed) => String::new(),
                Ok(value) if figure.bound.holds(*value) => {
                    self.ok += 1;
                    "ok".to_owned()
                }
                Ok(_) => {
                    self.failed.push(name);
                    is_broken = true;
                    "BROKEN".to_owned()
                }
            };
            let unit = if figure.unit.is_empty() { String::new() } else { format!(" ({})", figure.unit) };
            let value = figure.value.as_ref().map_or_else(|_| "-".to_owned(), |value| short(*value));
            let bound = figure.bound.to_string();
            print_row(attack.name, &format!("{}{unit}", figure.name), &value, &bound, &said);
        }
        for sentence in (attack.stated)().iter().filter(|_| is_broken) {
            println!("{:<ATTACK$}stated: {sentence}", attack.name);
        }
    }

    /// Prints the sums and returns whether every bound holds.
    pub(crate) fn end(self) -> bool {
        println!();
        self.failed.iter().for_each(|name| println!("broken: {name}"));
        self.not_run.iter().for_each(|name| println!("NOT RUN: {name}"));
        println!("{} passed, {} failed", self.ok, self.failed.len());
        self.failed.is_empty() && self.ok > 0
    }
}

fn print_row(attack: &str, figure: &str, value: &str, bound: &str, said: &str) {
    println!("{attack:<ATTACK$}{figure:<FIGURE$}{value:>VALUE$}{bound:>BOUND$}  {said}");
}

const ATTACK: usize = 20;
const FIGURE: usize = 66;
const VALUE: usize = 12;
const BOUND: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    const ATTACK: Attack =
        Attack { name: "a", asks: "", stated: Vec::new, run: |_| Box::pin(async { Ok(Vec::new()) }) };

    /// Whether a run with this figure ends well, beside an attack that holds.
    fn ends_well(smoke: bool, found: &Result<Vec<Figure>, String>) -> bool {
        let mut table = Table::new(smoke);
        table.add(&ATTACK, &Ok(vec![Figure::never("held", 0)]));
        table.add(&ATTACK, found);
        table.end()
    }

    #[test]
    fn a_broken_bound_is_a_failure() {
        for (value, holds) in [(1.0, true), (2.0, false)] {
            assert_eq!(ends_well(false, &Ok(vec![Figure::new("f", value, "s").at_most(1.0)])), holds);
        }
    }

    #[test]
    fn a_smoke_run_judges_no_time() {
        let late = Ok(vec![Figure::new("f", 2.0, "s").at_most(1.0).timed()]);
        assert!(ends_well(true, &late));
        assert!(!ends_well(false, &late));
    }

    #[test]
    fn an_attack_that_fails_to_run_is_a_failure() {
        assert!(!ends_well(false, &Err("no port".to_owned())));
    }
}
