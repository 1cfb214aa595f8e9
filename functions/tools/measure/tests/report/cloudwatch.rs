//! A stub of CloudWatch: it decodes the CBOR of the SDK and answers from a made-up evening.

use std::sync::{Arc, Mutex};

use ciborium::Value;
use saltern_stubs::http::{Request, Response, Stub};
use serde_json::Value as Json;

/// The behaviour of the stub.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    /// Answers with an evening, in pages.
    Evening,
    /// Answers without figures, each with this status.
    Empty { status: &'static str },
    /// Refuses the first calls with this status and code.
    Refusing { calls: usize, status: u16, code: &'static str },
}

/// A decoded call.
pub(crate) struct Call {
    pub(crate) request: Request,
    pub(crate) body: Json,
}

pub(crate) struct CloudWatch {
    pub(crate) stub: Stub,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl CloudWatch {
    pub(crate) fn start(mood: Mood) -> Self {
        let calls = Arc::<Mutex<Vec<Call>>>::default();
        let noted = Arc::clone(&calls);
        let stub = Stub::start(move |request| Some(respond(request, mood, &noted))).unwrap();
        Self { stub, calls }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

fn respond(request: Request, mood: Mood, noted: &Mutex<Vec<Call>>) -> Response {
    let body = json(&ciborium::from_reader(&request.body[..]).expect("the SDK writes CBOR"));
    let (status, answer) = {
        let mut noted = noted.lock().unwrap();
        let answer = answer(mood, noted.len(), &body);
        noted.push(Call { request, body });
        answer
    };
    let mut cbor = Vec::new();
    ciborium::into_writer(&answer, &mut cbor).unwrap();
    let headers = [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
    Response::new(status, &headers, cbor)
}

fn answer(mood: Mood, before: usize, body: &Json) -> (u16, Value) {
    match mood {
        Mood::Refusing { calls, status, code } if before < calls => {
            let name = format!("com.amazonaws.cloudwatch#{code}");
            (status, map([("__type", text(&name)), ("message", text("from the stub"))]))
        }
        Mood::Empty { status } => {
            let none = queries(body).iter().map(|query| result(id(query), "", &[], status));
            (200, map([("MetricDataResults", Value::Array(none.collect()))]))
        }
        Mood::Evening | Mood::Refusing { .. } => (200, evening(body)),
    }
}

/// Returns each series in two halves on two pages, as CloudWatch can divide them.
fn evening(body: &Json) -> Value {
    let [start, end] = ["StartTime", "EndTime"].map(|name| body[name].as_i64().unwrap());
    let is_second_page = body["NextToken"] == "the-second-half";
    let half = start + (end - start) / 120 * 60;
    let (from, to) = if is_second_page { (half, end) } else { (start, half) };
    let results = queries(body).iter().flat_map(|query| {
        series(id(query)).into_iter().map(move |(label, at)| {
            let minutes = (from..to).step_by(60);
            let points: Vec<_> = minutes.filter_map(|time| Some((time, at((time - start) / 60)?))).collect();
            result(id(query), label, &points, if is_second_page { "Complete" } else { "PartialData" })
        })
    });
    let results = Value::Array(results.collect());
    if is_second_page {
        map([
            ("MetricDataResults", results),
            ("Messages", Value::Array(vec![map([("Value", text("<b>a message</b>"))])])),
        ])
    } else {
        map([("MetricDataResults", results), ("NextToken", text("the-second-half"))])
    }
}

type Minute = Box<dyn Fn(i64) -> Option<f64>>;

/// Returns the logins in a minute: 200 a second, from the 20th minute 1,500, from the 40th 3,000,
/// from the 60th 200 again.
pub(crate) fn logins(minute: i64) -> f64 {
    60.0 * match minute {
        20..40 => 1500.0,
        40..60 => 3000.0,
        _ => 200.0,
    }
}

fn busy(minute: i64) -> f64 {
    logins(minute) / 180_000.0
}

fn wave(minute: i64) -> f64 {
    1.0 + 0.03 * ((minute * 7 % 11) as f64 - 5.0) / 5.0
}

/// Returns the series of a question.
fn series(id: &str) -> Vec<(&'static str, Minute)> {
    let one = |at: fn(i64) -> f64| -> Vec<(&'static str, Minute)> {
        vec![("", Box::new(move |minute| Some(at(minute))))]
    };
    let some = |at: fn(i64) -> Option<f64>| -> Vec<(&'static str, Minute)> { vec![("", Box::new(at))] };
    let share = |labels: &[(&'static str, f64)]| -> Vec<(&'static str, Minute)> {
        let one = |&(label, share): &(&'static str, f64)| -> (&'static str, Minute) {
            (
                label,
                Box::new(move |minute| Some((logins(minute) * share).round()).filter(|&count| count > 0.0)),
            )
        };
        labels.iter().map(one).collect()
    };
    let times = |labels: &[(&'static str, f64)]| -> Vec<(&'static str, Minute)> {
        let one = |&(label, base): &(&'static str, f64)| -> (&'static str, Minute) {
            (label, Box::new(move |minute| Some(base * wave(minute) * (1.0 + 0.2 * busy(minute)))))
        };
        labels.iter().map(one).collect()
    };
    match id {
        "invocations" | "url_requests" => one(logins),
        "errors" => some(|minute| if minute == 41 { Some(12.0) } else { Some(0.0) }),
        "throttles" => some(|minute| if minute == 40 { Some(840.0) } else { Some(0.0) }),
        "duration_sum" => one(|minute| logins(minute) * 164.0 * (1.0 + 0.2 * busy(minute))),
        "duration_p50" => times(&[("Duration", 164.0)]),
        "duration_p90" => times(&[("Duration", 190.0)]),
        "duration_p99" => times(&[("Duration", 240.0)]),
        "url_p50" => times(&[("", 171.0)]),
        "url_p90" => times(&[("", 204.0)]),
        "url_p99" => times(&[("", 296.0)]),
        "concurrency" => one(|minute| (logins(minute) / 60.0 * 0.19).round()),
        "provisioned_in_use" => some(|minute| {
            (5..70).contains(&minute).then(|| (logins(minute) / 60.0 * 0.19).min(720.0).round())
        }),
        "provisioned_share" => some(|minute| {
            (5..70).contains(&minute).then(|| (logins(minute) / 60.0 * 0.19).min(720.0).round() / 720.0)
        }),
        "provisioned_invocations" => some(|minute| (5..70).contains(&minute).then(|| logins(minute))),
        "spillover" => some(|minute| Some(if minute == 41 { 318.0 } else { 0.0 })),
        "saltern_Requests" => {
            share(&[("verify|answered", 0.98), ("hash|answered", 0.0195), ("verify|refused", 0.0005)])
        }
        "saltern_Operations" => share(&[
            ("verify|bcrypt|bcrypt-11|match", 0.79),
            ("verify|argon2id|argon2id-2026|match", 0.11),
            ("verify|bcrypt|bcrypt-11|mismatch", 0.08),
            ("hash|argon2id|argon2id-2026|hashed", 0.0195),
            ("verify|none|none|refused", 0.0005),
        ]),
        "saltern_Refusals" => {
            share(&[("overloaded", 0.0003), ("deadline_exceeded", 0.0001), ("invalid_hash", 0.0001)])
        }
        "saltern_RehashesNeeded" => share(&[("bcrypt-11|older_policy", 0.79)]),
        "saltern_RehashesDone" => share(&[("bcrypt-11", 0.71)]),
        "saltern_ColdStarts" => some(|minute| (minute == 41).then_some(318.0)),
        "saltern_HashMilliseconds" => times(&[("bcrypt|bcrypt-11", 166.0), ("argon2id|argon2id-2026", 31.0)]),
        _ => Vec::new(),
    }
}

fn result(id: &str, label: &str, points: &[(i64, f64)], status: &str) -> Value {
    // An epoch time has tag 1 (RFC 8949, 3.4.2).
    let times = points.iter().map(|&(time, _)| Value::Tag(1, Box::new(Value::from(time))));
    let values = points.iter().map(|&(_, value)| Value::from(value));
    map([
        ("Id", text(id)),
        ("Label", text(label)),
        ("Timestamps", Value::Array(times.collect())),
        ("Values", Value::Array(values.collect())),
        ("StatusCode", text(status)),
    ])
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(name, value)| (text(name), value)).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn queries(body: &Json) -> &[Json] {
    body["MetricDataQueries"].as_array().unwrap()
}

fn id(query: &Json) -> &str {
    query["Id"].as_str().unwrap()
}

/// Converts CBOR to JSON, times to seconds.
fn json(value: &Value) -> Json {
    match value {
        Value::Tag(1, time) => json(time).as_f64().map(|time| time as i64).into(),
        Value::Map(entries) => {
            let field = |(name, value): &(Value, Value)| (name.as_text().unwrap().to_owned(), json(value));
            Json::Object(entries.iter().map(field).collect())
        }
        Value::Array(items) => items.iter().map(json).collect(),
        plain => plain.deserialized().expect("a text, a number or a truth"),
    }
}
