//! The table: a row for each figure, a column for each binary.

use std::path::{Path, PathBuf};

use crate::figure::{Attack, Bound, Figure, State, Value};

/// Prints the figures of each attack, and counts the rows for the verdict.
pub(crate) struct Table {
    smoke: bool,
    binaries: usize,
    ok: usize,
    failed: Vec<String>,
    open: Vec<String>,
    to_flip: Vec<&'static str>,
    not_run: Vec<String>,
}

/// The figures of an attack on one binary, or the reason why there are none.
pub(crate) type Column = Result<Vec<Figure>, String>;

/// The judgement about the last binary's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ok,
    Broken,
    /// No bound, or a figure of time in a smoke run.
    Told,
    NotRun,
}

impl Table {
    /// Prints the head of the table.
    pub(crate) fn new(binaries: &[PathBuf], smoke: bool) -> Self {
        let heads = cells(binaries.iter().map(|binary| short(binary)));
        println!("{}", row("attack", "figure", &heads, "bound"));
        Self {
            smoke,
            binaries: binaries.len(),
            ok: 0,
            failed: Vec::new(),
            open: Vec::new(),
            to_flip: Vec::new(),
            not_run: Vec::new(),
        }
    }

    /// Prints and judges the figures of one attack.
    pub(crate) fn add(&mut self, attack: &Attack, columns: &[Column]) {
        debug_assert_eq!(columns.len(), self.binaries);
        for error in columns.iter().filter_map(|column| column.as_ref().err()) {
            println!("{:<ATTACK$}failed to run: {error}", attack.name);
        }
        let [.., last] = columns else { return };
        let Ok(last) = last else { return self.failed.push(format!("{}: failed to run", attack.name)) };
        let mut verdicts = Vec::new();
        for figure in last {
            let others = columns.iter().map(|column| {
                let figures = column.as_ref().ok()?;
                figures.iter().find(|other| other.name == figure.name)
            });
            let values: Vec<Option<f64>> = others.map(|other| other.and_then(Figure::number)).collect();
            let (bound, verdict) = self.judge(figure, values.first().copied().flatten());
            let values = cells(values.into_iter().map(cell));
            let row = row(attack.name, &figure.name_and_unit(), &values, &text(bound));
            println!("{row}  {}", said(verdict, attack.state, figure));
            self.count(attack, figure, verdict);
            verdicts.push(verdict);
        }
        if verdicts.contains(&Verdict::Broken) {
            for sentence in (attack.stated)() {
                println!("{:<ATTACK$}stated: {sentence}", attack.name);
            }
        }
        let holds = !verdicts.contains(&Verdict::Broken) && verdicts.contains(&Verdict::Ok);
        if attack.state == State::Open && holds && !self.smoke {
            self.to_flip.push(attack.name);
        }
    }

    /// Returns the bound of the last figure and the judgement.
    fn judge(&self, figure: &Figure, first: Option<f64>) -> (Bound, Verdict) {
        let Some(value) = figure.number() else { return (figure.bound, Verdict::NotRun) };
        let of_first = if self.binaries > 1 { figure.least_of_first.zip(first) } else { None };
        let bound = of_first.map_or(figure.bound, |(share, first)| Bound::AtLeast(share * first));
        let is_told = bound == Bound::None || (self.smoke && figure.is_timed);
        let verdict = match bound.holds(value) {
            _ if is_told => Verdict::Told,
            true => Verdict::Ok,
            false => Verdict::Broken,
        };
        (bound, verdict)
    }

    fn count(&mut self, attack: &Attack, figure: &Figure, verdict: Verdict) {
        let name = format!("{}: {}", attack.name, figure.name);
        match (verdict, attack.state) {
            (Verdict::Ok, _) => self.ok += 1,
            (Verdict::Broken, State::Held) => self.failed.push(name),
            (Verdict::Broken, State::Open) => self.open.push(name),
            (Verdict::NotRun, _) => self.not_run.push(name),
            (Verdict::Told, _) => {}
        }
    }

    /// Prints the sums and returns whether every bound of a held attack holds.
    pub(crate) fn end(self) -> bool {
        println!();
        for (heading, names) in [
            ("broken", &self.failed),
            ("broken, and known to be open", &self.open),
            ("NOT RUN", &self.not_run),
        ] {
            for name in names {
                println!("{heading}: {name}");
            }
        }
        for name in &self.to_flip {
            println!(
                "open, and every bound holds: {name}; mark it held in functions/testing/attack/src/main.rs"
            );
        }
        // `cargo xtask` reads this line.
        println!("{} passed, {} failed", self.ok, self.failed.len());
        self.failed.is_empty() && self.ok > 0
    }
}

