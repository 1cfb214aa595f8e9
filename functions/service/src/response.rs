//! Writes responses.

use core::fmt;
use std::{collections::BTreeMap, time::Duration};

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use saltern_policy::{Policies, Status};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use zeroize::Zeroizing;

use crate::{
    Blocklist, Body, CallersId, Code, Outcome, Problem, RequestId, Timing,
    execute::{Finished, Success},
};

/// The answer to a request. Its body is absent from `Debug`.
pub struct Answer {
    /// The response for the caller.
    pub response: Response<Body>,
    /// The outcome of the request, which is counted and logged.
    pub outcome: Outcome,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.response.status())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// The content of a response.
pub(crate) enum Content {
    Batch(Vec<Finished>),
    Health { policies: String },
    Metrics(String),
    OpenApi,
    Policies(Box<PoliciesDocument>),
    Problem(Problem),
    Success(Success),
}

/// The body of `GET /policies`.
#[derive(Serialize)]
pub(crate) struct PoliciesDocument {
    current: String,
    decoy: String,
    digest: String,
    policies: Vec<PolicyDocument>,
    ceilings: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocklist: Option<BlocklistDocument>,
}

impl PoliciesDocument {
    pub(crate) fn of(policies: &Policies, blocklist: Option<&Blocklist>) -> Self {
        let document = |policy: &saltern_policy::Policy| PolicyDocument {
            id: policy.id().to_owned(),
            algorithm: policy.algorithm(),
            status: policy.status(),
            parameters: policy.parameters().into_iter().collect(),
        };
        Self {
            current: policies.current().id().to_owned(),
            decoy: policies.decoy().id().to_owned(),
            digest: policies.digest().to_owned(),
            policies: policies.list().iter().map(document).collect(),
            ceilings: policies.ceiling_values().clone(),
            blocklist: blocklist.map(|list| BlocklistDocument {
                digest: list.digest().to_owned(),
                entries: list.entries(),
                false_refusals: list.false_refusals(),
            }),
        }
    }
}

#[derive(Serialize)]
struct BlocklistDocument {
    digest: String,
    entries: u32,
    false_refusals: f64,
}

#[derive(Serialize)]
struct PolicyDocument {
    id: String,
    algorithm: &'static str,
    status: Status,
    #[serde(flatten)]
    parameters: BTreeMap<&'static str, u32>,
}

/// The body of `GET /health`.
#[derive(Serialize)]
struct Health<'a> {
    status: &'static str,
    version: &'static str,
    policies: &'a str,
}

/// The body of `POST /batch`.
#[derive(Serialize)]
struct Results<'a> {
    results: &'a [Finished],
}

/// One result of a batch: status and body of the same request outside a batch.
impl Serialize for Finished {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = &self.id {
            map.serialize_entry("id", id.expose())?;
        }
        match &self.result {
            Ok(success) => {
                map.serialize_entry("status", &StatusCode::OK.as_u16())?;
                map.serialize_entry("body", success)?;
            }
            Err(problem) => {
                map.serialize_entry("status", &problem.code().status().as_u16())?;
                map.serialize_entry("problem", &problem.document())?;
            }
        }
        map.end()
    }
}

/// Writes a response.
pub(crate) fn write(content: &Content, outcome: &Outcome) -> Response<Body> {
    let (status, content_type, body) = match content {
        Content::Batch(results) => (StatusCode::OK, JSON, json(&Results { results })),
        Content::Health { policies } => {
            let version = env!("CARGO_PKG_VERSION");
            (StatusCode::OK, JSON, json(&Health { status: "ok", version, policies }))
        }
        Content::Metrics(text) => (StatusCode::OK, METRICS, text.clone().into_bytes().into()),
        Content::OpenApi => (StatusCode::OK, JSON, Body::from_static(crate::OPENAPI.as_bytes())),
        Content::Policies(document) => (StatusCode::OK, JSON, json(document)),
        Content::Problem(problem) => (problem.code().status(), PROBLEM, json(&problem.document())),
        Content::Success(success) => (StatusCode::OK, JSON, json(success)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Content::Problem(problem) = content {
        problem_headers(problem, headers);
    }
    if let Ok(id) = HeaderValue::from_str(outcome.ids.request_id.as_str()) {
        headers.insert(RequestId::HEADER, id);
    }
    if let CallersId::Given(id) = &outcome.ids.callers {
        headers.insert(CallersId::HEADER, id.clone());
    }
    headers.extend(outcome.ids.trace.headers());
    if let Some(timing) = outcome.timing().and_then(server_timing) {
        headers.insert("server-timing", timing);
    }
    response
}

fn problem_headers(problem: &Problem, headers: &mut HeaderMap) {
    if let Some(allow) = problem.allow() {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    if problem.code() == Code::Unauthorized {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = problem.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Writes the header `Server-Timing`: `dur` is in milliseconds, here with three decimals.
fn server_timing(timing: Timing) -> Option<HeaderValue> {
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    HeaderValue::try_from(format!("queue;dur={:.3}, hash;dur={:.3}", ms(timing.queued), ms(timing.hashed)))
        .ok()
}

fn json(value: &impl Serialize) -> Body {
    let mut body = Zeroizing::default();
    // Serialization cannot fail: keys are strings and numbers are finite. A part of a body would be
    // invalid, so none is returned.
    if serde_json::to_writer::<&mut Vec<u8>, _>(&mut body, value).is_err() {
        body.clear();
    }
    body.into()
}

const JSON: &str = "application/json";

/// RFC 9457 §3.
const PROBLEM: &str = "application/problem+json";

/// The format that `prometheus-client` writes.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
