//! HTTP/1.1 as stubs and tools use it: kept connections, bodies with a `Content-Length`.
//!
//! [`Stub`] answers requests on the loopback interface. [`Client`] sends requests over any stream
//! that blocks: TCP, a socket file or TLS. For any other stream, [`Request::parse`] and
//! [`Response::parse`] read messages from received bytes.

use core::fmt::Display;
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use httparse::{EMPTY_HEADER, Header, Status};

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The body.
    pub body: Vec<u8>,
    headers: Vec<(String, String)>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Returns the value of a header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Whether the AWS SDK has signed the request. The signature is not checked.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.header("authorization").is_some_and(|value| value.starts_with("AWS4-HMAC-SHA256 "))
    }

    /// Reads the request at the start of `bytes`, and returns it with its length. Returns `None` if
    /// it is not complete.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the request is malformed or has a `Transfer-Encoding`.
    pub fn parse(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let mut fields = [EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut fields);
        let Status::Complete(start) = head.parse(bytes).map_err(malformed)? else { return Ok(None) };
        let (method, path) = (head.method.unwrap_or_default(), head.path.unwrap_or_default());
        let request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            body: vec![],
            headers: text(head.headers),
        };
        let body = body(&request.headers, &bytes[start..])?;
        Ok(body.map(|body| (Self { body: body.to_vec(), ..request }, start + body.len())))
    }
}

impl Response {
    /// Makes a response. `Content-Length` is added when it is written.
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self { status, body: body.into(), headers: headers.iter().map(owned).collect() }
    }

    /// Returns the value of a header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Reads the response at the start of `bytes`, and returns it with its length. Returns `None` if
    /// it is not complete.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the response is malformed or has a `Transfer-Encoding`.
    pub fn parse(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let mut fields = [EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let Status::Complete(start) = head.parse(bytes).map_err(malformed)? else { return Ok(None) };
        let response =
            Self { status: head.code.unwrap_or_default(), body: vec![], headers: text(head.headers) };
        let body = body(&response.headers, &bytes[start..])?;
        Ok(body.map(|body| (Self { body: body.to_vec(), ..response }, start + body.len())))
    }
}

/// Returns the bytes of a request, with `Host` and `Content-Length`.
#[must_use]
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    written(&format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n"), headers, body)
}

/// The client's end of a connection.
#[derive(Debug)]
pub struct Client<S> {
    stream: S,
    /// Bytes after the last response.
    received: Vec<u8>,
}

impl<S: Read + Write> Client<S> {
    /// Takes a connected stream.
    pub fn new(stream: S) -> Self {
        Self { stream, received: Vec::new() }
    }

