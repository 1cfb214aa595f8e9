//! Counts and distributions at the end of environments: no value is lost, and no value counts
//! twice.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process, thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::support::{Function, Random, Response, SOON, event};
use saltern_stubs::cloudwatch::{Behaviour, CloudWatch};
use saltern_stubs::lambda::{Invocation, Output};
use serde_json::{Value, json};

/// Environments live for some hundreds of requests, and are frozen between each two. They end at
/// random moments, during or after a request. CloudWatch accepts or fails, in turn.
#[test]
fn three_thousand_requests_are_counted_exactly_and_every_value_is_sent_or_printed() {
    let mut random = Random::seeded();
    println!("SALTERN_TEST_SEED={}", random.0);
    let policies = Document::new(0);
    let mut expected = Tally::new();
    let (mut counted, mut sent) = (Tally::new(), Tally::new());
    let (mut environments, mut most_calls) = (0, 0);
    let mut requests = 0;
    while requests < REQUESTS {
        let fate = FATES[environments % FATES.len()];
        environments += 1;
        let cloudwatch = CloudWatch::start(fate.unwrap_or_default()).unwrap();
        let mut function = started(&cloudwatch, &policies, &[]);
        let reachable = fate.map(|_| cloudwatch);
        let life = random.below(MAX_LIFE).clamp(1, REQUESTS - requests);
        for left in (0..life).rev() {
            if left == 0 {
                end_during_a_request(&mut random, &mut function, requests, &mut expected);
            } else {
                send(&function, requests, &mut expected);
                assert!(function.api.is_idle(SOON));
                function.environment.freeze().unwrap();
                if random.below(100) == 0 {
                    thread::sleep(LONG_FREEZE);
                }
                function.environment.thaw().unwrap();
            }
            requests += 1;
        }
        *expected.entry("ColdStarts".to_owned()).or_default() += 1;
        let output = function.environment.wait(SOON).unwrap();
        assert!(output.status.success(), "{output:?}");
        read_printed(&output, &mut counted);
        if let Some(cloudwatch) = reachable {
            assert_eq!(cloudwatch.faults(), [""; 0]);
            read_sent(&cloudwatch, &mut sent);
            most_calls = most_calls.max(cloudwatch.calls().len());
        }
    }
    assert!(most_calls > 1, "distributions were sent only at the end");
    println!("{requests} requests in {environments} environments");
    assert!(sent.keys().all(|name| !counted.contains_key(name)), "a name is published twice");
    assert!(!sent.is_empty());
    assert!(add_unsent(&mut counted, &mut sent) > 0);
    counted.append(&mut sent);
    assert_eq!(counted, expected);
}

#[test]
fn a_long_call_is_compressed_and_complete() {
    let policies = Document::new(60);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    let function = started(&cloudwatch, &policies, &MANAGED);
    let hash = |i: u64| json!({"op": "hash", "password": "p", "policy": format!("extra-{i}")});
    let batch = json!({"operations": (1..=60).map(hash).collect::<Vec<_>>()});
    assert_eq!(function.request("POST", "/batch", &batch).status, 200);
    assert!(cloudwatch.has_calls(1, SOON), "nothing was sent");
    let call = &cloudwatch.calls()[0];
    assert!(call.zipped && call.bytes > 10 * 1024, "{} bytes", call.bytes);
    assert_eq!(call.namespace, "Saltern");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    for datum in &call.data {
        assert_eq!(datum.dimensions[0], ("Service".to_owned(), "saltern".to_owned()));
        assert!((now - datum.timestamp) < 120.0, "{datum:?}");
        let unit = if datum.name.ends_with("Milliseconds") { "Milliseconds" } else { "Count" };
        assert_eq!(datum.unit, if datum.name == "ArenaBytes" { "Bytes" } else { unit });
    }
    let mut sent = Tally::new();
    read_sent(&cloudwatch, &mut sent);
    assert_eq!(
        sent.iter().filter(|(name, count)| name.starts_with("HashMilliseconds ") && **count == 1).count(),
        60
    );
    assert_eq!((sent["BatchOperations"], sent["QueueMilliseconds"]), (1, 60));
    let batch = call.data.iter().find(|datum| datum.name == "BatchOperations").unwrap();
    assert_eq!(batch.values, [(60.0, 1.0)]);
}

