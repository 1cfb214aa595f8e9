//! The parts of the OpenAPI document that the code knows: routes, codes, names of headers and limits.
//!
//! The rest of the document is written by hand. The tests of `saltern-service` check each of their
//! answers against it.

use std::collections::BTreeMap;

use saltern_seal::{MAX_CONTEXT_BYTES, MAX_SEALED_BYTES, OLDER_KEY, UNSEALED};
use saltern_service::{
    CallersId, Code, DEADLINE_HEADER, DEFAULT_BUDGET_MS, MAX_BUDGET_MS, MAX_OPERATIONS, RequestId, Route,
    TRACEPARENT, Trace,
};
use serde_json::{Map, Value, json};

/// Makes the document from its present text.
///
/// # Panics
/// If the document is not JSON, or lacks a part that the code knows: it would never be out of date.
pub(crate) fn document(present: &str) -> Value {
    let mut document: Value =
        serde_json::from_str(present).unwrap_or_else(|error| panic!("openapi.json: {error}"));
    set(&mut document, "/info/version", env!("CARGO_PKG_VERSION"));
    let paths: Map<String, Value> = Route::ALL.iter().map(|&route| path(&document, route)).collect();
    set(&mut document, "/paths", paths);
    for (parameter, name) in PARAMETERS {
        set(&mut document, &format!("/components/parameters/{parameter}/name"), name);
    }
    set(&mut document, "/components/parameters/Deadline-Ms/schema/maximum", MAX_BUDGET_MS);
    set(&mut document, "/components/parameters/Deadline-Ms/schema/default", DEFAULT_BUDGET_MS);
    let schemas = document.pointer_mut("/components/schemas");
    fill_schemas(schemas.unwrap_or_else(|| panic!("openapi.json has no schemas")));
    document
}

/// Replaces a value that is there.
fn set(document: &mut Value, pointer: &str, value: impl Into<Value>) {
    let place = document.pointer_mut(pointer);
    *place.unwrap_or_else(|| panic!("openapi.json has no {pointer}")) = value.into();
}

fn path(document: &Value, route: Route) -> (String, Value) {
    let method = route.method().as_str().to_ascii_lowercase();
    let mut operation = document["paths"][route.path()][&method].clone();
    set(&mut operation, "/operationId", route.operation().name());
    let takes_a_body = operation.get("requestBody").is_some();
    if takes_a_body {
        set(&mut operation, "/requestBody/description", format!("At most {} bytes.", route.body_limit()));
    }
    let parameters: Vec<Value> = PARAMETERS
        .iter()
        .map(|(parameter, _)| json!({"$ref": format!("#/components/parameters/{parameter}")}))
        .collect();
    set(&mut operation, "/parameters", parameters);
    let success = operation["responses"]["200"].clone();
    set(&mut operation, "/responses", responses(route, success, takes_a_body));
    (route.path().to_owned(), json!({ method: operation }))
}

fn responses(route: Route, mut success: Value, computes: bool) -> Map<String, Value> {
    let mut headers = headers();
    if computes {
        headers["Server-Timing"] = json!({"$ref": "#/components/headers/Server-Timing"});
    }
    set(&mut success, "/headers", headers);
    let mut responses = Map::from_iter([("200".to_owned(), success)]);
    let mut by_status = BTreeMap::<u16, Vec<&str>>::new();
    for code in codes(route) {
        by_status.entry(code.status().as_u16()).or_default().push(code.name());
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), problem_response(status, &codes));
    }
    responses
}

fn problem_response(status: u16, codes: &[&str]) -> Value {
    let mut headers = headers();
    if status == 503 {
        headers["Retry-After"] = json!({"$ref": "#/components/headers/Retry-After"});
    }
    if status == 401 {
        headers["WWW-Authenticate"] = json!({"$ref": "#/components/headers/WWW-Authenticate"});
    }
    json!({
        "description": codes.join(", "),
        "headers": headers,
        "content": {"application/problem+json": {"schema": {
            "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"status": {"const": status}, "code": {"enum": codes}}},
            ],
        }}},
    })
}

/// The headers of every response.
fn headers() -> Value {
    json!({
        RequestId::HEADER: {"$ref": "#/components/headers/Request-Id"},
        CallersId::HEADER: {"$ref": "#/components/headers/Saltern-Request-Id"},
        TRACEPARENT: {"$ref": "#/components/headers/Traceparent"},
        Trace::XRAY_HEADER: {"$ref": "#/components/headers/X-Amzn-Trace-Id"},
        "Cache-Control": {"$ref": "#/components/headers/Cache-Control"},
    })
}

