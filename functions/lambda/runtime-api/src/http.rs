//! As much HTTP/1.1 as the Runtime API and its clients speak: kept connections, bodies with a length.

use std::{
    io::{self, BufRead, Write as _},
    net::TcpStream,
};

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// The next request of a connection; `None` where the peer has closed it between two.
pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err(malformed()) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            if line.trim_end().is_empty() {
                break;
            }
            return Err(malformed());
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(|_| malformed())?;
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(malformed());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Request { method, path, body }))
}

/// Writes a response, in one piece.
pub(crate) fn write(
    mut connection: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut response = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len()).into_bytes();
    for (name, value) in headers {
        response.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    response.extend_from_slice(b"\r\n");
    response.extend_from_slice(body);
    connection.write_all(&response)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a request of this dialect")
}
