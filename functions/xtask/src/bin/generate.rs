//! Writes every generated part of a document. Tests beside the code compare them with the tree.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool talks to a person")]

use std::{fs, io, process::Command};

use saltern_encoded::documents::schemes_markdown;
use saltern_policy::documents::settings_json;
use saltern_price::documents::attack_markdown;
use saltern_program::EXIT_CODES;
use saltern_service::documents::{metrics_json, metrics_markdown, openapi, rules_yaml};

/// Makes the new text of a file from its present text.
type Make = fn(&str) -> String;

const DOCUMENTS: &[(&str, Make)] = &[
    ("functions/service/openapi.json", |_| openapi()),
    ("infra/modules/password-hasher/metrics.json", |_| metrics_json()),
    ("infra/modules/password-hasher/settings.json", |_| settings_json()),
    ("functions/encoded/SCHEMES.md", |text| schemes_markdown(text, CLIENT_SCHEMES)),
    ("functions/server/README.md", |text| with_part(text, "metrics", &metrics_markdown())),
    ("packaging/prometheus/saltern.rules.yaml", |text| {
        between(text, "      # rules:begin\n", "      # rules:end\n", &rules_yaml())
    }),
    ("functions/cli/README.md", |text| with_part(text, "exit-codes", &exit_codes())),
    ("README.md", |text| with_part(text, "attack", &attack_markdown())),
    ("MIGRATION.md", |text| with_part(text, "attack", &attack_markdown())),
    ("SECURITY.md", |text| with_part(text, "attack", &attack_markdown())),
];

const CLIENT_SCHEMES: &str = include_str!("../../../../client-scala/local-schemes.txt");

/// Scripts that write documents of their rooms, the later ones from what the earlier ones wrote.
const SCRIPTS: &[&str] = &["infra/capacity-table", "infra/tables"];

fn main() -> io::Result<()> {
    for (file, make) in DOCUMENTS {
        let present = fs::read_to_string(file)?;
        let made = make(&present);
        if made != present {
            fs::write(file, made)?;
            println!("{file} was out of date");
        }
    }
    for script in SCRIPTS {
        if !Command::new(script).arg("--write").status()?.success() {
            return Err(io::Error::other(format!("{script} --write failed")));
        }
    }
    Ok(())
}

fn exit_codes() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
    format!("| code | |\n|---|---|\n{}", rows.collect::<String>())
}

/// Replaces the lines between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
fn with_part(text: &str, name: &str, part: &str) -> String {
    between(text, &format!("<!-- {name}:begin -->\n"), &format!("<!-- {name}:end -->"), part)
}

/// Replaces the text between two marks. A text without them stays.
fn between(text: &str, begin: &str, end: &str, part: &str) -> String {
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    parts.map_or_else(|| text.to_owned(), |(before, after)| format!("{before}{begin}{part}{end}{after}"))
}
