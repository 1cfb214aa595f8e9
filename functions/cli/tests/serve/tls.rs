use std::{
    fs,
    io::{Read as _, Write as _},
    net::SocketAddr,
    sync::Arc,
};

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{
    client::{Client, get, verify},
    http2::Http2,
    limits::{COMPUTES, LONG},
    server::{Server, file, until},
};

#[test]
fn the_client_chooses_between_http_1_and_http_2() {
    let (server, certificate) = start(&[]);
    let answer = blocking(async {
        let mut stream = connect(server.address(), &certificate, &[b"http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        stream
            .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains(r#""status":"ok""#), "{answer}");

    let address = server.address();
    let mut http2 = Http2::connect_over(async {
        let stream = connect(address, &certificate, &[b"h2", b"http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        stream
    });
    assert_eq!(http2.ask("GET", "/health", "").0, 200);
}

/// A flood of other sessions displaces none: the client keeps its own.
#[test]
fn a_session_is_resumed_from_the_ticket_of_its_client() {
    let (server, certificate) = start(&[]);
    let kind = |config: &Arc<ClientConfig>| {
        let session = ClientConnection::new(Arc::clone(config), name()).unwrap();
        let mut stream = StreamOwned::new(session, std::net::TcpStream::connect(server.address()).unwrap());
        stream.write_all(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        stream.conn.handshake_kind().unwrap()
    };
    let caller = config(&certificate, &[]);
    assert_eq!(kind(&caller), HandshakeKind::Full);
    for _ in 0..300 {
        assert_eq!(kind(&config(&certificate, &[])), HandshakeKind::Full);
    }
    assert_eq!(kind(&caller), HandshakeKind::Resumed);
}

#[test]
fn a_fault_inside_tls_is_a_problem_document_too() {
    let (server, certificate) = start(&[]);
    let answer = blocking(async {
        let mut stream = connect(server.address(), &certificate, &[]).await;
        stream.write_all(b"BROKEN\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    assert!(answer.contains("urn:saltern:problem:invalid_request"), "{answer}");
}

#[test]
fn tokens_and_certificate_are_read_again_together_or_not_at_all() {
    let (old, new) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210");
    let line = |token: &str| format!("shop hash never {token}");
    let tokens = file("tokens", &line(old));
    let (first, second) = (identity(), identity());
    let (certificate, key) =
        (file("certificate.pem", &first.cert.pem()), file("key.pem", &first.signing_key.serialize_pem()));
    let server = Server::start(&[
        "--tokens-file",
        tokens.to_str().unwrap(),
        "--tls-certificate",
        certificate.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ]);
    let status = |trusted: &CertificateDer<'static>, token: &str| {
        let answer = blocking(async {
            let mut stream = connect(server.address(), trusted, &[]).await;
            let ask = format!(
                "GET /policies HTTP/1.1\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(ask.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        });
        answer[9..12].to_owned()
    };
    assert_eq!(status(first.cert.der(), old), "200");

    let faulty = [("short".to_owned(), first.cert.pem()), (line(new), "half of a file".to_owned())];
    for (round, (tokens_text, certificate_text)) in (1..).zip(faulty) {
        fs::write(&tokens, tokens_text).unwrap();
        fs::write(&certificate, certificate_text).unwrap();
        server.signal("HUP");
        let refused = || (server.output().matches(STAY_IN_USE).count() == round).then_some(());
        until(refused).expect("what is faulty is not used");
        let now = (status(first.cert.der(), old), status(first.cert.der(), new));
        assert_eq!(now, ("200".into(), "401".into()));
    }

    fs::write(&certificate, second.cert.pem()).unwrap();
    fs::write(&key, second.signing_key.serialize_pem()).unwrap();
    server.signal("HUP");
    let told = server.line(
        "tokens, certificate and seal keys were read again; the policy document is read only at the start",
    );
    assert_eq!((&told["tokens"], &told["certificate"]), (&true.into(), &true.into()));
    assert_eq!(
        (status(second.cert.der(), new), status(second.cert.der(), old)),
        ("200".into(), "401".into())
    );
}

#[test]
fn a_connection_without_tls_is_dropped() {
    let (server, _) = start(&["--first-byte-timeout-ms", "300"]);
    let mut plain = Client::connect(server.address());
    plain.send(get("/health"));
    // The TLS crate answers with an alert and not with HTTP.
    assert!(plain.try_receive().is_err());
    let mut silent = Client::connect(server.address());
    assert!(silent.is_closed_silently());
}

#[test]
fn a_silent_connection_does_not_keep_the_server_from_ending() {
    let (mut server, _) = start(&["--first-byte-timeout-ms", "60000", "--drain-seconds", "10"]);
    let _silent = std::net::TcpStream::connect(server.address()).unwrap();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
}

#[test]
fn connections_beyond_the_bound_are_dropped() {
    let (server, certificate) = start(&["--connections", "1"]);
    blocking(async {
        let mut kept = connect(server.address(), &certificate, &[]).await;
        let before = server.cpu();
        kept.write_all(verify("p", LONG).as_bytes()).await.unwrap();
        kept.flush().await.unwrap();
        until(|| (server.cpu() > before + COMPUTES).then_some(())).expect("the server computes");
        let mut beyond = TcpStream::connect(server.address()).await.unwrap();
        assert!(matches!(beyond.read(&mut [0; 1]).await, Ok(0) | Err(_)));
    });
}

const STAY_IN_USE: &str = "the old tokens, the old certificate and the old seal keys stay in use";

pub(crate) fn start(arguments: &[&str]) -> (Server, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } = identity();
    let certificate = file("certificate.pem", &cert.pem());
    let key = file("key.pem", &signing_key.serialize_pem());
    let identity = ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    (Server::start(&[&identity, arguments].concat()), cert.der().clone())
}

fn identity() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

async fn connect(
    address: SocketAddr,
    certificate: &CertificateDer<'static>,
    protocols: &[&[u8]],
) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(address).await.unwrap();
    TlsConnector::from(config(certificate, protocols)).connect(name(), stream).await.unwrap()
}

/// Connects for HTTP/2, without a runtime.
pub(crate) fn connect_blocking(
    address: SocketAddr,
    certificate: &CertificateDer<'static>,
) -> StreamOwned<ClientConnection, std::net::TcpStream> {
    let connection = ClientConnection::new(config(certificate, &[b"h2"]), name()).unwrap();
    StreamOwned::new(connection, std::net::TcpStream::connect(address).unwrap())
}

fn config(certificate: &CertificateDer<'static>, protocols: &[&[u8]]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Arc::new(config)
}

fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

fn blocking<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
