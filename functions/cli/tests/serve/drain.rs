use std::{
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    client::{Client, ask, get, hash, verify},
    http2::Http2,
    server::{Server, until},
};

#[test]
fn accepted_requests_are_answered() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&[]);
        let mut last = Client::begin_request(server.address());
        let slow = hash(server.address(), "p", "bcrypt-12");
        let mut idle = Client::connect(server.address());
        assert_eq!(idle.ask(get("/health")).status, 200);
        let mut silent = Client::connect(server.address());
        let mut http2 = Http2::connect(server.address());
        http2.send("/verify", &json!({"password": "p", "hash": slow}).to_string(), 2);
        http2.wait_until_read();
        let mut clients: Vec<Client> = (0..2).map(|_| Client::connect(server.address())).collect();
        for client in &mut clients {
            client.send(verify("p", &slow));
        }
        server.signal(signal);
        for client in &mut clients {
            let response = client.receive();
            assert_eq!((response.status, &response.json()["match"]), (200, &json!(true)));
            assert!(client.is_closed_silently());
        }
        assert!(http2.receive().iter().all(|(status, body)| *status == 200 && body["match"] == true));
        assert!(idle.is_closed_silently());
        assert!(silent.is_closed_silently());
        let is_refused = || TcpStream::connect(server.address()).is_err().then_some(());
        until(is_refused).expect("new connections are not taken");
        last.send("}");
        last.receive().assert_problem(400, "invalid_request");
        assert_eq!(server.end().code(), Some(0), "{}", server.output());
    }
}

#[test]
fn an_answer_that_is_longer_than_the_window_of_its_caller_is_sent_whole() {
    let mut server = Server::start(&[]);
    let mut http2 = Http2::connect(server.address());
    let (status, document) = http2.get_after("/openapi.json", || {
        server.signal("TERM");
        // A connection without requests and answers stays for a second.
        thread::sleep(Duration::from_secs(2));
    });
    assert!(status == 200 && document["paths"].is_object());
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
}

#[test]
fn a_request_that_was_sent_just_before_is_answered() {
    let mut server = Server::start(&[]);
    let mut kept: Vec<Client> = (0..20).map(|_| Client::connect(server.address())).collect();
    for client in &mut kept {
        assert_eq!(client.ask(get("/policies")).status, 200);
    }
    let mut fresh: Vec<Client> = (0..20).map(|_| Client::connect(server.address())).collect();
    for client in kept.iter_mut().chain(&mut fresh) {
        client.send(get("/policies"));
    }
    server.signal("TERM");
    for client in kept.iter_mut().chain(&mut fresh) {
        assert_eq!(client.receive().status, 200);
    }
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn connections_in_the_backlog_are_answered() {
    let mut server = Server::start(&[]);
    server.signal("STOP");
    let mut waiting: Vec<Client> = (0..IN_THE_BACKLOG).map(|_| Client::connect(server.address())).collect();
    for client in &mut waiting {
        client.send(get("/policies"));
    }
    server.signal("TERM");
    server.signal("CONT");
    let answered = waiting.iter_mut().filter_map(|client| client.try_receive().ok());
    assert_eq!(answered.filter(|response| response.status == 200).count(), IN_THE_BACKLOG);
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
}

/// A balancer asks on new connections, and callers keep theirs.
#[test]
fn during_the_notice_health_is_503_and_requests_are_answered() {
    let server = Server::start(&["--drain-notice-seconds", "600"]);
    let mut kept = Client::connect(server.address());
    assert_eq!(kept.ask(get("/health")).status, 200);
    server.signal("TERM");
    server.line("shutdown has begun");
    for _ in 0..2 {
        let response = ask(server.address(), get("/health"));
        response.assert_problem(503, "draining");
        assert_eq!(response.header("retry-after"), Some("1"));
        kept.ask(get("/health")).assert_problem(503, "draining");
        assert_eq!(ask(server.address(), get("/policies")).status, 200);
        hash(server.address(), "p", "bcrypt-4");
    }
}

#[test]
fn the_server_ends_after_the_notice() {
    let mut server = Server::start(&["--drain-notice-seconds", "2"]);
    let asked = Instant::now();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
    assert!(asked.elapsed() >= Duration::from_secs(2), "{:?}", asked.elapsed());
}

#[test]
fn a_second_signal_ends_the_notice_too() {
    let mut server = Server::start(&["--drain-notice-seconds", "600"]);
    server.signal("TERM");
    server.line("shutdown has begun");
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(71));
}

#[test]
fn the_shutdown_takes_a_bounded_time() {
    let mut server = Server::start(&["--drain-seconds", "1"]);
    let _never_complete = Client::begin_request(server.address());
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(71));
    // Another thread reads the output.
    until(|| server.output().contains("--drain-seconds").then_some(())).expect("an error message");
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let mut server = Server::start(&["--drain-seconds", "600"]);
    let _never_complete = Client::begin_request(server.address());
    server.signal("TERM");
    server.line("shutdown has begun");
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(71));
}

/// More than a task of the runtime accepts in one turn (128) and less than the backlog (1,024).
const IN_THE_BACKLOG: usize = 300;
