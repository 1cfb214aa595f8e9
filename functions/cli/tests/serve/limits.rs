use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::net::TcpSocket;

use super::{
    client::{Client, ask, batch_head, get, hash, post, post_with, verify},
    server::{PATIENCE, Server, until},
};

#[test]
fn a_head_over_its_limit_is_431() {
    let server = Server::start(&[]);
    let with_header = |bytes: usize| {
        format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "x".repeat(bytes))
    };
    assert_eq!(ask(server.address(), with_header(15 * 1024)).status, 200);
    for bytes in [16 * 1024, 20 * 1024, 40 * 1024, 200 * 1024] {
        let mut client = Client::connect(server.address());
        // The write fails if the server reads no further; the response still arrives.
        let _unread = client.stream().write_all(with_header(bytes).as_bytes());
        client.receive().assert_problem(431, "headers_too_large");
    }
}

#[test]
fn the_callers_own_id_is_also_on_what_the_door_refuses() {
    let server = Server::start(&[]);
    let own = "Saltern-Request-Id: shop-1\r\n";
    let json = "Content-Type: application/json\r\n";
    for (status, request) in [
        (200, format!("GET /health HTTP/1.1\r\nHost: localhost\r\n{own}\r\n")),
        (400, format!("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n{own}\r\n")),
        (413, format!("POST /hash HTTP/1.1\r\nHost: localhost\r\n{json}{own}Content-Length: 999999\r\n\r\n")),
        (415, format!("POST /hash HTTP/1.1\r\nHost: localhost\r\n{own}Content-Length: 2\r\n\r\n")),
    ] {
        let answer = ask(server.address(), request);
        assert_eq!((answer.status, answer.header("saltern-request-id")), (status, Some("shop-1")));
    }
}

#[test]
fn too_many_headers_and_a_too_long_path_are_431() {
    let server = Server::start(&[]);
    let many = format!("GET /health HTTP/1.1\r\n{}\r\n", "X-Many: 1\r\n".repeat(200));
    let refused = ask(server.address(), many);
    refused.assert_problem(431, "headers_too_large");
    assert!(refused.body.contains("100 headers"), "{}", refused.body);
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(17 * 1024));
    ask(server.address(), long).assert_problem(431, "headers_too_large");
}

#[test]
fn a_body_over_its_limit_is_413() {
    let server = Server::start(&[]);
    for (path, limit) in [("/hash", 16 * 1024), ("/verify", 16 * 1024), ("/batch", 1024 * 1024)] {
        let declared = format!(
            "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            limit + 1
        );
        ask(server.address(), declared).assert_problem(413, "body_too_large");
        let chunked = format!(
            "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n",
            limit + 1,
            " ".repeat(limit + 1),
        );
        let mut client = Client::connect(server.address());
        let _unread = client.stream().write_all(chunked.as_bytes());
        client.receive().assert_problem(413, "body_too_large");
        let within = ask(server.address(), post_with(path, "", &" ".repeat(limit)));
        within.assert_problem(400, "invalid_json");
    }
}

#[test]
fn a_slow_head_is_408_and_an_idle_connection_ends_silently() {
    thread::scope(|side_by_side| {
        side_by_side.spawn(a_slow_head_is_408);
        side_by_side.spawn(a_connection_without_a_byte_ends_silently);
        side_by_side.spawn(a_kept_connection_ends_silently);
    });
}

fn a_slow_head_is_408() {
    let server = Server::start(&["--header-timeout-ms", "300"]);
    let begun = ["P", "POST /hash HTTP/1.1\r\nHost:", "PRI * HTTP/2.0\r\n"].map(|begun| {
        let mut client = Client::connect(server.address());
        client.send(begun);
        client
    });
    for mut client in begun {
        client.receive().assert_problem(408, "request_timeout");
        assert!(client.is_closed_silently());
    }
    let mut late = Client::connect(server.address());
    thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    late.send("GET /hea");
    late.receive().assert_problem(408, "request_timeout");
    assert!(start.elapsed() >= Duration::from_millis(250), "after {:?}", start.elapsed());

    let mut kept = Client::connect(server.address());
    assert_eq!(kept.ask(get("/health")).status, 200);
    kept.send("GET /hea");
    kept.receive().assert_problem(408, "request_timeout");
}

fn a_connection_without_a_byte_ends_silently() {
    let server = Server::start(&["--first-byte-timeout-ms", "900"]);
    let start = Instant::now();
    assert!(Client::connect(server.address()).is_closed_silently());
    assert!(start.elapsed() >= Duration::from_millis(800), "after {:?}", start.elapsed());
}

