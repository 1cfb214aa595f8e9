//! Sends marked secrets on every path, and searches the output of the process for them.

use serde_json::{Value, json};

use super::{
    client::{Client, Response, ask, post_with},
    server::{Server, file},
};

#[test]
fn the_output_contains_no_secret() {
    let tokens = file("tokens", &format!("shop hash,verify,metrics never {TOKEN}"));
    let server = Server::start_with(
        &[
            "--tokens-file",
            tokens.to_str().unwrap(),
            "--header-timeout-ms",
            "300",
            "--body-timeout-ms",
            "300",
        ],
        &[("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")],
    );
    let authorized = format!("Authorization: Bearer {TOKEN}\r\n");
    let ask_with = |path: &str, body: &str| ask(server.address(), post_with(path, &authorized, body));
    let mut refusals: Vec<Response> = Vec::new();

    let made = ask_with("/hash", &json!({"password": PASSWORD}).to_string());
    assert_eq!(made.status, 200);
    let stored = made.json()["hash"].as_str().unwrap().to_owned();
    for password in [PASSWORD, "another"] {
        let body = json!({"password": password, "hash": stored, "rehash": true}).to_string();
        let verified = ask_with("/verify", &body);
        assert_eq!(verified.status, 200);
        refusals.push(verified);
    }
    let mut send = |path: &str, body: &str| refusals.push(ask_with(path, body));
    let bodies = [
        json!({"password": PASSWORD.repeat(60)}),
        json!({"password": PASSWORD.repeat(4)}),
        json!({"password": PASSWORD, "policy": PASSWORD}),
        json!({"password": [PASSWORD]}),
        json!({"password": PASSWORD, PASSWORD: 1}),
        json!({"password": PASSWORD, "hash": HASH}),
        json!({"password": PASSWORD, "hash": format!("$2b$31${HASH}")}),
        json!({"operations": [{"op": PASSWORD, "password": PASSWORD}]}),
        json!({"operations": [{"op": "hash", "password": PASSWORD.repeat(60)}, {"op": "verify", "password": PASSWORD, "hash": HASH}]}),
        json!(PASSWORD),
        Value::Null,
    ];
    for path in ["/hash", "/verify", "/batch", "/policies", "/nowhere"] {
        for body in &bodies {
            send(path, &body.to_string());
        }
        for broken in [
            "{\"password\":\"PASSWORD",
            "PASSWORD",
            "{\"password\":\"PASSWORD\"}PASSWORD",
            "{\"password\":\"PASSWORD\\ud800\"}",
        ] {
            send(path, &broken.replace("PASSWORD", PASSWORD));
        }
    }
    for raw in [
        format!("{PASSWORD} {PASSWORD} {PASSWORD}\r\n\r\n"),
        format!(
            "GET /{PASSWORD}?{PASSWORD} HTTP/1.1\r\nx-request-id: {PASSWORD} not an id\r\n{authorized}\r\n"
        ),
        format!("GET /health HTTP/1.1\r\n{PASSWORD}\r\n\r\n"),
        format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", PASSWORD.repeat(1000)),
        post_with("/hash", &format!("Authorization: Bearer {PASSWORD}\r\n"), PASSWORD),
        post_with("/hash", &format!("{authorized}Saltern-Deadline-Ms: {PASSWORD}\r\n"), "{}"),
        post_with(
            "/hash",
            &format!("{authorized}Saltern-Deadline-Ms: 1\r\n"),
            &json!({"password": PASSWORD, "policy": "bcrypt-12"}).to_string(),
        ),
        format!(
            "POST /hash HTTP/1.1\r\n{authorized}Content-Type: {PASSWORD}\r\nContent-Length: 2\r\n\r\n{{}}"
        ),
        format!(
            "POST /hash HTTP/1.1\r\n{authorized}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{PASSWORD}"
        ),
        format!("GET /{PASSWORD}"),
    ] {
        refusals.push(ask(server.address(), raw));
    }
    let gone = Client::connect(server.address());
    drop(gone);

    for response in &refusals {
        for secret in [PASSWORD, HASH, TOKEN] {
            assert!(!response.body.contains(secret) && !response.head.contains(secret), "{response:?}");
        }
    }
    let last = "GET /health HTTP/1.1\r\nHost: localhost\r\nx-request-id: the-last\r\n\r\n";
    assert_eq!(ask(server.address(), last).status, 200);
    super::server::until(|| server.output().contains("the-last").then_some(())).unwrap();
    let output = server.output();
    for secret in [PASSWORD, HASH, TOKEN, &stored, &stored[29..], "DEBUG", "TRACE"] {
        assert!(!output.contains(secret), "the output contains {secret:?}");
    }
}

const PASSWORD: &str = "mArKeD-pAsSwOrD-7f3a";
const HASH: &str = "mArKeD-hAsH-91bc";
const TOKEN: &str = "mArKeD-tOkEn-0123456789abcdef0123456789abcdef";
