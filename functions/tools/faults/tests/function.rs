//! A panic costs one invocation of the function.

use std::{fs, time::Duration};

use saltern_faults::{PANICS, PANICS_AT_ONCE};
use saltern_stubs::lambda::{Ended, Environment, Invocation, RuntimeApi};
use serde_json::{Value, json};

use crate::{MARK, SALTERN};

#[test]
fn a_panic_costs_one_invocation_and_prints_only_its_place() {
    let api = RuntimeApi::start().unwrap();
    let mut environment = Environment::start(&[SALTERN.into()], &api, &[]).unwrap();
    api.first_poll(SOON).unwrap();
    for panics in [PANICS, PANICS_AT_ONCE] {
        let (status, body) = request(&api, "/hash", &json!({"password": format!("{panics}{MARK}")}));
        assert_eq!((status, &body["code"]), (500, &json!("internal")));
    }
    let mixed = json!({"operations": [
        {"op": "hash", "password": format!("{PANICS}{MARK}")},
        {"op": "hash", "password": "as usual"},
    ]});
    let (_, batch) = request(&api, "/batch", &mixed);
    assert_eq!(batch["results"][0]["problem"]["code"], json!("internal"), "{batch:?}");
    assert_eq!(batch["results"][1]["status"], json!(200), "{batch:?}");
    assert_eq!(request(&api, "/hash", &json!({"password": "after"})).0, 200);

    assert!(environment.is_running().unwrap());
    let output = environment.stop().unwrap();
    assert!(!output.stdout.contains(MARK) && !output.stderr.contains(MARK), "{output:?}");
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
    assert!(!String::from_utf8_lossy(&answer).contains(MARK));
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
