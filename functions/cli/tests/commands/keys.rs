use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{Ended, saltern, shell};

#[test]
fn a_new_file_has_one_key_that_only_its_owner_reads() {
    let file = file("new");
    let made = on(&file, &["new", "--id", "2026a", "--context", "--require"], "");
    assert_eq!(made.code, 0, "{}", made.err);
    let document = read(&file);
    assert_eq!((&document["current"], &document["require"]), (&json!("2026a"), &json!(true)));
    assert_eq!(
        (&document["keys"][0]["id"], &document["keys"][0]["context"]),
        (&json!("2026a"), &json!(true))
    );
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_no_key(&made, &document);

    let again = on(&file, &["new", "--id", "2026a"], "");
    assert_eq!(again.code, 64);
    assert_eq!(read(&file), document, "a file that exists is not replaced");
    assert_eq!(on(&super::keys::file("id"), &["new", "--id", "2026_A"], "").code, 64);
}

/// A part of a key would stop the next try, since the file must not exist.
#[test]
fn a_full_disk_leaves_no_part_of_a_new_file() {
    let file = file("full");
    let new = format!("saltern keys new --id 2026a '{}'", file.display());
    let full = shell(&format!("trap '' XFSZ; ulimit -f 0; {new}"), "");
    assert!(full.code == 64 && full.err.contains("cannot write"), "{} {}", full.code, full.err);
    assert!(!file.exists());
    assert_eq!(shell(&new, "").code, 0);
}

#[test]
fn a_key_is_added_made_current_and_retired() {
    let file = file("rotation");
    assert_eq!(on(&file, &["new", "--id", "a"], "").code, 0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
    for (arguments, current, ids) in [
        (&["add", "--id", "b", "--context"][..], "a", &["a", "b"][..]),
        (&["rotate"], "b", &["a", "b"]),
        (&["rotate", "--to", "a"], "a", &["a", "b"]),
        (&["rotate", "--to", "b"], "b", &["a", "b"]),
        (&["retire", "--id", "a"], "b", &["b"]),
    ] {
        let ended = on(&file, arguments, "");
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.err);
        let document = read(&file);
        let listed: Vec<_> =
            document["keys"].as_array().unwrap().iter().map(|key| key["id"].as_str().unwrap()).collect();
        assert_eq!((document["current"].as_str().unwrap(), &listed[..]), (current, ids), "{arguments:?}");
        assert_no_key(&ended, &document);
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o400, "the mode stays");
    }
    let before = read(&file);
    for arguments in [
        &["add", "--id", "b"][..],
        &["rotate", "--to", "a"],
        &["retire", "--id", "b"],
        &["retire", "--id", "a"],
    ] {
        let refused = on(&file, arguments, "");
        assert_eq!(refused.code, 64, "{arguments:?}");
        assert_no_key(&refused, &before);
        assert_eq!(read(&file), before, "{arguments:?}");
    }
}

/// A year later nobody remembers the option, and seals without a context fit every row.
#[test]
fn a_key_wants_a_context_if_the_last_one_does() {
    let file = file("inherited");
    for (arguments, contexts) in [
        (&["new", "--id", "a"][..], &[false][..]),
        (&["add", "--id", "b"], &[false, false]),
        (&["add", "--id", "c", "--context"], &[false, false, true]),
        (&["add", "--id", "d"], &[false, false, true, true]),
    ] {
        assert_eq!(on(&file, arguments, "").code, 0, "{arguments:?}");
        let document = read(&file);
        let keys = document["keys"].as_array().unwrap().iter();
        let listed: Vec<bool> = keys.map(|key| key["context"] == true).collect();
        assert_eq!(listed, contexts, "{arguments:?}");
    }
}

