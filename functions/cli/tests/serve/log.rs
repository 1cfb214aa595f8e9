//! If the log cannot be written or is not read, lines are lost and the service continues.

use std::{
    fs::File,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{
    client::{Client, ask, get},
    server::{Server, until},
};

#[test]
fn a_full_output_does_not_stop_the_service() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let mut server = Server::start_writing_to(full(), full());
    assert_eq!(ask(server.address(), get("/policies")).status, 200);
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    assert_loss_is_counted(&server, "unauthenticated");
    assert_loss_is_counted(&server, "caller");
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0));
}

/// The standard library opens `/dev/null` in its place, where every write succeeds.
#[test]
fn lines_to_a_closed_output_are_counted() {
    let server = Server::start_without_output();
    assert_eq!(ask(server.address(), get("/policies")).status, 200);
    assert_loss_is_counted(&server, "caller");
}

#[test]
fn a_reader_that_stops_reading_does_not_stop_the_service() {
    let (unread, writer) = std::io::pipe().unwrap();
    let errors = writer.try_clone().unwrap();
    let mut server = Server::start_writing_to(writer.into(), errors.into());
    let mut client = Client::connect(server.address());
    let many = get("/nowhere").repeat(PIPELINED);
    // Each request writes a line: more than the pipe and the server hold.
    for _ in 0..LINES / PIPELINED {
        let mut sender = client.stream().try_clone().unwrap();
        let request = many.clone();
        let sending = thread::spawn(move || std::io::Write::write_all(&mut sender, request.as_bytes()));
        for _ in 0..PIPELINED {
            assert_eq!(client.receive().status, 404);
        }
        sending.join().unwrap().unwrap();
    }
    assert_loss_is_counted(&server, "caller");
    let asked = Instant::now();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10), "it ended after {:?}", asked.elapsed());
    drop(unread);
}

#[test]
fn a_second_signal_ends_a_server_with_an_unread_log_at_once() {
    let (unread, writer) = std::io::pipe().unwrap();
    fill(&writer);
    let errors = writer.try_clone().unwrap();
    let mut server = Server::start_writing_to(writer.into(), errors.into());
    let _never_complete = Client::begin_request(server.address());
    server.signal("TERM");
    // The shutdown has begun when the server accepts no more connections.
    until(|| std::net::TcpStream::connect(server.address()).is_err().then_some(())).unwrap();
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(71));
    drop(unread);
}

/// Fills a pipe.
fn fill(mut writer: &std::io::PipeWriter) {
    let flags = rustix::fs::fcntl_getfl(writer).unwrap();
    rustix::fs::fcntl_setfl(writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while std::io::Write::write(&mut writer, &[b'\n'; 4096]).is_ok() {}
    while std::io::Write::write(&mut writer, b"\n").is_ok() {}
    rustix::fs::fcntl_setfl(writer, flags).unwrap();
}

/// Waits for the count: another thread writes the lines, after the responses.
fn assert_loss_is_counted(server: &Server, class: &str) {
    let name = format!("saltern_log_lines_dropped_total{{class=\"{class}\"}} ");
    let counted = until(|| {
        let metrics = ask(server.address(), get("/metrics")).body;
        let counted = metrics.lines().find_map(|line| line.strip_prefix(&name)).expect("a counter");
        (counted.trim() != "0").then_some(())
    });
    assert!(counted.is_some(), "lost lines are counted");
}

/// More than the 4,096 lines that wait and the lines that a pipe holds.
const LINES: usize = 6_000;

/// Requests at once, whose responses fit into the buffers of the system.
const PIPELINED: usize = 100;