    /// Sends the bytes of a request, and returns the response. The connection stays open.
    ///
    /// # Errors
    /// [`io::Error`] if the connection breaks or ends, or as [`Response::parse`].
    pub fn send(&mut self, request: &[u8]) -> io::Result<Response> {
        self.stream.write_all(request)?;
        self.stream.flush()?;
        let response = next(&mut self.stream, &mut self.received, Response::parse)?;
        response.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// A server on a free port of the loopback interface. Dropping it closes the port.
#[derive(Debug)]
pub struct Stub {
    address: SocketAddr,
    is_closed: Arc<AtomicBool>,
}

impl Stub {
    /// Answers every request by this function, each connection on its own thread. `None` closes the
    /// connection without a response.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start(answer: impl Fn(Request) -> Option<Response> + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let stub = Self { address: listener.local_addr()?, is_closed: Arc::default() };
        let (is_closed, answer) = (Arc::clone(&stub.is_closed), Arc::new(answer));
        let accept = move || {
            for connection in listener.incoming() {
                if is_closed.load(Relaxed) {
                    return;
                }
                let Ok(connection) = connection else { continue };
                let answer = Arc::clone(&answer);
                thread::spawn(move || {
                    // If a connection breaks, the client timed out or ended. The test sees that
                    // itself.
                    let _broken = serve(connection, &*answer);
                });
            }
        };
        thread::Builder::new().name("stub".to_owned()).spawn(accept)?;
        Ok(stub)
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL for the AWS SDK's variables `AWS_ENDPOINT_URL_…`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.is_closed.store(true, Relaxed);
        // This wakes the accepting thread, which closes the port.
        let _refused = TcpStream::connect(self.address);
    }
}

fn serve(mut connection: TcpStream, answer: &impl Fn(Request) -> Option<Response>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut received = Vec::new();
    while let Some(request) = next(&mut connection, &mut received, Request::parse)? {
        let Some(response) = answer(request) else { return Ok(()) };
        let start = format!("HTTP/1.1 {} Status\r\n", response.status);
        connection.write_all(&written(&start, &response.headers, &response.body))?;
    }
    Ok(())
}

/// Reads the next message. Returns `None` if the peer has closed the connection between two
/// messages.
fn next<M>(stream: &mut impl Read, received: &mut Vec<u8>, parse: Parse<M>) -> io::Result<Option<M>> {
    let mut piece = [0; PIECE_BYTES];
    loop {
        if let Some((message, length)) = parse(received)? {
            received.drain(..length);
            return Ok(Some(message));
        }
        match stream.read(&mut piece) {
            Ok(0) if received.is_empty() => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => received.extend_from_slice(&piece[..read]),
            // This happens if the process is stopped and continued (signal(7)).
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

type Parse<M> = fn(&[u8]) -> io::Result<Option<(M, usize)>>;

/// Returns the body at the start of `bytes`; `None` if it is not complete.
fn body<'a>(headers: &[(String, String)], bytes: &'a [u8]) -> io::Result<Option<&'a [u8]>> {
    if find(headers, "transfer-encoding").is_some() {
        return Err(malformed("Transfer-Encoding"));
    }
    let length = find(headers, "content-length").map_or(Ok(0), str::parse).map_err(malformed)?;
    Ok(bytes.get(..length))
}

fn written<N: Display, V: Display>(start: &str, headers: &[(N, V)], body: &[u8]) -> Vec<u8> {
    let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("{start}{}Content-Length: {}\r\n\r\n", lines.concat(), body.len());
    [head.as_bytes(), body].concat()
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let header = headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    header.map(|(_, value)| value.as_str())
}

fn text(headers: &[Header<'_>]) -> Vec<(String, String)> {
    let value = |header: &Header<'_>| String::from_utf8_lossy(header.value).into_owned();
    headers.iter().map(|header| (header.name.to_owned(), value(header))).collect()
}

fn malformed(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// More than any client of the stubs sends.
const MAX_HEADERS: usize = 64;

const PIECE_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_answers_one_request_after_the_other() {
        let stub = Stub::start(|request| {
            let teapot = request.header("X-TEAPOT").is_some();
            let body = [request.method.as_bytes(), request.path.as_bytes(), &request.body].concat();
            (request.path != "/close").then(|| Response::new(if teapot { 418 } else { 200 }, &[], body))
        });
        let stub = stub.unwrap();
        let mut client = Client::new(TcpStream::connect(stub.address()).unwrap());
        let first = client.send(&request("POST", "/one", &[("x-teapot", "1")], b"body")).unwrap();
        assert_eq!((first.status, first.body.as_slice()), (418, &b"POST/onebody"[..]));
        let second = client.send(&request("GET", "/two", &[], b"")).unwrap();
        assert_eq!((second.status, second.header("content-length")), (200, Some("7")));
        let closed = client.send(&request("GET", "/close", &[], b"")).unwrap_err();
        assert_eq!(closed.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_message_is_read_only_when_it_is_complete() {
        let bytes = request("POST", "/", &[], b"body");
        for end in 0..bytes.len() {
            assert!(Request::parse(&bytes[..end]).unwrap().is_none(), "{end}");
        }
        let (read, length) = Request::parse(&[&bytes[..], b"GET"].concat()).unwrap().unwrap();
        assert_eq!((read.body.as_slice(), length), (&b"body"[..], bytes.len()));
        for malformed in ["no HTTP", "transfer-encoding: chunked", "content-length: many"] {
            let bytes = format!("HTTP/1.1 200 OK\r\n{malformed}\r\n\r\n");
            assert!(Response::parse(bytes.as_bytes()).is_err(), "{malformed}");
        }
    }
}
