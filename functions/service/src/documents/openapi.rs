//! The OpenAPI document, made from the routes, the codes and the bounds that the code itself uses.
//!
//! A shape that stands here only is held to the code from the other side: `tests/support` checks every answer of
//! every test against this document.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    Code, RequestId, Trace,
    request::{DEADLINE_HEADER, DEFAULT_BUDGET_MS, MAX_BUDGET_MS, MAX_OPERATIONS},
    route::{Route, body_limit},
    trace::TRACEPARENT,
};

pub(super) fn document() -> Value {
    let paths: Map<String, Value> = Route::ALL.into_iter().map(path).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Saltern",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Hashes and verifies passwords",
            "description": "Errors are problem documents (RFC 9457) with a stable `code`. Unknown paths are answered `not_found`, other methods `method_not_allowed`. HEAD is answered wherever GET is.",
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:9000", "description": "`saltern serve` on the same machine"}],
        "paths": paths,
        "components": {
            "headers": header_components(),
            "schemas": schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Where `saltern serve` has tokens."},
                "aws": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "AWS Signature Version 4, service `lambda`, at a Function URL.",
                },
            },
        },
    })
}

fn path(route: Route) -> (String, Value) {
    let mut operation = Map::new();
    operation.insert("operationId".to_owned(), json!(route.operation().name()));
    operation.insert("summary".to_owned(), json!(summary(route)));
    operation.insert("security".to_owned(), security(route));
    operation.insert("parameters".to_owned(), parameters(route));
    if let Some(schema) = request_schema(route) {
        let body = json!({
            "required": true,
            "description": format!("At most {} bytes.", body_limit(route.path())),
            "content": {"application/json": {"schema": schema}},
        });
        operation.insert("requestBody".to_owned(), body);
    }
    operation.insert("responses".to_owned(), responses(route));
    (route.path().to_owned(), json!({ route.method().as_str().to_ascii_lowercase(): operation }))
}

fn summary(route: Route) -> &'static str {
    match route {
        Route::Batch => "Executes several hashes and verifications; the results are in the same order",
        Route::Hash => "Makes a hash of a new password",
        Route::Health => "Tells that the service answers",
        Route::Metrics => "Counts and times for Prometheus; `saltern serve` only",
        Route::OpenApi => "This document",
        Route::Policies => "Lists the policies and ceilings in force",
        Route::Verify => "Verifies a password against a stored hash",
    }
}

/// Tokens are optional: loopback needs none.
fn security(route: Route) -> Value {
    match route {
        Route::Health => json!([]),
        _ => json!([{}, {"token": []}, {"aws": []}]),
    }
}

fn parameters(route: Route) -> Value {
    let request_id = json!({
        "name": RequestId::HEADER, "in": "header",
        "description": "Echoed where it matches `[A-Za-z0-9._-]{1,64}`, else replaced.",
        "schema": {"type": "string"},
    });
    let deadline = json!({
        "name": DEADLINE_HEADER, "in": "header",
        "description": "The caller's remaining budget in milliseconds, counted from arrival. A batch carries its smallest.",
        "schema": {"type": "integer", "minimum": 1, "maximum": MAX_BUDGET_MS, "default": DEFAULT_BUDGET_MS},
    });
    let traceparent = json!({
        "name": TRACEPARENT, "in": "header",
        "description": "W3C Trace Context. Logged and echoed where it is well-formed, else left out.",
        "schema": {"type": "string"},
    });
    let xray = json!({
        "name": Trace::XRAY_HEADER, "in": "header",
        "description": "AWS X-Ray. Of a well-formed one the root is logged and echoed.",
        "schema": {"type": "string"},
    });
    match request_schema(route) {
        Some(_) => json!([request_id, traceparent, xray, deadline]),
        None => json!([request_id, traceparent, xray]),
    }
}

fn request_schema(route: Route) -> Option<Value> {
    match route {
        Route::Batch => Some(reference("BatchRequest")),
        Route::Hash => Some(reference("HashRequest")),
        Route::Verify => Some(reference("VerifyRequest")),
        Route::Health | Route::Metrics | Route::OpenApi | Route::Policies => None,
    }
}

