//! `saltern-attack` attacks a running `saltern serve` beside honest callers and prints one table.
//!
//! The exit status says whether the server holds every bound.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to a person")]

mod attackers;
mod attacks;
mod cgroup;
mod door;
mod figure;
mod hashes;
mod honest;
mod http1;
mod http2;
mod server;
mod table;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;

use crate::{
    attacks::{
        accounts, allocation, bodies, fresh_memory, handshakes, http2_frames, http2_memory, log_flood, nul,
        overload, residue, shares, shutdown, silent_connections, soak, unmeasured_work, weak_costs,
    },
    figure::{Attack, Field},
    table::Table,
};

/// The attacks, in the order of the table.
const ATTACKS: &[Attack] = &[
    weak_costs::ATTACK,
    nul::ATTACK,
    accounts::ATTACK,
    http2_frames::ATTACK,
    http2_memory::ATTACK,
    unmeasured_work::ATTACK,
    allocation::ATTACK,
    bodies::ATTACK,
    fresh_memory::ATTACK,
    silent_connections::ATTACK,
    handshakes::ATTACK,
    log_flood::ATTACK,
    overload::ATTACK,
    shares::ATTACK,
    shutdown::ATTACK,
    residue::ATTACK,
    soak::ATTACK,
];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let holds = run(&arguments).unwrap_or_else(|error| {
        eprintln!("saltern-attack: {error}");
        false
    });
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    server::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let field = Field {
        binary: arguments.binary.clone(),
        smoke: arguments.smoke,
        hunt: arguments.minutes.map(Duration::from_mins),
    };
    let mut table = Table::new(arguments.smoke);
    for attack in ATTACKS.iter().filter(|attack| arguments.wants(attack)) {
        eprintln!("{}: {}", attack.name, attack.asks);
        let found = runtime.block_on((attack.run)(field.clone()));
        table.add(attack, &found.map_err(|error| error.to_string()));
    }
    Ok(table.end())
}

#[derive(Parser)]
#[command(about, long_about = None)]
struct Arguments {
    /// The program `saltern`
    #[arg(long, value_name = "PATH", default_value = "target/release/saltern")]
    binary: PathBuf,
    /// Small attacks of seconds; figures of time are printed and not judged
    #[arg(long)]
    smoke: bool,
    /// The time of each hunt, which repeats its attack: `shutdown` and `residue` [default: 1]
    #[arg(long, value_name = "NUMBER")]
    minutes: Option<u64>,
    /// Only this attack; may be repeated [default: all but the soak]
    #[arg(long, value_name = "NAME", value_parser = name)]
    only: Vec<String>,
}

impl Arguments {
    fn wants(&self, attack: &Attack) -> bool {
        if self.only.is_empty() {
            return self.smoke || attack.name != soak::ATTACK.name;
        }
        self.only.iter().any(|name| name == attack.name)
    }
}

fn name(given: &str) -> Result<String, String> {
    let known: Vec<_> = ATTACKS.iter().map(|attack| attack.name).collect();
    if known.contains(&given) {
        return Ok(given.to_owned());
    }
    Err(format!("the attacks are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// The bounds of an attack are promises.
    #[test]
    fn the_guide_states_the_bounds_of_every_attack() {
        let guide =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../SECURITY.md")).unwrap();
        let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
        for attack in ATTACKS {
            for sentence in (attack.stated)() {
                assert!(guide.contains(&sentence), "{}: SECURITY.md does not say: {sentence}", attack.name);
            }
        }
    }

    #[test]
    fn each_attack_has_another_name() {
        let names: std::collections::BTreeSet<_> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), ATTACKS.len());
    }
}
