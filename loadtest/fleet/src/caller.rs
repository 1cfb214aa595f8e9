//! An HTTP client with kept connections, for `validate` and the tests of the door.

use core::{fmt::Write as _, time::Duration};
use std::{
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

#[derive(Debug)]
pub(crate) struct Caller {
    address: SocketAddr,
    idle: Mutex<Vec<TcpStream>>,
}

/// An answer to a request.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
    /// The time from the start of the request to the last byte of the answer.
    pub(crate) took: Duration,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Caller {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, idle: Mutex::default() }
    }

    pub(crate) async fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Heard> {
        self.ask("POST", path, headers, body).await
    }

    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Heard> {
        let began = Instant::now();
        let mut stream = self.connection().await?;
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nhost: fleet\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request.push_str("content-type: application/json\r\n");
        }
        for (name, value) in headers {
            let _infallible = write!(request, "{name}: {value}\r\n");
        }
        request.push_str("\r\n");
        stream.write_all(&[request.as_bytes(), body].concat()).await?;
        let (head, body) = read(&mut stream).await?;
        let took = began.elapsed();
        let status = head.get(STATUS).and_then(|status| status.parse().ok()).ok_or_else(not_http)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
        Ok(Heard { status, head, body, took })
    }

    async fn connection(&self) -> io::Result<TcpStream> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// Reads the head and the body of an answer with a `content-length`.
async fn read(stream: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some(end) = bytes.windows(HEAD_END.len()).position(|window| window == HEAD_END) else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).map_err(io::Error::other)?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = bytes.split_off(end + HEAD_END.len());
        let length: usize = length.ok_or_else(not_http)?;
        while body.len() < length {
            if stream.read_buf(&mut body).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        return Ok((head, body));
    }
}

fn not_http() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP with a content-length")
}

const HEAD_END: &[u8] = b"\r\n\r\n";

/// The place of the status in a status line.
const STATUS: core::ops::Range<usize> = 9..12;