fn responses(route: Route) -> Value {
    let (content_type, schema) = match route {
        Route::Batch => ("application/json", reference("BatchResponse")),
        Route::Hash => ("application/json", reference("HashResponse")),
        Route::Health => ("application/json", reference("HealthResponse")),
        Route::Metrics => ("application/openmetrics-text", json!({"type": "string"})),
        Route::OpenApi => ("application/json", json!({"type": "object"})),
        Route::Policies => ("application/json", reference("PoliciesResponse")),
        Route::Verify => ("application/json", reference("VerifyResponse")),
    };
    let mut responses = Map::new();
    let mut headers = headers();
    if request_schema(route).is_some() {
        headers["Server-Timing"] = json!({"$ref": "#/components/headers/Server-Timing"});
    }
    let ok =
        json!({"description": "Done", "headers": headers, "content": {content_type: {"schema": schema}}});
    responses.insert("200".to_owned(), ok);
    let mut by_status = BTreeMap::<u16, Vec<&str>>::new();
    for code in codes(route) {
        by_status.entry(code.status().as_u16()).or_default().push(code.name());
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), problem_response(status, &codes));
    }
    Value::Object(responses)
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
                reference("Problem"),
                {"properties": {"status": {"const": status}, "code": {"enum": codes}}},
            ],
        }}},
    })
}

/// What every answer has.
fn headers() -> Value {
    json!({
        RequestId::HEADER: {"$ref": "#/components/headers/Request-Id"},
        TRACEPARENT: {"$ref": "#/components/headers/Traceparent"},
        Trace::XRAY_HEADER: {"$ref": "#/components/headers/X-Amzn-Trace-Id"},
        "Cache-Control": {"$ref": "#/components/headers/Cache-Control"},
    })
}

