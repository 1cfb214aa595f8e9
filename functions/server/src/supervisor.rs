//! The service manager, such as systemd: it may pass the socket, and wants to know the state.

use std::{io, net::TcpListener, os::unix::net::UnixListener};

use crate::Failure;
use listenfd::ListenFd;
use sd_notify::NotifyState;

use super::address::Listen;

/// A listening socket that was open when the process started (`sd_listen_fds(3)`).
pub(super) enum Passed {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Passed {
    /// Takes the passed socket, if there is one. It changes the environment, so call it before the
    /// first thread starts.
    pub(super) fn take() -> Result<Option<Self>, Failure> {
        let mut passed = ListenFd::from_env();
        match passed.len() {
            0 => return Ok(None),
            1 => {}
            several => {
                return Err(Failure::configuration(format!(
                    "the service manager passes {several} sockets: write one ListenStream= in the .socket unit"
                )));
            }
        }
        let tcp = passed.take_tcp_listener(0).ok().flatten().map(Self::Tcp);
        let socket = tcp.or_else(|| passed.take_unix_listener(0).ok().flatten().map(Self::Unix));
        socket.map(Some).ok_or_else(|| {
            Failure::configuration(
                "the service manager passes no socket for TCP or a socket file: write ListenStream= in the .socket unit",
            )
        })
    }

    /// Returns the address or the path of the socket.
    pub(super) fn listen(&self) -> Result<Listen, Failure> {
        let listen = match self {
            Self::Tcp(listener) => listener.local_addr().map(Listen::Address),
            Self::Unix(listener) => listener.local_addr().and_then(|address| {
                let path = address.as_pathname().map(|path| Listen::File(path.to_owned()));
                path.ok_or(io::ErrorKind::Unsupported.into())
            }),
        };
        listen.map_err(|error| {
            Failure::configuration(format!("the passed socket has no address or path ({error})"))
        })
    }
}

/// Tells that requests are answered, and that the files were read again.
pub(super) fn tell_ready() {
    tell(&[NotifyState::Ready]);
}

/// Tells that the files are being read again.
pub(super) fn tell_reloading() {
    // Type=notify-reload compares this time with that of its signal.
    let now = NotifyState::monotonic_usec_now();
    tell(&[Some(NotifyState::Reloading), now.ok()].into_iter().flatten().collect::<Vec<_>>());
}

/// Tells that the shutdown has begun.
pub(super) fn tell_stopping() {
    tell(&[NotifyState::Stopping]);
}

/// Without `NOTIFY_SOCKET` nothing is sent.
fn tell(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "cannot tell the service manager the state: see NOTIFY_SOCKET");
    }
}
