//! Converts HTTP requests to events of payload format 2.0, and replies to HTTP answers, as a
//! Function URL does.
//!
//! docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads

use std::{collections::BTreeMap, time::SystemTime};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, request::Parts};
use http_body_util::Full;
use serde::Deserialize;
use serde_json::{Value, json};

/// Returns the event of a request.
pub(super) fn of(parts: &Parts, body: &[u8]) -> Value {
    let mut headers = BTreeMap::<&str, String>::new();
    for (name, value) in &parts.headers {
        // Values of the same name are joined.
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str())
            .and_modify(|all| *all = format!("{all},{value}"))
            .or_insert(value.into_owned());
    }
    let text = str::from_utf8(body).ok();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": parts.uri.path(),
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "fleet",
            "domainName": "localhost",
            "http": {
                "method": parts.method.as_str(),
                "path": parts.uri.path(),
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": headers.get("user-agent").cloned().unwrap_or_default(),
            },
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        },
        "headers": headers,
        "body": text.map_or_else(|| STANDARD.encode(body), str::to_owned),
        "isBase64Encoded": text.is_none(),
    })
}

/// Returns the answer for a reply of the function, or `None` if the reply is not in the format.
pub(super) fn answer(reply: &[u8]) -> Option<Response<Full<Bytes>>> {
    let reply: Reply = serde_json::from_slice(reply).ok()?;
    let body =
        if reply.is_base64_encoded { STANDARD.decode(reply.body).ok()? } else { reply.body.into_bytes() };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = StatusCode::from_u16(reply.status_code).ok()?;
    for (name, value) in reply.headers {
        let name = HeaderName::try_from(name).ok()?;
        response.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
    }
    Some(response)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: String,
    #[serde(default)]
    is_base64_encoded: bool,
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn a_request_becomes_an_event_of_the_format() {
        let request =
            Request::post("/verify?x=1").header("x-a", "1").header("x-a", "2").header("user-agent", "k6");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let event = of(&parts, b"{}");
        assert_eq!(event["rawPath"], "/verify");
        assert_eq!(event["rawQueryString"], "x=1");
        assert_eq!(event["requestContext"]["http"]["method"], "POST");
        assert_eq!(event["requestContext"]["http"]["userAgent"], "k6");
        assert_eq!(event["headers"]["x-a"], "1,2");
        assert_eq!((&event["body"], &event["isBase64Encoded"]), (&json!("{}"), &json!(false)));
        let event = of(&parts, b"\xff");
        assert_eq!((&event["body"], &event["isBase64Encoded"]), (&json!("/w=="), &json!(true)));
    }

    #[test]
    fn a_reply_becomes_an_answer() {
        let reply = json!({"statusCode": 422, "headers": {"cache-control": "no-store"}, "body": "{}", "isBase64Encoded": false, "cookies": []});
        let response = answer(reply.to_string().as_bytes()).unwrap();
        assert_eq!(
            (response.status(), &response.headers()["cache-control"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &HeaderValue::from_static("no-store"))
        );
        for wrong in [
            "",
            "{}",
            r#"{"statusCode": 99, "body": ""}"#,
            r#"{"statusCode": 200, "headers": {"a b": ""}, "body": ""}"#,
        ] {
            assert!(answer(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
