//! Lines that cannot be written, or that nobody reads, cost lines and nothing else.

use std::{
    fs::File,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::{
    client::{Client, ask, get},
    server::Server,
};

#[test]
fn an_output_that_takes_nothing_does_not_end_the_service() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let mut server = Server::start_writing_to(full(), full());
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    assert!(dropped(&server) > 0, "lines that could not be written are counted");
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn a_reader_that_stops_reading_does_not_stop_the_service() {
    let (unread, writer) = std::io::pipe().unwrap();
    let errors = writer.try_clone().unwrap();
    let mut server = Server::start_writing_to(writer.into(), errors.into());
    let mut client = Client::connect(server.address());
    let many = get("/health").repeat(PIPELINED);
    // Each request leaves a line: more than the pipe and the server keep.
    for _ in 0..LINES / PIPELINED {
        let mut sender = client.stream().try_clone().unwrap();
        let request = many.clone();
        let sending = thread::spawn(move || std::io::Write::write_all(&mut sender, request.as_bytes()));
        for _ in 0..PIPELINED {
            assert_eq!(client.receive().status, 200);
        }
        sending.join().unwrap().unwrap();
    }
    assert!(dropped(&server) > 0, "lines that found no room are counted");
    let asked = Instant::now();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10), "it ended after {:?}", asked.elapsed());
    drop(unread);
}

#[test]
fn a_second_signal_ends_at_once_where_nobody_reads() {
    let (unread, writer) = std::io::pipe().unwrap();
    fill(&writer);
    let errors = writer.try_clone().unwrap();
    let mut server = Server::start_writing_to(writer.into(), errors.into());
    let mut never_complete = Client::connect(server.address());
    never_complete
        .send("POST /hash HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
    thread::sleep(Duration::from_millis(100));
    server.signal("TERM");
    // It is draining where it takes no more connections.
    crate::server::until(|| std::net::TcpStream::connect(server.address()).is_err().then_some(())).unwrap();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(71));
    drop(unread);
}

/// Leaves no room in a pipe.
fn fill(mut writer: &std::io::PipeWriter) {
    let flags = rustix::fs::fcntl_getfl(writer).unwrap();
    rustix::fs::fcntl_setfl(writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while std::io::Write::write(&mut writer, &[b'\n'; 4096]).is_ok() {}
    while std::io::Write::write(&mut writer, b"\n").is_ok() {}
    rustix::fs::fcntl_setfl(writer, flags).unwrap();
}

fn dropped(server: &Server) -> u64 {
    let metrics = ask(server.address(), get("/metrics")).body;
    let counted = metrics.lines().find_map(|line| line.strip_prefix(DROPPED)).expect("a counter");
    counted.trim().parse().unwrap()
}

const DROPPED: &str = "saltern_log_lines_dropped_total ";

/// More than 4,096 and what a pipe holds.
const LINES: usize = 6_000;

/// Requests at once: their answers fit into the system's buffers.
const PIPELINED: usize = 100;
