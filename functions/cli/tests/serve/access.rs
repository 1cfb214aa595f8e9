use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    client::{Client, ask, get, post_with},
    server::{Server, until},
};

#[test]
fn every_path_except_health_requires_a_token() {
    let server = Server::with_tokens(
        &format!("# the old and the new one\n{}\n{}\n", line("old", OLD), line("new", NEW)),
        &[],
    );
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
fn a_token_allows_its_scopes_only() {
    let lines = [("hash", OLD), ("verify", NEW), ("metrics", OTHER)]
        .map(|(scope, token)| format!("only-{scope} {scope} never {token}"));
    let server = Server::with_tokens(&lines.join("\n"), &[]);
    let verify = json!({"password": "p", "hash": null, "rehash": true});
    for (token, hash, verified, metrics) in
        [(OLD, 200, 403, 403), (NEW, 403, 200, 403), (OTHER, 403, 403, 200)]
    {
        let with = format!("Authorization: Bearer {token}\r\n");
        assert_eq!(hash_with(&server, &with), hash);
        assert_eq!(ask(server.address(), post_with("/verify", &with, &verify.to_string())).status, verified);
        assert_eq!(ask(server.address(), get_with("/metrics", &with)).status, metrics);
        for any in ["/policies", "/openapi.json", "/health"] {
            assert_eq!(ask(server.address(), get_with(any, &with)).status, 200, "{any}");
        }
    }
    let wrong = post_with("/hash", &format!("Authorization: Bearer {OTHER}\r\n"), "not JSON");
    ask(server.address(), wrong).assert_problem(403, "forbidden");
    // A batch needs one of the two scopes. The token is judged before the body, which never comes.
    let mut client = Client::connect(server.address());
    let head = "Content-Type: application/json\r\nContent-Length: 100\r\n";
    client.send(format!("POST /batch HTTP/1.1\r\n{head}Authorization: Bearer {OTHER}\r\n\r\n"));
    client.receive().assert_problem(403, "forbidden");
}

#[test]
fn without_tokens_a_web_page_and_a_foreign_host_name_get_no_answer() {
    let foreign = ["Host: evil.example\r\n", "Host: localhost\r\nOrigin: null\r\n"];
    let open = Server::start(&[]);
    for headers in foreign {
        for request in [
            format!("GET /health HTTP/1.1\r\n{headers}\r\n"),
            format!("POST /hash HTTP/1.1\r\n{headers}Content-Length: 16\r\n\r\n"),
        ] {
            let refused = ask(open.address(), request);
            refused.assert_problem(403, "forbidden");
            assert!(refused.json()["detail"].as_str().unwrap().contains("give it tokens"));
        }
    }
    assert_eq!(ask(open.address(), get("/health")).status, 200);
    // A token is no page's, and `--insecure` trusts everybody.
    let with_tokens = Server::with_tokens(&line("shop", OLD), &[]);
    for server in [with_tokens, Server::start(&["--insecure"])] {
        for headers in foreign {
            let ask_policies =
                format!("GET /policies HTTP/1.1\r\n{headers}Authorization: Bearer {OLD}\r\n\r\n");
            assert_eq!(ask(server.address(), ask_policies).status, 200);
        }
    }
}

#[test]
fn an_expired_token_is_refused_and_named() {
    let server = Server::with_tokens(&format!("past hash 2026-01-31 {OLD}\n{}", line("present", NEW)), &[]);
    let told = server.line("the token has expired: remove its line, or give it a later expiry");
    assert_eq!((&told["level"], &told["caller"]), (&json!("WARN"), &json!("past")));
    let refused = ask(server.address(), get_with("/policies", &format!("Authorization: Bearer {OLD}\r\n")));
    refused.assert_problem(401, "unauthorized");
    assert!(refused.json()["detail"].as_str().unwrap().contains("expired"));
    let line = until(|| of_request(&server, "unauthorized")).unwrap();
    assert_eq!(line["caller"], "past");
}

#[test]
fn each_line_of_a_request_names_its_caller_and_its_peer() {
    let server = Server::with_tokens(&line("shop-1", OLD), &[]);
    let mut client = Client::connect(server.address());
    let peer = client.stream().local_addr().unwrap().to_string();
    client.ask(post_with("/hash", &format!("Authorization: Bearer {OLD}\r\n"), r#"{"password":"p"}"#));
    let line = until(|| of_request(&server, "hashed")).unwrap();
    assert_eq!((&line["caller"], &line["peer"]), (&json!("shop-1"), &json!(peer)));
    client.ask(get("/policies"));
    let line = until(|| of_request(&server, "unauthorized")).unwrap();
    assert_eq!((&line["caller"], &line["peer"]), (&Value::Null, &json!(peer)));
    client.send("neither a request nor TLS\r\n\r\n");
    client.receive().assert_problem(400, "invalid_request");
    let line = until(|| of_request(&server, "invalid_request")).unwrap();
    assert_eq!((&line["caller"], &line["peer"]), (&Value::Null, &json!(peer)));
}

#[test]
fn a_caller_with_much_work_does_not_starve_another() {
    let server = Server::with_tokens(&format!("{}\n{}", line("busy", OLD), line("other", NEW)), &[]);
    let operation = json!({"op": "hash", "password": "p", "policy": "bcrypt-10"});
    let batch = json!({"operations": vec![operation; 64]}).to_string();
    let one = json!({"password": "p", "policy": "bcrypt-10"}).to_string();
    let with = |token: &str| format!("Authorization: Bearer {token}\r\nSaltern-Deadline-Ms: 60000\r\n");
    let mut busy = Client::connect(server.address());
    // In the order of arrival the other caller would wait for the whole batch. On a busy machine it
    // may come too late.
    let mut overtakes = || {
        let start = Instant::now();
        busy.send(post_with("/batch", &with(OLD), &batch));
        thread::sleep(Duration::from_millis(30));
        assert_eq!(ask(server.address(), post_with("/hash", &with(NEW), &one)).status, 200);
        let other = start.elapsed();
        let results = busy.receive().json();
        let whole = start.elapsed();
        let results = results["results"].as_array().unwrap();
        let done = results.iter().filter(|result| result["status"] == 200).count();
        assert!(done > 8, "{done} of the batch: too few to make others wait");
        println!("the other caller was answered after {other:?}, and the batch after {whole:?}");
        other < whole / 4 * 3
    };
    assert!((0..5).any(|_| overtakes()));
}

#[test]
fn tokens_come_from_the_environment_too() {
    let lines = format!("{};{}", line("old", OLD), line("new", NEW));
    let server = Server::start_with(&[], &[("SALTERN_TOKENS", &lines)]);
    assert_eq!(hash_with(&server, &format!("Authorization: Bearer {NEW}\r\n")), 200);
    assert_eq!(hash_with(&server, ""), 401);
    let told =
        until(|| server.output().lines().find(|line| line.contains("stays readable")).map(str::to_owned));
    assert!(told.is_some_and(|line| line.contains("--tokens-file")), "{}", server.output());
}

fn hash_with(server: &Server, headers: &str) -> u16 {
    ask(server.address(), post_with("/hash", headers, &json!({"password": "p"}).to_string())).status
}

fn get_with(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

/// A line of the tokens file with all scopes.
fn line(name: &str, token: &str) -> String {
    format!("{name} hash,verify,metrics never {token}")
}

/// The first line of a request with this outcome.
fn of_request(server: &Server, outcome: &str) -> Option<Value> {
    server.lines().into_iter().find(|line| line["outcome"] == outcome)
}

const OLD: &str = "0123456789abcdef0123456789abcdef";
const NEW: &str = "Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldA==";
const OTHER: &str = "fedcba9876543210fedcba9876543210";
