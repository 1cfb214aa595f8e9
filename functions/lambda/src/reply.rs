//! Answers in payload format 2.0, and those to calibrate events.

use core::fmt;

use http::{HeaderMap, Response};
use saltern_meter::remote;
use saltern_service::Body;
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap as _, SerializeStruct as _},
};

/// An answer on its way to Lambda. It holds hashes: its `Debug` does not show them.
pub(crate) enum Reply {
    /// To a request.
    Http(Response<Body>),
    /// To a calibrate event.
    Calibrated(remote::Response),
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(response) => f.debug_tuple("Http").field(&response.status()).finish(),
            Self::Calibrated(reply) => f.debug_tuple("Calibrated").field(reply).finish(),
        }
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let response = match self {
            Self::Http(response) => response,
            Self::Calibrated(reply) => return reply.serialize(serializer),
        };
        // Every body of the service is JSON or text in UTF-8.
        let body = str::from_utf8(response.body()).map_err(|_| S::Error::custom("the body is not UTF-8"))?;
        let mut reply = serializer.serialize_struct("Reply", 5)?;
        reply.serialize_field("statusCode", &response.status().as_u16())?;
        reply.serialize_field("headers", &Headers(response.headers()))?;
        reply.serialize_field("body", body)?;
        reply.serialize_field("isBase64Encoded", &false)?;
        // None, but `cargo lambda watch` takes no answer without it.
        reply.serialize_field("cookies", &NO_COOKIES)?;
        reply.end()
    }
}

const NO_COOKIES: [&str; 0] = [];

/// The service sets every header once.
struct Headers<'a>(&'a HeaderMap);

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            let value = value.to_str().map_err(|_| S::Error::custom("a header is not ASCII"))?;
            map.serialize_entry(name.as_str(), value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_members_of_the_format() {
        let response = Response::builder().status(422).header("cache-control", "no-store");
        let reply = Reply::Http(response.body(Body::new(b"{\"a\":\"\xc3\xa9\"}".to_vec())).unwrap());
        let wanted = serde_json::json!({
            "statusCode": 422,
            "headers": {"cache-control": "no-store"},
            "body": "{\"a\":\"é\"}",
            "isBase64Encoded": false,
            "cookies": [],
        });
        assert_eq!(serde_json::to_value(&reply).unwrap(), wanted);
    }

    #[test]
    fn debug_shows_no_body() {
        let reply = Reply::Http(Response::new(Body::new(b"secret".to_vec())));
        assert_eq!(format!("{reply:?}"), "Http(200)");
    }
}