/// The key check value of the HTTP contract.
#[test]
fn check_prints_the_check_value_and_the_place_of_each_key() {
    let file = file("check");
    let document = json!({"current": "2026a", "keys": [
        {"id": "2025", "key": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="},
        {"id": "2026a", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "context": true},
        {"id": "2026b", "key": "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="},
    ]});
    fs::write(&file, document.to_string()).unwrap();
    let open = on(&file, &["check"], "");
    assert_eq!(open.code, 64);
    assert!(open.err.contains("chmod 600"), "{}", open.err);

    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let text = on(&file, &["check"], "");
    assert_no_key(&text, &document);
    assert!(text.out.contains(" b66a944a  current, with context\n"), "{}", text.out);
    let told: Value = serde_json::from_str(&on(&file, &["check", "--json"], "").out).unwrap();
    let roles: Vec<_> =
        told["keys"].as_array().unwrap().iter().map(|key| key["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["older", "current", "newer"]);
    assert_eq!(told["keys"][1]["check_value"], "b66a944a");
}

/// libxcrypt made the hash, of `saltern` and `site pepper`.
#[test]
fn a_pepper_is_added_checked_used_and_retired() {
    let file = file("site");
    assert_eq!(on(&file, &["new", "--id", "devise"], "").code, 0);
    for (arguments, line) in [
        (&["add-site", "--id", "devise"][..], "site pepper\n"),
        (&["add-site", "--id", "bytes", "--base64"], "c2l0ZSBwZXBwZXI="),
    ] {
        let added = on(&file, arguments, line);
        assert_eq!(added.code, 0, "{}", added.err);
    }
    let document = read(&file);
    assert_eq!(document["site_keys"][0], json!({"id": "devise", "key": "c2l0ZSBwZXBwZXI="}));
    assert_eq!(document["site_keys"][1], json!({"id": "bytes", "key": "c2l0ZSBwZXBwZXI="}));
    let checked = on(&file, &["check"], "");
    assert!(
        checked.out.contains("devise                           site key of 11 bytes\n"),
        "{}",
        checked.out
    );
    assert_no_key(&checked, &document);
    let told: Value = serde_json::from_str(&on(&file, &["check", "--json"], "").out).unwrap();
    assert_eq!(told["site_keys"][1], json!({"id": "bytes", "bytes": 11}));

    let stored = "$saltern-prep$v=1,p=pepper-append,k=devise$\
                  $2b$05$abcdefghijklmnopqrstuuoNsaREdiynvrBMjXoPbQV5VGLjp9yAS";
    let verify = ["verify", "--seal-keys", file.to_str().unwrap(), "-"];
    for (password, code) in [("saltern", 0), ("Saltern", 1)] {
        let verified = saltern(&verify, &format!("{stored}\n{password}\n"));
        assert_eq!(verified.code, code, "{} {}", verified.out, verified.err);
    }
    // `inspect` says what a login does, with the pepper and without it.
    let inspect = ["inspect", "--seal-keys", file.to_str().unwrap(), "-"];
    let with_pepper = saltern(&inspect, stored).out;
    assert!(with_pepper.contains("verified; ") && with_pepper.contains(" ms on one core"), "{with_pepper}");
    let without = saltern(&["inspect", "-"], stored).out;
    assert!(without.contains("refused: the site prepared the password with a key"), "{without}");
    for (arguments, line) in [
        (&["add-site", "--id", "devise"][..], "other\n"),
        (&["add-site", "--id", "Other"], "other\n"),
        (&["add-site", "--id", "other"], "\n"),
        (&["add-site", "--id", "other", "--base64"], "other\n"),
        (&["retire", "--site", "--id", "other"], ""),
    ] {
        let refused = on(&file, arguments, line);
        assert_eq!(refused.code, 64, "{arguments:?}: {}", refused.err);
        assert_eq!(read(&file), document, "{arguments:?}");
    }
    // The seal key with the same id stays.
    let retired = on(&file, &["retire", "--site", "--id", "devise"], "");
    assert_eq!(retired.code, 0, "{}", retired.err);
    let document = read(&file);
    assert_eq!(
        (&document["site_keys"][0]["id"], &document["keys"][0]["id"]),
        (&json!("bytes"), &json!("devise"))
    );
}

/// So an operator needs no file of keys that KMS has decrypted.
#[test]
fn keys_are_read_from_a_pipe_too() {
    let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let document = json!({"current": "2026a", "keys": [{"id": "2026a", "key": key}]});
    let piped = saltern(&["keys", "check", "/dev/stdin"], &document.to_string());
    assert!(piped.out.contains(" b66a944a  current\n"), "{} {}", piped.out, piped.err);
}

#[test]
fn inspect_explains_a_seal_and_with_its_key_the_hash() {
    let file = file("inspect");
    let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let document = json!({"current": "2026a", "keys": [{"id": "2026a", "key": key, "context": true}]});
    fs::write(&file, document.to_string()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let path = file.to_str().unwrap();
    let closed = saltern(&["inspect", SEALED], "");
    assert!(
        closed.code == 0 && closed.out.starts_with("seal        2026a\n"),
        "{} {}",
        closed.out,
        closed.err
    );
    let open = saltern(&["inspect", "--seal-keys", path, "--context", "user-7", SEALED], "");
    assert!(open.out.starts_with("seal        2026a\nscheme      bcrypt\n"), "{} {}", open.out, open.err);
    let json = saltern(&["inspect", "--json", "--seal-keys", path, "--context", "user-7", SEALED], "").out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["seal"]["key"], &json["scheme"]), (&json!("2026a"), &json!("bcrypt")));
    for context in [&["--context", "user-8"][..], &[]] {
        let refused = saltern(&[&["inspect", "--seal-keys", path], context, &[SEALED]].concat(), "");
        assert_eq!(refused.code, 65, "{context:?}: {}", refused.err);
    }
    let policies = concat!(env!("CARGO_MANIFEST_DIR"), "/../policy/policies.json");
    let checked = saltern(&["policies", "check", "--seal-keys", path, policies], "");
    assert!(checked.out.contains(", 1 seal keys, current 2026a\n"), "{} {}", checked.out, checked.err);
    assert_eq!(saltern(&["policies", "check", "--seal-keys", policies, policies], "").code, 64);
}

/// Runs `saltern keys` on a file.
fn on(file: &std::path::Path, arguments: &[&str], input: &str) -> Ended {
    saltern(&[&["keys"], arguments, &[file.to_str().unwrap()]].concat(), input)
}

/// The path of a file that does not exist.
pub(super) fn file(name: &str) -> PathBuf {
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("keys-{name}-{}.json", std::process::id()));
    let _not_there = fs::remove_file(&path);
    path
}

fn read(file: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The vector of the HTTP contract.
const SEALED: &str = "$saltern-seal$v=1,k=2026a$oKGio6Slpqeoqaqr$wioeCXX9Jt4ABuO2YR2otxrHNX382DId7n1S8wr+FlW2LA+wn2Q1ThSqQ747AMG2d3wBPzulYjwsEn8ZWN8rE+07P8iMyWKu0qwmmA";

#[track_caller]
fn assert_no_key(ended: &Ended, document: &Value) {
    let lists = ["keys", "site_keys"].map(|name| document[name].as_array().cloned().unwrap_or_default());
    for key in lists.concat() {
        let key = &key["key"].as_str().unwrap()[..12];
        assert!(!ended.out.contains(key) && !ended.err.contains(key), "{} {}", ended.out, ended.err);
    }
}
