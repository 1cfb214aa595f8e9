//! `bootstrap`: a panic in a kernel costs one invocation, and no output has the password.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, time::Duration};

use saltern_faults::PANICS;
use saltern_stubs::lambda::{Ended, Environment, Invocation, RuntimeApi};
use serde_json::{Value, json};

#[test]
fn a_panic_in_a_kernel_costs_one_invocation_and_prints_only_its_place() {
    let api = RuntimeApi::start().unwrap();
    let bootstrap = [env!("CARGO_BIN_EXE_bootstrap-with-faults").into()];
    let mut environment = Environment::start(&bootstrap, &api, &[]).unwrap();
    api.first_poll(SOON).unwrap();
    let password = format!("{PANICS}m4rk3r-s3cr3t");
    for policy in ["argon2id-2026", "bcrypt-12-2023"] {
        let (status, body) = request(&api, "/hash", &json!({"password": password, "policy": policy}));
        assert_eq!((status, &body["code"]), (500, &json!("internal")));
    }
    let mixed = json!({"operations": [
        {"op": "hash", "password": password},
        {"op": "hash", "password": "as usual"},
    ]});
    let (_, batch) = request(&api, "/batch", &mixed);
    assert_eq!(batch["results"][0]["problem"]["code"], json!("internal"), "{batch:?}");
    assert_eq!(batch["results"][1]["status"], json!(200), "{batch:?}");
    assert_eq!(request(&api, "/hash", &json!({"password": "after"})).0, 200);

    assert!(environment.is_running().unwrap());
    let output = environment.stop().unwrap();
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

/// Sends a request as a direct `Invoke` would. Returns the status and the body.
fn request(api: &RuntimeApi, path: &str, body: &Value) -> (u64, Value) {
    let event = json!({
        "version": "2.0",
        "rawPath": path,
        "requestContext": {"http": {"method": "POST"}},
        "headers": {"content-type": "application/json"},
        "body": body.to_string(),
        "isBase64Encoded": false,
    });
    let ended = api.invoke(Invocation::new(event.to_string())).wait(SOON).unwrap();
    let Ended::Response(answer) = ended else { panic!("the function reported an error: {ended:?}") };
    assert!(!String::from_utf8_lossy(&answer).contains("m4rk3r"));
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let body = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    (answer["statusCode"].as_u64().unwrap(), body)
}

/// The fields that the guide's query for errors shows, without those of Logs Insights and Lambda.
fn fields_of_the_guide() -> Vec<String> {
    let guide = fs::read_to_string(GUIDE).unwrap();
    let query = guide.lines().find_map(|line| line.strip_prefix("| fields ")).unwrap();
    let fields = query.split(", ").filter(|field| !field.starts_with('@') && !field.starts_with("record."));
    let fields: Vec<String> = fields.map(str::to_owned).collect();
    assert!(fields.len() >= 3, "{fields:?}");
    fields
}

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../infra/OPERATIONS.md");

/// Longer than any answer takes on a busy machine.
const SOON: Duration = Duration::from_mins(1);
