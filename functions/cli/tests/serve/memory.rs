//! The memory of the server under callers that ask much, read nothing and have no token, and under
//! bodies that do not end. The bounds are those of `server/src/bounds.rs`, and SECURITY.md states
//! them. `cargo xtask attack` has more connections.

use std::{
    fs,
    io::{self, Read as _, Write},
    iter,
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use super::{
    client::{Client, ask, get},
    server::{PATIENCE, Server, file, until},
    tls,
};

#[test]
fn connections_over_tls_that_read_nothing_stay_within_their_memory() {
    let tokens = file("tokens", &tokens());
    let (server, certificate) =
        tls::start(&["--tokens-file", tokens.to_str().unwrap(), UNBOUNDED_ADDRESS, "0", LANES, "4"]);
    let attack = requests(POST_HASH);
    stay_within_their_memory(&server, 200, |address| {
        let mut stream = tls::connect_blocking(address, &certificate);
        let _may_end = stream.write_all(&attack);
        stream
    });
}

#[test]
fn bodies_stay_within_their_memory_and_leave_none_behind() {
    const COUNT: u64 = 80;
    let server = Server::start(&[LANES, "4"]);
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    let idle = resident_bytes(&server);
    let spaces = " ".repeat(3000);
    let (declared, chunked) = ("Content-Length: 1048576", "Transfer-Encoding: chunked");
    for (length, part) in [
        (declared, spaces.clone()),
        (chunked, format!("{:x}\r\n{spaces}\r\n", spaces.len())),
        (declared, spaces),
    ] {
        let head = format!("POST /batch HTTP/1.1\r\nContent-Type: application/json\r\n{length}\r\n\r\n");
        let mut open: Vec<Client> = (0..COUNT).map(|_| Client::connect(server.address())).collect();
        for client in &mut open {
            client.send(&head);
        }
        let mut most = 0;
        // The steps of all bodies alternate, so that each body grows between the others.
        for _ in 0..MAX_BODY_BYTES / 3000 {
            for client in &open {
                // The server ends the connections whose bodies it refuses.
                let _refused = client.stream().write_all(part.as_bytes());
            }
            most = most.max(resident_bytes(&server));
        }
        // The system holds what the server has not read yet.
        until(|| {
            most = most.max(resident_bytes(&server));
            (most > idle + ALL_BODIES_BYTES / 2).then_some(())
        })
        .expect("half of the room is used");
        assert!(
            most < idle + ALL_BODIES_BYTES + REST_BYTES + COUNT * CONNECTION_BYTES,
            "{most} bytes, idle {idle}"
        );
        drop(open);
        until(|| (resident_bytes(&server) < idle + REST_BYTES).then_some(()))
            .unwrap_or_else(|| panic!("{} bytes are left, idle {idle}", resident_bytes(&server)));
    }
}

#[test]
fn a_connection_that_reads_nothing_ends_whatever_else_it_sends() {
    let server = Server::with_tokens(&tokens(), &["--answer-timeout-ms", "500"]);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_nonblocking(true).unwrap();
    stream.write_all(&preface_with_window(0)).unwrap();
    stream.write_all(&request(1, POST_HASH)).unwrap();
    let mut number = 1;
    until(|| {
        number += 2;
        let ping = [&[0, 0, 8, 6, 0, 0, 0, 0, 0][..], &[0; 8]].concat();
        let _ended = stream.write_all(&[request(number, HEAD_HEALTH), ping].concat());
        loop {
            match stream.read(&mut [0; 1024]) {
                Ok(0) => return Some(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(_) => return Some(()),
            }
        }
    })
    .expect("the server ends a connection that does not take its answer");
    assert_eq!(ask(server.address(), get("/health")).status, 200);
}

#[test]
fn a_token_opens_a_connection_for_many_streams() {
    let server = Server::with_tokens(&tokens(), &["--answer-timeout-ms", "60000"]);
    let with_token = with_token(TOKEN);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&preface_with_window(0)).unwrap();
    for number in 0..100 {
        stream.write_all(&request(2 * number + 1, &with_token)).unwrap();
    }
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut heads = 0;
    while heads < 100 {
        heads += usize::from(next_frame(&mut stream).unwrap() == HEADERS);
    }
}

#[test]
fn few_requests_are_open_before_the_first_token() {
    let server = Server::with_tokens(&tokens(), &["--answer-timeout-ms", "60000"]);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&requests(POST_HASH)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut heads = 0;
    while heads < 4 {
        heads += usize::from(next_frame(&mut stream).unwrap() == HEADERS);
    }
    // A further one would come soon.
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut more = iter::from_fn(|| next_frame(&mut stream).ok());
    assert!(more.all(|kind| kind != HEADERS));
}

#[test]
fn the_requests_of_all_connections_are_bounded() {
    let server = Server::start(&["--answer-timeout-ms", "60000"]);
    let open: Vec<_> = (0..9).map(|_| fill(&server, GET_POLICIES)).collect();
    let answered = open.iter().map(|(_, answered)| answered).sum::<usize>();
    // A caller that is alone leaves a reserve of 128.
    assert_eq!(answered, 2048 - 128);
}

#[test]
fn refused_requests_of_all_connections_are_bounded() {
    let start = || Server::with_tokens(&tokens(), &["--answer-timeout-ms", "60000"]);
    let server = start();
    let with_token = with_token(TOKEN);
    let nowhere = [&b"\x82\x86\x04\x08/nowhere"[..], &with_token[GET_POLICIES.len()..]].concat();
    let open: Vec<_> = (0..9).map(|_| fill(&server, &nowhere)).collect();
    assert_eq!(open.iter().map(|(_, answered)| answered).sum::<usize>(), 2048 - 128);
    // Only the first request of each connection has a token.
    let server = start();
    let others = (3..).step_by(2).take(STREAMS - 1).flat_map(|number| request(number, POST_HASH));
    let frames = [preface_with_window(0), request(1, &with_token), others.collect()].concat();
    let open: Vec<_> = (0..9).map(|_| fill_with_frames(&server, &frames)).collect();
    assert!(open.iter().map(|(_, answered)| answered).sum::<usize>() <= 2048);
}

#[test]
fn answers_that_one_token_leaves_unread_make_room_for_those_of_another() {
    let server = Server::with_tokens(&tokens(), &["--answer-timeout-ms", "60000"]);
    let mut greedy: Vec<_> = (0..8).map(|_| fill(&server, &with_token(TOKEN))).collect();
    assert_eq!(fill(&server, &with_token(OTHER_TOKEN)).1, STREAMS);
    // The oldest answers have made room, beyond the reserve.
    let (oldest, answered) = &mut greedy[0];
    assert_eq!(*answered, STREAMS);
    for _ in 128..STREAMS {
        assert_eq!(next_frame(oldest).unwrap(), RST_STREAM);
    }
}

#[test]
fn answers_that_the_http_crate_has_taken_keep_their_places() {
    let server = Server::with_tokens(&tokens(), &["--answer-timeout-ms", "60000"]);
    // With a window of one byte, the HTTP crate takes a short answer and keeps it. Its stream has no
    // task any more that could end.
    let health = |token: &str| [GET_HEALTH, &with_token(token)[GET_POLICIES.len()..]].concat();
    let greedy: Vec<_> = (0..8).map(|_| fill_with_window(&server, &health(TOKEN), 1)).collect();
    let honest = fill_with_window(&server, &health(OTHER_TOKEN), 1);
    assert_eq!(greedy.iter().map(|(_, answered)| answered).sum::<usize>(), 2048 - 128);
    assert_eq!(honest.1, 128);
}

/// Sends requests on a full connection that reads no bodies. Returns the number of heads of answers;
/// the other streams were refused.
fn fill(server: &Server, head: &[u8]) -> (TcpStream, usize) {
    fill_with_window(server, head, 0)
}

fn fill_with_window(server: &Server, head: &[u8], window: u8) -> (TcpStream, usize) {
    fill_with_frames(server, &requests_with_window(head, window))
}

fn fill_with_frames(server: &Server, frames: &[u8]) -> (TcpStream, usize) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(frames).unwrap();
    let (mut answered, mut left) = (0, STREAMS);
    while left > 0 {
        let kind = next_frame(&mut stream).unwrap();
        answered += usize::from(kind == HEADERS);
        left -= usize::from(kind == HEADERS || kind == RST_STREAM);
    }
    (stream, answered)
}