#[test]
fn an_extension_registers_only_if_distributions_are_sent() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    let classic = started(&cloudwatch, &policies, &[]);
    assert_eq!(classic.api.extension_events(), Some(vec!["INVOKE".to_owned()]));
    let managed = started(&cloudwatch, &policies, &MANAGED);
    assert_eq!(managed.api.extension_events(), Some(vec![]));
    let printing = started(&cloudwatch, &policies, &[("SALTERN_DISTRIBUTIONS", "printed")]);
    assert_eq!(printing.api.extension_events(), None);

    printing.request("GET", "/health", &Value::Null);
    let mut printed = Tally::new();
    read_printed(&printing.stop(), &mut printed);
    assert_eq!((printed["AnswerMilliseconds health"], printed["Requests health answered"]), (1, 1));
}

#[test]
fn a_managed_instance_sends_at_intervals_and_at_its_end() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    let function = started(&cloudwatch, &policies, &MANAGED);
    let mut expected = Tally::new();
    (0..16).for_each(|i| send(&function, i, &mut expected));
    assert!(cloudwatch.has_calls(1, SOON), "nothing was sent at the interval");
    (16..24).for_each(|i| send(&function, i, &mut expected));
    function.environment.terminate().unwrap();
    let output = function.environment.wait(SOON).unwrap();
    assert!(output.status.success(), "{output:?}");
    let (mut counted, mut sent) = (Tally::new(), Tally::new());
    read_printed(&output, &mut counted);
    read_sent(&cloudwatch, &mut sent);
    add_unsent(&mut counted, &mut sent);
    counted.append(&mut sent);
    assert_eq!(counted, expected);
}

/// A frozen environment finds the event and SIGTERM when it is thawed. Lambda expects a response,
/// since it has sent the event.
#[test]
fn an_event_that_comes_together_with_sigterm_is_answered_and_counted() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    for _ in 0..ENDS {
        let function = started(&cloudwatch, &policies, &[]);
        assert!(function.api.is_idle(SOON));
        function.environment.freeze().unwrap();
        let pending = function.api.invoke(Invocation::new(event("GET", "/health", &Value::Null).to_string()));
        thread::sleep(Duration::from_millis(5));
        function.environment.terminate().unwrap();
        function.environment.thaw().unwrap();
        assert_eq!(Response::of(&pending).status, 200);
        let output = function.environment.wait(SOON).unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut counted = Tally::new();
        read_printed(&output, &mut counted);
        assert_eq!(counted["Requests health answered"], 1);
    }
}

#[test]
fn a_failed_poll_of_the_extension_is_repeated() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    let function = started(&cloudwatch, &policies, &[]);
    for _ in 0..2 {
        assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
        assert!(function.api.is_idle(SOON));
        function.api.break_extension_polls(2);
        assert!(function.api.is_idle(SOON), "Lambda would wait for the extension until the timeout");
    }
    function.environment.terminate().unwrap();
    let output = function.environment.wait(SOON).unwrap();
    assert!(output.status.success());
    let repeated: Vec<_> = output.stdout.lines().filter(|line| line.contains("is repeated")).collect();
    assert!(!repeated.is_empty(), "{output:?}");
    for line in repeated {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["error"].as_str().is_some_and(|reason| !reason.is_empty()), "{line}");
    }
}

#[test]
fn an_extension_without_responses_ends_the_process_after_sending_its_values() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Accepts).unwrap();
    let function = started(&cloudwatch, &policies, &[]);
    let mut expected = Tally::from([("ColdStarts".to_owned(), 1)]);
    (0..8).for_each(|i| send(&function, i, &mut expected));
    assert!(function.api.is_idle(SOON));
    function.api.break_extension_polls(usize::MAX);
    let output = function.environment.wait(SOON).unwrap();
    assert!(!output.status.success());
    assert!(output.stderr.starts_with("bootstrap: the Extensions API"), "{output:?}");
    let (mut counted, mut sent) = (Tally::new(), Tally::new());
    read_printed(&output, &mut counted);
    read_sent(&cloudwatch, &mut sent);
    add_unsent(&mut counted, &mut sent);
    counted.append(&mut sent);
    assert_eq!(counted, expected);
}

