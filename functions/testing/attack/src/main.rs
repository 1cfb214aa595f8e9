//! `saltern-attack` attacks a running `saltern serve` beside honest callers and prints one table.
//!
//! Several `--binary` give several columns: a table of before and after comes from one command. The
//! exit status says whether the last binary holds every bound.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod attacks;
mod cgroup;
mod door;
mod field;
mod figure;
mod hashes;
mod honest;
mod http1;
mod server;
mod table;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

use crate::{
    attacks::{
        accounts, allocation, handshakes, http2_memory, log_flood, nul, overload, silent_connections, soak,
        unmeasured_work, weak_costs,
    },
    field::Field,
    figure::{Attack, State},
    table::Table,
};

/// The attacks, in the order of the table.
fn attacks() -> Vec<Attack> {
    vec![
        Attack {
            name: "weak-costs",
            asks: "stored hashes below every floor, without a permission",
            state: State::Held,
            stated: weak_costs::stated,
            run: |field| Box::pin(weak_costs::run(field)),
        },
        Attack {
            name: "nul",
            asks: "passwords with a NUL on an idle server, and both layers of a wrapped hash",
            state: State::Held,
            stated: nul::stated,
            run: |field| Box::pin(nul::run(field)),
        },
        Attack {
            name: "accounts",
            asks: "probes that tell which scheme an account has",
            state: State::Held,
            stated: accounts::stated,
            run: |field| Box::pin(accounts::run(field)),
        },
        Attack {
            name: "http2-memory",
            asks: "unauthorised requests whose answers are never read",
            state: State::Held,
            stated: http2_memory::stated,
            run: |field| Box::pin(http2_memory::run(field)),
        },
        Attack {
            name: "unmeasured-work",
            asks: "kinds of work that the server has not measured, right after its start",
            state: State::Held,
            stated: unmeasured_work::stated,
            run: |field| Box::pin(unmeasured_work::run(field)),
        },
        Attack {
            name: "allocation",
            asks: "hashes whose memory the system does not have",
            state: State::Held,
            stated: allocation::stated,
            run: |field| Box::pin(allocation::run(field)),
        },
        Attack {
            name: "silent-connections",
            asks: "connections that send nothing and are opened again",
            state: State::Held,
            stated: silent_connections::stated,
            run: |field| Box::pin(silent_connections::run(field)),
        },
        Attack {
            name: "handshakes",
            asks: "TLS handshakes without a request",
            state: State::Held,
            stated: handshakes::stated,
            run: |field| Box::pin(handshakes::run(field)),
        },
        Attack {
            name: "log-flood",
            asks: "requests without a token that fill the log",
            state: State::Held,
            stated: log_flood::stated,
            run: |field| Box::pin(log_flood::run(field)),
        },
        Attack {
            name: "overload",
            asks: "more honest work than the machine can do",
            state: State::Held,
            stated: overload::stated,
            run: |field| Box::pin(overload::run(field)),
        },
        Attack {
            name: soak::NAME,
            asks: "honest and hostile traffic for minutes",
            state: State::Held,
            stated: soak::stated,
            run: |field| Box::pin(soak::run(field)),
        },
    ]
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("saltern-attack: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    server::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut table = Table::new(&arguments.binaries, arguments.smoke);
    for attack in attacks().iter().filter(|attack| arguments.wants(attack)) {
        eprintln!("{}: {}", attack.name, attack.asks);
        let columns = arguments.binaries.iter().map(|binary| {
            let field = Field { binary: binary.clone(), smoke: arguments.smoke };
            runtime.block_on((attack.run)(field)).map_err(|error| error.to_string())
        });
        table.add(attack, &columns.collect::<Vec<_>>());
    }
    Ok(table.end())
}

#[derive(Parser)]
#[command(about, long_about = None)]
struct Arguments {
    /// The program `saltern`; repeated, the table has a column for each
    #[arg(long = "binary", value_name = "PATH", default_value = "target/release/saltern")]
    binaries: Vec<PathBuf>,
    /// Small attacks of seconds; figures of time are printed and not judged
    #[arg(long)]
    smoke: bool,
    /// Only this attack; may be repeated [default: all but the soak]
    #[arg(long, value_name = "NAME", value_parser = name)]
    only: Vec<String>,
}

impl Arguments {
    fn wants(&self, attack: &Attack) -> bool {
        if self.only.is_empty() {
            return self.smoke || attack.name != soak::NAME;
        }
        self.only.iter().any(|name| name == attack.name)
    }
}

fn name(given: &str) -> Result<String, String> {
    let known: Vec<_> = attacks().iter().map(|attack| attack.name).collect();
    if known.contains(&given) {
        return Ok(given.to_owned());
    }
    Err(format!("the attacks are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// The bounds of a held attack are promises.
    #[test]
    fn the_guide_states_the_bounds_of_every_held_attack() {
        let guide =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../SECURITY.md")).unwrap();
        let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
        for attack in attacks().iter().filter(|attack| attack.state == State::Held) {
            for sentence in (attack.stated)() {
                assert!(guide.contains(&sentence), "{}: SECURITY.md does not say: {sentence}", attack.name);
            }
        }
    }

    #[test]
    fn each_attack_has_another_name() {
        let names: std::collections::BTreeSet<_> = attacks().iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), attacks().len());
    }
}