fn a_kept_connection_ends_silently() {
    let server = Server::start(&["--header-timeout-ms", "300", "--idle-timeout-ms", "1500"]);
    let mut kept = Client::connect(server.address());
    let start = Instant::now();
    assert_eq!(kept.ask(get("/health")).status, 200);
    assert!(kept.is_closed_silently());
    assert!(start.elapsed() >= Duration::from_millis(1400), "after {:?}", start.elapsed());
}

#[test]
fn the_time_of_a_head_that_begins_during_a_response_starts_after_it() {
    thread::scope(|side_by_side| {
        side_by_side.spawn(the_time_of_a_head_starts_after_the_response_before_it);
        side_by_side.spawn(the_end_of_a_request_begins_no_head);
    });
}

fn the_time_of_a_head_starts_after_the_response_before_it() {
    let server = Server::start(&["--header-timeout-ms", "300", "--idle-timeout-ms", "60000"]);
    let stored = hash(server.address(), "p", "bcrypt-12");
    let mut client = Client::connect(server.address());
    let start = Instant::now();
    client.send(verify("p", &stored));
    // The response takes longer than this, also in a release build.
    thread::sleep(Duration::from_millis(50));
    client.send("GET /hea");
    let response = client.receive();
    assert_eq!(response.status, 200);
    client.receive().assert_problem(408, "request_timeout");
    let after_the_response = start.elapsed().saturating_sub(response.hashed());
    assert!(after_the_response >= Duration::from_millis(250), "after {after_the_response:?}");

    let body = json!({"password": "p"}).to_string();
    let chunked = format!(
        "POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    for whole in
        [get("/health"), "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".to_owned(), chunked]
    {
        let mut client = Client::connect(server.address());
        // In one segment.
        client.send(format!("{whole}{whole}GET /hea"));
        for _ in 0..2 {
            assert_eq!(client.receive().status, 200);
        }
        client.receive().assert_problem(408, "request_timeout");
    }
    // So it is behind a request that its own head refuses.
    for refused in [get("/nowhere"), get("/hash")] {
        let mut client = Client::connect(server.address());
        client.send(refused + "GET /hea");
        assert!([404, 405].contains(&client.receive().status));
        client.receive().assert_problem(408, "request_timeout");
    }
}

/// Neither do bytes of a body.
fn the_end_of_a_request_begins_no_head() {
    // This test may be late with the rest of a head.
    let server = Server::start(&["--header-timeout-ms", "3000", "--idle-timeout-ms", "4000"]);
    let body = json!({"password": "p"}).to_string();
    let mut client = Client::connect(server.address());
    client.send(format!(
        "POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    ));
    thread::sleep(Duration::from_millis(50));
    client.send(body);
    assert_eq!(client.receive().status, 200);
    let in_segments = [1, 5, 1000].map(|size| {
        let mut client = Client::connect(server.address());
        for segment in get("/health").repeat(2).as_bytes().chunks(size) {
            client.send(segment);
        }
        for _ in 0..2 {
            assert_eq!(client.receive().status, 200);
        }
        client
    });
    for mut client in in_segments.into_iter().chain([client]) {
        assert!(client.is_closed_silently());
    }
}

#[test]
fn bytes_that_trickle_in_do_not_prolong_a_head() {
    let server = Server::start(&["--header-timeout-ms", "400"]);
    let mut client = Client::connect(server.address());
    let mut writer = client.stream().try_clone().unwrap();
    // Until the server ends the connection.
    let trickle = thread::spawn(move || {
        for byte in get("/health").as_bytes().iter().cycle() {
            if writer.write_all(&[*byte | 0x20]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    });
    client.receive().assert_problem(408, "request_timeout");
    drop(client);
    trickle.join().unwrap();
}

#[test]
fn a_slow_body_is_408_and_its_time_is_counted() {
    let server = Server::start(&["--body-timeout-ms", "300"]);
    let mut client = Client::connect(server.address());
    client
        .send("POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"pass");
    client.receive().assert_problem(408, "request_timeout");
    assert!(client.is_closed_silently());
    let metrics = ask(server.address(), get("/metrics")).body;
    let answered = metrics.lines().find_map(|line| line.strip_prefix(ANSWERED)).expect("a sum");
    assert!(answered.trim().parse::<f64>().unwrap() >= 0.3, "{answered} s");
}

#[test]
fn connections_over_the_limit_get_a_response_if_all_others_are_being_answered() {
    let server = Server::start(&["--connections", "1"]);
    let mut busy = Client::connect(server.address());
    let before = server.cpu();
    busy.send(verify("p", LONG));
    until(|| (server.cpu() > before + COMPUTES).then_some(())).expect("the server computes");
    let mut beyond = Client::connect(server.address());
    let response = beyond.receive();
    response.assert_problem(503, "overloaded");
    assert!(response.header("retry-after").is_some());
    assert!(beyond.is_closed_silently());
    // A client that sends before it reads gets the response too, and no reset.
    ask(server.address(), get("/health")).assert_problem(503, "overloaded");
    assert_eq!(busy.receive().json()["match"], false);
    // The idle connection makes room.
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    assert!(busy.is_closed_silently());
}

#[test]
fn a_connection_whose_body_stalls_makes_room() {
    let server = Server::start(&["--connections", "1"]);
    let mut stalled = Client::begin_request(server.address());
    let is_served = || (ask(server.address(), get("/health")).status == 200).then_some(());
    until(is_served).expect("the stalled connection makes room");
    assert!(stalled.is_closed_silently());
}

#[test]
fn an_address_over_its_bound_replaces_its_own_silent_connections() {
    let server = Server::start(&["--connections-per-address", "2"]);
    let mut other = Client::connect(server.address());
    let mut own: Vec<TcpStream> = (0..3).map(|_| connect_from([127, 0, 0, 2], server.address())).collect();
    assert_eq!(own[0].read(&mut [0; 1]).unwrap(), 0);
    own[1].write_all(get("/health").as_bytes()).unwrap();
    assert_eq!(own[1].read(&mut [0; 1]).unwrap(), 1);
    assert_eq!(other.ask(get("/health")).status, 200);
}

/// Connects from an address of 127.0.0.0/8.
fn connect_from(source: [u8; 4], address: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((source, 0).into()).unwrap();
        socket.connect(address).await.unwrap()
    });
    let stream = stream.into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[test]
fn a_caller_that_reads_nothing_is_disconnected() {
    let server = Server::start(&["--answer-timeout-ms", "500"]);
    let client = Client::connect(server.address());
    let requests = get("/openapi.json").repeat(200);
    let mut writer = client.stream().try_clone().unwrap();
    writer.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    for _ in 0..50 {
        if writer.write_all(requests.as_bytes()).is_err() {
            break;
        }
    }
    thread::sleep(Duration::from_millis(1500));
    let mut stream = client.stream();
    let mut all = Vec::new();
    // The buffered responses, and then the end or a reset: no response for the other requests.
    let ended = stream.read_to_end(&mut all);
    assert!(!ended.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock), "it goes on");
    assert_eq!(ask(server.address(), get("/health")).status, 200);
}

#[test]
fn the_memory_of_all_bodies_is_limited() {
    let server = Server::start(&["--body-timeout-ms", "60000"]);
    let begin = |length: &str| {
        let mut client = Client::connect(server.address());
        let status = client.ask(batch_head("", length)).status;
        (status == 100).then_some(client)
    };
    // A declared length counts as soon as the head is read. A caller that is alone leaves 4 MiB.
    let mut slow: Vec<Client> = (0..60).map(|_| begin("Content-Length: 1048576").unwrap()).collect();
    assert!(begin("Content-Length: 1").is_none());
    ask(server.address(), post("/hash", &json!({"password": "p"}))).assert_problem(503, "overloaded");
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    let unwanted = format!("GET /health HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{}", "x".repeat(1000));
    assert_eq!(ask(server.address(), unwanted).status, 200, "a body that the route ignores needs no memory");
    drop(slow.pop());
    until(|| {
        let response = ask(server.address(), post("/hash", &json!({"password": "p"})));
        (response.status == 200).then_some(())
    })
    .expect("a client that leaves makes room");
    // A body without a declared length grows, and counts with the memory that it has.
    let mut chunked: Vec<Client> = (0..64).map(|_| begin("Transfer-Encoding: chunked").unwrap()).collect();
    assert!(begin("Transfer-Encoding: chunked").is_none());
    chunked.truncate(1);
    until(|| begin("Content-Length: 900000").is_some().then_some(())).expect("the others have left");
    chunked[0].send(format!("10001\r\n{}\r\n", " ".repeat(0x10001)));
    drop(slow);
    chunked[0].send("2\r\n{}\r\n0\r\n\r\n");
    chunked[0].receive().assert_problem(400, "invalid_request");
}

/// A hash of another password that takes a second or more.
pub(crate) const LONG: &str = "$2b$15$abcdefghijklmnopqrstuuVH.0Q2TMWmt3Oqt9ukuNr2pVKq4Noyi";

/// The processor time that shows that a request was read. A request that is refused takes far less.
pub(crate) const COMPUTES: Duration = Duration::from_millis(30);

/// The time of the requests that were refused before their operation was known.
const ANSWERED: &str = r#"saltern_answer_seconds_sum{operation="hash"}"#;
