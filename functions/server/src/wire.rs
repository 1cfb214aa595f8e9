//! The bytes of one connection, between the socket and the HTTP crate.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use saltern_algorithm::Workers;
use saltern_service::{PeerAddress, Problem};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use zeroize::Zeroizing;

use super::{
    exchange::Front,
    gate::{Gate, PIECE_BYTES},
    plain,
    sniff::{Opening, Protocol},
    watch::Watch,
};

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
pub(super) struct Wire<W> {
    stream: Stream,
    opening: Opening,
    watch: Arc<Watch>,
    front: Arc<Front<W>>,
    peer: Option<PeerAddress>,
    fault: Option<Fault>,
    /// Only for HTTP/2: HTTP/1 reads no further request before the answer.
    gate: Option<Gate>,
}

struct Fault {
    bytes: Vec<u8>,
    written: usize,
}

impl<W: Workers> Wire<W> {
    pub(super) fn new(
        stream: Stream,
        opening: Opening,
        protocol: Protocol,
        watch: Arc<Watch>,
        front: Arc<Front<W>>,
        peer: Option<PeerAddress>,
    ) -> Self {
        let gate = (protocol == Protocol::Http2).then(Gate::default);
        Self { stream, opening, watch, front, peer, fault: None, gate }
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    /// Reads the next bytes, as far as the gate allows.
    fn poll_next(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Some(gate) = &mut self.gate else { return Pin::new(&mut self.stream).poll_read(context, buffer) };
        gate.begin(self.watch.turn());
        if gate.is_closed() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !self.watch.may_read_on() {
            self.watch.sending().wake_at_change(context.waker());
            // A change before the waker was in place would be missed.
            if !self.watch.may_read_on() {
                return Poll::Pending;
            }
        }
        if gate.pass_held(buffer) {
            return Poll::Ready(Ok(()));
        }
        let mut piece = Zeroizing::new([0; PIECE_BYTES]);
        let mut piece = ReadBuf::new(&mut *piece);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece))?;
        gate.pass(piece.filled(), buffer);
        Poll::Ready(Ok(()))
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
        let answer = self.front.refuse_unread(Instant::now(), self.peer, problem);
        replaced.extend_from_slice(&plain::write(&answer.response));
        Some(Fault { bytes: replaced, written: 0 })
    }
}

impl<W: Workers> AsyncRead for Wire<W> {
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
        let read = this.poll_next(context, buffer);
        match (&read, &buffer.filled()[before..]) {
            (Poll::Pending, _) => this.watch.waits_for_bytes(),
            (Poll::Ready(Ok(())), received @ [_, ..]) => this.watch.received(received),
            (Poll::Ready(_), _) => this.watch.end_was_read(),
        }
        read
    }
}

impl<W: Workers> AsyncWrite for Wire<W> {
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
            let written = Pin::new(&mut this.stream).poll_write(context, bytes);
            return this.watch.sending().noted(written);
        };
        while fault.written < fault.bytes.len() {
            let rest = &fault.bytes[fault.written..];
            let written = Pin::new(&mut this.stream).poll_write(context, rest);
            let written = ready!(this.watch.sending().noted(written))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            fault.written += written;
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.watch.sending().flushed();
        }
        self.watch.sending().noted(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

const HEADERS_TOO_LARGE: u16 = 431;
const URI_TOO_LONG: u16 = 414;
