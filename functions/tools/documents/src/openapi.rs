//! The OpenAPI document, generated from the routes, codes and limits that the code uses.
//!
//! The schemas are written here by hand. The tests of `saltern-service` check each of their answers
//! against this document.

use std::collections::BTreeMap;

use saltern_seal::{OLDER_KEY, UNSEALED};
use saltern_service::{
    Code, DEADLINE_HEADER, DEFAULT_BUDGET_MS, MAX_BUDGET_MS, MAX_OPERATIONS, RequestId, Route, TRACEPARENT,
    Trace,
};
use serde_json::{Map, Value, json};

pub(crate) fn document() -> Value {
    let paths: Map<String, Value> = Route::ALL.into_iter().map(path).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Saltern",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Hashes and verifies passwords",
            "description": "Errors are problem documents (RFC 9457) with a stable `code`. The code of an unknown path is `not_found`, and of an unsupported method `method_not_allowed`. Paths with GET support HEAD too.",
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:9000", "description": "`saltern serve` on the same machine"}],
        "paths": paths,
        "components": {
            "headers": header_components(),
            "schemas": schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Required if `saltern serve` is started with tokens. A token has the scopes `hash`, `verify` (with `rehash`) and `metrics`, or some of them. `/policies` and `/openapi.json` take any token."},
                "aws": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "AWS Signature Version 4 for the service `lambda`, required at a Function URL.",
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
            "description": format!("At most {} bytes.", route.body_limit()),
            "content": {"application/json": {"schema": schema}},
        });
        operation.insert("requestBody".to_owned(), body);
    }
    operation.insert("responses".to_owned(), responses(route));
    (route.path().to_owned(), json!({ route.method().as_str().to_ascii_lowercase(): operation }))
}

fn summary(route: Route) -> &'static str {
    match route {
        Route::Batch => "Makes and verifies several hashes; the results are in the order of the operations",
        Route::Hash => "Makes a hash of a new password",
        Route::Health => "Reports that the service is running, and 503 while it shuts down",
        Route::Metrics => "Metrics for Prometheus; only `saltern serve` has this path",
        Route::OpenApi => "Returns this document",
        Route::Policies => "Lists the policies and ceilings in force",
        Route::Verify => "Verifies a password against a stored hash",
    }
}

/// Tokens are optional, since a server on loopback needs none.
fn security(route: Route) -> Value {
    match route {
        Route::Health => json!([]),
        _ => json!([{}, {"token": []}, {"aws": []}]),
    }
}