/// Reads a frame and returns its type (RFC 9113 §4.1).
fn next_frame(stream: &mut TcpStream) -> io::Result<usize> {
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let [_, middle, low, kind, ..] = head.map(usize::from);
    stream.read_exact(&mut vec![0; middle << 8 | low])?;
    Ok(kind)
}

/// Opens the connections and asserts that the memory stays within its bound, and falls after them.
fn stay_within_their_memory<S>(server: &Server, count: u64, mut open: impl FnMut(SocketAddr) -> S) {
    // The first connection makes what all later ones share.
    drop(open(server.address()));
    let idle = resident_bytes(server);
    let open: Vec<S> = (0..count).map(|_| open(server.address())).collect();
    let start = Instant::now();
    let mut most = 0;
    while start.elapsed() < Duration::from_secs(2) {
        most = most.max(resident_bytes(server));
        thread::sleep(Duration::from_millis(50));
    }
    assert!(most < idle + REST_BYTES + count * CONNECTION_BYTES, "{most} bytes, idle {idle}");
    drop(open);
    until(|| (resident_bytes(server) < idle + REST_BYTES).then_some(()))
        .unwrap_or_else(|| panic!("{} bytes are left, idle {idle}", resident_bytes(server)));
}

/// `proc_pid_statm(5)`: the second field counts resident pages.
fn resident_bytes(server: &Server) -> u64 {
    let sizes = fs::read_to_string(format!("/proc/{}/statm", server.pid())).unwrap();
    let pages: u64 = sizes.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(pages > 0, "the server has ended");
    pages * rustix::param::page_size() as u64
}