#[test]
fn traces_are_in_the_log_line_and_in_the_response() {
    let function = Function::start();
    let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let mut event = event("GET", "/health", &Value::Null);
    event["headers"]["traceparent"] = json!(given);
    let response = function.event(&event);
    assert_eq!(response.headers["traceparent"], json!(given));
    assert_eq!(response.headers["x-amzn-trace-id"], json!("Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700"));
    event["headers"]["traceparent"] = json!("00-not-a-trace");
    assert_eq!(function.event(&event).headers.get("traceparent"), None);
    let output = function.stop();
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["trace_id"], json!("4bf92f3577b34da6a3ce929d0e0e4736"));
    assert_eq!(lines[1].get("trace_id"), None);
    for line in lines {
        assert_eq!(line["xray_trace_id"], json!("1-5bef4de7-ad49b0e87f6ef6c87fc2e700"));
    }
}

/// Sends the request of this number, and adds its metrics to the expected ones.
fn send(function: &Function, number: u64, expected: &mut Tally) {
    let Request { method, path, body, status, measured } = request(number);
    let response = function.request(method, path, &body);
    assert_eq!(response.status, status, "{response:?}");
    expect(measured, expected);
}

/// Sends the last request of an environment, with SIGTERM at a random moment during or after it.
fn end_during_a_request(random: &mut Random, function: &mut Function, number: u64, expected: &mut Tally) {
    let Request { method, path, body, status, measured } = request(number);
    let pending = function.api.invoke(Invocation::new(event(method, path, &body).to_string()));
    thread::sleep(Duration::from_micros(random.below(4_000)));
    if random.below(3) == 0 {
        // Like an environment that was frozen for minutes.
        assert_eq!(Response::of(&pending).status, status);
        assert!(function.api.is_idle(SOON));
        function.environment.freeze().unwrap();
        thread::sleep(Duration::from_millis(2));
        function.environment.thaw().unwrap();
        function.environment.terminate().unwrap();
    } else {
        function.environment.terminate().unwrap();
        // A running request is answered, so it is counted.
        let response = Response::of(&pending);
        assert_eq!(response.status, status, "{response:?}");
    }
    expect(measured, expected);
}

struct Request {
    method: &'static str,
    path: &'static str,
    body: Value,
    status: u64,
    measured: &'static str,
}

/// Returns one of eight requests.
fn request(number: u64) -> Request {
    let verify = |password: &str, hash: &str| json!({"password": password, "hash": hash});
    let with = |mut body: Value, name: &str, value: Value| {
        body[name] = value;
        body
    };
    let (method, path, body, status) = match number % 8 {
        0 => ("POST", "/hash", json!({"password": "p"}), 200),
        1 => ("POST", "/verify", with(verify("U*U", OLD), "rehash", json!(true)), 200),
        2 => ("POST", "/verify", with(verify("U*", OLD), "rehash", json!(true)), 200),
        3 => ("POST", "/verify", verify("password", UNLISTED), 200),
        4 => ("POST", "/verify", verify("p", "$2b$nothing"), 422),
        5 => {
            let operations = [verify("U*U", OLD), verify("U*", OLD), verify("p", "$2b$nothing")];
            let operations = operations.map(|operation| with(operation, "op", json!("verify")));
            ("POST", "/batch", json!({"operations": operations}), 200)
        }
        6 => ("GET", "/health", Value::Null, 200),
        _ => ("GET", "/nowhere", Value::Null, 404),
    };
    let measured = MEASURED[usize::try_from(number % 8).unwrap()];
    Request { method, path, body, status, measured }
}

