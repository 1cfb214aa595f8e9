//! Calibrate events: answered where it was said, and only by a direct `Invoke`.

use std::time::{Duration, Instant};

use saltern_stubs::lambda::{Ended, Invocation};
use serde_json::{Value, json};

use crate::support::{Answer, Function, SOON, event};

const ON: &[(&str, &str)] = &[("SALTERN_CALIBRATE", "on")];

fn question(hash: &str) -> Value {
    json!({"saltern-calibrate": {
        "hash": hash, "in_lanes": false, "fewest_samples": 3, "most_samples": 5, "milliseconds": 20,
    }})
}

/// The answer to a calibrate event.
fn ask(function: &Function, invocation: Invocation) -> Value {
    let ended = function.api.invoke(invocation).wait(SOON).expect("the function answers");
    let Ended::Response(bytes) = ended else { panic!("the function reported an error: {ended:?}") };
    let reply: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(reply.as_object().unwrap().len(), 1, "{reply}");
    reply["saltern-calibrate"].clone()
}

#[test]
fn a_function_measures_one_hash_and_a_full_worker() {
    let function = Function::start_with(ON);
    let mut question = question(BCRYPT);
    let one = ask(&function, Invocation::new(question.to_string()));
    assert_eq!(
        (&one["memory_mb"], &one["outcome"]["measured"]["at_once"]),
        (&json!(1769), &json!(1)),
        "{one}"
    );
    assert!(!one["machine"]["cpu"].as_str().unwrap().is_empty(), "{one}");
    let ms = one["outcome"]["measured"]["wall_ms"]["median"].as_f64().unwrap();
    assert!((0.1..500.0).contains(&ms), "{one}");
    let samples = one["outcome"]["measured"]["wall_ms"]["samples"].as_u64().unwrap();
    assert!((3..=5).contains(&samples), "{one}");

    question["saltern-calibrate"]["in_lanes"] = json!(true);
    let lanes = ask(&function, Invocation::new(question.to_string()));
    assert!(lanes["outcome"]["measured"]["at_once"].as_u64().unwrap() > 1, "{lanes}");
    // Requests are answered as ever.
    assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
}

#[test]
fn a_function_that_was_rolled_back_measures_what_it_serves_with() {
    let function = Function::start_with(&[("SALTERN_CALIBRATE", "on"), ("SALTERN_KERNELS", "crates")]);
    let mut question = question(BCRYPT);
    question["saltern-calibrate"]["in_lanes"] = json!(true);
    let answer = ask(&function, Invocation::new(question.to_string()));
    assert_eq!(answer["outcome"]["measured"]["at_once"], json!(1), "{answer}");
}

#[test]
fn it_is_off_unless_it_is_said() {
    for function in [Function::start(), Function::start_with(&[("SALTERN_CALIBRATE", "off")])] {
        function.event(&question(BCRYPT)).assert_problem(400, "invalid_request");
    }
}

#[test]
fn through_the_function_url_it_is_refused() {
    let function = Function::start_with(ON);
    // All that a caller of the URL can choose is the path, the method, the headers and the body.
    for path in ["/", "/calibrate", "/saltern-calibrate"] {
        function.request("POST", path, &question(BCRYPT)).assert_problem(404, "not_found");
    }
    function.request("POST", "/hash", &question(BCRYPT)).assert_problem(400, "invalid_request");
    // Even an event with the member is a request, as soon as it is one; and nothing where it is half of one.
    let mut both = event("GET", "/health", &Value::Null);
    both["saltern-calibrate"] = question(BCRYPT)["saltern-calibrate"].clone();
    assert_eq!(function.event(&both).body["status"], json!("ok"));
    for member in ["version", "rawPath", "requestContext", "body", "headers", "more"] {
        let mut half = question(BCRYPT);
        half[member] = json!("2.0");
        function.event(&half).assert_problem(400, "invalid_request");
    }
    let mut more = question(BCRYPT);
    more["saltern-calibrate"]["password"] = json!("secret");
    function.event(&more).assert_problem(400, "invalid_request");
}

#[test]
fn the_ceilings_and_the_memory_bound_it() {
    let small = [("SALTERN_CALIBRATE", "on"), ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")];
    let function = Function::start_with(&small);
    for (hash, reason) in [
        (BCRYPT.replace("$05$", "$16$"), "cost_out_of_bounds"),
        // 82 MiB are left of 128, and 96 are asked for.
        (ARGON2.replace("m=4096", "m=98304"), "cost_out_of_bounds"),
        ("$1$saltsalt$abc".to_owned(), "unsupported_hash"),
        (String::new(), "unsupported_hash"),
    ] {
        let answer = ask(&function, Invocation::new(question(&hash).to_string()));
        assert_eq!(answer["outcome"], json!({"refused": reason}), "{hash}");
    }
    let fits = ask(&function, Invocation::new(question(ARGON2).to_string()));
    assert!(fits["outcome"]["measured"].is_object(), "{fits}");
}

#[test]
fn the_function_s_own_deadline_bounds_it() {
    let function = Function::start_with(ON);
    let mut greedy = question(BCRYPT);
    for (member, value) in
        [("fewest_samples", 1_000_000), ("most_samples", 1_000_000), ("milliseconds", 60_000)]
    {
        greedy["saltern-calibrate"][member] = json!(value);
    }
    let started = Instant::now();
    let within = Duration::from_secs(2);
    let answer = ask(&function, Invocation::new(greedy.to_string()).with_timeout(within));
    assert!(answer["outcome"]["measured"].is_object(), "{answer}");
    assert!(started.elapsed() < within, "{:?}", started.elapsed());
    // Two seconds of work in a fraction of one: no answer of figures, and no end by Lambda either.
    let long = question(&BCRYPT.replace("$05$", "$15$"));
    let answer = ask(&function, Invocation::new(long.to_string()).with_timeout(Duration::from_millis(400)));
    assert_eq!(answer["outcome"], json!({"refused": "deadline_exceeded"}));
    assert_eq!(
        Answer::of(&function.api.invoke(Invocation::new(event("GET", "/health", &Value::Null).to_string())))
            .status,
        200
    );
}

#[test]
fn one_is_measured_at_a_time_even_where_nobody_waits_for_it_any_more() {
    let function = Function::start_with(ON);
    let soon = Duration::from_millis(400);
    let long = question(&BCRYPT.replace("$05$", "$15$"));
    let answer = ask(&function, Invocation::new(long.to_string()).with_timeout(soon));
    assert_eq!(answer["outcome"], json!({"refused": "deadline_exceeded"}));
    // Its hash runs on for a second or more: what takes a millisecond has to wait, and is told when that is over.
    let short = question(BCRYPT).to_string();
    for within in [soon, SOON] {
        let answer = ask(&function, Invocation::new(short.clone()).with_timeout(within));
        assert_eq!(answer["outcome"], json!({"refused": "busy"}), "{within:?}");
    }
    let answer = ask(&function, Invocation::new(short));
    assert!(answer["outcome"]["measured"].is_object(), "{answer}");
}

/// A vector of the bcrypt suite.
const BCRYPT: &str = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK";

/// Nobody's.
const ARGON2: &str =
    "$argon2id$v=19$m=4096,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