/// The preface, and the requests of a full connection.
fn requests(head: &[u8]) -> Vec<u8> {
    requests_with_window(head, 0)
}

fn requests_with_window(head: &[u8], window: u8) -> Vec<u8> {
    let requests = (1..).step_by(2).take(STREAMS).flat_map(|number| request(number, head));
    preface_with_window(window).into_iter().chain(requests).collect()
}

/// The preface and a SETTINGS frame with `SETTINGS_INITIAL_WINDOW_SIZE` (RFC 9113 §6.5).
fn preface_with_window(bytes: u8) -> Vec<u8> {
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, bytes][..]].concat()
}

/// A HEADERS frame that ends its stream (RFC 9113 §6.2).
fn request(stream: u32, head: &[u8]) -> Vec<u8> {
    let length = u8::try_from(head.len()).unwrap();
    [&[0, 0, length, 1, 5], &stream.to_be_bytes()[..], head].concat()
}

/// `GET /policies` with a token of 32 characters.
fn with_token(token: &str) -> Vec<u8> {
    [GET_POLICIES, b"\x0f\x08\x27Bearer ", token.as_bytes()].concat()
}

/// `POST /hash` over http (RFC 7541: indexes 3 and 6, and a literal of name 4).
const POST_HASH: &[u8] = b"\x83\x86\x04\x05/hash";
const GET_POLICIES: &[u8] = b"\x82\x86\x04\x09/policies";
const GET_HEALTH: &[u8] = b"\x82\x86\x04\x07/health";
const HEAD_HEALTH: &[u8] = b"\x02\x04HEAD\x86\x04\x07/health";

/// Types of frames (RFC 9113 §6).
const HEADERS: usize = 1;
const RST_STREAM: usize = 3;

/// The tokens file.
fn tokens() -> String {
    format!("caller verify never {TOKEN}\nother verify never {OTHER_TOKEN}")
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const OTHER_TOKEN: &str = "fedcba9876543210fedcba9876543210";

/// Requests of a full connection.
const STREAMS: usize = 255;

/// Otherwise the server takes memory for some dozens of milliseconds, to measure their number.
const LANES: &str = "--argon2-lanes";

const UNBOUNDED_ADDRESS: &str = "--connections-per-address";

/// The stated memory of a connection, and of all else that is no hash.
const CONNECTION_BYTES: u64 = 48 * 1024;
const REST_BYTES: u64 = 16 * 1024 * 1024;

/// The stated memory of all bodies, and the longest one.
const ALL_BODIES_BYTES: u64 = 64 * 1024 * 1024;
const MAX_BODY_BYTES: usize = 1024 * 1024;