/// The metrics of each request, name with dimensions. A name stands once for each of its values.
const MEASURED: [&str; 8] = [
    "Requests hash hashed, AnswerMilliseconds hash, Operations hash pbkdf2-sha256 new hashed, \
     HashMilliseconds pbkdf2-sha256 new, QueueMilliseconds, LanesInUse, ArenaBytes",
    "Requests verify match, AnswerMilliseconds verify, Operations verify bcrypt old match, \
     Verifications match, RehashesNeeded old older_policy, RehashesDone old, \
     HashMilliseconds bcrypt old, HashMilliseconds pbkdf2-sha256 new, QueueMilliseconds, \
     QueueMilliseconds, LanesInUse, LanesInUse, ArenaBytes",
    "Requests verify mismatch, AnswerMilliseconds verify, Operations verify bcrypt old mismatch, \
     Verifications mismatch, HashMilliseconds bcrypt old, QueueMilliseconds, LanesInUse, \
     ArenaBytes",
    "Requests verify match, AnswerMilliseconds verify, \
     Operations verify pbkdf2-sha256 unlisted match, Verifications match, \
     RehashesNeeded unlisted unlisted_parameters, HashMilliseconds pbkdf2-sha256 unlisted, \
     QueueMilliseconds, LanesInUse, ArenaBytes",
    "Requests verify refused, AnswerMilliseconds verify, Operations verify none none refused, \
     Refusals invalid_hash",
    "Requests batch answered, AnswerMilliseconds batch, BatchOperations, \
     Operations verify bcrypt old match, Operations verify bcrypt old mismatch, \
     Operations verify none none refused, Verifications match, Verifications mismatch, \
     RehashesNeeded old older_policy, Refusals invalid_hash, HashMilliseconds bcrypt old, \
     HashMilliseconds bcrypt old, QueueMilliseconds, QueueMilliseconds, LanesInUse, LanesInUse, \
     ArenaBytes",
    "Requests health answered, AnswerMilliseconds health",
    "Requests none refused, AnswerMilliseconds none, Refusals not_found",
];

/// The number of values of each name with its dimensions, without the service.
type Tally = BTreeMap<String, u64>;

fn expect(measured: &str, tally: &mut Tally) {
    for name in measured.split(", ") {
        *tally.entry(name.to_owned()).or_default() += 1;
    }
}

/// Adds the metrics that CloudWatch reads from the log: the sum of counts, and the number of values
/// of distributions.
fn read_printed(output: &Output, tally: &mut Tally) {
    for line in output.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(directives) = line["_aws"]["CloudWatchMetrics"].as_array() else { continue };
        for directive in directives {
            assert_eq!((&directive["Namespace"], &line["Service"]), (&json!("Saltern"), &json!("saltern")));
            let dimensions = directive["Dimensions"][0].as_array().unwrap().iter().skip(1);
            let dimensions: Vec<_> =
                dimensions.map(|name| line[name.as_str().unwrap()].as_str().unwrap()).collect();
            for metric in directive["Metrics"].as_array().unwrap() {
                let name = metric["Name"].as_str().unwrap();
                let is_distribution = DISTRIBUTIONS.iter().any(|own| name.starts_with(own));
                let times = match &line[name] {
                    Value::Array(values) => values.len() as u64,
                    Value::Number(_) if is_distribution => 1,
                    value => whole(value.as_f64().unwrap()),
                };
                *tally.entry(key(name, &dimensions)).or_default() += times;
            }
        }
    }
}

/// Moves the values that were printed as unsent to the sent values, and returns their number.
fn add_unsent(counted: &mut Tally, sent: &mut Tally) -> u64 {
    let mut values = 0;
    for (name, count) in counted.extract_if(.., |name, _| name.contains("Unsent")) {
        *sent.entry(name.replace("Unsent", "")).or_default() += count;
        values += count;
    }
    values
}

/// Adds the metrics of the calls that CloudWatch accepted.
fn read_sent(cloudwatch: &CloudWatch, tally: &mut Tally) {
    for call in cloudwatch.calls().iter().filter(|call| call.acknowledged) {
        for datum in &call.data {
            let dimensions: Vec<_> =
                datum.dimensions.iter().skip(1).map(|(_, value)| value.as_str()).collect();
            let times: f64 = datum.values.iter().map(|(_, count)| count).sum();
            *tally.entry(key(&datum.name, &dimensions)).or_default() += whole(times);
        }
    }
}

