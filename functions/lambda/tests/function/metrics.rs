//! Counts and distributions through the ends of environments: nothing is lost and nothing counts twice.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process, thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::support::{Answer, Function, SOON, event};
use saltern_stubs::cloudwatch::{Behaviour, CloudWatch};
use saltern_stubs::lambda::{Invocation, Output};
use serde_json::{Value, json};

/// Environments live for some hundreds of requests, frozen between each two, and are ended at random moments: while a
/// request is under way, or after it. CloudWatch behaves in turn as well and as badly as it can.
#[test]
fn three_thousand_requests_are_counted_exactly_and_every_value_is_sent_or_printed() {
    let mut random = Random::seeded();
    println!("SALTERN_TEST_SEED={}", random.0);
    let policies = Document::new(0);
    let mut expected = Tally::new();
    let (mut counted, mut sent) = (Tally::new(), Tally::new());
    let (mut environments, mut most_calls) = (0, 0);
    let mut asked = 0;
    while asked < REQUESTS {
        let fate = FATES[environments % FATES.len()];
        environments += 1;
        let cloudwatch = CloudWatch::start(fate.unwrap_or_default()).unwrap();
        let mut function = started(&cloudwatch, &policies, &[]);
        let reachable = fate.map(|_| cloudwatch);
        let life = random.below(MAX_LIFE).clamp(1, REQUESTS - asked);
        for left in (0..life).rev() {
            if left == 0 {
                end_during_a_request(&mut random, &mut function, asked, &mut expected);
            } else {
                ask(&function, asked, &mut expected);
                assert!(function.api.is_at_rest(SOON));
                function.environment.freeze().unwrap();
                if random.below(100) == 0 {
                    thread::sleep(LONG_FREEZE);
                }
                function.environment.thaw().unwrap();
            }
            asked += 1;
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
    assert!(most_calls > 1, "nothing was sent but at the end");
    println!("{asked} requests in {environments} environments");
    assert!(sent.keys().all(|name| !counted.contains_key(name)), "a name is published twice");
    assert!(!sent.is_empty());
    assert!(add_unsent(&mut counted, &mut sent) > 0);
    counted.append(&mut sent);
    assert_eq!(counted, expected);
}

#[test]
fn a_long_call_is_zipped_and_read_back_in_full() {
    let policies = Document::new(60);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
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
fn an_extension_registers_where_distributions_are_sent_and_only_there() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
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
fn a_managed_instance_sends_by_the_clock_and_at_its_end() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
    let function = started(&cloudwatch, &policies, &MANAGED);
    let mut expected = Tally::new();
    (0..16).for_each(|i| ask(&function, i, &mut expected));
    assert!(cloudwatch.has_calls(1, SOON), "nothing was sent by the clock");
    (16..24).for_each(|i| ask(&function, i, &mut expected));
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

/// A frozen environment that finds both when it is thawed: the event is in its hands, and Lambda counts on an answer.
#[test]
fn an_event_that_comes_with_the_end_is_answered_and_counted() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
    for _ in 0..ENDS {
        let function = started(&cloudwatch, &policies, &[]);
        assert!(function.api.is_at_rest(SOON));
        function.environment.freeze().unwrap();
        let pending = function.api.invoke(Invocation::new(event("GET", "/health", &Value::Null).to_string()));
        thread::sleep(Duration::from_millis(5));
        function.environment.terminate().unwrap();
        function.environment.thaw().unwrap();
        assert_eq!(Answer::of(&pending).status, 200);
        let output = function.environment.wait(SOON).unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut counted = Tally::new();
        read_printed(&output, &mut counted);
        assert_eq!(counted["Requests health answered"], 1);
    }
}

#[test]
fn a_broken_poll_of_the_extension_is_made_again() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
    let function = started(&cloudwatch, &policies, &[]);
    for _ in 0..2 {
        assert_eq!(function.request("GET", "/health", &Value::Null).status, 200);
        assert!(function.api.is_at_rest(SOON));
        function.api.break_extension_polls(2);
        assert!(function.api.is_at_rest(SOON), "Lambda would wait for the extension until the timeout");
    }
    function.environment.terminate().unwrap();
    assert!(function.environment.wait(SOON).unwrap().status.success());
}

#[test]
fn an_extension_that_is_not_heard_any_more_ends_the_process_with_its_values_sent() {
    let policies = Document::new(0);
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
    let function = started(&cloudwatch, &policies, &[]);
    let mut expected = Tally::from([("ColdStarts".to_owned(), 1)]);
    (0..8).for_each(|i| ask(&function, i, &mut expected));
    assert!(function.api.is_at_rest(SOON));
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
fn traces_are_in_the_line_and_in_the_answer() {
    let function = Function::start();
    let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let mut asked = event("GET", "/health", &Value::Null);
    asked["headers"]["traceparent"] = json!(given);
    let answer = function.event(&asked);
    assert_eq!(answer.headers["traceparent"], json!(given));
    assert_eq!(answer.headers["x-amzn-trace-id"], json!("Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700"));
    asked["headers"]["traceparent"] = json!("00-not-a-trace");
    assert_eq!(function.event(&asked).headers.get("traceparent"), None);
    let output = function.stop();
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["trace_id"], json!("4bf92f3577b34da6a3ce929d0e0e4736"));
    assert_eq!(lines[1].get("trace_id"), None);
    for line in lines {
        assert_eq!(line["xray_trace_id"], json!("1-5bef4de7-ad49b0e87f6ef6c87fc2e700"));
    }
}

/// Asks for something, and for what is measured then.
fn ask(function: &Function, number: u64, expected: &mut Tally) {
    let Question { method, path, body, status, measured } = question(number);
    let answer = function.request(method, path, &body);
    assert_eq!(answer.status, status, "{answer:?}");
    expect(measured, expected);
}

/// The last request of an environment: SIGTERM comes at some moment of it, or after it.
fn end_during_a_request(random: &mut Random, function: &mut Function, number: u64, expected: &mut Tally) {
    let Question { method, path, body, status, measured } = question(number);
    let pending = function.api.invoke(Invocation::new(event(method, path, &body).to_string()));
    thread::sleep(Duration::from_micros(random.below(4_000)));
    if random.below(3) == 0 {
        // As an environment that had been frozen for minutes.
        assert_eq!(Answer::of(&pending).status, status);
        assert!(function.api.is_at_rest(SOON));
        function.environment.freeze().unwrap();
        thread::sleep(Duration::from_millis(2));
        function.environment.thaw().unwrap();
        function.environment.terminate().unwrap();
    } else {
        function.environment.terminate().unwrap();
        // What was under way is answered, and so it is counted.
        let answer = Answer::of(&pending);
        assert_eq!(answer.status, status, "{answer:?}");
    }
    expect(measured, expected);
}

struct Question {
    method: &'static str,
    path: &'static str,
    body: Value,
    status: u64,
    measured: &'static [(&'static str, u64)],
}

