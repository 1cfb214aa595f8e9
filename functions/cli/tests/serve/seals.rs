//! Sealed hashes in the running server: the keys at the start, at SIGHUP and under load.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    client::{Client, PATIENT, ask, hash, post_with},
    server::{PBKDF2_AT_ITS_FLOOR, Server, command, file, until},
};

#[test]
fn keys_that_break_a_rule_stop_the_start() {
    let keys = |document: Value| {
        let path = file("keys.json", &document.to_string());
        private(&path);
        path
    };
    let open = file("open.json", &document("a", "a").to_string());
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    for (path, sentence) in [
        (PathBuf::from("/nonexistent"), "cannot read the seal keys"),
        (open, "chmod 600"),
        (keys(document("c", "ab")), "`current` names no key"),
        (keys(json!("mArKeD-kEy")), "line 1, column "),
        // Any process of this machine could seal hashes with them, and open stolen ones.
        (keys(document("a", "a")), "give --tokens-file or --listen unix:PATH"),
    ] {
        let output = command(&["--seal-keys", path.to_str().unwrap()]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(said.contains(sentence) && said.lines().count() == 1, "{said}");
        assert!(!said.contains("mArKeD"), "{said}");
    }
}

/// Starts a server with these keys. The tests have no tokens, which keys want at an address.
fn sealing(keys: &Path) -> Server {
    Server::start(&["--insecure", "--seal-keys", keys.to_str().unwrap()])
}

#[test]
fn the_line_at_the_start_names_the_current_key_and_no_line_holds_a_key() {
    let mut keys = document("b", "ab");
    keys["require"] = json!(true);
    let path = file("keys.json", &keys.to_string());
    private(&path);
    let server = sealing(&path);
    let started = server.line("serving");
    assert_eq!((&started["seal_key"], &started["seal_required"]), (&json!("b"), &json!(true)));
    let hash = made(&server);
    assert!(hash.starts_with("$saltern-seal$v=1,k=b$"), "{hash}");
    assert_eq!(verified(&server, &hash), Some(true));
    verify(&server, &hash.replace("k=b", "k=a")).assert_problem(422, "seal_broken");
    verify(&server, &hash.replace("k=b", "k=c")).assert_problem(503, "key_unavailable");
    let line = until(|| server.output().lines().find(|line| line.contains("seal_broken")).map(str::to_owned));
    assert!(line.is_some());
    server.signal("HUP");
    let told = server.line(READ_AGAIN);
    assert_eq!(told["seal_key"], "b");
    let output = server.output();
    let policies = ask(server.address(), "GET /policies HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for secret in [key('a'), key('b'), &hash, "AQEBAQ"] {
        assert!(!output.contains(secret) && !policies.body.contains(secret), "{secret}");
    }
}

#[test]
fn keys_that_are_read_again_change_as_a_whole_or_not_at_all() {
    let path = file("keys.json", &document("a", "a").to_string());
    private(&path);
    let server = sealing(&path);
    let older = made(&server);
    fs::write(&path, document("c", "ab").to_string()).unwrap();
    server.signal("HUP");
    server.line("the old tokens, the old certificate and the old seal keys stay in use");
    assert!(made(&server).contains("k=a$"));
    fs::write(&path, document("b", "ab").to_string()).unwrap();
    server.signal("HUP");
    until(|| made(&server).contains("k=b$").then_some(())).expect("the new key is current");
    assert_eq!(verified(&server, &older), Some(true));
    fs::write(&path, document("b", "b").to_string()).unwrap();
    server.signal("HUP");
    let is_retired = || (verify(&server, &older).status == 503).then_some(());
    until(is_retired).expect("the old key is retired");
}

/// A key is added, made current and retired on two servers, one after the other. Users log in at
/// both: 1,000 logins a second, or as many as this machine does. Each eighth password is wrong.
#[test]
fn a_rotation_under_load_refuses_no_login() {
    let paths = [(); 2].map(|()| {
        let path = file("keys.json", &document("a", "a").to_string());
        private(&path);
        path
    });
    let servers = [0, 1].map(|index: usize| sealing(&paths[index]));
    let rows = [(); USERS].map(|()| hash(servers[0].address(), "p", PBKDF2_AT_ITS_FLOOR));
    let logins = [(); USERS].map(|()| AtomicU32::new(0));
    let (start, ended, next) = (Instant::now(), AtomicBool::new(false), AtomicU32::new(0));
    let rows = thread::scope(|scope| {
        // If this scope fails, the users stop too.
        let ends = Ends(&ended);
        let users: Vec<_> = rows
            .into_iter()
            .enumerate()
            .map(|(user, mut row)| {
                let (servers, ended, next, logins) = (&servers, &ended, &next, &logins[user]);
                scope.spawn(move || {
                    let mut clients = [0, 1].map(|index: usize| Client::connect(servers[index].address()));
                    for login in user.. {
                        let due = start + next.fetch_add(1, Ordering::Relaxed) * BETWEEN_LOGINS;
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        if ended.load(Ordering::Relaxed) {
                            break;
                        }
                        let is_right = login % 8 != 0;
                        let password = if is_right { "p" } else { "q" };
                        let body = json!({"password": password, "hash": row, "rehash": true});
                        let request = post_with("/verify", PATIENT, &body.to_string());
                        let answer = clients[login % 2].ask(request);
                        assert_eq!(
                            (answer.status, &answer.json()["match"]),
                            (200, &json!(is_right)),
                            "{row}"
                        );
                        if let Some(anew) = answer.json()["rehashed"]["hash"].as_str() {
                            row = anew.to_owned();
                        }
                        logins.fetch_add(1, Ordering::Relaxed);
                    }
                    row
                })
            })
            .collect();
        // A login that runs already may have the old keys, and the next one a wrong password. The
        // third has the new keys.
        let all_log_in = || {
            for own in &logins {
                let enough = own.load(Ordering::Relaxed) + 3;
                until(|| (own.load(Ordering::Relaxed) >= enough).then_some(())).expect("every user logs in");
            }
        };
        let release = |current: &str, ids: &str| {
            for (server, path) in servers.iter().zip(&paths) {
                let before = server.output().matches(READ_AGAIN).count();
                fs::write(path, document(current, ids).to_string()).unwrap();
                server.signal("HUP");
                let is_read = || (server.output().matches(READ_AGAIN).count() > before).then_some(());
                until(is_read).expect("the keys are read again");
                all_log_in();
                thread::sleep(rotation() / RELEASES);
            }
        };
        release("a", "ab");
        release("b", "ab");
        // No row has the old key any more.
        release("b", "b");
        drop(ends);
        users.into_iter().map(|user| user.join().unwrap()).collect::<Vec<_>>()
    });
    let sum: u32 = logins.iter().map(|own| own.load(Ordering::Relaxed)).sum();
    let rate = f64::from(sum) / start.elapsed().as_secs_f64();
    println!("{sum} logins during a rotation, {rate:.0} a second: none wrong, none refused");
    assert!(rows.iter().all(|row| row.contains("k=b$")), "{rows:?}");
}

/// Ends the load when it is dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The time of the rotation. `make test-all` sets a longer one.
fn rotation() -> Duration {
    let seconds = std::env::var("SALTERN_ROTATION_SECONDS").map_or(2, |text| text.parse().unwrap());
    Duration::from_secs(seconds)
}

/// The document with these keys, each named by a letter.
fn document(current: &str, ids: &str) -> Value {
    let entry = |id: char| json!({"id": id.to_string(), "key": key(id)});
    json!({"current": current, "keys": ids.chars().map(entry).collect::<Vec<_>>()})
}

fn key(id: char) -> &'static str {
    if id == 'a' {
        "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
    } else {
        "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
    }
}

pub(crate) fn private(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn made(server: &Server) -> String {
    let answer = ask(server.address(), post_with("/hash", "", &json!({"password": "p"}).to_string()));
    answer.json()["hash"].as_str().unwrap().to_owned()
}

fn verify(server: &Server, hash: &str) -> super::client::Response {
    let body = json!({"password": "p", "hash": hash, "rehash": true});
    ask(server.address(), post_with("/verify", PATIENT, &body.to_string()))
}

fn verified(server: &Server, hash: &str) -> Option<bool> {
    verify(server, hash).json()["match"].as_bool()
}

/// Few enough that each user logs in often, and enough for 1,000 logins a second.
const USERS: usize = 16;

/// 1,000 logins a second.
const BETWEEN_LOGINS: Duration = Duration::from_millis(1);

/// A key is added, made current and retired, on two servers.
const RELEASES: u32 = 6;

const READ_AGAIN: &str =
    "tokens, certificate and seal keys were read again; the policy document is read only at the start";
