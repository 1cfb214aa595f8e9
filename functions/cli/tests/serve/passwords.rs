//! Passwords at the limits, and hostile stored hashes.

use std::time::Duration;

use serde_json::json;

use super::{
    client::{Client, Response, hash, post, post_with, verify},
    seals::private,
    server::{Server, file},
};

#[test]
fn passwords_with_any_characters_get_their_response() {
    let server = Server::start(&[]);
    let mut client = Client::connect(server.address());
    client.ask(post("/hash", &json!({"password": "a\0b"}))).assert_problem(422, "password_has_nul");
    assert_round_trip(&mut client, "a\0b", "argon2id-small");
    assert_round_trip(&mut client, "🧂👩‍🌾 ja suola", "bcrypt-4");
    let escaped = client.ask(post_with("/hash", "", r#"{"password":"\ud83e\uddc2"}"#));
    assert_eq!(client.ask(verify("🧂", escaped.json()["hash"].as_str().unwrap())).json()["match"], true);
    for unpaired in [r"\ud83e", r"\uddc2", r"\uddc2\ud83e", r"\ud83e\u0041"] {
        let body = format!(r#"{{"password":"{unpaired}"}}"#);
        client.ask(post_with("/hash", "", &body)).assert_problem(400, "invalid_json");
    }
    let mut not_utf8 =
        b"POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n".to_vec();
    not_utf8.extend_from_slice(b"{\"password\":\"\xff\"}");
    client.ask(not_utf8).assert_problem(400, "invalid_json");
}

#[test]
fn allowed_hashes_of_other_software_are_verified() {
    let project = file("firebase-project", FIREBASE_PROJECT);
    private(&project);
    let allowing = ["--accept-weak", "ldap-sha", "--firebase-project", project.to_str().unwrap()];
    let server = Server::start(&allowing);
    let strict = Server::start(&[]);
    for (password, stored) in [("saltern", SHA_OF_SALTERN), ("user1password", FIREBASE)] {
        let mut client = Client::connect(server.address());
        assert_eq!(client.ask(verify(password, stored)).json()["match"], true, "{stored}");
        assert_eq!(client.ask(verify("another", stored)).json()["match"], false, "{stored}");
        let refused = Client::connect(strict.address()).ask(verify(password, stored));
        refused.assert_problem(422, "unsupported_hash");
    }
    assert!(!server.output().contains("jxspr8Ki0RYycVU8"), "the signer key is in the log");
}

#[test]
fn hostile_hashes_are_refused_at_once() {
    let server = Server::start(&[]);
    let mut client = Client::connect(server.address());
    let salt = "c29tZXNhbHRzb21lc2FsdA";
    let output = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI";
    for (stored, code) in [
        (format!("$argon2id$v=19$m=4194304,t=1,p=1${salt}${output}"), "cost_out_of_bounds"),
        (format!("$argon2id$v=19$m=8192,t=1000000,p=1${salt}${output}"), "cost_out_of_bounds"),
        (format!("$2b$31${}", "a".repeat(52) + "u"), "cost_out_of_bounds"),
        (format!("$scrypt$ln=31,r=8,p=1${salt}${output}"), "cost_out_of_bounds"),
        (format!("$argon2id$v=19$m=99999999999999999999,t=1,p=1${salt}${output}"), "invalid_hash"),
        (format!("$argon2id$v=19$m=+1024,t=1,p=1${salt}${output}"), "invalid_hash"),
        (format!("$argon2id$v=19$m=01024,t=1,p=1${salt}${output}"), "invalid_hash"),
        ("$".to_owned(), ""),
        ("$2".to_owned(), ""),
        (String::new(), ""),
    ] {
        let before = server.cpu();
        let response = client.ask(verify("p", &stored));
        let computed = server.cpu().saturating_sub(before);
        assert!(computed < Duration::from_secs(1), "{stored}: {computed:?}");
        assert_eq!(response.status, 422, "{stored}: {response:?}");
        assert!(code.is_empty() || response.json()["code"] == code, "{stored}: {response:?}");
    }
    let whole = hash(server.address(), "p", "bcrypt-4");
    for end in 0..whole.len() {
        assert_eq!(client.ask(verify("p", &whole[..end])).status, 422, "{end} bytes of a hash");
    }
    assert_eq!(client.ask(verify("p", &whole)).json()["match"], true);
}

#[track_caller]
fn assert_round_trip(client: &mut Client, password: &str, policy: &str) {
    let made: Response = client.ask(post("/hash", &json!({"password": password, "policy": policy})));
    assert_eq!(made.status, 200, "{made:?}");
    let made = made.json();
    let stored = made["hash"].as_str().unwrap();
    assert_eq!(client.ask(verify(password, stored)).json()["match"], true, "{} bytes", password.len());
    assert_eq!(client.ask(verify("another", stored)).json()["match"], false);
}

/// Made by `openssl dgst -sha1 -binary | base64`.
const SHA_OF_SALTERN: &str = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=";

/// The project and the user that <https://github.com/firebase/scrypt> publishes.
const FIREBASE_PROJECT: &str = "hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
";
const FIREBASE: &str = "$fbscrypt$v=1,n=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