/// One of eight questions.
fn question(number: u64) -> Question {
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
    Question { method, path, body, status, measured }
}

/// What each question measures: the names with their dimensions, and how often each.
const MEASURED: [&[(&str, u64)]; 8] = [
    &[
        ("Requests hash hashed", 1),
        ("AnswerMilliseconds hash", 1),
        ("Operations hash pbkdf2-sha256 new hashed", 1),
        ("HashMilliseconds pbkdf2-sha256 new", 1),
        ("QueueMilliseconds", 1),
        ("LanesInUse", 1),
        ("ArenaBytes", 1),
    ],
    &[
        ("Requests verify match", 1),
        ("AnswerMilliseconds verify", 1),
        ("Operations verify bcrypt old match", 1),
        ("RehashesNeeded old older_policy", 1),
        ("RehashesDone old", 1),
        ("HashMilliseconds bcrypt old", 1),
        ("HashMilliseconds pbkdf2-sha256 new", 1),
        ("QueueMilliseconds", 2),
        ("LanesInUse", 2),
        ("ArenaBytes", 1),
    ],
    &[
        ("Requests verify mismatch", 1),
        ("AnswerMilliseconds verify", 1),
        ("Operations verify bcrypt old mismatch", 1),
        ("HashMilliseconds bcrypt old", 1),
        ("QueueMilliseconds", 1),
        ("LanesInUse", 1),
        ("ArenaBytes", 1),
    ],
    &[
        ("Requests verify match", 1),
        ("AnswerMilliseconds verify", 1),
        ("Operations verify pbkdf2-sha256 unlisted match", 1),
        ("RehashesNeeded unlisted unlisted_parameters", 1),
        ("HashMilliseconds pbkdf2-sha256 unlisted", 1),
        ("QueueMilliseconds", 1),
        ("LanesInUse", 1),
        ("ArenaBytes", 1),
    ],
    &[
        ("Requests verify refused", 1),
        ("AnswerMilliseconds verify", 1),
        ("Operations verify none none refused", 1),
        ("Refusals invalid_hash", 1),
    ],
    &[
        ("Requests batch answered", 1),
        ("AnswerMilliseconds batch", 1),
        ("BatchOperations", 1),
        ("Operations verify bcrypt old match", 1),
        ("Operations verify bcrypt old mismatch", 1),
        ("Operations verify none none refused", 1),
        ("RehashesNeeded old older_policy", 1),
        ("Refusals invalid_hash", 1),
        ("HashMilliseconds bcrypt old", 2),
        ("QueueMilliseconds", 2),
        ("LanesInUse", 2),
        ("ArenaBytes", 1),
    ],
    &[("Requests health answered", 1), ("AnswerMilliseconds health", 1)],
    &[("Requests none refused", 1), ("AnswerMilliseconds none", 1), ("Refusals not_found", 1)],
];

