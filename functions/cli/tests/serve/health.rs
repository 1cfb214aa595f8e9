//! `saltern health` against a running server: over TCP, TLS and a socket file.

use std::{
    net::TcpListener,
    process::{self, Output},
};

use rcgen::generate_simple_self_signed;
use serde_json::Value;

use super::server::{Server, file, saltern};

#[test]
fn a_healthy_server_is_healthy_on_every_socket() {
    let identity = generate_simple_self_signed(["saltern.example".to_owned()]).unwrap();
    let certificate = file("certificate.pem", &identity.cert.pem());
    let key = file("key.pem", &identity.signing_key.serialize_pem());
    let tls = ["--tls-certificate", certificate.to_str().unwrap()];
    let path = std::env::temp_dir().join(format!("saltern-health-{}", process::id()));
    let socket_file = format!("unix:{}", path.display());
    let wildcard = Server::start(&["--listen", "0.0.0.0:0", "--insecure"]);
    let secured = Server::start(&[&tls[..], &["--tls-key", key.to_str().unwrap()]].concat());
    let local = Server::start(&["--listen", &socket_file]);
    for (server, listen, arguments) in [
        (&wildcard, wildcard.address().to_string(), &[][..]),
        (&secured, secured.address().to_string(), &tls[..]),
        (&local, socket_file, &[][..]),
    ] {
        let output = health(&listen, arguments);
        assert_eq!(output.status.code(), Some(0), "{listen}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["status"], "ok");
        assert_eq!(answer["policies"], server.line("serving")["policies"]);
    }
    let plain = health(&secured.address().to_string(), &[]);
    assert_unhealthy(&plain, "gives no answer in HTTP");
}

#[test]
fn a_draining_server_is_not_healthy() {
    let server = Server::start(&["--drain-notice-seconds", "600"]);
    server.signal("TERM");
    server.line("shutdown has begun");
    assert_unhealthy(&health(&server.address().to_string(), &[]), "answers 503 to /health");
}

#[test]
fn a_port_without_a_server_is_not_healthy() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_unhealthy(&health(&closed.to_string(), &[]), "cannot ask");
}

#[test]
fn a_server_that_answers_too_slowly_is_not_healthy() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_unhealthy(&health(&silent.local_addr().unwrap().to_string(), &[]), "does not answer within 5 s");
}

fn health(listen: &str, arguments: &[&str]) -> Output {
    saltern().args(["health", "--listen", listen]).args(arguments).output().unwrap()
}

#[track_caller]
fn assert_unhealthy(output: &Output, sentence: &str) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(71), "{said}");
    assert!(said.starts_with("saltern: ") && said.contains(sentence), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
}
