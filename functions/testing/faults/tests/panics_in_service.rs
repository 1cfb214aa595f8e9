//! The service: a panic in a kernel is a 500 `internal`, and nothing that is written has the
//! password.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "the tests of the contract use the rest")]
#[path = "../../../service/tests/support/mod.rs"]
mod support;
#[path = "../../../service/tests/support/written.rs"]
mod written;

use saltern_faults::PANICS;
use serde_json::json;
use support::*;
use written::Written;

/// Part of every password here.
const MARK: &str = "Mark~Mark";

/// One test, because the process has one subscriber and one panic hook.
#[tokio::test]
async fn a_panic_in_a_kernel_costs_one_operation() {
    let written = Written::of_process();

    let service = service();
    let password = format!("{PANICS}{MARK}");
    for policy in [CURRENT, BCRYPT, AFTER_CURRENT] {
        let response = post("/hash", &json!({"password": password, "policy": policy})).send(&service).await;
        response.answer.outcome.log();
        response.problem(500, "internal");
        assert!(!response.json.to_string().contains(MARK), "{}", response.json);
        // The worker lives on.
        made(&service, "p", policy).await;
    }
    let operations = json!({"operations": [
        {"op": "hash", "password": password},
        {"op": "hash", "password": "p"},
    ]});
    let response = post("/batch", &operations).send(&service).await;
    response.answer.outcome.log();
    let body = response.ok();
    assert!(!body.to_string().contains(MARK), "{body}");
    assert_eq!((&body["results"][0]["status"], &body["results"][1]["status"]), (&json!(500), &json!(200)));
    assert_eq!(body["results"][0]["problem"]["code"], "internal");

    let text = written.text();
    assert_eq!(text.matches("a panic").count(), 4, "{text}");
    assert!(!text.contains(MARK), "{text}");
}
