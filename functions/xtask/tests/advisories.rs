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
fn an_advisory_or_an_error_of_the_database_is_a_failure() {
    for (status, known, passes, printed) in [
        ("200 OK", "moto", false, "PyPI moto 5.2.5: https://osv.dev/vulnerability/TEST-1\n"),
        ("200 OK", "moto", false, " have 1 advisories\n"),
        ("200 OK", "nothing", true, " have 0 advisories\n"),
        ("500 Internal Server Error", "nothing", false, "answered 500"),
    ] {
        let (passed, output) = advisories(&[], &stub(status, known));
        assert!(passed == passes && output.contains(printed), "{output}");
    }
}

/// A failure only in the nightly check, which is `--online`.
#[test]
fn without_the_database_the_check_says_that_it_did_not_run() {
    for (arguments, passes) in [(&[][..], true), (&["--online"], false)] {
        let (passed, output) = advisories(arguments, &nowhere());
        assert!(passed == passes && output.starts_with("NOT RUN: advisories"), "{output}");
    }
}

/// An address where no database listens.
fn nowhere() -> String {
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    format!("http://{closed}")
}

/// Runs the check against this database. Returns whether it passed, and its output.
fn advisories(arguments: &[&str], database: &str) -> (bool, String) {
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("advisories"));
    script.args(arguments).env("SALTERN_OSV", database).env("no_proxy", "*");
    let output = script.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Answers one request as OSV does, with an advisory for the package of this name.
fn stub(status: &'static str, known: &'static str) -> String {
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
            if query["package"]["name"] == known { json!({"vulns": [{"id": "TEST-1"}]}) } else { json!({}) }
        };
        let results: Vec<_> = asked["queries"].as_array().unwrap().iter().map(answer).collect();
        let answer = json!({"results": results}).to_string();
        let length = answer.len();
        write!(stream.get_mut(), "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}").unwrap();
    });
    format!("http://{address}")
}