fn key(name: &str, dimensions: &[&str]) -> String {
    [&[name], dimensions].concat().join(" ")
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the assertion checks the range")]
fn whole(number: f64) -> u64 {
    assert!(number.fract() == 0.0 && (0.0..1e9).contains(&number), "{number}");
    number as u64
}

/// Starts a function that sends to this CloudWatch every second or so.
pub(crate) fn started(cloudwatch: &CloudWatch, policies: &Document, more: &[(&str, &str)]) -> Function {
    let endpoint = cloudwatch.endpoint();
    let variables = [
        ("AWS_REGION", "eu-north-1"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "an example of a key"),
        ("AWS_SESSION_TOKEN", "an example of a token"),
        ("AWS_ENDPOINT_URL_CLOUDWATCH", &endpoint),
        ("SALTERN_DISTRIBUTIONS_SECONDS", "1"),
        ("SALTERN_POLICIES", policies.path()),
    ];
    Function::start_with(&[&variables, more].concat())
}

/// A policy document with cheap hashes. Only hashes of `slow` take about ten milliseconds, and
/// hashes of `slowest` almost a second.
pub(crate) struct Document(String);

impl Document {
    /// Makes a document with this number of unused policies.
    pub(crate) fn new(extra: u32) -> Self {
        let policy = |id: String, more: Value| {
            let mut policy = json!({"id": id, "status": "active", "rationale": "cheap", "source": "tests"});
            policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            policy
        };
        let pbkdf2 = |iterations: u32| json!({"algorithm": "pbkdf2-sha256", "iterations": iterations});
        let extras = (1..=extra).map(|i| policy(format!("extra-{i}"), pbkdf2(100 + i)));
        let old = policy("old".to_owned(), json!({"algorithm": "bcrypt", "cost": 5}));
        let new = policy("new".to_owned(), pbkdf2(1_000));
        let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
        for floor in document["floors"].as_object_mut().unwrap().values_mut() {
            floor["min"] = json!(0);
        }
        let slow = policy("slow".to_owned(), json!({"algorithm": "bcrypt", "cost": 8}));
        let slowest = policy("slowest".to_owned(), json!({"algorithm": "bcrypt", "cost": 14}));
        let policies: Vec<_> = extras.chain([old, slow, slowest, new]).collect();
        (document["current"], document["decoy"]) = (json!("new"), json!("new"));
        document["policies"] = json!(policies);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let path = std::env::temp_dir().join(format!("saltern-metrics-{}-{nanos}.json", process::id()));
        fs::write(&path, document.to_string()).unwrap();
        Self(path.to_str().unwrap().to_owned())
    }

    fn path(&self) -> &str {
        &self.0
    }
}

impl Drop for Document {
    fn drop(&mut self) {
        let _left = fs::remove_file(PathBuf::from(&self.0));
    }
}

/// The variables of a Managed Instance, which starts before its requests.
const MANAGED: [(&str, &str); 2] =
    [("AWS_LAMBDA_MAX_CONCURRENCY", "4"), ("AWS_LAMBDA_INITIALIZATION_TYPE", "lambda-managed-instances")];

const REQUESTS: u64 = 3_000;

const MAX_LIFE: u64 = 900;

/// The number of tries: the order in which the process sees event and signal is random.
const ENDS: usize = 12;

/// These freezes are frequent enough for each long-lived environment to reach its time to send.
const LONG_FREEZE: Duration = Duration::from_millis(200);

/// How CloudWatch treats each environment in turn. `None` is an unreachable endpoint.
const FATES: [Option<Behaviour>; 5] = [
    Some(Behaviour::Accepts),
    Some(Behaviour::Throttles),
    Some(Behaviour::NeverResponds),
    Some(Behaviour::AcceptsAndDisconnects),
    None,
];

const DISTRIBUTIONS: [&str; 6] = [
    "AnswerMilliseconds",
    "QueueMilliseconds",
    "HashMilliseconds",
    "BatchOperations",
    "LanesInUse",
    "ArenaBytes",
];

/// A hash of `U*U`, from Openwall's test vectors for `crypt_blowfish`.
const OLD: &str = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

/// A hash of `password`, by Python's `hashlib.pbkdf2_hmac("sha256", b"password",
/// b"saltsaltsaltsalt", 100)`.
const UNLISTED: &str =
    "$pbkdf2-sha256$i=100,l=32$c2FsdHNhbHRzYWx0c2FsdA$8EkYJDaKEvFpp6BXn2PuqAlELD52rfrmCObD8y3v+1Q";
