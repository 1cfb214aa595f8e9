//! Responses without the HTTP crate, for connections on which it has read no request.

use std::{io::Write as _, pin::pin};

use http::Response;
use saltern_service::Body;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::{bounds::LINGER, wire::Stream};

/// Returns the response as HTTP/1.1, the last one of its connection.
pub(super) fn write(response: &Response<Body>) -> Vec<u8> {
    let (status, body) = (response.status(), response.body());
    let mut bytes = Vec::with_capacity(TYPICAL_BYTES);
    let _infallible =
        write!(bytes, "HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or(""));
    for (name, value) in response.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let _infallible = write!(bytes, "content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    bytes.extend_from_slice(body);
    bytes
}

/// Finds the HTTP crate's own response to a malformed request: its position and status.
///
/// That response has no body, and every response of the service has one. The HTTP crate writes it
/// last, so it is at the end of the bytes.
pub(super) fn bare_fault(bytes: &[u8]) -> Option<(usize, u16)> {
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let start = bytes.windows(STATUS_LINE.len()).rposition(|window| window == STATUS_LINE)?;
    let head = str::from_utf8(&bytes[start..]).ok()?;
    let bodiless = head.lines().any(|line| line.eq_ignore_ascii_case("content-length: 0"));
    let status = head.get(STATUS_AT)?.parse().ok()?;
    (bodiless && (400..500).contains(&status)).then_some((start, status))
}

/// Writes a response, then waits for the peer to read it.
pub(super) async fn answer_and_close(mut stream: Stream, bytes: &[u8]) {
    if let Ok(Ok(())) = timeout(LINGER, stream.write_all(bytes)).await {
        linger(stream).await;
    }
}

/// Ends this side of the connection, then reads and discards until the peer ends its side, at most
/// for [`LINGER`].
pub(super) async fn linger(mut stream: Stream) {
    let until_the_end = async {
        if stream.shutdown().await.is_err() {
            return;
        }
        let mut forgotten = [0; 1024];
        while let Ok(1..) = stream.read(&mut forgotten).await {}
    };
    let _still_there = timeout(LINGER, pin!(until_the_end)).await;
}

/// The start of `HTTP/1.1 4…` and, for a request of HTTP/1.0, `HTTP/1.0 4…`.
const STATUS_LINE: &[u8] = b"HTTP/1.";

/// The position of the status in a status line.
const STATUS_AT: std::ops::Range<usize> = 9..12;

/// A problem document with its head is about 500 bytes.
const TYPICAL_BYTES: usize = 768;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_without_a_body_is_found_at_the_end() {
        let fault = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        assert_eq!(bare_fault(fault), Some((0, 400)));
        let after_another = [&b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"[..], fault].concat();
        assert_eq!(bare_fault(&after_another), Some((after_another.len() - fault.len(), 400)));
    }

    #[test]
    fn a_response_of_the_service_is_not_a_fault() {
        let mut problem = Response::new(Body::from_static(b"{}"));
        *problem.status_mut() = http::StatusCode::BAD_REQUEST;
        for ours in [
            &write(&problem)[..],
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 9\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        ] {
            assert_eq!(bare_fault(ours), None);
        }
    }
}
