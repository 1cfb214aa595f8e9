//! The payload of a response, in payload format 2.0.

use core::fmt;

use http::{HeaderMap, Response};
use saltern_service::Body;
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap as _, SerializeStruct as _},
};

/// The payload of a response to Lambda. It contains hashes, so `Debug` omits the body.
pub(crate) struct Payload(pub(crate) Response<Body>);

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Payload").field(&self.0.status()).finish()
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(response) = self;
        // All bodies of the service are JSON or text in UTF-8.
        let body = str::from_utf8(response.body()).map_err(|_| S::Error::custom("the body is not UTF-8"))?;
        let mut payload = serializer.serialize_struct("Payload", 5)?;
        payload.serialize_field("statusCode", &response.status().as_u16())?;
        payload.serialize_field("headers", &Headers(response.headers()))?;
        payload.serialize_field("body", body)?;
        payload.serialize_field("isBase64Encoded", &false)?;
        // `cargo lambda watch` requires the member, even if it is empty.
        payload.serialize_field("cookies", &NO_COOKIES)?;
        payload.end()
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
    fn a_response_has_the_members_of_the_format() {
        let response = Response::builder().status(422).header("cache-control", "no-store");
        let payload = Payload(response.body(Body::new(b"{\"a\":\"\xc3\xa9\"}".to_vec())).unwrap());
        let expected = serde_json::json!({
            "statusCode": 422,
            "headers": {"cache-control": "no-store"},
            "body": "{\"a\":\"é\"}",
            "isBase64Encoded": false,
            "cookies": [],
        });
        assert_eq!(serde_json::to_value(&payload).unwrap(), expected);
    }

    #[test]
    fn debug_shows_no_body() {
        let payload = Payload(Response::new(Body::new(b"secret".to_vec())));
        assert_eq!(format!("{payload:?}"), "Payload(200)");
    }
}
