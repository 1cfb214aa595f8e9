//! Tests the SQL of the migration guide, and parses the hashes that it exports.

use std::process::Command;

use serde_json::Value;

use super::saltern;

#[test]
fn every_statement_of_the_guide_runs_and_exports_known_hashes() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/guide.py");
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../MIGRATION.md");
    let ran = Command::new("python3").args([script, guide]).output().expect("python3 is a prerequisite");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let exported = String::from_utf8(ran.stdout).unwrap();
    assert!(exported.lines().count() >= 6, "{exported}");
    let plan: Value = serde_json::from_str(&saltern(&["migrate-plan", "--json"], &exported).out).unwrap();
    assert_eq!(plan["not_verified"], serde_json::json!([]), "{exported}");
}
