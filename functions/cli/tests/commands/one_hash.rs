use std::{
    env, fs,
    num::NonZeroUsize,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use http::Request;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use saltern_policy::{Limits, Policies, SHIPPED};
use saltern_pool::{Pool, PoolSettings};
use saltern_seal::Keys;
use saltern_service::{Arrival, Body, Caller, Ids, Service};
use serde_json::{Value, json};

use super::{BCRYPT, LDAP_SHA, PASSWORD, keys, saltern, succeeds};

#[test]
fn a_new_hash_verifies() {
    let made = succeeds(&["hash"], "saltern\n");
    let hash = made.out.trim_end();
    assert!(hash.starts_with("$argon2id$v=19$m=65536,t=4,p=1$"), "{hash}");
    let right = saltern(&["verify", hash], "saltern\n");
    assert_eq!((right.code, right.out.as_str()), (0, "matches\n"), "{}", right.err);
    let wrong = saltern(&["verify", hash], "Saltern\n");
    assert_eq!((wrong.code, wrong.out.as_str()), (1, "does not match\n"), "{}", wrong.err);
}

#[test]
fn with_keys_a_new_hash_is_sealed_and_a_stored_one_is_opened() {
    let file = keys::file("one-hash");
    let path = file.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", "--context", path], "");
    let seal = |context: &'static str| ["--seal-keys", path, "--context", context];
    let without = saltern(&["hash", "--seal-keys", path], "saltern\n");
    assert!(without.code == 64 && without.err.contains("--context"), "{}", without.err);
    let made = saltern(&[&["hash"], &seal("user-7")[..]].concat(), "saltern\n");
    let hash = made.out.trim_end();
    assert!(hash.starts_with("$saltern-seal$v=1,k=a$"), "{hash} {}", made.err);

    let verify = |arguments: &[&str], hash: &str, password: &str| {
        let ended = saltern(&[&["verify"], arguments, &[hash]].concat(), password);
        assert!(!ended.err.contains(&hash[30..]), "{}", ended.err);
        (ended.code, ended.out)
    };
    assert_eq!(verify(&seal("user-7"), hash, "saltern\n"), (0, "matches\n".to_owned()));
    assert_eq!(verify(&seal("user-7"), hash, "Saltern\n"), (1, "does not match\n".to_owned()));
    let no_key = saltern(&["verify", hash], "saltern\n");
    assert!(no_key.code == 65 && no_key.err.contains("--seal-keys"), "{}", no_key.err);
    assert_eq!(verify(&seal("user-8"), hash, "saltern\n").0, 65);
    assert_eq!(verify(&["--seal-keys", path], hash, "saltern\n").0, 65);

    let bare = saltern(&["hash"], "saltern\n").out;
    let due = |reason: &str| (0, format!("matches, and should be replaced: {reason}\n"));
    assert_eq!(verify(&seal("user-7"), bare.trim_end(), "saltern\n"), due("unsealed"));
    assert_eq!(verify(&seal("user-7"), BCRYPT, "saltern\n"), due("other_algorithm"));
    for arguments in [&["add", "--id", "b", "--context"][..], &["rotate"]] {
        succeeds(&[&["keys"], arguments, &[path]].concat(), "");
    }
    assert_eq!(verify(&seal("user-7"), hash, "saltern\n"), due("older_key"));
}

#[test]
fn a_password_is_the_line_without_its_newline() {
    let hash = saltern(&["hash"], " s \t\r\n").out;
    for (password, code) in [(" s \t\r\n", 0), (" s \t\r", 0), (" s \t\n", 1), ("s\n", 1), ("\n", 1)] {
        assert_eq!(saltern(&["verify", hash.trim_end()], password).code, code, "{password:?}");
    }
}

#[test]
fn a_hash_and_its_password_may_both_come_from_standard_input() {
    succeeds(&["verify", "-"], &format!("{BCRYPT}\n{PASSWORD}\n"));
    assert_eq!(saltern(&["verify", "-"], &format!("{BCRYPT}\nother\n")).code, 1);
    assert_eq!(saltern(&["verify", "-"], &format!("{BCRYPT}\n")).code, 65);
}

/// proc(5): the files in /proc of a process that is not dumpable belong to root.
#[test]
fn other_processes_cannot_read_the_memory_of_commands_with_secrets() {
    // Only root may enter some directories to which a repository is cloned.
    let folder = env::temp_dir().join(format!("saltern-private-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [program, file, fifo] = ["program", "keys", "fifo"].map(|name| folder.join(name));
    // By another process: a program that this one has open for writing cannot be run by any.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_saltern")).arg(&program).status().unwrap();
    assert!(copied.success());
    let path = file.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", path], "");
    let sealed = saltern(&["seal", "--seal-keys", path], BCRYPT).out;
    // A reader of this file waits for a writer, so a command that reads only keys waits too.
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
    let waits = fifo.to_str().unwrap();
    if rustix::process::geteuid().is_root() {
        for file in [&folder, &program, &file, &fifo] {
            chown(file, Some(NOBODY), None).unwrap();
        }
    }
    for arguments in [
        &["hash"][..],
        &["verify", BCRYPT],
        &["wrap"],
        &["seal", "--seal-keys", path],
        &["reseal", "--seal-keys", path],
        &["unseal", "--seal-keys", path],
        &["inspect", "--seal-keys", waits, sealed.trim_end()],
        &["keys", "check", waits],
        &["policies", "check", "--seal-keys", waits],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let mut command = Command::new(&program);
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY);
        }
        let mut child =
            command.args(arguments).env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let of = |file: &str| format!("/proc/{}/{file}", child.id());
        let seen = || {
            let limits = fs::read_to_string(of("limits")).unwrap();
            let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
            let core: Vec<_> = core.split_whitespace().skip(4).take(2).map(str::to_owned).collect();
            (["mem", "environ"].map(|file| fs::metadata(of(file)).unwrap().uid()), core)
        };
        let private = ([0; 2], vec!["0".to_owned(); 2]);
        let start = Instant::now();
        // The command waits for its input after it has started, or serves.
        while seen() != private && start.elapsed() < Duration::from_mins(2) {
            thread::sleep(Duration::from_millis(5));
        }
        let seen = seen();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, private, "{arguments:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn json_output_equals_the_response_of_the_service() {
    let limits = Limits { workers: 1, memory_budget_bytes: 512 << 20, ..Limits::default() };
    let policies = Policies::load(SHIPPED, &limits).unwrap();
    let service = Service::new(policies, Pool::start(&PoolSettings::new(NonZeroUsize::MIN)).unwrap());
    let answered = |path: &str, body: Value| -> Value {
        let request = Request::post(path).header("content-type", "application/json");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let arrival = Arrival { at: Instant::now(), peer: None, caller: Caller::Anyone, latest: None };
        let mut incoming = service.receive(&parts, arrival, Ids::random());
        incoming.body = Body::new(body.to_string().into_bytes());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let response = runtime.block_on(service.answer(&mut incoming)).response;
        assert_eq!(response.status(), 200);
        serde_json::from_slice(response.body().as_ref()).unwrap()
    };
    let said = |arguments: &[&str], password: &str| -> Value {
        serde_json::from_str(&saltern(arguments, &format!("{password}\n")).out).unwrap()
    };

    // Salt and output differ.
    let without_salt = |mut made: Value| {
        let hash = made["hash"].as_str().unwrap();
        let parameters = hash.rsplitn(3, '$').last().unwrap().to_owned();
        made["hash"] = json!(parameters);
        made
    };
    let own = said(&["hash", "--json"], PASSWORD);
    assert_eq!(without_salt(own), without_salt(answered("/hash", json!({ "password": PASSWORD }))));

    // A match that is replaced, a match that stays, and a mismatch.
    let stays = answered("/hash", json!({ "password": PASSWORD }))["hash"].as_str().unwrap().to_owned();
    for (hash, password) in [(BCRYPT, PASSWORD), (&stays, PASSWORD), (&stays, "Saltern")] {
        let of_service = answered("/verify", json!({ "password": password, "hash": hash }));
        assert_eq!(said(&["verify", "--json", hash], password), of_service, "{hash}");
    }

    // A match whose seal alone is missing, and one that stays.
    let file = keys::file("json");
    let path = file.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", path], "");
    service.install_keys(Keys::read(&file).unwrap());
    let sealed = said(&["hash", "--json", "--seal-keys", path], PASSWORD);
    assert_eq!(sealed["policy"], answered("/hash", json!({ "password": PASSWORD }))["policy"]);
    for hash in [BCRYPT, &stays, sealed["hash"].as_str().unwrap()] {
        let of_service = answered("/verify", json!({ "password": PASSWORD, "hash": hash }));
        let own = said(&["verify", "--json", "--seal-keys", path, hash], PASSWORD);
        assert_eq!(own, of_service, "{hash}");
    }
}

#[test]
fn a_refusal_is_one_line_and_exit_code_65() {
    let too_long = format!("{}\n", "a".repeat(1025));
    for (arguments, input) in [
        (&["verify", LDAP_SHA][..], "Zirkon-77\n"),
        (&["verify", "$2b$04$short"], "Zirkon-77\n"),
        (&["verify", "d41d8cd98f00b204e9800998ecf8427e"], "\n"),
        (&["hash"], &too_long),
        (&["hash"], ""),
        (&["inspect", "d41d8cd98f00b204e9800998ecf8427e"], ""),
    ] {
        let ended = saltern(arguments, input);
        assert_eq!((ended.code, ended.out.as_str()), (65, ""), "{arguments:?} {}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        for given in ["Zirkon-77", "d41d8", "aaaa", "$2b$04", &LDAP_SHA[5..]] {
            assert!(!ended.err.contains(given), "{given}: {}", ended.err);
        }
    }
}

#[test]
fn a_weak_hash_verifies_if_its_scheme_is_accepted() {
    let allowed = saltern(&["verify", "--accept-weak", "ldap-sha", LDAP_SHA], "saltern\n");
    assert_eq!(allowed.out, "matches, and should be replaced: weak_scheme\n");
    let unknown = saltern(&["verify", "--accept-weak", "sha", LDAP_SHA], "saltern\n");
    assert_eq!(unknown.code, 64);
    assert!(unknown.err.contains("ldap-sha"), "{}", unknown.err);
}

#[test]
fn inspect_prints_the_fields_and_neither_salt_nor_output() {
    let told = saltern(&["inspect", BCRYPT], "");
    for field in ["scheme      bcrypt", "cost        cost 5", "salt        16 bytes", "other_algorithm"] {
        assert!(told.out.contains(field), "{}", told.out);
    }
    assert!(!told.out.contains(&BCRYPT[7..]), "{}", told.out);
    let peppered = "$saltern-prep$v=1,p=pepper-append,k=lost$".to_owned() + BCRYPT;
    let json: Value = serde_json::from_str(&saltern(&["inspect", "--json", "-"], &peppered).out).unwrap();
    assert_eq!(json["verdict"], "key_unavailable", "as migrate-plan and the server call it");
    let json: Value = serde_json::from_str(&saltern(&["inspect", "--json", "-"], LDAP_SHA).out).unwrap();
    assert_eq!(json["scheme"], "ldap-sha");
    assert_eq!(json["weakness"], "unsalted");
    assert_eq!(json["verdict"], "unsupported_hash");
    assert!(json["milliseconds"].as_f64().unwrap() > 0.0);
}

const NOBODY: u32 = 65534;
