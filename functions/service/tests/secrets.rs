//! Sends marked passwords and hashes to every path, at every log level. No log line, metric or
//! `Debug` text may hold them.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking, as tests do")]

#[expect(dead_code, reason = "the tests of the contract use the rest")]
mod support;
#[path = "support/written.rs"]
mod written;

use std::{sync::Arc, time::Duration};

use http::Method;
use saltern_service::{
    Body, Code, Ids, Incoming, LogLine, Outcome, Problem,
    metrics::{DroppedLines, Sample, Sink},
};
use serde_json::{Value, json};
use support::*;
use written::Written;

/// A part of every secret. No other text contains it, and no hash can, since `~` is in no alphabet.
const MARK: &str = "Mark~Mark";

/// One test only, since the subscriber and the panic hook belong to the process.
#[tokio::test]
async fn no_log_line_metric_or_debug_text_holds_a_secret() {
    let written = Written::of_process();
    tracing::trace!("the subscriber writes every level");

    let sink = Arc::new(written.clone());
    let service = service().with_metrics(&DroppedLines::default()).with_sink(sink);
    let password = format!("{MARK} of a person");
    let hash = made(&service, &password, BCRYPT).await;
    let mut secrets = vec![MARK.to_owned(), decimals(MARK), hash.clone(), decimals(&hash)];
    secrets.push(hash[29..].to_owned());

    let verify = |hash: &str| json!({"password": password, "hash": hash, "rehash": true});
    let requests = [
        post("/hash", &json!({"password": password})),
        post("/hash", &json!({"password": password, "policy": MARK})),
        post("/hash", &json!({"password": password, "policy": BCRYPT_VERIFY_ONLY})),
        post("/hash", &json!({"password": format!("{MARK}{}", "a".repeat(72)), "policy": BCRYPT})),
        post("/hash", &json!({"password": format!("{MARK}\0"), "policy": BCRYPT})),
        post("/hash", &json!({"password": MARK.repeat(200)})),
        post("/hash", &json!({"password": MARK})).arrived(ago(11)),
        post("/hash", &json!({"password": MARK})).header("saltern-deadline-ms", MARK),
        post("/hash", &json!({"password": MARK})).header("authorization", MARK),
        post("/hash", &json!({"password": MARK})).header("traceparent", MARK).header("tracestate", MARK),
        post("/hash", &json!({"password": MARK}))
            .header("x-amzn-trace-id", format!("Root={MARK};Self={MARK}")),
        post("/hash", &json!({"password": [MARK]})),
        post("/hash", &json!({"password": MARK, MARK: MARK})),
        post_bytes("/hash", format!("{{\"password\": \"{MARK}")),
        post_bytes("/hash", format!("{{\"password\": \"{MARK}\\ud800\"}}")),
        post_bytes("/hash", [MARK.as_bytes(), b"\xff"].concat()),
        post_bytes("/hash", MARK.repeat(10_000)),
        post_bytes("/hash", format!("{{\"password\": \"{MARK}\", \"password\": \"{MARK}\"}}")),
        TestRequest::new(Method::POST, "/hash").header("content-type", MARK).body(MARK),
        TestRequest::new(Method::PUT, "/hash").body(MARK),
        TestRequest::new(Method::POST, "/Mark~Mark").body(MARK),
        post("/verify", &verify(&hash)),
        post("/verify", &verify(MARK)),
        post("/verify", &verify(&format!("$2b${MARK}"))),
        post("/verify", &verify(&hash.replacen("$05$", "$31$", 1))),
        post("/verify", &json!({"password": "another", "hash": hash})),
        post("/verify", &json!({"password": MARK, "hash": {MARK: MARK}})),
        post("/verify", &json!({"password": MARK, "hash": null})),
        post(
            "/batch",
            &json!({"operations": [{"op": MARK}, {"op": "hash", "password": MARK, MARK: 1}, MARK]}),
        ),
        post("/batch", &json!({"operations": [{"op": "verify", "password": password, "hash": hash}]})),
        post("/batch", &json!({"operations": MARK})),
        get("/policies").body(MARK),
        get("/metrics").body(MARK),
    ];
    let mut ends = std::collections::HashSet::new();
    for request in requests {
        let response = request.send(&service).await;
        response.answer.outcome.log();
        ends.insert(response.answer.outcome.end.name());
        note_new_hashes(&response.json, &mut secrets);
        debug(&written, &response.answer);
        let failed = response.status() != 200;
        assert!(!failed || !response.json.to_string().contains(MARK), "{}", response.json);
    }
    // The ends that this crate alone can reach, without the overload.
    let all = ["hashed", "match", "mismatch", "answered", "invalid_json", "invalid_request", "not_found"];
    assert!(all.iter().all(|end| ends.contains(end)), "{ends:?}");

    let refused = refuse(&service, Problem::overloaded(Duration::from_secs(1)));
    refused.outcome.log();
    debug(&written, &refused);
    debug(&written, &Body::new(password.clone().into_bytes()));
    let mut incoming = Incoming::unread(ago(0), Ids::random());
    incoming.body = Body::new(password.into_bytes());
    debug(&written, &incoming);
    debug(&written, &service);
    debug(&written, &Problem::new(Code::Unauthorized));

    let text = written.text();
    assert!(text.contains("the subscriber writes every level"));
    assert!(text.contains("(Outcome, \"match\")"), "the metrics are written");
    assert!(text.contains("outcome=\"match\"") && text.contains("policy=\"bcrypt-5\""), "{text}");
    for secret in secrets {
        assert!(!text.contains(&secret), "`{secret}` is in:\n{text}");
    }
}

/// The text as the `Debug` of a byte slice shows it.
fn decimals(text: &str) -> String {
    let shown = format!("{:?}", text.as_bytes());
    shown.trim_matches(['[', ']']).to_owned()
}

/// Adds the hashes of a response to the secrets.
fn note_new_hashes(json: &Value, secrets: &mut Vec<String>) {
    match json {
        Value::Object(members) => {
            if let Some(Value::String(hash)) = members.get("hash") {
                secrets.push(hash.clone());
            }
            members.values().for_each(|value| note_new_hashes(value, secrets));
        }
        Value::Array(elements) => elements.iter().for_each(|value| note_new_hashes(value, secrets)),
        _ => {}
    }
}

/// Records the debug text of a value.
fn debug(written: &Written, value: &dyn std::fmt::Debug) {
    written.add(format!("{value:?}\n{value:#?}\n"));
}

/// Records all data that a sink receives.
impl Sink for Written {
    fn record(&self, outcome: &Outcome, samples: &[Sample]) {
        let line = serde_json::to_string(&LogLine::of(outcome)).unwrap();
        self.add(format!("{outcome:?}\n{samples:?}\n{line}\n"));
    }
}