/// The codes that a route may return: those of its tasks, and those of every front door.
fn codes(route: Route) -> Vec<Code> {
    let mut codes = match route {
        Route::Batch => vec![Code::InvalidJson, Code::UnsupportedMediaType],
        Route::Hash | Route::Verify => {
            let mut codes = task_codes(route);
            codes.extend([Code::InvalidJson, Code::UnsupportedMediaType, Code::DeadlineExceeded]);
            codes
        }
        Route::Health => vec![Code::Draining],
        Route::Metrics | Route::OpenApi | Route::Policies => vec![],
    };
    if route != Route::Health {
        codes.push(Code::Unauthorized);
    }
    codes.extend([
        Code::BodyTooLarge,
        Code::Forbidden,
        Code::HeadersTooLarge,
        Code::Internal,
        Code::InvalidRequest,
        Code::Overloaded,
        Code::RequestTimeout,
    ]);
    codes
}

fn task_codes(route: Route) -> Vec<Code> {
    let hash = [
        Code::PasswordBreached,
        Code::PasswordHasNul,
        Code::PasswordTooLong,
        Code::PolicyNotForHashing,
        Code::UnknownPolicy,
    ];
    let verify = [
        Code::CostOutOfBounds,
        Code::InvalidHash,
        Code::KeyUnavailable,
        Code::PasswordTooLong,
        Code::SealBroken,
        Code::UnsupportedHash,
    ];
    if route == Route::Hash { hash.to_vec() } else { verify.to_vec() }
}

fn fill_schemas(schemas: &mut Value) {
    for list in ["BatchRequest/properties/operations", "BatchResponse/properties/results"] {
        set(schemas, &format!("/{list}/maxItems"), MAX_OPERATIONS);
    }
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    set(schemas, "/Problem/properties/code/enum", codes);
    let reasons = "/VerifyResponse/properties/rehash_reason/enum";
    for (index, reason) in [(4, UNSEALED), (5, OLDER_KEY)] {
        set(schemas, &format!("{reasons}/{index}"), reason);
    }
    set(schemas, "/VerifyRequest/properties/hash/maxLength", MAX_SEALED_BYTES);
    let context = format!(
        "The row of a sealed hash: an immutable id of the user, of 1 to {MAX_CONTEXT_BYTES} bytes. Required if the key of the seal has contexts, else ignored"
    );
    for (request, operation, op) in
        [("HashRequest", "HashOperation", "hash"), ("VerifyRequest", "VerifyOperation", "verify")]
    {
        let fields = format!("/{request}/properties");
        // The limit is on bytes. A string with more characters than the limit exceeds it too.
        set(schemas, &format!("{fields}/password/maxLength"), saltern_kernels::MAX_PASSWORD_BYTES);
        set(schemas, &format!("{fields}/context/maxLength"), MAX_CONTEXT_BYTES);
        set(schemas, &format!("{fields}/context/description"), context.as_str());
        // An operation of a batch is the same request, with its kind and an id.
        let mut of_batch = schemas[request].clone();
        of_batch["properties"]["op"] = json!({ "const": op });
        of_batch["properties"]["id"] = schemas["Result"]["properties"]["id"].clone();
        set(&mut of_batch, "/required", vec!["op", "password"]);
        set(schemas, &format!("/{operation}"), of_batch);
    }
}

/// The headers of requests: the name in the document, and the header's.
const PARAMETERS: [(&str, &str); 5] = [
    ("Request-Id", RequestId::HEADER),
    ("Saltern-Request-Id", CallersId::HEADER),
    ("Traceparent", TRACEPARENT),
    ("X-Amzn-Trace-Id", Trace::XRAY_HEADER),
    ("Deadline-Ms", DEADLINE_HEADER),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_belongs_to_a_route() {
        let listed: Vec<Code> = Route::ALL.iter().copied().flat_map(codes).collect();
        // These two occur without a route.
        let elsewhere = [Code::NotFound, Code::MethodNotAllowed];
        for code in Code::ALL {
            assert_ne!(listed.contains(code), elsewhere.contains(code), "{code:?}");
        }
    }
}
