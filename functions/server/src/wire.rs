//! The bytes of one connection, between the socket and the HTTP crate.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use zeroize::Zeroizing;

use super::{
    gate::{Gate, PIECE_BYTES},
    phase::Phase,
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
/// It reports reads and writes to its watch. The HTTP crate answers a malformed head with an empty
/// response; this type withholds that response, so that the connection can send a problem document.
pub(super) struct Wire {
    stream: Stream,
    opening: Opening,
    watch: Arc<Watch>,
    /// Whether the HTTP crate has refused a head.
    withheld: bool,
    /// Only for HTTP/2: HTTP/1 reads no further request before the answer.
    gate: Option<Gate>,
}

impl Wire {
    pub(super) fn new(stream: Stream, opening: Opening, protocol: Protocol, watch: Arc<Watch>) -> Self {
        let gate = (protocol == Protocol::Http2).then(Gate::default);
        Self { stream, opening, watch, withheld: false, gate }
    }

    /// Whether a malformed head was refused and its sender knows nothing of it.
    pub(super) fn has_withheld(&self) -> bool {
        self.withheld
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    /// Whether bytes that are written now are the HTTP crate's own response: over HTTP/1 every other
    /// response belongs to a request that was handed over, and is not sent yet.
    fn is_refused_by_the_crate(&self) -> bool {
        self.gate.is_none() && matches!(self.watch.phase(), Phase::Head { .. } | Phase::Idle { .. })
    }

    /// Reads the next bytes, as far as the gate allows.
    fn poll_next(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Some(gate) = &mut self.gate else { return Pin::new(&mut self.stream).poll_read(context, buffer) };
        gate.begin(self.watch.turn());
        if gate.is_flooded() {
            return Poll::Ready(Err(io::Error::other("frames that belong to no request")));
        }
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
        let read = this.poll_next(context, buffer);
        if this.gate.is_some() {
            return read;
        }
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
        if self.is_refused_by_the_crate() {
            self.withheld = true;
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch.sending().noted(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.watch.flushed();
        }
        self.watch.sending().noted(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
