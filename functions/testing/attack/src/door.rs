//! The ways into a server: TCP from a chosen address of this machine, with TLS or without.

use std::{
    error::Error,
    io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ClientConfig, RootCertStore,
    client::Resumption,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::TlsConnector;

use crate::server::file;

/// An open connection.
pub(crate) type Stream = Box<dyn Duplex>;

pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// The address of a server, and the client's TLS if the server has a certificate.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    tls: Option<TlsConnector>,
}

impl Door {
    pub(crate) fn new(address: SocketAddr, tls: Option<TlsConnector>) -> Self {
        Self { address, tls }
    }

    /// Connects as an honest caller does.
    pub(crate) async fn connect(&self) -> io::Result<Stream> {
        let stream = self.tcp(HONEST, None).await?;
        self.secure(stream).await
    }

    /// Opens a connection without TLS's handshake, whose buffers can be small.
    pub(crate) async fn tcp(&self, from: Ipv4Addr, buffer: Option<u32>) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        // A bound socket wants a port that no other has, not even one in TIME_WAIT.
        if from != HONEST {
            socket.bind((from, 0).into())?;
        }
        if let Some(bytes) = buffer {
            socket.set_recv_buffer_size(bytes)?;
        }
        let stream = socket.connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Makes TLS's handshake, if the server has a certificate.
    pub(crate) async fn secure(&self, stream: TcpStream) -> io::Result<Stream> {
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
        Ok(Box::new(tls.connect(name, stream).await?))
    }

    /// The same door, over which the server speaks HTTP/2.
    pub(crate) fn over_http2(&self) -> Self {
        let tls = self.tls.as_ref().map(|tls| {
            let mut config = ClientConfig::clone(tls.config());
            config.alpn_protocols = vec![b"h2".to_vec()];
            TlsConnector::from(Arc::new(config))
        });
        Self { address: self.address, tls }
    }
}

/// Returns an address of this machine for the attacker's connection with this number. Attackers
/// have `addresses` addresses, and honest callers another one.
pub(crate) fn attacker(number: usize, addresses: usize) -> Ipv4Addr {
    let address = u32::from(FIRST_ATTACKER) + u32::try_from(number % addresses).unwrap_or_default();
    Ipv4Addr::from(address)
}

/// The address that the system takes for a server on loopback.
const HONEST: Ipv4Addr = Ipv4Addr::LOCALHOST;
const FIRST_ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

/// A certificate and its key, in files for the server.
pub(crate) struct Identity {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Identity {
    /// The certificate that the guide recommends, with a key on P-256.
    pub(crate) fn ecdsa() -> Result<Self, Box<dyn Error>> {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()])?;
        Ok(Self {
            certificate: file("certificate.pem", &cert.pem())?,
            key: file("key.pem", &signing_key.serialize_pem())?,
        })
    }

    /// Returns a client that trusts this certificate alone. It resumes no session, so that every
    /// connection costs a whole handshake.
    pub(crate) fn connector(&self) -> Result<TlsConnector, Box<dyn Error>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(&self.certificate)?)?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

const NAME: &str = "localhost";
