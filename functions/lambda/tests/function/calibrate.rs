//! Calibrate events: a setting enables them, and only a direct `Invoke` can send them.

use std::time::{Duration, Instant};

use saltern_stubs::lambda::{Ended, Invocation};
use serde_json::{Value, json};

use crate::support::{Function, Response, SOON, event};

const ON: &[(&str, &str)] = &[("SALTERN_CALIBRATE", "on")];

/// The number of samples ends the measurement, and not its time, which a busy machine may take away.
fn calibrate_event(hash: &str) -> Value {
    json!({"saltern-calibrate": {
        "hash": hash, "in_lanes": false, "fewest_samples": 3, "most_samples": 5, "milliseconds": 5_000,
    }})
}

/// Sends a calibrate event, and returns the response.
fn calibrate(function: &Function, invocation: Invocation) -> Value {
    let ended = function.api.invoke(invocation).wait(SOON).expect("the function responds");
    let Ended::Response(bytes) = ended else { panic!("the function reported an error: {ended:?}") };
    let reply: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(reply.as_object().unwrap().len(), 1, "{reply}");
    reply["saltern-calibrate"].clone()
}

#[test]
fn a_function_measures_one_hash_and_a_full_worker() {
    let function = Function::start_with(ON);
    let mut event = calibrate_event(BCRYPT);
    let one = calibrate(&function, Invocation::new(event.to_string()));
    assert_eq!(
        (&one["memory_mb"], &one["outcome"]["measured"]["at_once"]),
        (&json!(1769), &json!(1)),
        "{one}"
    );
    assert!(!one["machine"]["cpu"].as_str().unwrap().is_empty(), "{one}");
    let [wall_ms, cpu_ms] =
        ["wall_ms", "cpu_ms"].map(|time| one["outcome"]["measured"][time]["median"].as_f64().unwrap());
    // A busy machine may take the processor away for any time.
    assert!(wall_ms > 0.1 && (0.1..500.0).contains(&cpu_ms), "{one}");
    let samples = one["outcome"]["measured"]["wall_ms"]["samples"].as_u64().unwrap();
    assert!((3..=5).contains(&samples), "{one}");

    event["saltern-calibrate"]["in_lanes"] = json!(true);
    let lanes = calibrate(&function, Invocation::new(event.to_string()));
    assert!(lanes["outcome"]["measured"]["at_once"].as_u64().unwrap() > 1, "{lanes}");
    // Requests are still answered.
    assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
}

#[test]
fn a_function_measures_the_kernels_that_a_setting_selects() {
    let function = Function::start_with(&[("SALTERN_CALIBRATE", "on"), ("SALTERN_KERNELS", "crates")]);
    let mut event = calibrate_event(BCRYPT);
    event["saltern-calibrate"]["in_lanes"] = json!(true);
    let response = calibrate(&function, Invocation::new(event.to_string()));
    assert_eq!(response["outcome"]["measured"]["at_once"], json!(1), "{response}");
}

#[test]
fn calibrate_events_are_disabled_by_default() {
    for function in [Function::start(), Function::start_with(&[("SALTERN_CALIBRATE", "off")])] {
        function.event(&calibrate_event(BCRYPT)).assert_problem(400, "invalid_request");
    }
}

#[test]
fn the_function_url_refuses_calibrate_events() {
    let function = Function::start_with(ON);
    // A caller of the URL controls only the path, the method, the headers and the body.
    for path in ["/", "/calibrate", "/saltern-calibrate"] {
        function.request("POST", path, &calibrate_event(BCRYPT)).assert_problem(404, "not_found");
    }
    function.request("POST", "/hash", &calibrate_event(BCRYPT)).assert_problem(400, "invalid_request");
    // A valid request stays a request if it has the member. A mixture of both is refused.
    let mut both = event("GET", "/health", &Value::Null);
    both["saltern-calibrate"] = calibrate_event(BCRYPT)["saltern-calibrate"].clone();
    assert_eq!(function.event(&both).body["status"], json!("ok"));
    for member in ["version", "rawPath", "requestContext", "body", "headers", "more"] {
        let mut half = calibrate_event(BCRYPT);
        half[member] = json!("2.0");
        function.event(&half).assert_problem(400, "invalid_request");
    }
    let mut more = calibrate_event(BCRYPT);
    more["saltern-calibrate"]["password"] = json!("secret");
    function.event(&more).assert_problem(400, "invalid_request");
}

