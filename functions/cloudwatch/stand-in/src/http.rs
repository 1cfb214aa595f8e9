//! As much HTTP/1.1 as the SDK speaks to an endpoint without TLS.

use std::{
    io::{self, BufRead, Write as _},
    net::TcpStream,
};

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// The next request of a connection; `None` where the peer has closed it between two.
pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err(malformed()) };
    let mut request =
        Request { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: Vec::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        request.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    request.body = vec![0; length.ok_or_else(malformed)?];
    reader.read_exact(&mut request.body)?;
    Ok(Some(request))
}

/// Writes a response of the protocol.
pub(crate) fn write(mut connection: &TcpStream, status: u16, body: &[u8]) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} Status\r\nsmithy-protocol: rpc-v2-cbor\r\ncontent-type: application/cbor\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    connection.write_all(&[head.as_bytes(), body].concat())
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a request of this dialect")
}
