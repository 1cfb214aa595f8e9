use core::fmt;
use std::{
    net::{IpAddr, SocketAddr},
    time::Instant,
};

use crate::Caller;

/// The arrival of a request: its time, its peer and its caller. The deadline counts from the time.
///
/// A front door puts it into the request's extensions. The default is the call of
/// [`Service::answer`](crate::Service::answer), without a peer, for any caller.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The time of the arrival.
    pub at: Instant,
    /// The other end of the connection, if the front door knows it.
    pub peer: Option<PeerAddress>,
    /// The caller, and the operations that are allowed.
    pub caller: Caller,
}

impl Arrival {
    /// An arrival at this time from an unknown peer, at a front door that asks for no token.
    #[must_use]
    pub fn at(at: Instant) -> Self {
        Self { at, peer: None, caller: Caller::Anyone }
    }

    /// An arrival at this time from this peer, whose token was not read yet.
    #[must_use]
    pub fn from_peer(at: Instant, peer: Option<PeerAddress>) -> Self {
        Self { at, peer, caller: Caller::Unknown }
    }
}

/// The other end of a connection, for the log line. Behind a proxy it is the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerAddress {
    /// The address that AWS names. Its port is unknown.
    Host(IpAddr),
    /// An address of the network.
    Network(SocketAddr),
    /// A process on this machine, connected to a socket file.
    Process {
        /// The user of the process.
        uid: u32,
        /// The process, if the system tells it.
        pid: Option<i32>,
    },
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(address) => write!(f, "{address}"),
            Self::Network(address) => write!(f, "{address}"),
            Self::Process { uid, pid: Some(pid) } => write!(f, "uid={uid} pid={pid}"),
            Self::Process { uid, pid: None } => write!(f, "uid={uid}"),
        }
    }
}

/// The latest possible deadline: the time at which the front door itself is stopped.
///
/// A front door with such a time puts it into the request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct NotAfter(pub Instant);
