//! If the log cannot be written or is not read, lines are lost and the service continues.

use std::{
    fs::File,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
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

#[test]
fn a_flood_without_a_token_costs_no_line_of_a_caller() {
    let tokens = format!("shop hash never {TOKEN}\nprobe metrics never {OTHER}");
    let server = Server::with_tokens(&tokens, &[]);
    let (started, is_over) = (Instant::now(), AtomicBool::new(false));
    thread::scope(|scope| {
        for path in ["/health", "/policies"] {
            let (address, is_over) = (server.address(), &is_over);
            scope.spawn(move || {
                let mut client = Client::connect(address);
                let goes_on = || !is_over.load(Relaxed) && started.elapsed() < LONGEST_FLOOD;
                // On a busy machine the caller may be done before the flood begins.
                for _ in (0..).take_while(|round| *round < LEAST_FLOOD || goes_on()) {
                    client.send(get(path).repeat(PIPELINED));
                    (0..PIPELINED).for_each(|_| drop(client.receive()));
                }
            });
        }
        let mut client = Client::connect(server.address());
        for _ in 0..OF_CALLER {
            let request =
                format!("GET /nowhere HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n\r\n");
            assert_eq!(client.ask(request).status, 404);
        }
        is_over.store(true, Relaxed);
    });
    let lines = |of_caller: bool| {
        let lines = server.lines().into_iter().filter(|line| line["operation"].is_string());
        lines.filter(|line| (line["caller"] == "shop") == of_caller).count()
    };
    until(|| (lines(true) == OF_CALLER).then_some(())).expect("each line of the caller");
    let rate = usize::try_from(started.elapsed().as_millis() / 100).unwrap();
    let sampled = lines(false);
    assert!((1..=64 + rate + 1).contains(&sampled), "{sampled} lines of the flood");
    let metrics = format!("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {OTHER}\r\n\r\n");
    let metrics = ask(server.address(), metrics).body;
    assert!(metrics.contains("saltern_log_lines_dropped_total{class=\"caller\"} 0\n"), "{metrics}");
    assert!(!metrics.contains("saltern_log_lines_dropped_total{class=\"unauthenticated\"} 0\n"), "{metrics}");
    assert!(!metrics.contains("saltern_refusals_total{code=\"unauthorized\"} 0\n"), "{metrics}");
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

/// In [`PIPELINED`] requests: more lines than the sample takes.
const LEAST_FLOOD: usize = 5;

/// The flood ends even if the caller fails.
const LONGEST_FLOOD: Duration = Duration::from_mins(1);

/// Requests of the caller beside the flood.
const OF_CALLER: usize = 300;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210";
