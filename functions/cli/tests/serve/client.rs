//! An HTTP/1.1 client that sends exactly the bytes and segments of the test.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::{Value, json};

use super::server::PATIENCE;

pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, read: Vec::new() }
    }

    /// Connects, sends a request without the end of its body, and waits until the server reads the
    /// body.
    pub(crate) fn begin_request(address: SocketAddr) -> Self {
        let mut client = Self::connect(address);
        let head = "POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
        assert_eq!(client.ask(head).status, 100);
        client.send("{");
        client
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Sends one request and returns its response.
    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Response {
        self.send(request);
        self.receive()
    }

    /// Sends HEAD and returns the response: a head that announces a body, without the body.
    pub(crate) fn ask_head(&mut self, path: &str) -> Response {
        self.send(format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        self.read_head().expect("an answer")
    }

    /// Returns the next response.
    pub(crate) fn receive(&mut self) -> Response {
        self.try_receive().expect("an answer")
    }

    /// Returns the next response, if the connection has one.
    pub(crate) fn try_receive(&mut self) -> io::Result<Response> {
        let mut response = self.read_head()?;
        let length = response.header("content-length").map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            self.read_more()?;
        }
        response.body = String::from_utf8(self.read.drain(..length).collect()).unwrap();
        Ok(response)
    }

    /// Whether a byte of an answer has come.
    pub(crate) fn has_answer(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let peeked = self.stream.peek(&mut [0; 1]);
        self.stream.set_nonblocking(false).unwrap();
        peeked.is_ok()
    }

    /// Whether the server ends the connection without another byte.
    pub(crate) fn is_closed_silently(&mut self) -> bool {
        assert!(self.read.is_empty(), "bytes are left");
        loop {
            match self.stream.read(&mut [0; 1]) {
                Ok(read) => return read == 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == io::ErrorKind::ConnectionReset,
            }
        }
    }

    fn read_head(&mut self) -> io::Result<Response> {
        let head_end = loop {
            if let Some(at) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more()?;
        };
        let head = String::from_utf8(self.read.drain(..head_end).collect()).unwrap();
        let status = head[9..12].parse().unwrap();
        Ok(Response { status, head, body: String::new() })
    }

    fn read_more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let read = match self.stream.read(&mut buffer) {
            // A stopped and continued process sees this (signal(7)).
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            read => read?,
        };
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read.extend_from_slice(&buffer[..read]);
        Ok(())
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// Returns the time of computing, as the server measured it.
    pub(crate) fn hashed(&self) -> Duration {
        let (_, ms) = self.header("server-timing").unwrap().split_once("hash;dur=").unwrap();
        Duration::from_secs_f64(ms.parse::<f64>().unwrap() / 1000.0)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the response is the problem document of this code.
    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, self.header("content-type")),
            (status, Some("application/problem+json")),
            "{self:?}"
        );
        let document = self.json();
        assert_eq!(document["code"], code, "{self:?}");
        assert_eq!(document["status"], status);
        assert_eq!(document["type"], format!("urn:saltern:problem:{code}"));
        assert!(self.header("x-request-id").is_some_and(|id| !id.is_empty()));
    }
}

pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

pub(crate) fn post(path: &str, body: &Value) -> String {
    post_with(path, "", &body.to_string())
}

/// Returns a POST with further header lines, each ended by CR LF.
pub(crate) fn post_with(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Returns the head of a batch. The server answers it with 100 when it has room for the body.
pub(crate) fn batch_head(headers: &str, length: &str) -> String {
    format!(
        "POST /batch HTTP/1.1\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n{headers}{length}\r\n\r\n"
    )
}

/// Sends one request on a new connection.
pub(crate) fn ask(address: SocketAddr, request: impl AsRef<[u8]>) -> Response {
    Client::connect(address).ask(request)
}

/// Returns a new hash of the password under the policy.
pub(crate) fn hash(address: SocketAddr, password: &str, policy: &str) -> String {
    let body = json!({"password": password, "policy": policy});
    let response = ask(address, post_with("/hash", PATIENT, &body.to_string()));
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["hash"].as_str().unwrap().to_owned()
}

pub(crate) fn verify(password: &str, hash: &str) -> String {
    post_with("/verify", PATIENT, &json!({"password": password, "hash": hash}).to_string())
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(given, _)| given.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

/// A deadline that a busy machine meets.
pub(crate) const PATIENT: &str = "Saltern-Deadline-Ms: 60000\r\n";
