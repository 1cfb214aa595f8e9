//! Answers on the wire.

use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::{Body, Outcome, Problem, request_id};

pub(crate) fn problem(problem: &Problem, outcome: &Outcome) -> Response<Body> {
    let body = json(&problem.document());
    let mut response = with_body(problem.code().status(), "application/problem+json", body, outcome);
    response.headers_mut().extend(problem.headers());
    response
}

fn with_body(
    status: StatusCode,
    content_type: &'static str,
    body: Body,
    outcome: &Outcome,
) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(outcome.request_id.as_str()) {
        headers.insert(request_id::HEADER, id);
    }
    response
}

fn json(value: &impl Serialize) -> Body {
    Body::new(serde_json::to_vec(value).unwrap_or_default())
}
