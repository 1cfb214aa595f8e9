//! A panic costs one request of the server.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use saltern_faults::{PANICS, PANICS_AT_ONCE};
use serde_json::{Value, json};

use crate::{MARK, SALTERN};

#[test]
fn a_panic_costs_one_request_and_no_output_has_the_password() {
    let mut child = serve("127.0.0.1:0").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = lines_of(&mut child);
    let mut output = String::new();
    let address = loop {
        let line = lines.recv_timeout(PATIENCE).unwrap();
        output.push_str(&line);
        let line: Value = serde_json::from_str(&line).unwrap();
        if line["message"] == "serving" {
            break line["address"].as_str().unwrap().parse().unwrap();
        }
    };
    let server = Server { child, address };
    let stored = server.ask("POST", "/hash", &json!({"password": "p"}));
    assert_eq!(stored.status, 200);
    // More often than there are workers.
    for panics in [PANICS, PANICS_AT_ONCE].repeat(3) {
        let password = format!("{panics}{MARK}");
        for (path, body) in [
            ("/hash", json!({"password": password})),
            ("/verify", json!({"password": password, "hash": stored.body["hash"]})),
        ] {
            let answer = server.ask("POST", path, &body);
            assert_eq!((answer.status, &answer.body["code"]), (500, &json!("internal")));
            assert!(!answer.text.contains(MARK), "{}", answer.text);
        }
    }
    let operations = json!({"operations": [
        {"op": "hash", "password": format!("{PANICS}{MARK}")},
        {"op": "verify", "password": "p", "hash": stored.body["hash"]},
    ]});
    let answer = server.ask("POST", "/batch", &operations);
    assert_eq!(answer.body["results"][0]["problem"]["code"], "internal", "{}", answer.text);
    assert_eq!(answer.body["results"][1]["body"]["match"], true, "{}", answer.text);
    assert_eq!(server.ask("GET", "/health", &Value::Null).status, 200);

    drop(server);
    output.extend(lines);
    assert_eq!(output.matches("a panic").count(), 13, "{output}");
    assert!(!output.contains(MARK), "{output}");
}

#[test]
fn a_panic_that_cannot_be_logged_costs_one_request() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let address = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let child = serve(&address.to_string()).stdout(full()).stderr(full()).spawn().unwrap();
    let server = Server { child, address };
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(started.elapsed() < PATIENCE, "the server does not listen");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.ask("POST", "/hash", &json!({"password": PANICS})).status, 500);
    assert_eq!(server.ask("GET", "/health", &Value::Null).status, 200);
}

/// A running server, which ends when this is dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

struct Answer {
    status: u16,
    body: Value,
    /// Head and body.
    text: String,
}

impl Server {
    /// Sends a request on its own connection.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, body: serde_json::from_str(body).unwrap(), text }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
    }
}

/// `saltern serve` with the shipped policies, two workers, and the most detailed log that exists.
fn serve(address: &str) -> Command {
    let mut command = Command::new(SALTERN);
    command
        .args(["serve", "--listen", address, "--log-format", "json", "--workers", "2"])
        .env_clear()
        .envs([("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")]);
    command
}

/// The lines of both outputs, until the process ends.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    let errors = sender.clone();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    thread::spawn(move || BufReader::new(stdout).lines().try_for_each(|line| sender.send(line.unwrap())));
    thread::spawn(move || BufReader::new(stderr).lines().try_for_each(|line| errors.send(line.unwrap())));
    lines
}

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
