//! Tests the logins for other languages on a page of the client's guide, against a running server.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use saltern_stubs::http::{Response, Stub};

use super::{
    client::hash,
    server::{Server, file},
};

#[test]
fn the_login_in_python_does_all_that_the_guide_says() {
    let program = file("login.py", &block("python", "DEADLINE = 10.0", "DEADLINE = 60.0"));
    every_login_ends_as_the_guide_says("python3", &["python3", program.to_str().unwrap()]);
}

#[test]
fn the_login_in_go_does_all_that_the_guide_says() {
    let source = file("login.go", &block("go", "= 10 * time.Second", "= time.Minute"));
    let program: PathBuf = source.with_extension("");
    if is_missing("go", "version") {
        return;
    }
    let built = Command::new("go").arg("build").arg("-o").arg(&program).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    every_login_ends_as_the_guide_says("go", &[program.to_str().unwrap()]);
    fs::remove_file(program).unwrap();
}

#[test]
fn the_login_in_javascript_does_all_that_the_guide_says() {
    let program = file("login.mjs", &block("javascript", "DEADLINE = 10_000", "DEADLINE = 60_000"));
    every_login_ends_as_the_guide_says("node", &["node", program.to_str().unwrap()]);
}

fn every_login_ends_as_the_guide_says(language: &str, program: &[&str]) {
    let version = if language == "go" { "version" } else { "--version" };
    if is_missing(language, version) {
        return;
    }
    let server = Server::start(&[]);
    let url = format!("http://{}", server.address());
    let login = |password: &str, stored: Option<&str>| said(program, &url, password, stored);

    let (current, older) =
        (hash(server.address(), "secret", "bcrypt-4"), hash(server.address(), "secret", "bcrypt-8"));
    let replaced = login("secret", Some(&older));
    assert!(replaced.starts_with("match $2b$04$"), "{replaced}");
    let long = "x".repeat(1025);
    // Each login waits for its floor.
    thread::scope(|side_by_side| {
        for (password, stored, ended) in [
            ("secret", Some(current.as_str()), "match"),
            ("wrong", Some(older.as_str()), "mismatch"),
            ("secret", None, "mismatch"),
            ("secret", Some("$2b$04$short"), "bad_hash invalid_hash"),
            (long.as_str(), Some(current.as_str()), "user_fault password_too_long"),
        ] {
            side_by_side.spawn(move || assert_eq!(login(password, stored), ended));
        }
    });
    drop(server);
    assert_eq!(login("secret", Some(&current)), "try_later no_answer");

    let refused = FakeServer::start(422, r#"{"code":"invalid_hash"}"#, Name::OfTheRequest);
    assert_eq!(said(program, &refused.url(), "secret", Some("$x$")), "bad_hash invalid_hash");
    let bodies = refused.bodies();
    assert_eq!(bodies.len(), 2, "the decoy's work follows: {bodies:?}");
    assert!(bodies[0].contains("$x$") && bodies[0].contains("rehash"), "{bodies:?}");
    assert!(bodies[1].replace(' ', "").contains(r#""hash":null"#), "{bodies:?}");

    let late = r#"{"code":"request_timeout"}"#;
    let expired = r#"{"code":"unauthorized"}"#;
    let mismatch = r#"{"match":false,"needs_rehash":false,"rehash_reason":null,"policy":null}"#;
    let trusting = mismatch.replacen("false", "true", 1);
    let stored = Some(current.as_str());
    thread::scope(|side_by_side| {
        for (status, body, name, stored, ended) in [
            (408, late, Name::OfTheRequest, stored, "try_later request_timeout"),
            (401, expired, Name::OfTheRequest, stored, "try_later unauthorized"),
            (200, mismatch, Name::OfAnother, stored, "try_later answer_not_ours"),
            (200, trusting.as_str(), Name::OfTheRequest, None, "try_later answer_not_ours"),
            (502, "Internal Server Error", Name::None, stored, "try_later status_502"),
        ] {
            side_by_side.spawn(move || {
                let server = FakeServer::start(status, body, name);
                assert_eq!(said(program, &server.url(), "secret", stored), ended);
            });
        }
    });

    let slow = FakeServer::start(200, mismatch, Name::LateOfTheRequest);
    let ended = run(program, &slow.url(), "secret", Some(&current));
    assert_eq!(String::from_utf8_lossy(&ended.stdout).trim(), "mismatch");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("longer than the floor"), "{ended:?}");
}

/// Returns the line that the program printed. It must not have printed the line before the floor.
fn said(program: &[&str], url: &str, password: &str, stored: Option<&str>) -> String {
    let start = Instant::now();
    let ended = run(program, url, password, stored);
    assert!(start.elapsed() >= FLOOR, "after {:?}: {ended:?}", start.elapsed());
    String::from_utf8(ended.stdout).unwrap().trim().to_owned()
}

fn run(program: &[&str], url: &str, password: &str, stored: Option<&str>) -> Output {
    let mut child = Command::new(program[0])
        .args(&program[1..])
        .arg(url)
        .args(stored)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    ended
}

/// Whether the program is missing. The test then says that it did not run.
fn is_missing(program: &str, version: &str) -> bool {
    let found = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let missing = !found.is_ok_and(|status| status.success());
    if missing {
        // The harness hides what a passed test prints by the macros.
        io::stdout().write_all(format!("\nNOT RUN: there is no {program}\n").as_bytes()).unwrap();
    }
    missing
}

/// Returns the program in this language on the page, with a deadline that holds on a busy machine.
fn block(language: &str, deadline: &str, patient: &str) -> String {
    let fence = format!("\n```{language}\n");
    let after = PAGE.split_once(&fence).unwrap_or_else(|| panic!("the page has no block in {language}")).1;
    let program = after.split_once("\n```\n").expect("the block ends").0.to_owned() + "\n";
    assert!(program.contains(deadline), "the program in {language} has another deadline");
    program.replacen(deadline, patient, 1)
}

/// The name that an answer carries.
#[derive(Clone, Copy, PartialEq)]
enum Name {
    None,
    OfTheRequest,
    OfAnother,

    /// The answer comes after the floor.
    LateOfTheRequest,
}

/// Answers every request alike, and keeps the bodies.
struct FakeServer {
    stub: Stub,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl FakeServer {
    fn start(status: u16, body: &str, name: Name) -> Self {
        let bodies = Arc::<Mutex<Vec<String>>>::default();
        let (seen, body) = (Arc::clone(&bodies), body.to_owned());
        let stub = Stub::start(move |request| {
            let own_name = request.header("Saltern-Request-Id").unwrap_or_default().to_owned();
            seen.lock().unwrap().push(String::from_utf8(request.body).unwrap());
            if name == Name::LateOfTheRequest {
                thread::sleep(FLOOR + Duration::from_millis(100));
            }
            let name = match name {
                Name::None => None,
                Name::OfTheRequest | Name::LateOfTheRequest => Some(own_name),
                Name::OfAnother => Some("1".repeat(32)),
            };
            let header = name.as_deref().map(|name| ("Saltern-Request-Id", name));
            Some(Response::new(status, header.as_slice(), body.as_str()))
        });
        Self { stub: stub.unwrap(), bodies }
    }

    fn url(&self) -> String {
        self.stub.endpoint()
    }

    fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

/// As the programs set it.
const FLOOR: Duration = Duration::from_millis(500);

const PAGE: &str = include_str!("../../../../client-scala/docs/guide/6-other-languages.md");
