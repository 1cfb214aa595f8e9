//! `functions/xtask/advisories` fails if OSV knows an advisory, and says if it did not run.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::Command,
    thread,
};

use serde_json::{Value, json};

#[test]
fn an_advisory_about_a_pinned_package_is_a_failure() {
    let (passed, printed) = advisories(&stub("200 OK", |name| name == "moto"));
    assert!(!passed, "{printed}");
    assert!(printed.contains("PyPI moto 5.2.5: https://osv.dev/vulnerability/TEST-1\n"), "{printed}");
    assert!(printed.contains(" have 1 advisories\n"), "{printed}");
}

#[test]
fn packages_without_advisories_pass() {
    let (passed, printed) = advisories(&stub("200 OK", |_| false));
    assert!(passed && printed.contains(" have 0 advisories\n"), "{printed}");
}

#[test]
fn an_error_of_the_database_is_a_failure() {
    let (passed, printed) = advisories(&stub("500 Internal Server Error", |_| false));
    assert!(!passed && printed.contains("answered 500"), "{printed}");
}

#[test]
fn without_the_database_the_check_says_that_it_did_not_run() {
    let (passed, printed) = advisories(&nowhere());
    assert!(passed && printed.starts_with("NOT RUN: advisories"), "{printed}");
}

#[test]
fn without_the_database_the_nightly_check_fails() {
    let (passed, printed) = advisories_with(&["--online"], &nowhere());
    assert!(!passed && printed.starts_with("NOT RUN: advisories"), "{printed}");
}

/// An address where no database listens.
fn nowhere() -> String {
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    format!("http://{closed}")
}

fn advisories(database: &str) -> (bool, String) {
    advisories_with(&[], database)
}

/// Runs the check against this database. Returns whether it passed, and its output.
fn advisories_with(arguments: &[&str], database: &str) -> (bool, String) {
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("advisories"));
    script.args(arguments).env("SALTERN_OSV", database).env("no_proxy", "*");
    let output = script.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Answers one request as OSV does, with an advisory for the packages that the function names.
fn stub(status: &'static str, has_advisory: fn(&str) -> bool) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let mut body = Vec::new();
        for line in stream.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
            if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                body.resize(length.parse().unwrap(), 0);
            }
        }
        stream.read_exact(&mut body).unwrap();
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let answer = |query: &Value| {
            let found = has_advisory(query["package"]["name"].as_str().unwrap());
            if found { json!({"vulns": [{"id": "TEST-1"}]}) } else { json!({}) }
        };
        let results: Vec<_> = asked["queries"].as_array().unwrap().iter().map(answer).collect();
        let answer = json!({"results": results}).to_string();
        let length = answer.len();
        write!(stream.get_mut(), "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}").unwrap();
    });
    format!("http://{address}")
}
