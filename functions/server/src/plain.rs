//! Responses without the HTTP crate, for connections on which it has read no request.

use std::{io::Write as _, pin::pin, time::SystemTime};

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
    let _infallible = write!(bytes, "date: {}\r\n", httpdate::HttpDate::from(SystemTime::now()));
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

/// A problem document with its head is about 500 bytes.
const TYPICAL_BYTES: usize = 768;
