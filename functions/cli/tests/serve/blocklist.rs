//! A list of breached passwords.

use std::{
    fs,
    io::Write as _,
    process::{Command, Output, Stdio},
};

use serde_json::json;

use super::{
    client::{Client, post},
    server::{Server, file},
};

/// Runs `saltern blocklist build` with these lines.
fn build(arguments: &[&str], lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saltern"))
        .args(["blocklist", "build"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// A new password is refused. A right one is not, and gets its upgrade.
#[test]
fn a_listed_password_gets_no_new_hash_and_still_logs_in() {
    let list = file("breached", "");
    let built = build(&["--plain"], "123456\npassword\r\n");
    assert_eq!(String::from_utf8(built.stderr).unwrap(), "listed 2 passwords\n");
    fs::write(&list, &built.stdout).unwrap();
    let server = Server::start(&["--blocklist", list.to_str().unwrap()]);
    let mut client = Client::connect(server.address());
    for listed in ["123456", "password"] {
        let refused = client.ask(post("/hash", &json!({"password": listed})));
        assert_eq!(refused.json()["field"], "password");
        refused.assert_problem(422, "password_breached");
    }
    assert_eq!(client.ask(post("/hash", &json!({"password": "salt marsh at dawn"}))).status, 200);
    let old = json!({"password": "password", "hash": OLD, "rehash": true});
    let verified = client.ask(post("/verify", &old)).json();
    assert_eq!(verified["match"], true);
    assert!(verified["rehashed"]["hash"].is_string(), "{verified}");
    let operations = json!({"operations": [{"op": "hash", "password": "password"}]});
    let results = client.ask(post("/batch", &operations)).json();
    assert_eq!(results["results"][0]["problem"]["code"], "password_breached");
    let told = client.ask("GET /policies HTTP/1.1\r\n\r\n").json()["blocklist"].clone();
    let (_, digest) = built.stdout.split_last_chunk::<32>().unwrap();
    assert_eq!(told["digest"], format!("sha256:{}", base16ct::lower::encode_string(digest)));
    assert_eq!(told["entries"], 2);
    assert!((told["false_refusals"].as_f64().unwrap() - 2.0 / 2.0_f64.powi(40)).abs() < 1e-15);
}

#[test]
fn only_passwords_that_were_seen_often_enough_are_listed() {
    let lines = "7C4A8D09CA3762AF61E59520943DC26494F8941B:3\n5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:2\n";
    for (least, listed) in [("2", "listed 2 passwords\n"), ("3", "listed 1 password\n")] {
        let built = build(&["--at-least", least], lines);
        assert_eq!(String::from_utf8(built.stderr).unwrap(), listed);
    }
}

/// The first line of such a list is the password that most people have.
#[test]
fn a_byte_order_mark_hides_no_password() {
    let of = |lines: &str| build(&["--plain"], lines).stdout;
    assert_eq!(of("\u{feff}123456\r\npassword\r\n"), of("password\n123456\n"));
    assert_ne!(of("password\n\u{feff}123456\n"), of("password\n123456\n"));
}

#[test]
fn a_list_that_cannot_be_right_is_refused_with_the_reason() {
    for (arguments, lines, reason) in [
        (&[][..], "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:1\npassword\n", "line 2 is not a SHA-1"),
        (&[], "", "no password is left"),
        (&["--at-least", "2"], "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:1\n", "no password is left"),
    ] {
        let refused = build(arguments, lines);
        assert!(!refused.status.success() && refused.stdout.is_empty());
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.contains(reason) && !error.contains("password\n"), "{error}");
    }
    let cut = file("cut", "saltern block list 1\n");
    let refused = Command::new(env!("CARGO_BIN_EXE_saltern"))
        .args(["serve", "--blocklist", cut.to_str().unwrap()])
        .output()
        .unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("it is no whole list"), "{error}");
}

/// sha512-crypt of `password`.
const OLD: &str =
    "$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/";
