//! The table: a row for each figure, a column for each binary.

use std::path::{Path, PathBuf};

use crate::figure::{Attack, Bound, Figure, short};

/// Prints the figures of each attack, and counts the rows for the verdict.
pub(crate) struct Table {
    smoke: bool,
    ok: usize,
    failed: Vec<String>,
    not_run: Vec<String>,
}

/// The figures of an attack on one binary, or the reason why there are none.
pub(crate) type Column = Result<Vec<Figure>, String>;

impl Table {
    /// Prints the head of the table.
    pub(crate) fn new(binaries: &[PathBuf], smoke: bool) -> Self {
        print_row("attack", "figure", binaries.iter().map(|binary| heading(binary)), "bound", "");
        Self { smoke, ok: 0, failed: Vec::new(), not_run: Vec::new() }
    }

    /// Prints the figures of one attack, and judges those of the last binary.
    pub(crate) fn add(&mut self, attack: &Attack, columns: &[Column]) {
        for error in columns.iter().filter_map(|column| column.as_ref().err()) {
            println!("{:<ATTACK$}failed to run: {error}", attack.name);
        }
        let Some(Ok(last)) = columns.last() else {
            return self.failed.push(format!("{}: failed to run", attack.name));
        };
        let mut is_broken = false;
        for figure in last {
            let others = columns.iter().map(|column| {
                let figures = column.as_ref().ok()?;
                figures.iter().find(|other| other.name == figure.name)?.value.clone().ok()
            });
            let values: Vec<Option<f64>> = others.collect();
            let first = if columns.len() > 1 { values[0] } else { None };
            let of_first = figure.least_of_first.zip(first);
            let bound = of_first.map_or(figure.bound, |(share, first)| Bound::AtLeast(share * first));

            let name = format!("{}: {}", attack.name, figure.name);
            let said = match &figure.value {
                Err(reason) => {
                    self.not_run.push(name);
                    format!("NOT RUN: {reason}")
                }
                Ok(_) if bound == Bound::None || (self.smoke && figure.is_timed) => String::new(),
                Ok(value) if bound.holds(*value) => {
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
            let values = values.into_iter().map(|value| value.map_or_else(|| "-".to_owned(), short));
            print_row(attack.name, &format!("{}{unit}", figure.name), values, &bound.to_string(), &said);
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

/// Returns the name of the folder above `target`, which tells two builds apart.
fn heading(binary: &Path) -> String {
    let folder = binary.ancestors().find(|above| above.ends_with("target")).and_then(Path::parent);
    let name = folder.and_then(Path::file_name).or(binary.file_name()).unwrap_or_default();
    name.to_string_lossy().chars().take(VALUE - 2).collect()
}

fn print_row(attack: &str, figure: &str, values: impl Iterator<Item = String>, bound: &str, said: &str) {
    let values = values.map(|value| format!("{value:>VALUE$}")).collect::<Vec<_>>().concat();
    println!("{attack:<ATTACK$}{figure:<FIGURE$}{values}{bound:>BOUND$}  {said}");
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

    /// Whether a run with these columns ends well, beside an attack that holds.
    fn ends_well(smoke: bool, columns: &[Column]) -> bool {
        let binaries = vec![PathBuf::from("target/release/saltern"); columns.len()];
        let mut table = Table::new(&binaries, smoke);
        table.add(&ATTACK, &vec![Ok(vec![Figure::never("held", 0)]); columns.len()]);
        table.add(&ATTACK, columns);
        table.end()
    }

    #[test]
    fn only_the_bounds_of_the_last_binary_are_judged() {
        let [good, broken] = [1.0, 2.0].map(|value| Ok(vec![Figure::new("f", value, "s").at_most(1.0)]));
        assert!(!ends_well(false, std::slice::from_ref(&broken)));
        assert!(ends_well(false, &[broken.clone(), good.clone()]));
        assert!(!ends_well(false, &[good, broken]));
    }

    #[test]
    fn a_smoke_run_judges_no_time() {
        let late = [Ok(vec![Figure::new("f", 2.0, "s").at_most(1.0).timed()])];
        assert!(ends_well(true, &late));
        assert!(!ends_well(false, &late));
    }

    #[test]
    fn the_last_binary_is_compared_with_the_first() {
        let goodput = |value: f64| Ok(vec![Figure::new("f", value, "").at_least_of_first(0.95)]);
        assert!(ends_well(false, &[goodput(1.0), goodput(0.96)]));
        assert!(!ends_well(false, &[goodput(1.0), goodput(0.90)]));
        assert!(ends_well(false, &[goodput(0.90)]), "without another binary there is no bound");
    }

    #[test]
    fn an_attack_that_fails_to_run_is_a_failure() {
        assert!(!ends_well(false, &[Err("no port".to_owned())]));
    }
}
