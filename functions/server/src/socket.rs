//! The transports: TCP and socket files. The other modules see one kind of connection.

use std::{
    io,
    net::{Shutdown, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use saltern_service::PeerAddress;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream},
};

use crate::Failure;

use super::{
    address::{Listen, SocketMode},
    bounds::{BACKLOG, SEND_BUFFER_BYTES},
    socket_file::SocketFile,
    supervisor::Passed,
};

/// A bound socket.
pub(super) enum Listening {
    Tcp(TcpListener),
    /// The listener is dropped first. The file of a passed socket belongs to the service manager.
    Unix {
        listener: UnixListener,
        _file: Option<SocketFile>,
    },
}

impl Listening {
    /// Binds the socket. The caller must be inside the runtime.
    pub(super) fn bind(listen: &Listen, mode: SocketMode) -> Result<Self, Failure> {
        match listen {
            Listen::Address(address) => listen_on(*address).map(Self::Tcp).map_err(|error| {
                Failure::system(format!(
                    "cannot listen on {address} ({error}): end the process that uses it, or choose another address with --listen"
                ))
            }),
            Listen::File(path) => {
                let (listener, file) = SocketFile::bind(path, mode)?;
                Ok(Self::Unix { listener, _file: Some(file) })
            }
        }
    }

    /// Takes a socket that already listens. The caller must be inside the runtime.
    pub(super) fn adopt(passed: Passed) -> io::Result<Self> {
        match passed {
            Passed::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER_BYTES as usize)?;
                TcpListener::from_std(listener).map(Self::Tcp)
            }
            Passed::Unix(listener) => {
                listener.set_nonblocking(true)?;
                Ok(Self::Unix { listener: UnixListener::from_std(listener)?, _file: None })
            }
        }
    }

    /// Returns the address that was bound, with the port that the system chose for port 0.
    pub(super) fn address(&self, bound: &Listen) -> io::Result<Listen> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Listen::Address),
            Self::Unix { .. } => Ok(bound.clone()),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<Socket> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Each response is one write. If the system refuses this option, responses are only
                // later.
                let _late = stream.set_nodelay(true);
                let peer = Some(PeerAddress::Network(address));
                Ok(Socket { stream: Arc::new(Transport::Tcp(stream)), peer, left: usize::MAX })
            }
            Self::Unix { listener, .. } => {
                let (stream, _unnamed) = listener.accept().await?;
                let process = stream.peer_cred().ok();
                let peer = process.map(|own| PeerAddress::Process { uid: own.uid(), pid: own.pid() });
                Ok(Socket { stream: Arc::new(Transport::Unix(stream)), peer, left: usize::MAX })
            }
        }
    }
}

/// Binds and listens as `TcpListener::bind` does, but with a longer backlog.
fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restarted server does not wait for the old connections to time out.
    socket.set_reuseaddr(true)?;
    // Each connection has the buffer of the listener.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A connection whose state can be read while another task reads and writes it.
#[derive(Clone, Debug)]
pub(super) struct Socket {
    stream: Arc<Transport>,
    peer: Option<PeerAddress>,
    /// Bytes that may still be read.
    left: usize,
}

#[derive(Debug)]
enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// The other end; `None` if the system does not tell it.
    pub(super) fn peer(&self) -> Option<PeerAddress> {
        self.peer
    }

    /// After this many bytes, the connection counts as ended.
    pub(super) fn read_at_most(&mut self, bytes: usize) {
        self.left = bytes;
    }

    /// Whether the peer has ended the connection, even if bytes that it sent before are unread.
    pub(super) fn peer_has_gone(&self) -> bool {
        self.has(PollFlags::RDHUP)
    }

    /// Whether bytes are unread, even if the runtime has not been told of them yet.
    pub(super) fn has_unread(&self) -> bool {
        self.has(PollFlags::IN)
    }

    fn has(&self, event: PollFlags) -> bool {
        let mut files = [match &*self.stream {
            Transport::Tcp(stream) => PollFd::new(stream, event),
            Transport::Unix(stream) => PollFd::new(stream, event),
        }];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut files, Some(&at_once)), Ok(1..))
    }
}

impl Transport {
    fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => stream.poll_read_ready(context),
            Self::Unix(stream) => stream.poll_read_ready(context),
        }
    }

    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_read(buffer),
            Self::Unix(stream) => stream.try_read(buffer),
        }
    }

    fn poll_write_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => stream.poll_write_ready(context),
            Self::Unix(stream) => stream.poll_write_ready(context),
        }
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_write(bytes),
            Self::Unix(stream) => stream.try_write(bytes),
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = buffer.remaining().min(self.left);
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.stream.try_read(buffer.initialize_unfilled_to(most)) {
                Ok(read) => {
                    self.left -= read;
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
            ready!(self.stream.poll_write_ready(context))?;
            match self.stream.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(match &*self.stream {
            Transport::Tcp(stream) => SockRef::from(stream).shutdown(Shutdown::Write),
            Transport::Unix(stream) => SockRef::from(stream).shutdown(Shutdown::Write),
        })
    }
}
