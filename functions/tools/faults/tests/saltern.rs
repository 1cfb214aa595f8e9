//! A panic costs one request of the server.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use saltern_faults::{PANICS, PANICS_AT_ONCE};
use saltern_stubs::http::{Client, request};
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
    let (status, stored) = server.ask("POST", "/hash", &json!({"password": "p"}));
    assert_eq!(status, 200);
    // More often than there are workers.
    for panics in [PANICS, PANICS_AT_ONCE].repeat(3) {
        let password = format!("{panics}{MARK}");
        for (path, body) in [
            ("/hash", json!({"password": password})),
            ("/verify", json!({"password": password, "hash": stored["hash"]})),
        ] {
            let (status, body) = server.ask("POST", path, &body);
            assert_eq!((status, &body["code"]), (500, &json!("internal")));
        }
    }
    let operations = json!({"operations": [
        {"op": "hash", "password": format!("{PANICS}{MARK}")},
        {"op": "verify", "password": "p", "hash": stored["hash"]},
    ]});
    let (_, batch) = server.ask("POST", "/batch", &operations);
    assert_eq!(batch["results"][0]["problem"]["code"], "internal", "{batch}");
    assert_eq!(batch["results"][1]["body"]["match"], true, "{batch}");
    assert_eq!(server.ask("GET", "/health", &Value::Null).0, 200);

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
    assert_eq!(server.ask("POST", "/hash", &json!({"password": PANICS})).0, 500);
    assert_eq!(server.ask("GET", "/health", &Value::Null).0, 200);
}

/// A running server, which ends when this is dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Sends a request on its own connection. Returns the status and the body.
    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers = [("Content-Type", "application/json")];
        let answer = Client::new(stream).send(&request(method, path, &headers, body.as_bytes())).unwrap();
        let text = String::from_utf8_lossy(&answer.body);
        assert!(!text.contains(MARK) && !format!("{answer:?}").contains(MARK), "{text}");
        (answer.status, serde_json::from_str(&text).unwrap())
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