fn header_components() -> Value {
    json!({
        "Cache-Control": {"required": true, "schema": {"const": "no-store"}},
        "Request-Id": {"required": true, "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}},
        "Retry-After": {
            "description": "Whole seconds", "required": true, "schema": {"type": "integer", "minimum": 1},
        },
        "Server-Timing": {
            "description": "`queue;dur=…, hash;dur=…` in milliseconds, where a hash was computed.",
            "schema": {"type": "string"},
        },
        "Traceparent": {
            "description": "The request's own, where it had one that is well-formed.",
            "schema": {"type": "string", "pattern": "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"},
        },
        "WWW-Authenticate": {"required": true, "schema": {"const": "Bearer"}},
        "X-Amzn-Trace-Id": {
            "description": "The root of the request's own, where it had one; on Lambda that of Lambda's trace.",
            "schema": {"type": "string", "pattern": "^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$"},
        },
    })
}

/// What a route may answer beside 200: what its tasks may meet, and what every front door may.
fn codes(route: Route) -> Vec<Code> {
    let mut codes = match route {
        Route::Batch => vec![Code::InvalidJson, Code::UnsupportedMediaType],
        Route::Hash | Route::Verify => {
            let mut codes = task_codes(route);
            codes.extend([Code::InvalidJson, Code::UnsupportedMediaType, Code::DeadlineExceeded]);
            codes
        }
        Route::Health | Route::Metrics | Route::OpenApi | Route::Policies => vec![],
    };
    if route != Route::Health {
        codes.push(Code::Unauthorized);
    }
    codes.extend([
        Code::BodyTooLarge,
        Code::HeadersTooLarge,
        Code::Internal,
        Code::InvalidRequest,
        Code::Overloaded,
        Code::RequestTimeout,
    ]);
    codes
}

fn task_codes(route: Route) -> Vec<Code> {
    let hash = [Code::PasswordHasNul, Code::PasswordTooLong, Code::PolicyNotForHashing, Code::UnknownPolicy];
    let verify = [Code::CostOutOfBounds, Code::InvalidHash, Code::PasswordTooLong, Code::UnsupportedHash];
    if route == Route::Hash { hash.to_vec() } else { verify.to_vec() }
}

fn schemas() -> Value {
    json!({
        "BatchRequest": object(&["operations"], json!({
            "operations": {
                "type": "array", "minItems": 1, "maxItems": MAX_OPERATIONS,
                "items": {"anyOf": [
                    reference("HashOperation"),
                    reference("VerifyOperation"),
                    {"description": "Anything else is answered too: with a problem as this operation's result."},
                ]},
            },
        })),
        "BatchResponse": object(&["results"], json!({
            "results": {
                "type": "array", "minItems": 1, "maxItems": MAX_OPERATIONS,
                "items": {"oneOf": [reference("Result"), reference("FailedResult")]},
            },
        })),
        "FailedResult": object(&["status", "problem"], json!({
            "status": {"enum": [400, 422, 500, 503]},
            "problem": reference("Problem"),
        })),
        "HashOperation": task("hash", hash_fields(), &["password"]),
        "HashRequest": object(&["password"], hash_fields()),
        "HashResponse": object(&["hash", "policy"], json!({
            "hash": {"type": "string", "description": "The string to store"},
            "policy": policy_id(),
        })),
        "HealthResponse": object(&["status", "version", "policies"], json!({
            "status": {"const": "ok"},
            "version": {"type": "string"},
            "policies": digest(),
        })),
        "PoliciesResponse": object(&["current", "decoy", "digest", "policies", "ceilings"], json!({
            "current": policy_id(),
            "decoy": policy_id(),
            "digest": digest(),
            "policies": {"type": "array", "description": "Oldest first", "items": reference("Policy")},
            "ceilings": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        })),
        "Policy": {"oneOf": [
            policy(&["argon2id"], &["memory_kib", "passes", "parallelism"]),
            policy(&["bcrypt"], &["cost"]),
            policy(&["pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"], &["iterations"]),
            policy(&["scrypt"], &["log_n", "r", "p"]),
        ]},
        "Problem": problem(),
        "Result": object(&["status", "body"], json!({
            "status": {"const": 200},
            "body": {"oneOf": [reference("HashResponse"), reference("VerifyResponse")]},
        })),
        "VerifyOperation": task("verify", verify_fields(), &["password"]),
        "VerifyRequest": object(&["password"], verify_fields()),
        "VerifyResponse": object(&["match", "needs_rehash", "rehash_reason", "policy"], json!({
            "match": {"type": "boolean"},
            "needs_rehash": {"type": "boolean", "description": "Only with a match"},
            "rehash_reason": {"enum": ["older_policy", "other_algorithm", "weak_scheme", "unlisted_parameters", null]},
            "policy": {
                "type": ["string", "null"],
                "description": "The policy that lists the stored hash's parameters",
            },
            "rehashed": {
                "description": "The string to store instead, with compare-and-swap on the old one",
                "$ref": "#/components/schemas/HashResponse",
            },
        })),
    })
}

fn hash_fields() -> Value {
    json!({
        "password": password(),
        "policy": {"type": "string", "description": "An active policy; without it the current one"},
    })
}

fn verify_fields() -> Value {
    json!({
        "password": password(),
        "hash": {
            "type": ["string", "null"],
            "maxLength": saltern_encoded::MAX_ENCODED_BYTES,
            "description": "The stored string; null or absent where there is no such user: the decoy's work is done and the answer is a mismatch",
        },
        "rehash": {"type": "boolean", "default": false, "description": "Make a new hash where one is needed"},
    })
}

/// The bound is on bytes; no string of more characters can have fewer.
fn password() -> Value {
    json!({
        "type": "string",
        "maxLength": saltern_algorithm::MAX_PASSWORD_BYTES,
        "description": "At most 1,024 bytes of UTF-8, never normalised; for a new bcrypt hash at most 72, without NUL",
    })
}

fn task(op: &str, mut fields: Value, required: &[&str]) -> Value {
    fields["op"] = json!({"const": op});
    object(&[&["op"], required].concat(), fields)
}

fn policy(algorithms: &[&str], parameters: &[&str]) -> Value {
    let mut fields = json!({
        "id": policy_id(),
        "algorithm": {"enum": algorithms},
        "status": {"enum": ["active", "verify-only"]},
    });
    for parameter in parameters {
        fields[parameter] = json!({"type": "integer", "minimum": 1});
    }
    object(&[&["id", "algorithm", "status"], parameters].concat(), fields)
}

fn problem() -> Value {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let count = json!({"type": "integer", "minimum": 1});
    object(
        &["type", "title", "status", "code", "detail"],
        json!({
            "type": {"type": "string", "pattern": "^urn:saltern:problem:[a-z_]+$"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {"enum": names},
            "detail": {"type": "string"},
            "line": count,
            "column": count,
            "field": {"type": "string", "description": "A name of this document, never one of the input"},
            "retry_after_ms": count,
        }),
    )
}

fn policy_id() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"})
}

fn digest() -> Value {
    json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"})
}

#[allow(clippy::needless_pass_by_value, reason = "each caller writes its fields in place")]
fn object(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_some_route_s() {
        let listed: Vec<Code> = Route::ALL.into_iter().flat_map(codes).collect();
        // Nothing at a path, and another method than a path's, are no route's.
        let elsewhere = [Code::NotFound, Code::MethodNotAllowed];
        for code in Code::ALL {
            assert_ne!(listed.contains(&code), elsewhere.contains(&code), "{code:?}");
        }
    }
}
