//! `saltern health`: asks a running server for its health, for containers and supervisors.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use crate::{Failure, say};
use clap::Args;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};

use crate::address::Listen;

#[derive(Args, Debug)]
#[command(
    after_help = "Give it the settings of `serve`. The exit code is 0 if the server answers 200, else 71."
)]
/// Arguments of the command `health`.
pub struct HealthArguments {
    /// The address or the socket file of the server; a wildcard address stands for loopback
    #[arg(
        long,
        env = "SALTERN_LISTEN",
        value_name = "ADDRESS:PORT|unix:PATH",
        default_value = "127.0.0.1:9000"
    )]
    listen: Listen,
    /// Speak TLS, as a server with a certificate does. The file is not read: the question holds no
    /// secret, and certificates seldom name loopback
    #[arg(long, env = "SALTERN_TLS_CERTIFICATE", value_name = "FILE")]
    tls_certificate: Option<PathBuf>,
}

/// Asks the server for its health, and prints the answer of a healthy one.
///
/// # Errors
/// [`Failure::System`] if the server does not answer 200 in time.
pub fn health(arguments: &HealthArguments) -> Result<(), Failure> {
    let (listen, tls) = (arguments.listen.clone(), arguments.tls_certificate.is_some());
    let (done, is_done) = mpsc::channel();
    // One bound on all steps: a socket's own timeouts bound each step alone.
    thread::spawn(move || done.send(ask(&listen, tls)));
    let listen = &arguments.listen;
    let answer = is_done
        .recv_timeout(PATIENCE)
        .map_err(|_| Failure::system(format!("{listen} does not answer within {} s", PATIENCE.as_secs())))?
        .map_err(|error| Failure::system(format!("cannot ask {listen} for its health ({error})")))?;
    match status_and_body(&answer) {
        Some(("200", body)) => say(&format!("{body}\n")),
        Some((status, _)) => Err(Failure::system(format!("{listen} answers {status} to /health"))),
        None => Err(Failure::system(format!(
            "{listen} gives no answer in HTTP: with --tls-certificate the question uses TLS, without it none"
        ))),
    }
}

/// Sends the question and returns the answer.
fn ask(listen: &Listen, tls: bool) -> io::Result<String> {
    match listen {
        Listen::Address(address) => converse(TcpStream::connect(reachable(*address))?, tls),
        Listen::File(path) => converse(UnixStream::connect(path)?, tls),
    }
}

fn converse(stream: impl Read + Write, tls: bool) -> io::Result<String> {
    if tls { send_and_read(StreamOwned::new(session()?, stream)) } else { send_and_read(stream) }
}

fn send_and_read(mut stream: impl Read + Write) -> io::Result<String> {
    stream.write_all(QUESTION)?;
    let mut answer = String::new();
    stream.take(MOST_ANSWER_BYTES).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Returns an address at which a server that listens on this address can be reached.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Returns the status and the body of an answer in HTTP/1.1.
fn status_and_body(answer: &str) -> Option<(&str, &str)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.split(' ').next()?;
    Some((status, body))
}

fn session() -> io::Result<ClientConnection> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)
}

/// Accepts each certificate whose key signed the handshake.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Ends the connection after the answer, so that its end is the end of the answer.
const QUESTION: &[u8] = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// An answer has some 500 bytes.
const MOST_ANSWER_BYTES: u64 = 64 * 1024;

/// A server answers within milliseconds. Docker and Kubernetes have their own timeouts.
const PATIENCE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_address_stands_for_loopback() {
        for (listens_on, reached_at) in [
            ("0.0.0.0:9443", "127.0.0.1:9443"),
            ("[::]:9443", "[::1]:9443"),
            ("10.0.0.1:9000", "10.0.0.1:9000"),
        ] {
            assert_eq!(reachable(listens_on.parse().unwrap()), reached_at.parse().unwrap());
        }
    }

    #[test]
    fn only_an_answer_in_http_has_a_status() {
        assert_eq!(status_and_body("HTTP/1.1 200 OK\r\na: b\r\n\r\n{}"), Some(("200", "{}")));
        for other in ["", "HTTP/1.1 200 OK\r\n", "\x15\x03\x03\x00\x02\x02\x16", "SSH-2.0\r\n\r\n"] {
            assert_eq!(status_and_body(other), None);
        }
    }
}
