//! HTTP/1.1 on one connection.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::door::Stream;

pub(crate) struct Http1 {
    pub(crate) stream: Stream,
    read: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Http1 {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, read: Vec::new() }
    }

    /// Sends a request and returns its response.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> io::Result<Response> {
        self.stream.write_all(request).await?;
        self.stream.flush().await?;
        let end = loop {
            if let Some(at) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8_lossy(&self.read[..end]).to_ascii_lowercase();
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("no status"))?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        while self.read.len() < end + length {
            self.read_more().await?;
        }
        let body = self.read[end..end + length].to_vec();
        self.read.drain(..end + length);
        Ok(Response { status, body })
    }

    async fn read_more(&mut self) -> io::Result<()> {
        let read = self.stream.read_buf(&mut self.read).await?;
        if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

impl Response {
    /// Returns the body, `null` if it is no JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the status, and of a problem its code.
    pub(crate) fn described(&self) -> String {
        match self.json()["code"].as_str() {
            Some(code) => format!("{} {code}", self.status),
            None => self.status.to_string(),
        }
    }
}

/// Returns a GET with further header lines, each ended by CR LF.
pub(crate) fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: saltern\r\n{headers}\r\n").into_bytes()
}

/// Returns a POST with further header lines, each ended by CR LF.
pub(crate) fn post(path: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: saltern\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
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
