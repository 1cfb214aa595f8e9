//! The bytes of one connection, between the socket and the HTTP crate.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use http::HeaderMap;
use saltern_service::{Arrival, PeerAddress, Problem};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{exchange::Front, plain, sniff::Opening, watch::Watch};

/// The bytes of a connection, with or without TLS.
///
/// A trait object, so that the HTTP crate is compiled once and not for each transport.
pub(super) type Stream = Box<dyn ReadWrite>;

pub(super) trait ReadWrite: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ReadWrite for T {}

/// A connection whose detected first bytes are read again.
///
/// It reports reads to its watch. The HTTP crate answers malformed requests with an empty response;
/// this type replaces that response with a problem document.
pub(super) struct Wire {
    stream: Stream,
    opening: Opening,
    watch: Arc<Watch>,
    front: Arc<Front>,
    peer: Option<PeerAddress>,
    fault: Option<Fault>,
}

struct Fault {
    bytes: Vec<u8>,
    written: usize,
}

impl Wire {
    pub(super) fn new(
        stream: Stream,
        opening: Opening,
        watch: Arc<Watch>,
        front: Arc<Front>,
        peer: Option<PeerAddress>,
    ) -> Self {
        Self { stream, opening, watch, front, peer, fault: None }
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    /// If the bytes end in an empty error response of the HTTP crate, returns them with a problem
    /// document in its place.
    fn fault_in(&self, bytes: &[u8]) -> Option<Fault> {
        let (start, status) = plain::bare_fault(bytes)?;
        let problem = match status {
            HEADERS_TOO_LARGE | URI_TOO_LONG => Problem::headers_too_large(),
            _ => Problem::malformed_request(),
        };
        let mut replaced = bytes[..start].to_vec();
        // A malformed request has no arrival; the time of the response stands for it.
        let arrival = Arrival::from_peer(Instant::now(), self.peer);
        let answer = self.front.refuse(&HeaderMap::new(), problem, arrival);
        replaced.extend_from_slice(&plain::write(&answer.response));
        Some(Fault { bytes: replaced, written: 0 })
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let opening = this.opening.take(buffer.remaining());
        if !opening.is_empty() {
            this.watch.look_at_the_end_of(opening);
            buffer.put_slice(opening);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        match (&read, &buffer.filled()[before..]) {
            (Poll::Pending, _) => this.watch.waits_for_bytes(),
            (Poll::Ready(Ok(())), received @ [_, ..]) => this.watch.received(received),
            (Poll::Ready(_), _) => this.watch.end_was_read(),
        }
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.fault.is_none() {
            this.fault = this.fault_in(bytes);
        }
        let Some(fault) = &mut this.fault else {
            return Pin::new(&mut this.stream).poll_write(context, bytes);
        };
        while fault.written < fault.bytes.len() {
            let rest = &fault.bytes[fault.written..];
            let written = ready!(Pin::new(&mut this.stream).poll_write(context, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            fault.written += written;
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

const HEADERS_TOO_LARGE: u16 = 431;
const URI_TOO_LONG: u16 = 414;
