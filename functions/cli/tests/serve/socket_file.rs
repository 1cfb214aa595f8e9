//! `--listen unix:PATH`: a socket file instead of an address.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::{Path, PathBuf},
    process,
};

use super::server::{PATIENCE, Server, command, file, until};

#[test]
fn a_socket_file_is_served_with_its_mode_and_removed_at_the_end() {
    let path = path("mode");
    let mut server = Server::start(&["--listen", &listen(&path), "--socket-mode", "640"]);
    assert_eq!(server.line("serving")["address"], listen(&path));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
    assert!(ask(&path, "/policies", "").starts_with("HTTP/1.1 200 "));
    let line =
        until(|| server.output().lines().find(|line| line.contains(r#""policies","#)).map(str::to_owned));
    let peer = format!("uid={} pid={}", rustix::process::geteuid().as_raw(), process::id());
    assert!(line.is_some_and(|line| line.contains(&peer)), "{}", server.output());

    let second = command(&["--listen", &listen(&path)]).output().unwrap();
    let sentence = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(71), "{sentence}");
    assert!(sentence.contains("a process listens on"), "{sentence}");
    assert!(ask(&path, "/policies", "").starts_with("HTTP/1.1 200 "), "the first server goes on");

    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0));
    assert!(!path.exists());
}

#[test]
fn tokens_apply_to_a_socket_file_of_its_owner() {
    let path = path("tokens");
    let tokens = file("tokens", &format!("shop hash never {TOKEN}"));
    let _server = Server::start(&["--listen", &listen(&path), "--tokens-file", tokens.to_str().unwrap()]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600, "the default");
    assert!(ask(&path, "/policies", "").starts_with("HTTP/1.1 401 "));
    assert!(
        ask(&path, "/policies", &format!("Authorization: Bearer {TOKEN}\r\n")).starts_with("HTTP/1.1 200 ")
    );
}

/// Returns a path that is short enough for a socket.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("saltern-serve-{}-{name}", process::id()))
}

fn listen(path: &Path) -> String {
    format!("unix:{}", path.display())
}

fn ask(path: &Path, uri: &str, headers: &str) -> String {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET {uri} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
