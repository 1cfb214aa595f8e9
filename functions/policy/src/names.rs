//! The names that settings take, for those who do not read Rust: `settings.json` for the Terraform.

use std::fs;

use saltern_encoded::Scheme;
use serde::Serialize;

use crate::{document::CEILING_NAMES, weak::weak_schemes};

#[test]
fn the_terraform_has_the_names() {
    let names =
        Names { accept_weak: weak_schemes().map(Scheme::name).collect(), ceilings: CEILING_NAMES.to_vec() };
    let made = format!("{}\n", serde_json::to_string_pretty(&names).unwrap());
    if std::env::var_os("UPDATE_NAMES").is_some() {
        fs::write(SETTINGS, made).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(SETTINGS).is_ok_and(|committed| committed == made),
        "{SETTINGS} drifted: run `UPDATE_NAMES=1 cargo test -p saltern-policy names`"
    );
}

/// `settings.json`.
#[derive(Serialize)]
struct Names {
    accept_weak: Vec<&'static str>,
    ceilings: Vec<&'static str>,
}

const SETTINGS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/modules/password-hasher/settings.json");
