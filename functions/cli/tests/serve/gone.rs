//! A client that disconnects causes little hashing: the tests compare processor times of the
//! server.

use std::{net::SocketAddr, thread, time::Duration};

use serde_json::json;

use super::{
    client::{Client, ask, get, hash, post, verify},
    http2::Http2,
    server::{Server, until},
};

#[test]
fn a_hundred_closed_connections_cost_little() {
    assert_wastes_little(|address, request| {
        let mut clients: Vec<Client> = (0..QUEUED).map(|_| Client::connect(address)).collect();
        for client in &mut clients {
            client.send(request.http1());
        }
        thread::sleep(TO_BE_READ);
        true
    });
}

#[test]
fn a_hundred_pipelined_requests_of_a_closed_connection_cost_little() {
    assert_wastes_little(|address, request| {
        let mut client = Client::connect(address);
        // The server answers them one after another. The first hash takes so long that the client
        // leaves during it. If a client leaves during the write of a response, the write notices it
        // and the server does not count the remaining requests.
        client.send(verify("p", LONG) + &request.http1().repeat(QUEUED - 1));
        thread::sleep(TO_BE_READ);
        !client.has_answer()
    });
}

#[test]
fn a_hundred_reset_streams_cost_little() {
    assert_wastes_little(|address, request| {
        let mut client = Http2::connect(address);
        client.send_and_reset("/verify", &request.body(), QUEUED);
        // The connection stays open; only the streams are gone.
        assert_eq!(client.ask("GET", "/health", "").0, 200);
        true
    });
}

#[test]
fn a_hundred_streams_of_a_closed_connection_cost_little() {
    assert_wastes_little(|address, request| {
        let mut client = Http2::connect(address);
        client.send("/verify", &request.body(), QUEUED);
        client.wait_until_read();
        true
    });
}

#[test]
fn a_caller_that_leaves_during_its_upload_counts_as_gone() {
    let server = Server::start(&[]);
    let head = "POST /verify HTTP/1.1\r\nContent-Type: application/json\r\n";
    for begun in ["Content-Length: 100\r\n\r\n{\"pass", "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"p"] {
        let mut client = Client::connect(server.address());
        client.send(format!("{head}{begun}"));
        thread::sleep(TO_BE_READ);
    }
    let mut connection = Http2::connect(server.address());
    connection.begin_body_and_reset("/verify", br#"{"password":"p"}"#);
    let mut ending = Http2::connect(server.address());
    ending.begin_body_and_end("/verify", b"{\"pass");
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

/// Asserts that a hundred requests of a client that leaves cost less than half of the answered
/// ones. Hashes that started before the client left are computed. The client returns whether it
/// left in time: on a busy machine it may be late, and does it again.
#[track_caller]
fn assert_wastes_little(send_and_leave: impl Fn(SocketAddr, &Request) -> bool) {
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

    let before = until(|| Some(server.cpu()).filter(|_| send_and_leave(server.address(), &request)));
    let before = before.expect("the client leaves in time");
    // This request waits behind the queue. On a busy machine the server notices late that the
    // clients have gone.
    let answered = || ask(server.address(), post("/hash", &json!({"password": "p"}))).status == 200;
    until(|| answered().then_some(())).expect("the queue has room again");
    thread::sleep(TO_BE_READ);
    let wasted = server.cpu().saturating_sub(before);
    assert!(wasted < all / 2, "{wasted:?} of {all:?}");
    let lines_and_counted = || {
        let metrics = ask(server.address(), get("/metrics")).body;
        let counted = metrics.lines().find_map(|line| line.strip_prefix(GONE)).expect("a counter");
        (server.output().matches(r#""outcome":"gone""#).count(), counted.trim().parse::<usize>().unwrap())
    };
    // Another thread reads the output.
    let agree = until(|| Some(lines_and_counted()).filter(|(lines, counted)| *lines > 0 && lines == counted));
    assert!(agree.is_some(), "lines with the outcome `gone`, and their count: {:?}", lines_and_counted());
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

/// A hash of another password that takes at least four times [`TO_BE_READ`].
const LONG: &str = "$2b$13$abcdefghijklmnopqrstuuVH.0Q2TMWmt3Oqt9ukuNr2pVKq4Noyi";

const GONE: &str = r#"saltern_requests_total{operation="verify",outcome="gone"}"#;

/// Time for the server to read a hundred requests: less than the time to compute a few of them.
const TO_BE_READ: Duration = Duration::from_millis(100);
