//! Checks the form of a signature. It is not verified, because the door has no secret.
//!
//! docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html

use http::{HeaderMap, header};

/// Returns whether the request has a well-formed signature of version 4 for the service `lambda`,
/// with its own date.
pub(super) fn is_well_formed(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(authorization), Some(at)) = (text(header::AUTHORIZATION.as_str()), text("x-amz-date")) else {
        return false;
    };
    let Some(rest) = authorization.strip_prefix("AWS4-HMAC-SHA256 ") else { return false };
    let mut parts = rest.split(',').map(str::trim_start);
    let mut part = |name: &str| parts.next()?.strip_prefix(name);
    let (Some(credential), Some(signed), Some(signature)) =
        (part("Credential="), part("SignedHeaders="), part("Signature="))
    else {
        return false;
    };
    let has_token = headers.contains_key("x-amz-security-token");
    is_date(at)
        && is_of_lambda(credential, &at[..DAY_DIGITS])
        && signs_what_it_must(signed, has_token)
        && signature.len() == 64
        && signature.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `20261120T100102Z`.
fn is_date(text: &str) -> bool {
    let form = b"00000000T000000Z";
    text.len() == form.len()
        && text
            .bytes()
            .zip(form)
            .all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form })
}

/// `KEY/20261120/eu-north-1/lambda/aws4_request`.
fn is_of_lambda(credential: &str, day: &str) -> bool {
    matches!(
        credential.split('/').collect::<Vec<_>>().as_slice(),
        [key, date, region, "lambda", "aws4_request"] if !key.is_empty() && *date == day && !region.is_empty()
    )
}

fn signs_what_it_must(signed: &str, has_token: bool) -> bool {
    let names: Vec<_> = signed.split(';').collect();
    let has = |name| names.contains(&name);
    names.is_sorted() && has("host") && has("x-amz-date") && (has("x-amz-security-token") || !has_token)
}

const DAY_DIGITS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: &str = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";

    fn headers(authorization: &str, date: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", authorization.parse().unwrap());
        headers.insert("x-amz-date", date.parse().unwrap());
        headers
    }

    fn signed(credential: &str, names: &str, signature: &str) -> String {
        format!("AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}")
    }

    const CREDENTIAL: &str = "AKIDEXAMPLE/20261120/eu-north-1/lambda/aws4_request";

    #[test]
    fn a_well_formed_signature_passes() {
        let authorization = signed(CREDENTIAL, "host;x-amz-date", SIGNATURE);
        assert!(is_well_formed(&headers(&authorization, "20261120T100102Z")));
        let mut with_token = headers(&authorization, "20261120T100102Z");
        with_token.insert("x-amz-security-token", "token".parse().unwrap());
        assert!(!is_well_formed(&with_token), "the token is not signed");
        let authorization = signed(CREDENTIAL, "host;x-amz-date;x-amz-security-token", SIGNATURE);
        with_token.insert("authorization", authorization.parse().unwrap());
        assert!(is_well_formed(&with_token));
    }

    #[test]
    fn a_malformed_signature_is_rejected() {
        let date = "20261120T100102Z";
        for wrong in [
            "",
            "Bearer token",
            &signed("AKIDEXAMPLE/20261121/eu-north-1/lambda/aws4_request", "host;x-amz-date", SIGNATURE),
            &signed("AKIDEXAMPLE/20261120/eu-north-1/s3/aws4_request", "host;x-amz-date", SIGNATURE),
            &signed("/20261120/eu-north-1/lambda/aws4_request", "host;x-amz-date", SIGNATURE),
            &signed(CREDENTIAL, "x-amz-date", SIGNATURE),
            &signed(CREDENTIAL, "host", SIGNATURE),
            &signed(CREDENTIAL, "x-amz-date;host", SIGNATURE),
            &signed(CREDENTIAL, "host;x-amz-date", &SIGNATURE[1..]),
            &signed(CREDENTIAL, "host;x-amz-date", &SIGNATURE.to_uppercase()),
        ] {
            assert!(!is_well_formed(&headers(wrong, date)), "{wrong}");
        }
        let right = signed(CREDENTIAL, "host;x-amz-date", SIGNATURE);
        for wrong in ["", "20261120", "2026-11-20T10:01Z", "20261120T10010éZ"] {
            let mut headers = headers(&right, date);
            headers.insert("x-amz-date", http::HeaderValue::from_bytes(wrong.as_bytes()).unwrap());
            assert!(!is_well_formed(&headers), "{wrong}");
        }
        assert!(!is_well_formed(&HeaderMap::new()));
    }
}
