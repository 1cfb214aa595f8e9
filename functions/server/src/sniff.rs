//! Detects the protocol of a connection from its first bytes, with and without TLS.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// The bytes that were read for this.
#[derive(Debug, Default)]
pub(super) struct Opening {
    bytes: [u8; PREFACE.len()],
    len: usize,
    taken: usize,
}

impl Opening {
    /// Waits for the next bytes. Returns an error if the connection ends first.
    pub(super) async fn read_more(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
        let read = stream.read(&mut self.bytes[self.len..]).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.len += read;
        Ok(())
    }

    /// Reads until the protocol is known. Returns an error if the connection ends first.
    pub(super) async fn read(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Protocol> {
        loop {
            if self.bytes[..self.len] != PREFACE[..self.len] {
                return Ok(Protocol::Http1);
            }
            if self.len == PREFACE.len() {
                return Ok(Protocol::Http2);
            }
            self.read_more(stream).await?;
        }
    }

    /// Takes at most this many of the bytes that were not taken yet.
    pub(super) fn take(&mut self, most: usize) -> &[u8] {
        let from = self.taken;
        self.taken = self.len.min(from + most);
        &self.bytes[from..self.taken]
    }
}

/// The first bytes of every HTTP/2 connection (RFC 9113 §3.4).
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_bytes_tell_the_protocol() {
        for (bytes, protocol) in [
            (&b"POST /hash HTTP/1.1\r\n"[..], Protocol::Http1),
            (b"PRI * HTTP/1.1\r\n", Protocol::Http1),
            (b"\x16\x03\x01", Protocol::Http1),
            (PREFACE, Protocol::Http2),
        ] {
            let mut opening = Opening::default();
            assert_eq!(opening.read(&mut &bytes[..]).await.unwrap(), protocol);
            let read = bytes.len().min(PREFACE.len());
            assert_eq!(opening.take(2), &bytes[..2]);
            assert_eq!(opening.take(100), &bytes[2..read]);
            assert_eq!(opening.take(100), b"");
        }
    }

    #[tokio::test]
    async fn a_connection_that_ends_before_its_preface_is_an_error() {
        for bytes in [&b""[..], b"PRI", &PREFACE[..23]] {
            assert!(Opening::default().read(&mut &bytes[..]).await.is_err());
        }
    }
}