#[test]
fn the_ceilings_and_the_memory_bound_a_measurement() {
    let small = [("SALTERN_CALIBRATE", "on"), ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")];
    let function = Function::start_with(&small);
    for (hash, reason) in [
        (BCRYPT.replace("$05$", "$16$"), "cost_out_of_bounds"),
        // The hash needs 96 MiB, and 82 of 128 are available.
        (ARGON2.replace("m=4096", "m=98304"), "cost_out_of_bounds"),
        ("$1$saltsalt$abc".to_owned(), "unsupported_hash"),
        (String::new(), "unsupported_hash"),
    ] {
        let response = calibrate(&function, Invocation::new(calibrate_event(&hash).to_string()));
        assert_eq!(response["outcome"], json!({"refused": reason}), "{hash}");
    }
    let fits = calibrate(&function, Invocation::new(calibrate_event(ARGON2).to_string()));
    assert!(fits["outcome"]["measured"].is_object(), "{fits}");
}

#[test]
fn the_deadline_of_the_function_bounds_a_measurement() {
    let function = Function::start_with(ON);
    let mut greedy = calibrate_event(BCRYPT);
    for (member, value) in
        [("fewest_samples", 1_000_000), ("most_samples", 1_000_000), ("milliseconds", 60_000)]
    {
        greedy["saltern-calibrate"][member] = json!(value);
    }
    let within = Duration::from_secs(2);
    let is_in_time = |_| {
        let started = Instant::now();
        let response = calibrate(&function, Invocation::new(greedy.to_string()).with_timeout(within));
        assert!(response["outcome"]["measured"].is_object(), "{response}");
        started.elapsed() < within
    };
    // The function keeps 100 ms for the response, which a busy machine may take away.
    assert!((0..5).any(is_in_time));
    // The work takes two seconds, and the deadline is a fraction of one. The function refuses, and
    // Lambda does not end it.
    assert!((0..5).any(|_| is_refused_at_its_deadline(&function)));
    assert_eq!(
        Response::of(
            &function.api.invoke(Invocation::new(event("GET", "/health", &Value::Null).to_string()))
        )
        .status,
        200
    );
}

#[test]
fn one_hash_is_measured_at_a_time_even_after_its_deadline() {
    let function = Function::start_with(ON);
    let short = calibrate_event(BCRYPT).to_string();
    // The hash still runs for a second or more. A short measurement waits for its end, and is then
    // refused as busy.
    let is_busy = |within: Duration| {
        let response = calibrate(&function, Invocation::new(short.clone()).with_timeout(within));
        response["outcome"] == json!({"refused": "busy"})
    };
    // On a busy machine the hash may have ended.
    let are_refused = |_| is_refused_at_its_deadline(&function) && [AT_ONCE, SOON].into_iter().all(is_busy);
    assert!((0..5).any(are_refused));
    let response = calibrate(&function, Invocation::new(short.clone()));
    assert!(response["outcome"]["measured"].is_object(), "{response}");
}

/// Asks for a hash that takes two seconds, and returns whether it was refused at its deadline. A
/// busy machine may read the event after its deadline, which then is no deadline.
fn is_refused_at_its_deadline(function: &Function) -> bool {
    let long = calibrate_event(&BCRYPT.replace("$05$", "$15$"));
    let response = calibrate(function, Invocation::new(long.to_string()).with_timeout(AT_ONCE));
    response["outcome"] == json!({"refused": "deadline_exceeded"})
}

const AT_ONCE: Duration = Duration::from_millis(400);

/// A hash of the bcrypt test vectors.
const BCRYPT: &str = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK";

/// A hash that no password matches.
const ARGON2: &str =
    "$argon2id$v=19$m=4096,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
