//! A panic costs one request. Needs the test build, in which a kernel panics on demand.

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
    let panics = lines.filter(|line| line["level"] == json!("ERROR") && line["file"].is_string()).count();
    assert_eq!(panics, 3, "{output:?}");
    assert_eq!(output.stderr, "");
}
