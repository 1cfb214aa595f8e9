//! A panic costs one request. Needs the test build, in which a kernel panics on demand.

use std::fs;

use crate::support::Function;
use saltern_algorithm::fault::PANICS;
use serde_json::{Value, json};

#[test]
fn a_panic_in_a_kernel_costs_one_request_and_says_only_where_it_was() {
    let mut function = Function::start();
    let password = format!("{PANICS}m4rk3r-s3cr3t");
    for policy in ["argon2id-2026", "bcrypt-12-2023"] {
        let answer = function.request("POST", "/hash", &json!({"password": password, "policy": policy}));
        answer.assert_problem(500, "internal");
    }
    let mixed = json!({"operations": [
        {"op": "hash", "password": password},
        {"op": "hash", "password": "as usual"},
    ]});
    let batch = function.request("POST", "/batch", &mixed);
    assert_eq!(batch.body["results"][0]["problem"]["code"], json!("internal"), "{batch:?}");
    assert_eq!(batch.body["results"][1]["status"], json!(200), "{batch:?}");
    assert_eq!(function.request("POST", "/hash", &json!({"password": "after"})).status, 200);

    assert!(function.environment.is_running().unwrap());
    let output = function.stop();
    assert!(!output.stdout.contains("m4rk3r") && !output.stderr.contains("m4rk3r"), "{output:?}");
    let lines = output.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let panics: Vec<Value> =
        lines.filter(|line| line["level"] == json!("ERROR") && line["file"].is_string()).collect();
    assert_eq!(panics.len(), 3, "{output:?}");
    for field in fields_of_the_guide() {
        assert!(panics.iter().all(|line| line.get(&field).is_some()), "no {field} in {}", panics[0]);
    }
    assert_eq!(output.stderr, "");
}

/// What the query for a night's errors shows, but for what Logs Insights and Lambda's own lines have.
fn fields_of_the_guide() -> Vec<String> {
    let guide = fs::read_to_string(GUIDE).unwrap();
    let query = guide.lines().find_map(|line| line.strip_prefix("| fields ")).expect("a query");
    let fields = query.split(", ").filter(|field| !field.starts_with('@') && !field.starts_with("record."));
    let fields: Vec<String> = fields.map(str::to_owned).collect();
    assert!(fields.len() >= 3, "{fields:?}");
    fields
}

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/OPERATIONS.md");
