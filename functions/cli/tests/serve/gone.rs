//! A client that hangs up wastes no hashing: seen in the processor time of the server.

use std::{net::SocketAddr, thread, time::Duration};

use serde_json::json;

use crate::{
    client::{Client, ask, get, hash, post, verify},
    http2::Http2,
    server::{Server, until},
};

#[test]
fn a_hundred_connections() {
    assert_wastes_little(|address, request| {
        let mut clients: Vec<Client> = (0..QUEUED).map(|_| Client::connect(address)).collect();
        for client in &mut clients {
            client.send(request.http1());
        }
        thread::sleep(TO_BE_READ);
    });
}

#[test]
fn a_hundred_pipelined_requests() {
    assert_wastes_little(|address, request| {
        let mut client = Client::connect(address);
        // They are answered one after another. The first takes so long that the client leaves in the midst of it: one
        // that leaves just when an answer is written is noticed by the write, and nobody counts what had not begun.
        client.send(verify("p", LONG) + &request.http1().repeat(QUEUED - 1));
        thread::sleep(TO_BE_READ);
    });
}

#[test]
fn a_hundred_streams_that_are_reset() {
    assert_wastes_little(|address, request| {
        let mut client = Http2::connect(address);
        client.send_and_reset("/verify", &request.body(), QUEUED, TO_BE_READ);
        // The connection stays: it is the streams that are gone.
        assert_eq!(client.ask("GET", "/health", "").0, 200);
    });
}

#[test]
fn a_hundred_streams_of_a_connection_that_ends() {
    assert_wastes_little(|address, request| {
        let mut client = Http2::connect(address);
        client.send("/verify", &request.body(), QUEUED);
        thread::sleep(TO_BE_READ);
    });
}

#[test]
fn a_caller_that_leaves_during_its_upload_is_gone() {
    let server = Server::start(&[]);
    let head = "POST /verify HTTP/1.1\r\nContent-Type: application/json\r\n";
    for begun in ["Content-Length: 100\r\n\r\n{\"pass", "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"p"] {
        let mut client = Client::connect(server.address());
        client.send(format!("{head}{begun}"));
        thread::sleep(TO_BE_READ);
    }
    let mut connection = Http2::connect(server.address());
    connection.begin_body_and_reset("/verify", br#"{"password":"p"}"#, TO_BE_READ);
    let mut ending = Http2::connect(server.address());
    ending.begin_body_and_end("/verify", b"{\"pass", TO_BE_READ);
    assert_eq!(connection.ask("GET", "/health", "").0, 200);
    let counted = || {
        let metrics = ask(server.address(), get("/metrics")).body;
        let gone = metrics.lines().find_map(|line| line.strip_prefix(GONE)).expect("a counter");
        gone.trim().parse::<usize>().unwrap()
    };
    until(|| (counted() == 4).then_some(())).unwrap_or_else(|| panic!("{} of 4", counted()));
    let refused = ask(server.address(), get("/metrics")).body;
    assert!(refused.contains("saltern_refusals_total{code=\"invalid_request\"} 0"), "{refused}");
    assert!(refused.contains("saltern_refusals_total{code=\"invalid_json\"} 0"), "{refused}");
}

/// The function sends a hundred requests and leaves. It costs less than half of what answering them does: those that
/// had started before it left are computed.
#[track_caller]
fn assert_wastes_little(send_and_leave: impl Fn(SocketAddr, &Request)) {
    let server = Server::start(&[]);
    let request = Request { stored: hash(server.address(), "p", "bcrypt-10") };
    let before = server.cpu();
    let mut clients: Vec<Client> = (0..QUEUED).map(|_| Client::connect(server.address())).collect();
    for client in &mut clients {
        client.send(request.http1());
    }
    let answered = clients.iter_mut().filter_map(|client| client.try_receive().ok()).count();
    assert_eq!(answered, QUEUED);
    let all = server.cpu().saturating_sub(before);
    assert!(all > Duration::from_millis(300), "{all:?} is too little to compare with");

    let before = server.cpu();
    send_and_leave(server.address(), &request);
    // Waits behind whatever is still queued. On a busy machine the server is told late that they have gone.
    let answered = || ask(server.address(), post("/hash", &json!({"password": "p"}))).status == 200;
    until(|| answered().then_some(())).expect("there is room again");
    thread::sleep(TO_BE_READ);
    let wasted = server.cpu().saturating_sub(before);
    assert!(wasted < all / 2, "{wasted:?} of {all:?}");
    let lines_and_counted = || {
        let metrics = ask(server.address(), get("/metrics")).body;
        let counted = metrics.lines().find_map(|line| line.strip_prefix(GONE)).expect("a counter");
        (server.output().matches(r#""outcome":"gone""#).count(), counted.trim().parse::<usize>().unwrap())
    };
    // The output is read beside the test.
    let agree = until(|| Some(lines_and_counted()).filter(|(lines, counted)| *lines > 0 && lines == counted));
    assert!(agree.is_some(), "lines of who has gone, and how many were counted: {:?}", lines_and_counted());
}

struct Request {
    stored: String,
}

impl Request {
    fn http1(&self) -> String {
        verify("p", &self.stored)
    }

    fn body(&self) -> String {
        json!({"password": "p", "hash": self.stored}).to_string()
    }
}

const QUEUED: usize = 100;

/// Of another password, and of four times [`TO_BE_READ`] or more.
const LONG: &str = "$2b$13$abcdefghijklmnopqrstuuVH.0Q2TMWmt3Oqt9ukuNr2pVKq4Noyi";

const GONE: &str = r#"saltern_requests_total{operation="verify",outcome="gone"}"#;

/// For the server to read a hundred requests: less than the time to compute a few of them.
const TO_BE_READ: Duration = Duration::from_millis(100);
