//! The bytes of one connection, between the socket and the HTTP crate.

use std::{
    io,
    net::Shutdown,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use http::HeaderMap;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use saltern_service::{Arrival, Problem};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::{exchange::Front, plain, sniff::Opening, watch::Watch};

/// A TCP connection whose state can be read while another task reads and writes it.
#[derive(Clone, Debug)]
pub(super) struct Socket(Arc<TcpStream>);

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Each response is one write. If the system refuses this option, responses are only later.
        let _late = stream.set_nodelay(true);
        Self(Arc::new(stream))
    }

    /// Whether the peer has ended the connection, even if bytes that it sent before are unread.
    pub(super) fn peer_has_gone(&self) -> bool {
        let mut files = [PollFd::new(&*self.0, PollFlags::RDHUP)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut files, Some(&at_once)), Ok(1..))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(context))?;
            match self.0.try_read(buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(context))?;
            match self.0.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&*self.0).shutdown(Shutdown::Write))
    }
}

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
    fault: Option<Fault>,
}

struct Fault {
    bytes: Vec<u8>,
    written: usize,
}

impl Wire {
    pub(super) fn new(stream: Stream, opening: Opening, watch: Arc<Watch>, front: Arc<Front>) -> Self {
        Self { stream, opening, watch, front, fault: None }
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
        let answer = self.front.refuse(&HeaderMap::new(), problem, Arrival(Instant::now()));
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
