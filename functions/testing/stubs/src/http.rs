//! The part of HTTP/1.1 that the stubs and their clients use: kept connections, bodies with a
//! length.

use std::{
    io::{self, BufRead, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

/// Listens on a free port of the loopback interface, and calls `serve` with every connection, each
/// on its own thread. Returns the address.
///
/// The port is closed by the first connection for which `is_closed` returns true.
///
/// # Errors
/// [`io::Error`] if the system has no free port or no thread.
pub fn listen(
    name: &str,
    is_closed: impl Fn() -> bool + Send + 'static,
    serve: impl Fn(&TcpStream) -> io::Result<()> + Clone + Send + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let accept = move || {
        for connection in listener.incoming() {
            if is_closed() {
                return;
            }
            let Ok(connection) = connection else { continue };
            let serve = serve.clone();
            let _handle = thread::spawn(move || {
                // If a connection breaks, the client timed out or ended. The test sees that itself.
                let _broken = serve(&connection);
            });
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(accept)?;
    Ok(address)
}

/// One request.
#[derive(Debug)]
pub struct Request {
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The body.
    pub body: Vec<u8>,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Returns the value of a header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        header.map(|(_, value)| value.as_str())
    }
}

/// Reads the next request of a connection. Returns `None` if the peer closed it between two
/// requests.
///
/// # Errors
/// [`io::Error`] if the connection breaks, the request is malformed, or it has a
/// `Transfer-Encoding`.
pub fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err(malformed()) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request { method, path, body: Vec::new(), headers };
    if request.header("transfer-encoding").is_some() {
        return Err(malformed());
    }
    let length = match request.header("content-length") {
        Some(length) => length.parse().map_err(|_| malformed())?,
        None => 0,
    };
    request.body = vec![0; length];
    reader.read_exact(&mut request.body)?;
    Ok(Some(request))
}

/// Writes a response in one piece.
///
/// # Errors
/// [`io::Error`] if the connection breaks.
pub fn write(
    mut connection: &TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    let mut response = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len()).into_bytes();
    for (name, value) in headers {
        response.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    response.extend_from_slice(b"\r\n");
    response.extend_from_slice(body);
    connection.write_all(&response)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the request is malformed or has a Transfer-Encoding")
}
