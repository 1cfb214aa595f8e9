//! Generates the document that is derived from the code: the names that settings accept.
//!
//! Only the feature `documents` builds this module. `cargo xtask generate` writes the document.

use serde::Serialize;

use crate::{document::CEILING_NAMES, weak::scheme_names};

/// Returns the names that settings accept, for Terraform: the content of
/// `infra/modules/password-hasher/settings.json`.
#[must_use]
pub fn settings_json() -> String {
    let names = Names { accept_weak: scheme_names(), ceilings: CEILING_NAMES.to_vec() };
    // Serialization cannot fail: every key is a string.
    let mut text = serde_json::to_string_pretty(&names).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Names {
    accept_weak: Vec<&'static str>,
    ceilings: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_the_terraform_module_are_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/modules/password-hasher/settings.json");
        let committed = std::fs::read_to_string(path).unwrap();
        assert!(committed == settings_json(), "{path} is out of date: run `cargo xtask generate`");
    }
}
