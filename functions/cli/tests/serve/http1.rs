use std::{net::Shutdown, thread, time::Duration};

use serde_json::json;

use super::{
    client::{Client, ask, get, hash, post, verify},
    server::Server,
};

#[test]
fn the_server_hashes_and_verifies() {
    let server = Server::start(&[]);
    let stored = hash(server.address(), "correct horse", "bcrypt-4");
    let mut client = Client::connect(server.address());
    assert_eq!(client.ask(verify("correct horse", &stored)).json()["match"], true);
    let mismatch = client.ask(verify("battery staple", &stored));
    assert_eq!((mismatch.status, &mismatch.json()["match"]), (200, &json!(false)));
    assert!(mismatch.header("server-timing").is_some_and(|timing| timing.contains("hash;dur=")));
    assert_eq!(client.ask(get("/health")).json()["status"], "ok");
    assert!(client.ask(get("/metrics")).body.contains("saltern_"));
}

#[test]
fn a_request_may_arrive_in_any_segments() {
    let server = Server::start(&[]);
    let stored = hash(server.address(), "p", "bcrypt-4");
    let request = verify("p", &stored);
    for size in [1, 7, 64] {
        let mut client = Client::connect(server.address());
        for segment in request.as_bytes().chunks(size) {
            client.send(segment);
            thread::sleep(Duration::from_micros(200));
        }
        assert_eq!(client.receive().json()["match"], true, "in segments of {size}");
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = Server::start(&[]);
    let slow = hash(server.address(), "p", "bcrypt-8");
    let quick = hash(server.address(), "p", "bcrypt-4");
    let mut client = Client::connect(server.address());
    client.send([verify("p", &slow), get("/health"), verify("not p", &quick), get("/nowhere")].concat());
    assert_eq!(client.receive().json()["match"], true);
    assert_eq!(client.receive().json()["status"], "ok");
    assert_eq!(client.receive().json()["match"], false);
    client.receive().assert_problem(404, "not_found");
}

#[test]
fn a_half_closed_connection_counts_as_gone() {
    let server = Server::start(&[]);
    let stored = hash(server.address(), "p", "bcrypt-12");
    let mut client = Client::connect(server.address());
    client.send(verify("p", &stored));
    client.stream().shutdown(Shutdown::Write).unwrap();
    assert!(client.is_closed_silently());
}

#[test]
fn head_is_get_without_its_body() {
    let server = Server::start(&[]);
    let mut client = Client::connect(server.address());
    for (path, status) in [("/health", 200), ("/policies", 200), ("/openapi.json", 200), ("/hash", 405)] {
        let whole = client.ask(get(path));
        let head = client.ask_head(path);
        assert_eq!((whole.status, head.status), (status, status));
        for name in ["content-type", "content-length", "allow"] {
            assert_eq!(head.header(name), whole.header(name), "{path}");
        }
    }
    assert_eq!(client.ask(get("/health")).status, 200, "the connection goes on");
}

#[test]
fn the_last_response_says_that_the_connection_closes() {
    let server = Server::start(&[]);
    let too_large = |method: &str| {
        format!("{method} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\n{{")
    };
    for unread in ["POST /hash", "GET /health"] {
        let mut client = Client::connect(server.address());
        let response = client.ask(too_large(unread));
        response.assert_problem(413, "body_too_large");
        assert_eq!(response.header("connection"), Some("close"));
        assert!(client.is_closed_silently());
    }
    let mut client = Client::connect(server.address());
    let refused = client.ask("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n");
    assert_eq!((refused.status, refused.header("connection")), (400, None));
    // The server reads and discards a body that the route ignores.
    let kept = client.ask("GET /health HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345");
    assert_eq!((kept.status, kept.header("connection")), (200, None));
    assert_eq!(client.ask(get("/health")).status, 200, "the connection goes on");
}

#[test]
fn malformed_http_gets_a_problem_document() {
    let server = Server::start(&[]);
    for malformed in [
        "\r\n\r\nhello there\r\n\r\n",
        "GET\r\n\r\n",
        "GET /health HTTP/3.7\r\n\r\n",
        "GET /health HTTP/1.1\r\nno colon here\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nBad\x01Name: x\r\n\r\n",
        "POST /hash HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        "POST /hash HTTP/1.1\r\nContent-Length: minus one\r\n\r\n",
        "POST /hash HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\x0c\x03\x03\r\n\r\n",
    ] {
        let mut client = Client::connect(server.address());
        let response = client.ask(malformed);
        response.assert_problem(400, "invalid_request");
        assert_eq!(response.header("connection"), Some("close"), "{malformed:?}");
        assert!(client.is_closed_silently());
    }
}

#[test]
fn an_ambiguous_request_is_refused() {
    let server = Server::start(&[]);
    for ambiguous in [
        "POST /hash HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST /hash HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "POST /hash HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    ] {
        ask(server.address(), ambiguous).assert_problem(400, "invalid_request");
    }
}

#[test]
fn malformed_http_after_responses_gets_a_problem_document() {
    let server = Server::start(&[]);
    let mut client = Client::connect(server.address());
    client.send([get("/health"), get("/health"), "BROKEN\x00\r\n\r\n".to_owned()].concat());
    assert_eq!(client.receive().status, 200);
    assert_eq!(client.receive().status, 200);
    client.receive().assert_problem(400, "invalid_request");
    assert!(client.is_closed_silently());
}

#[test]
fn wrong_chunks_get_a_problem_document() {
    let server = Server::start(&[]);
    let head = "POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunked = ask(
        server.address(),
        format!("{head}5\r\n{{\"pas\r\nE\r\nsword\": \"long\"\r\n1\r\n}}\r\n0\r\n\r\n"),
    );
    assert_eq!(chunked.status, 200, "{chunked:?}");
    ask(server.address(), format!("{head}not a length\r\n")).assert_problem(400, "invalid_request");
}

#[test]
fn the_connection_ends_after_http_1_0_connection_close_and_two_lengths() {
    let server = Server::start(&[]);
    for request in [
        "GET /health HTTP/1.0\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        // RFC 9112 §6.1: a proxy may have taken the other length.
        "GET /health HTTP/1.1\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /health HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n",
    ] {
        let mut client = Client::connect(server.address());
        assert_eq!(client.ask(request).status, 200);
        assert!(client.is_closed_silently());
    }
}

#[test]
fn each_request_leaves_one_line() {
    let server = Server::start(&[]);
    let with_id = "GET /health HTTP/1.1\r\nHost: localhost\r\nx-request-id: the-one-1\r\n\r\n";
    let response = ask(server.address(), with_id);
    assert_eq!(response.header("x-request-id"), Some("the-one-1"));
    ask(server.address(), post("/hash", &json!({"password": "p"})));
    let lines = super::server::until(|| {
        let output = server.output();
        let lines: Vec<String> =
            output.lines().filter(|line| line.contains("request_id")).map(str::to_owned).collect();
        (lines.len() >= 2).then_some(lines)
    })
    .unwrap();
    assert_eq!(lines.len(), 2, "{lines:?}");
    // The queue with the lines of /health is written last.
    let has = |texts: [&str; 2]| lines.iter().any(|line| texts.iter().all(|text| line.contains(text)));
    assert!(has(["the-one-1", "health"]) && has(["hashed", "bcrypt-4"]), "{lines:?}");
}
