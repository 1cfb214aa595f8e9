//! Writes every generated file, and every generated part of a document, from the tables of the code.
//! The tests only compare.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool talks to a person")]

mod attack;
mod costs;
mod metrics;
mod openapi;
mod schemes;

use std::{fs, io, path::Path, process::Command};

use saltern_policy::{CEILING_NAMES, scheme_names};
use saltern_server::EXIT_CODES;
use serde::Serialize;
use serde_json::{Value, json};

/// Makes the new text of a file from its present text.
type Make = fn(&str) -> String;

const DOCUMENTS: &[(&str, Make)] = &[
    ("functions/service/openapi.json", |text| pretty(&openapi::document(text))),
    ("infra/modules/password-hasher/metrics.json", |_| pretty(&metrics::document())),
    ("infra/modules/password-hasher/settings.json", |_| pretty(&settings())),
    ("functions/encoded/SCHEMES.md", |text| schemes::markdown(text, CLIENT_SCHEMES)),
    ("functions/server/README.md", |text| with_part(text, "metrics", &metrics::table())),
    ("packaging/prometheus/saltern.rules.yaml", |text| {
        between(text, "      # rules:begin\n", "      # rules:end\n", &metrics::rules())
    }),
    ("functions/cli/README.md", |text| with_part(text, "exit-codes", &exit_codes())),
    ("LIMITS.md", |text| with_part(text, "costs", &costs::markdown())),
    ("LIMITS.md", |text| with_part(text, "socket", &costs::socket())),
    ("SECURITY.md", |text| with_part(text, "attack", &attack::markdown())),
];

const CLIENT_SCHEMES: &str = include_str!("../../../../client-scala/local-schemes.txt");

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// Scripts that write documents of their rooms, the later ones from what the earlier ones wrote.
const SCRIPTS: &[&str] = &["infra/capacity-table", "infra/tables"];

fn main() -> io::Result<()> {
    let root = Path::new(ROOT);
    for (file, make) in DOCUMENTS {
        let present = fs::read_to_string(root.join(file))?;
        let made = make(&present);
        if made != present {
            fs::write(root.join(file), made)?;
            println!("{file} was out of date");
        }
    }
    for script in SCRIPTS {
        if !Command::new(root.join(script)).arg("--write").status()?.success() {
            return Err(io::Error::other(format!("{script} --write failed")));
        }
    }
    Ok(())
}

/// The names that settings accept, for Terraform.
fn settings() -> Value {
    json!({"accept_weak": scheme_names(), "ceilings": CEILING_NAMES})
}

/// Indented JSON with a newline at the end.
fn pretty(document: &impl Serialize) -> String {
    // Serialization cannot fail: every key is a string.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

fn exit_codes() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
    format!("| code | |\n|---|---|\n{}", rows.collect::<String>())
}

/// Replaces the lines between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
fn with_part(text: &str, name: &str, part: &str) -> String {
    between(text, &format!("<!-- {name}:begin -->\n"), &format!("<!-- {name}:end -->"), part)
}

/// Replaces the text between two marks.
///
/// # Panics
/// If the document lacks a mark: its part would never be out of date.
fn between(text: &str, begin: &str, end: &str, part: &str) -> String {
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.unwrap_or_else(|| panic!("no {begin:?} and {end:?} in a document"));
    format!("{before}{begin}{part}{end}{after}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_generated_part_is_up_to_date() {
        for (file, make) in DOCUMENTS {
            let present = fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
            assert!(make(&present) == present, "{file} is out of date: run `cargo xtask generate`");
        }
    }

    #[test]
    fn the_front_page_states_the_costs_of_a_million_logins() {
        let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
        let table = costs::markdown();
        let of_a_million = |place: &str| -> f64 {
            let row = table.lines().find(|row| row.starts_with(&format!("| {place}"))).unwrap();
            row.split('|').nth(3).unwrap().trim().parse().unwrap()
        };
        let [lambda, server, kubernetes] = ["Lambda, argon2id", "a server", "Kubernetes"].map(of_a_million);
        let stated = format!(
            "cost {lambda:.0} USD on Lambda without provisioned environments, {server:.0} on a machine, \
             {kubernetes:.0} on Kubernetes"
        );
        assert!(readme.replace('\n', " ").contains(&stated), "README.md does not say: {stated}");
    }
}
