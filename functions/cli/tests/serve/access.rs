use std::fs;

use serde_json::json;

use crate::{
    client::{ask, get, post_with},
    server::{Server, file, until},
};

#[test]
fn every_path_except_health_requires_a_token() {
    let tokens = file("tokens", &format!("# the old and the new one\n{OLD}\n{NEW}\n"));
    let server = Server::start(&["--tokens-file", tokens.to_str().unwrap()]);
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    for token in [OLD, NEW] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            assert_eq!(hash_with(&server, &format!("Authorization: {scheme} {token}\r\n")), 200);
        }
    }
    for wrong in [
        String::new(),
        "Authorization: Bearer\r\n".to_owned(),
        format!("Authorization: Bearer {}\r\n", &OLD[..31]),
        format!("Authorization: Bearer {OLD}x\r\n"),
        format!("Authorization: Basic {OLD}\r\n"),
        format!("Authorization: Bearer {OLD}\r\nAuthorization: Bearer {OLD}\r\n"),
        format!("X-Token: {OLD}\r\n"),
    ] {
        for path in ["/hash", "/verify", "/batch", "/nowhere"] {
            let response = ask(server.address(), post_with(path, &wrong, r#"{"password":"p"}"#));
            response.assert_problem(401, "unauthorized");
            assert_eq!(response.header("www-authenticate"), Some("Bearer"));
        }
    }
    for path in ["/policies", "/metrics", "/openapi.json", "/health/", "/Health"] {
        ask(server.address(), get(path)).assert_problem(401, "unauthorized");
    }
    for token in [OLD, NEW] {
        assert!(!server.output().contains(token));
    }
}

#[test]
fn tokens_come_from_the_environment_too() {
    let server = Server::start_with(&[], &[("SALTERN_TOKENS", &format!("{OLD},{NEW}"))]);
    assert_eq!(hash_with(&server, &format!("Authorization: Bearer {NEW}\r\n")), 200);
    assert_eq!(hash_with(&server, ""), 401);
}

#[test]
fn a_token_is_rotated_without_a_restart() {
    let tokens = file("rotated", OLD);
    let server = Server::start(&["--tokens-file", tokens.to_str().unwrap()]);
    let (old, new) = (format!("Authorization: Bearer {OLD}\r\n"), format!("Authorization: Bearer {NEW}\r\n"));
    assert_eq!((hash_with(&server, &old), hash_with(&server, &new)), (200, 401));
    fs::write(&tokens, NEW).unwrap();
    server.signal("HUP");
    until(|| (hash_with(&server, &new) == 200).then_some(())).expect("the new token is read");
    assert_eq!(hash_with(&server, &old), 401);
    let told =
        server.line("tokens and certificate were read again; the policy document is read only at the start");
    assert_eq!((&told["tokens"], &told["certificate"]), (&json!(true), &json!(false)));
    // An invalid file changes nothing.
    fs::write(&tokens, "short").unwrap();
    server.signal("HUP");
    server.line("the old tokens and the old certificate stay in use");
    assert_eq!(hash_with(&server, &new), 200);
}

fn hash_with(server: &Server, headers: &str) -> u16 {
    ask(server.address(), post_with("/hash", headers, &json!({"password": "p"}).to_string())).status
}

const OLD: &str = "0123456789abcdef0123456789abcdef";
const NEW: &str = "Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldA==";