/// How often each name with its dimensions, the service left out.
type Tally = BTreeMap<String, u64>;

fn expect(measured: &[(&str, u64)], tally: &mut Tally) {
    for (name, times) in measured {
        *tally.entry((*name).to_owned()).or_default() += times;
    }
}

/// What CloudWatch reads from the log: of counts the sum, of distributions the number of values.
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

/// Adds what was printed instead of being sent to what was sent; how many values.
fn add_unsent(counted: &mut Tally, sent: &mut Tally) -> u64 {
    let mut values = 0;
    for (name, count) in counted.extract_if(.., |name, _| name.contains("Unsent")) {
        *sent.entry(name.replace("Unsent", "")).or_default() += count;
        values += count;
    }
    values
}

/// What CloudWatch was sent and said that it took.
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

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and small, as asserted")]
fn whole(number: f64) -> u64 {
    assert!(number.fract() == 0.0 && (0.0..1e9).contains(&number), "{number}");
    number as u64
}

/// A function that sends often, to this CloudWatch.
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

/// A policy document whose hashes cost next to nothing, but for those of `slow`, which take some ten milliseconds, and of
/// `slowest`, which take the better part of a second.
pub(crate) struct Document(String);

impl Document {
    /// With so many policies beside those that are used.
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
        let shipped: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
        let slow = policy("slow".to_owned(), json!({"algorithm": "bcrypt", "cost": 8}));
        let slowest = policy("slowest".to_owned(), json!({"algorithm": "bcrypt", "cost": 14}));
        let policies: Vec<_> = extras.chain([old, slow, slowest, new]).collect();
        let document = json!({"current": "new", "policies": policies, "ceilings": shipped["ceilings"]});
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

/// Marsaglia's xorshift: any stream will do that a seed repeats.
struct Random(u64);

impl Random {
    /// `SALTERN_TEST_SEED` repeats a run.
    fn seeded() -> Self {
        let given = std::env::var("SALTERN_TEST_SEED").ok().map(|seed| seed.parse().unwrap());
        let nanos = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
        // A stream of zeroes is none.
        Self(given.unwrap_or_else(|| u64::from(nanos())) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// As a Managed Instance is started: ahead of its requests.
const MANAGED: [(&str, &str); 2] =
    [("AWS_LAMBDA_MAX_CONCURRENCY", "4"), ("AWS_LAMBDA_INITIALIZATION_TYPE", "lambda-managed-instances")];

const REQUESTS: u64 = 3_000;

const MAX_LIFE: u64 = 900;

/// Which of the two is seen first is chance.
const ENDS: usize = 12;

/// Often enough, so that the time to send comes to each environment that lives long.
const LONG_FREEZE: Duration = Duration::from_millis(200);

/// How CloudWatch behaves to each environment in turn; `None` is a dead endpoint.
const FATES: [Option<Behaviour>; 5] = [
    Some(Behaviour::Takes),
    Some(Behaviour::Throttles),
    Some(Behaviour::NeverAnswers),
    Some(Behaviour::TakesAndHangsUp),
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

/// Of `U*U`, from Openwall's test vectors for `crypt_blowfish`.
const OLD: &str = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

/// Of `password`, by Python's `hashlib.pbkdf2_hmac("sha256", b"password", b"saltsaltsaltsalt", 100)`.
const UNLISTED: &str =
    "$pbkdf2-sha256$i=100,l=32$c2FsdHNhbHRzYWx0c2FsdA$8EkYJDaKEvFpp6BXn2PuqAlELD52rfrmCObD8y3v+1Q";
