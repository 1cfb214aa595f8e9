//! The service manager, such as systemd: readiness by `NOTIFY_SOCKET`, sockets by `LISTEN_FDS`.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::net::{UnixDatagram, UnixListener, UnixStream},
    path::PathBuf,
    process,
};

use rcgen::generate_simple_self_signed;

use super::{
    client::{ask, get},
    server::{PATIENCE, Server, command, file, with_socket},
};

#[test]
fn the_service_manager_is_told_of_start_reload_and_stop() {
    let path = path("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let told = || {
        let mut message = [0; 1024];
        let length = manager.recv(&mut message).expect("a message");
        String::from_utf8(message[..length].to_vec()).unwrap()
    };
    let tokens = file("tokens", &format!("shop hash never {TOKEN}"));
    let arguments = ["--tokens-file", tokens.to_str().unwrap(), "--drain-notice-seconds", "1"];
    let mut server = Server::start_with(&arguments, &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    assert_eq!(told().trim_end(), "READY=1");
    assert_eq!(ask(server.address(), get("/health")).status, 200);
    for tokens_are_valid in [true, false] {
        if !tokens_are_valid {
            fs::write(&tokens, "short").unwrap();
        }
        server.signal("HUP");
        let reloading = told();
        let lines: Vec<&str> = reloading.lines().collect();
        assert_eq!((lines[0], lines.len()), ("RELOADING=1", 2), "{reloading}");
        assert!(lines[1].strip_prefix("MONOTONIC_USEC=").unwrap().parse::<u64>().unwrap() > 0);
        assert_eq!(told().trim_end(), "READY=1");
    }
    server.signal("TERM");
    assert_eq!(told().trim_end(), "STOPPING=1");
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
    fs::remove_file(path).unwrap();
}

/// A manager that is gone costs a line of the log, and nothing else.
#[test]
fn a_service_manager_that_does_not_listen_is_reported() {
    let path = path("gone");
    let server = Server::start_with(&[], &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    let told = server.line("cannot tell the service manager the state: see NOTIFY_SOCKET");
    assert_eq!(told["level"], "WARN");
    assert_eq!(ask(server.address(), get("/health")).status, 200);
}

#[test]
fn a_passed_tcp_socket_is_served_instead_of_the_setting() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let first = socket.try_clone().unwrap();
    let mut server = Server::spawn(with_socket(first.into(), &command(&["--listen", "127.0.0.1:1"])));
    assert_eq!(server.line("serving")["address"], address.to_string());
    assert_eq!(ask(address, get("/health")).status, 200);
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
    // The manager keeps the socket, so a caller waits for the next server.
    let waiting = TcpStream::connect(address).expect("the socket still listens");
    drop(waiting);
    let next = Server::spawn(with_socket(socket.into(), &command(&[])));
    assert_eq!(ask(address, get("/health")).status, 200, "{}", next.output());
}

#[test]
fn a_passed_socket_file_is_served_and_stays() {
    let path = path("passed");
    let socket = UnixListener::bind(&path).unwrap();
    let mut server = Server::spawn(with_socket(socket.into(), &command(&[])));
    assert_eq!(server.line("serving")["address"], format!("unix:{}", path.display()));
    assert!(UnixStream::connect(&path).is_ok());
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.output());
    assert!(path.exists(), "the file belongs to the service manager");
    fs::remove_file(path).unwrap();
}

#[test]
fn a_passed_socket_beyond_loopback_requires_tokens_and_tls() {
    let socket = TcpListener::bind("0.0.0.0:0").unwrap();
    assert_refused(with_socket(socket.into(), &command(&[])), "lacks bearer tokens and TLS");
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_refused(with_socket(socket.into(), &command(&["--socket-mode", "660"])), "SocketMode=");
    let socket = UnixDatagram::unbound().unwrap();
    assert_refused(with_socket(socket.into(), &command(&[])), "ListenStream=");
}

/// systemd puts a copy of each credential into the directory `%d`.
#[test]
fn the_drop_in_for_other_machines_loads_all_that_its_settings_name() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("credentials");
    fs::create_dir_all(&directory).unwrap();
    let identity = generate_simple_self_signed(["saltern.example".to_owned()]).unwrap();
    let loaded = DROP_IN.lines().filter_map(|line| line.strip_prefix("LoadCredential="));
    for name in loaded.map(|credential| credential.split_once(':').unwrap().0) {
        let content = match name {
            "tokens" => format!("shop hash never {TOKEN}"),
            "chain.pem" => identity.cert.pem(),
            "key.pem" => identity.signing_key.serialize_pem(),
            other => panic!("{other} is not expected"),
        };
        fs::write(directory.join(name), content).unwrap();
    }
    let mut serve = command(&[]);
    let settings = DROP_IN.lines().filter_map(|line| line.strip_prefix("Environment="));
    serve.envs(settings.map(|setting| {
        let (name, value) = setting.split_once('=').unwrap();
        (name, value.replace("%d", directory.to_str().unwrap()))
    }));
    let socket = TcpListener::bind("0.0.0.0:0").unwrap();
    let server = Server::spawn(with_socket(socket.into(), &serve));
    let started = server.line("serving");
    assert_eq!((&started["tls"], &started["tokens"]), (&true.into(), &true.into()));
}

/// `sd_listen_fds(3)`: the variables are for the process that `LISTEN_PID` names.
#[test]
fn a_socket_of_another_process_is_not_taken() {
    let server = Server::start_with(&[], &[("LISTEN_PID", "1"), ("LISTEN_FDS", "1")]);
    assert_eq!(ask(server.address(), get("/health")).status, 200);
}

#[track_caller]
fn assert_refused(mut command: process::Command, sentence: &str) {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(64), "{said}");
    assert!(said.contains(sentence), "{said}");
}

/// Returns a path that is short enough for a socket.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("saltern-supervisor-{}-{name}", process::id()))
}

const DROP_IN: &str = include_str!("../../../../packaging/systemd/beyond-loopback.conf");

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