fn said(verdict: Verdict, state: State, figure: &Figure) -> String {
    match (verdict, state, &figure.value) {
        (Verdict::Ok, ..) => "ok".to_owned(),
        (Verdict::Broken, State::Held, _) => "BROKEN".to_owned(),
        (Verdict::Broken, State::Open, _) => "open".to_owned(),
        (Verdict::NotRun, _, Value::NotRun(reason)) => format!("NOT RUN: {reason}"),
        (Verdict::NotRun | Verdict::Told, ..) => String::new(),
    }
}

/// Returns the name of the folder above `target`, which tells two builds apart.
fn short(binary: &Path) -> String {
    let folder = binary.ancestors().find(|above| above.ends_with("target")).and_then(Path::parent);
    let name = folder.and_then(Path::file_name).or(binary.file_name()).unwrap_or_default();
    let name = name.to_string_lossy();
    name.chars().take(VALUE - 2).collect()
}

fn row(attack: &str, figure: &str, cells: &str, bound: &str) -> String {
    format!("{attack:<ATTACK$}{figure:<FIGURE$}{cells}{bound:>BOUND$}")
}

fn cells(texts: impl Iterator<Item = String>) -> String {
    texts.map(|text| format!("{text:>VALUE$}")).collect::<Vec<_>>().concat()
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

fn text(bound: Bound) -> String {
    match bound {
        Bound::None => String::new(),
        Bound::AtMost(bound) => format!("<= {}", number(bound)),
        Bound::AtLeast(bound) => format!(">= {}", number(bound)),
    }
}

fn number(value: f64) -> String {
    if value.abs() < 10.0 && value.fract() != 0.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

const ATTACK: usize = 20;
const FIGURE: usize = 66;
const VALUE: usize = 12;
const BOUND: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn attack(state: State) -> Attack {
        Attack { name: "a", asks: "", state, stated: Vec::new, run: |_| Box::pin(async { Ok(Vec::new()) }) }
    }

    fn ends_well(state: State, smoke: bool, columns: &[&Figure]) -> bool {
        let binaries = vec![PathBuf::from("target/release/saltern"); columns.len()];
        let mut table = Table::new(&binaries, smoke);
        let held = Figure::new("held", 0.0, "").at_most(0.0);
        table.add(&attack(State::Held), &vec![Ok(vec![held]); columns.len()]);
        let columns: Vec<_> = columns.iter().map(|figure| Ok(vec![(*figure).clone()])).collect();
        table.add(&attack(state), &columns);
        table.end()
    }

    #[test]
    fn a_broken_bound_fails_only_where_it_is_held() {
        let broken = Figure::new("f", 2.0, "s").at_most(1.0);
        let good = Figure::new("f", 1.0, "s").at_most(1.0);
        assert!(!ends_well(State::Held, false, &[&broken]));
        assert!(ends_well(State::Open, false, &[&broken]));
        assert!(ends_well(State::Held, false, &[&broken, &good]), "the last binary counts");
        assert!(!ends_well(State::Held, false, &[&good, &broken]));
    }

    #[test]
    fn a_smoke_run_judges_no_time() {
        let late = Figure::new("f", 2.0, "s").at_most(1.0).timed();
        assert!(ends_well(State::Held, true, &[&late]));
        assert!(!ends_well(State::Held, false, &[&late]));
    }

    #[test]
    fn the_last_binary_is_compared_with_the_first() {
        let goodput = |value: f64| Figure::new("f", value, "").at_least_of_first(0.95);
        assert!(ends_well(State::Held, false, &[&goodput(1.0), &goodput(0.96)]));
        assert!(!ends_well(State::Held, false, &[&goodput(1.0), &goodput(0.90)]));
        assert!(ends_well(State::Held, false, &[&goodput(0.90)]), "without another binary there is no bound");
    }

    #[test]
    fn an_attack_that_fails_to_run_is_a_failure() {
        let mut table = Table::new(&[PathBuf::from("saltern")], false);
        table.add(&attack(State::Held), &[Ok(vec![Figure::new("f", 0.0, "").at_most(0.0)])]);
        table.add(&attack(State::Open), &[Err("no port".to_owned())]);
        assert!(!table.end());
    }
}