fn parameters(route: Route) -> Value {
    let request_id = json!({
        "name": RequestId::HEADER, "in": "header",
        "description": "Returned in the response if it matches `[A-Za-z0-9._-]{1,64}`, else replaced by a random id.",
        "schema": {"type": "string"},
    });
    let deadline = json!({
        "name": DEADLINE_HEADER, "in": "header",
        "description": "The caller's remaining budget in milliseconds, from the arrival of the request. For a batch send the smallest budget of its operations.",
        "schema": {"type": "integer", "minimum": 1, "maximum": MAX_BUDGET_MS, "default": DEFAULT_BUDGET_MS},
    });
    let traceparent = json!({
        "name": TRACEPARENT, "in": "header",
        "description": "W3C Trace Context. Logged and returned if it is well-formed, else ignored.",
        "schema": {"type": "string"},
    });
    let xray = json!({
        "name": Trace::XRAY_HEADER, "in": "header",
        "description": "AWS X-Ray. The root of a well-formed header is logged and returned.",
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
        json!({"description": "Success", "headers": headers, "content": {content_type: {"schema": schema}}});
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

/// The headers of every response.
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
            "description": "Whole seconds. Absent after `deadline_exceeded`: no server can do the work in that time.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "Server-Timing": {
            "description": "`queue;dur=…, hash;dur=…` in milliseconds, if a hash was computed.",
            "schema": {"type": "string"},
        },
        "Traceparent": {
            "description": "The header of the request, if it is well-formed.",
            "schema": {"type": "string", "pattern": "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"},
        },
        "WWW-Authenticate": {"required": true, "schema": {"const": "Bearer"}},
        "X-Amzn-Trace-Id": {
            "description": "The root of the request's header, if it is well-formed. On Lambda the root of Lambda's trace.",
            "schema": {"type": "string", "pattern": "^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$"},
        },
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
    if matches!(route, Route::Batch | Route::Hash | Route::Metrics | Route::Verify) {
        codes.push(Code::Forbidden);
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

fn schemas() -> Value {
    json!({
        "BatchRequest": object(&["operations"], json!({
            "operations": {
                "type": "array", "minItems": 1, "maxItems": MAX_OPERATIONS,
                "items": {"anyOf": [
                    reference("HashOperation"),
                    reference("VerifyOperation"),
                    {"description": "The result of any other value is a problem."},
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
            "id": operation_id(),
            "status": {"enum": [400, 403, 422, 500, 503]},
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
            "policies": {"type": "array", "description": "From oldest to newest", "items": reference("Policy")},
            "ceilings": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        })),
        "Policy": {"oneOf": [
            policy(&["argon2id"], &["memory_kib", "passes", "parallelism"]),
            policy(&["bcrypt"], &["cost"]),
            policy(&["pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"], &["iterations"]),
            policy(&["scrypt"], &["log_n", "r", "p"]),
        ]},
        "Problem": problem(),
        "Rehashed": object(&["hash", "policy"], json!({
            "hash": {"type": "string", "description": "The string to store"},
            "policy": {
                "type": ["string", "null"],
                "description": "Null only if the same string was sealed anew, and no policy lists its params",
            },
        })),
        "Result": object(&["status", "body"], json!({
            "id": operation_id(),
            "status": {"const": 200},
            "body": {"oneOf": [reference("HashResponse"), reference("VerifyResponse")]},
        })),
        "VerifyOperation": task("verify", verify_fields(), &["password"]),
        "VerifyRequest": object(&["password"], verify_fields()),
        "VerifyResponse": object(&["match", "needs_rehash", "rehash_reason", "policy"], json!({
            "match": {"type": "boolean"},
            "needs_rehash": {"type": "boolean", "description": "Whether the hash should be replaced; only true after a match. A hash that no policy lists stays if its cost reaches the document's `keep`. A hash of a listed older policy is always replaced, even if it is dearer to guess than the current policy: `saltern policies check` warns of that."},
            "rehash_reason": {
                "description": "`unsealed` and `older_key`: only the seal is out of date. `rehashed` is then the same string, sealed anew",
                "enum": ["older_policy", "other_algorithm", "weak_scheme", "unlisted_parameters", UNSEALED, OLDER_KEY, null],
            },
            "policy": {
                "type": ["string", "null"],
                "description": "The policy that lists the params of the stored hash",
            },
            "rehashed": {
                "description": "The new string to store; replace the old one by compare-and-swap",
                "$ref": "#/components/schemas/Rehashed",
            },
        })),
    })
}

fn hash_fields() -> Value {
    json!({
        "password": password(),
        "policy": {"type": "string", "description": "An active policy; the default is the current policy"},
        "context": context(),
    })
}

fn verify_fields() -> Value {
    json!({
        "password": password(),
        "hash": {
            "type": ["string", "null"],
            "maxLength": saltern_seal::MAX_SEALED_BYTES,
            "description": "The stored string, at most 1,024 bytes, sealed 1,457. Send null or omit it if the user does not exist: the service does the work of the decoy policy and returns a mismatch",
        },
        "rehash": {"type": "boolean", "default": false, "description": "Whether to make a new hash after a match if one is needed"},
        "context": context(),
    })
}

fn context() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": saltern_seal::MAX_CONTEXT_BYTES,
        "description": format!(
            "The row of a sealed hash: an immutable id of the user, of 1 to {} bytes. Required if the key of the seal has contexts, else ignored",
            saltern_seal::MAX_CONTEXT_BYTES
        ),
    })
}

/// The limit is on bytes. A string with more characters than the limit exceeds it too.
fn password() -> Value {
    json!({
        "type": "string",
        "maxLength": saltern_algorithm::MAX_PASSWORD_BYTES,
        "description": "At most 1,024 bytes of UTF-8, never normalised. For a new bcrypt hash at most 72 bytes, without NUL",
    })
}

fn task(op: &str, mut fields: Value, required: &[&str]) -> Value {
    fields["op"] = json!({"const": op});
    fields["id"] = operation_id();
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
            "field": {"type": "string", "description": "The name of a member or header in this document, never text of the input"},
            "retry_after_ms": count,
        }),
    )
}

fn policy_id() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"})
}

fn operation_id() -> Value {
    json!({
        "type": "string",
        "pattern": "^[A-Za-z0-9._-]{1,64}$",
        "description": "The caller's name of the operation; the result has the same",
    })
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
    fn every_code_belongs_to_a_route() {
        let listed: Vec<Code> = Route::ALL.into_iter().flat_map(codes).collect();
        // These two occur without a route.
        let elsewhere = [Code::NotFound, Code::MethodNotAllowed];
        for code in Code::ALL {
            assert_ne!(listed.contains(&code), elsewhere.contains(&code), "{code:?}");
        }
    }
}
