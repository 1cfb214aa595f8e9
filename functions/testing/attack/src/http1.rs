//! HTTP/1.1 on one connection.

use std::io;

use saltern_stubs::http::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::door::Stream;

pub(crate) struct Http1 {
    pub(crate) stream: Stream,
    read: Vec<u8>,
}

impl Http1 {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, read: Vec::new() }
    }

    /// Sends a request and returns its response.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> io::Result<Response> {
        self.stream.write_all(request).await?;
        self.stream.flush().await?;
        loop {
            if let Some((response, length)) = Response::parse(&self.read)? {
                self.read.drain(..length);
                return Ok(response);
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Returns the body as JSON, `null` if it is none.
pub(crate) fn json_of(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_default()
}

/// Returns the status, and of a problem its code.
pub(crate) fn described(response: &Response) -> String {
    match json_of(response)["code"].as_str() {
        Some(code) => format!("{} {code}", response.status),
        None => response.status.to_string(),
    }
}

/// Returns a GET with further header lines, each ended by CR LF.
pub(crate) fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").into_bytes()
}

/// Returns a POST with further header lines, each ended by CR LF.
pub(crate) fn post(path: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Returns the verification of a password with further header lines, each ended by CR LF.
pub(crate) fn verify(headers: &str, password: &str, hash: impl Into<Value>) -> Vec<u8> {
    let hash: Value = hash.into();
    post("/verify", headers, &json!({"password": password, "hash": hash}))
}

/// Returns the header line of a deadline.
pub(crate) fn deadline_ms(milliseconds: u32) -> String {
    format!("Saltern-Deadline-Ms: {milliseconds}\r\n")
}
