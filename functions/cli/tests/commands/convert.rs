//! Hashes that sites made themselves: `convert`, `try` and `hash-clear`.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use super::{BCRYPT, LDAP_SHA, PASSWORD, keys, saltern};

#[test]
fn each_source_is_converted_to_a_hash_of_its_password_and_once() {
    let keys = site_keys("convert");
    for (source, value, salt, more) in KINDS {
        let table = format!("7\t{value}\t{}\n", salt.unwrap_or("-"));
        let column = if salt.is_some() { &["--salt-column", "3"][..] } else { &[] };
        let convert = ["convert", "--from", source, "--delimiter", "\\t", "--column", "2"];
        let convert = [&convert[..], column, more].concat();
        let once = saltern(&convert, &table);
        assert_eq!(once.code, 0, "{source} {value}: {}", once.err);
        assert!(once.err.starts_with("1 row: 1 changed, 0 left as wanted, 0 skipped\n"), "{}", once.err);
        let stored = once.out.split('\t').nth(1).unwrap();
        assert_eq!(once.out, table.replace(value, stored), "{source}");
        let verify = ["verify", "--accept-weak", "all", "--seal-keys", &keys, "-"];
        let right = saltern(&verify, &format!("{stored}\n{PASSWORD}\n"));
        assert_eq!(right.code, 0, "{source} {value}: {stored} {} {}", right.out, right.err);
        let wrong = saltern(&verify, &format!("{stored}\nSaltern\n"));
        assert_eq!(wrong.code, 1, "{source} {value}: {stored} {} {}", wrong.out, wrong.err);
        let twice = saltern(&convert, &once.out);
        assert_eq!((twice.code, &twice.out), (0, &once.out), "{source}: {}", twice.err);
        assert!(twice.err.starts_with("1 row: 0 changed, 1 left as wanted, 0 skipped\n"), "{}", twice.err);
    }
}

#[test]
fn a_row_whose_salt_cannot_be_read_is_skipped() {
    let (source, value, ..) = KINDS.iter().find(|kind| kind.2.is_some()).unwrap();
    let convert = ["convert", "--from", source, "--delimiter", "\\t", "--column", "2", "--salt-column", "3"];
    let table = format!("7\t{value}\t\\N\n");
    let ended = saltern(&convert, &table);
    assert_eq!((ended.code, &ended.out), (65, &table), "{}", ended.err);
    assert!(ended.err.starts_with("1 row: 0 changed, 0 left as wanted, 1 skipped\n"), "{}", ended.err);
}

#[test]
fn one_password_shows_how_a_site_made_its_hashes() {
    let keys = site_keys("try");
    for (source, value, salt, _) in KINDS {
        let salt = salt.map_or(vec![], |salt| vec!["--salt", salt]);
        let tried = [&["try", "--seal-keys", &keys, "-"][..], &salt].concat();
        let right = saltern(&tried, &format!("{value}\n{PASSWORD}\n"));
        assert_eq!(right.code, 0, "{source} {value}: {} {}", right.out, right.err);
        let is_read = saltern_encoded::parse(value).is_ok() && !right.out.contains(" convert ");
        let named = right.out.contains(&format!("saltern convert --from {source}"));
        assert!(named || is_read, "{source} {value}: {}", right.out);
    }
}

#[test]
fn a_value_that_no_way_fits_comes_with_advice() {
    for (value, advice) in [
        ("!", "no password is set"),
        ("$2b$10$abcdefghijk", "look at the width of the column"),
        (BCRYPT, "if the site has a pepper"),
        ("5f4dcc3b5aa765d61d8327deb882cf99", "look into the site's code"),
    ] {
        let tried = saltern(&["try", "-"], &format!("{value}\nwrong password\n"));
        assert_eq!(tried.code, 1, "{value}");
        assert!(tried.out.contains("none fits: ") && tried.out.contains(advice), "{}", tried.out);
    }
}

/// The printed command converts the value, with the separators and encodings that were found.
#[test]
fn the_command_that_try_prints_converts_the_table() {
    for (source, value, salt, _) in KINDS.iter().filter(|kind| kind.2.is_none() && !kind.0.contains("pepper"))
    {
        let tried = saltern(&["try", "-"], &format!("{value}\n{PASSWORD}\n")).out;
        let Some((_, command)) = tried.split_once("saltern convert ") else {
            panic!("{source} {salt:?}: {tried}");
        };
        let command = command.trim_end().replace('\'', "");
        // A line alone would be read as `user:hash`.
        let before = ["convert", "--delimiter", "\\t"];
        let arguments: Vec<&str> = before.into_iter().chain(command.split(' ')).collect();
        let converted = saltern(&arguments, &format!("{value}\n"));
        assert_eq!(converted.code, 0, "{command}: {}", converted.err);
        let verified =
            saltern(&["verify", "--accept-weak", "all", "-"], &format!("{}{PASSWORD}\n", converted.out));
        assert_eq!(verified.code, 0, "{command}: {} {}", converted.out, verified.err);
    }
}

#[test]
fn a_value_that_no_way_fits_ends_with_one() {
    let digest = KINDS[0].1;
    let wrong = saltern(&["try", digest], "Saltern\n");
    assert_eq!(wrong.code, 1, "{}", wrong.err);
    assert!(wrong.out.contains("none fits") && !wrong.out.contains(digest), "{}", wrong.out);
    let clear = saltern(&["try", PASSWORD], "saltern\n");
    assert!(clear.code == 0 && clear.out.contains("in clear"), "{}", clear.out);
    let known = saltern(&["try", LDAP_SHA], "saltern\n");
    assert_eq!((known.code, known.out.as_str()), (0, "fits as it is: ldap-sha\n"));
}

#[test]
fn rows_of_another_form_are_skipped_and_told() {
    let table = format!("{}\n\n!locked\n{BCRYPT}\nhunter2\n{}\n", KINDS[1].1, &KINDS[1].1[..39]);
    let ended = saltern(&["convert", "--from", "sha1"], &table);
    assert_eq!(ended.code, 65);
    assert!(ended.err.starts_with("6 rows: 1 changed, 3 left as wanted, 2 skipped\n"), "{}", ended.err);
    assert_eq!(ended.out.lines().next(), Some(LDAP_SHA));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(ended.out.lines().skip(1).collect::<Vec<_>>(), lines[1..]);
    for arguments in [
        &["convert", "--from", "rot13"][..],
        &["convert"],
        &["convert", "--from", "pbkdf2-sha512"],
        &["convert", "--from", "pepper-append"],
        &["convert", "--from", "md5-hex", "--site-key", "x"],
    ] {
        let ended = saltern(arguments, &table);
        assert_eq!((ended.code, ended.out.as_str()), (64, ""), "{arguments:?}");
    }
}

#[test]
fn firebase_and_keycloak_come_with_their_second_field() {
    let project = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("firebase-project");
    fs::write(&project, GOOGLE_PROJECT).unwrap();
    let project = project.to_str().unwrap();
    let user = "user-1,lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==,42xEC-ixf3L2lw==\n";
    let csv = ["convert", "--delimiter", ",", "--column", "2", "--salt-column", "3", "--from"];
    let converted = saltern(&[&csv[..], &["firebase", "--firebase-project", project]].concat(), user);
    assert_eq!(converted.code, 0, "{}", converted.err);
    let stored = converted.out.split('"').nth(1).unwrap();
    let verified = saltern(&["verify", "--firebase-project", project, stored], "user1password\n");
    assert_eq!(verified.code, 0, "{stored} {}", verified.err);
    let credential = "1,\"{\"\"value\"\":\"\"VALUE==\"\",\"\"salt\"\":\"\"c29tZXNhbHRzb21lc2FsdA==\"\"}\",\"{\"\"hashIterations\"\":27500,\"\"algorithm\"\":\"\"pbkdf2-sha256\"\"}\"\n";
    let converted =
        saltern(&[&csv[..], &["keycloak"]].concat(), &credential.replace("VALUE", &"A".repeat(86)));
    assert_eq!(converted.code, 0, "{}", converted.err);
    let stored = format!("\"$pbkdf2-sha256$i=27500,l=64$c29tZXNhbHRzb21lc2FsdA${}\"", "A".repeat(86));
    assert_eq!(converted.out.split("\",\"").next(), Some(format!("1,{stored}").trim_end_matches('"')));
}

#[test]
fn a_table_in_clear_is_hashed_and_hashes_are_left() {
    let table = format!("id,password\n1,saltern\n2,\n3,{BCRYPT}\n4,{}\n5,!x\n", KINDS[0].1);
    let csv = ["hash-clear", "--delimiter", ",", "--column", "2", "--header"];
    let ended = saltern(&csv, &table);
    assert_eq!(ended.code, 65);
    assert!(ended.err.starts_with("5 rows: 1 changed, 3 left as wanted, 1 skipped\n"), "{}", ended.err);
    assert!(ended.err.contains("it may be a hash"), "{}", ended.err);
    let stored = ended.out.lines().nth(1).unwrap().strip_prefix("1,").unwrap().trim_matches('"').to_owned();
    assert_eq!(saltern(&["verify", &stored], "saltern\n").code, 0, "{stored}");
    let rest: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(ended.out.lines().skip(2).collect::<Vec<_>>(), rest);
    let twice = saltern(&csv, &ended.out);
    assert_eq!(twice.out, ended.out);
    assert!(twice.err.starts_with("5 rows: 0 changed,"), "{}", twice.err);
    let rehearsal = saltern(&[&csv[..], &["--dry-run"]].concat(), &table);
    assert_eq!((rehearsal.code, rehearsal.out.as_str()), (65, ""), "{}", rehearsal.err);
    assert_eq!(saltern(&["hash-clear", "--policy", "nobody"], "saltern\n").code, 64);
    assert_eq!(saltern(&["hash-clear", "--policy", "bcrypt-10-2019"], "saltern\n").code, 64);
}

/// A file with two peppers.
fn site_keys(name: &str) -> String {
    let file = keys::file(name);
    let site_key = |id: &str, key: &str| format!(r#"{{"id": "{id}", "key": "{key}"}}"#);
    // 64 times `0f`, and `site pepper`.
    let devise = site_key("devise", &("MGYwZjBm".repeat(21) + "MGY="));
    let old = site_key("old-site", "c2l0ZSBwZXBwZXI=");
    fs::write(
        &file,
        format!(
            r#"{{"current": "a", "keys": [{{"id": "a", "key": "{}="}}], "site_keys": [{devise}, {old}]}}"#,
            "A".repeat(43)
        ),
    )
    .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The source, a value for the password `saltern`, its salt in another field, and more arguments.
/// Python's hashlib and libxcrypt made the values.
const KINDS: &[(&str, &str, Option<&str>, &[&str])] = &[
    ("md5", "d88474d6d9eee923ae63121f1f1411fe", None, &[]),
    ("sha1", "dc4bd56ad78655041ad5a264fbbe04d6298de4a0", None, &[]),
    ("sha256", "11c0d3d1576e912040efb4cc2ee675bfbef688a0b5065c5234f3769810ef7d5a", None, &[]),
    (
        "sha384",
        "058354e7eb0d5fd37da928172142bdf78e117b6dbe3f772d557031dc16a3ba2548783e7aaf63649348e6d5776886455b",
        None,
        &[],
    ),
    (
        "sha512",
        "009661a5323150f957028326e9ab1a3f9615f71f19f1114b3238e3be08d67b23e90ec5ed54bcfb4e34e895b294717db7033f05de35b9d25caf9a0cd934f6377b",
        None,
        &[],
    ),
    ("md5", "D88474D6D9EEE923AE63121F1F1411FE", None, &[]),
    ("sha256", "EcDT0VdukSBA77TMLuZ1v772iKC1BlxSNPN2mBDvfVo=", None, &[]),
    ("md5-salt-password", "8Jq4xZ0p:a4a2186dfa06b3d19e1e373dcebbfbc7", None, &[]),
    ("md5-password-salt", "b1defd89a25a34373850045e1c790d8a:8Jq4xZ0p", None, &["--order", "hash-salt"]),
    ("sha1-salt-password", "8Jq4xZ0p:c884e98c577e555087121a4326629d6aa83b099b", None, &[]),
    (
        "sha1-password-salt",
        "93e806f5f50821604dcf5323640deae8ec5da183:8Jq4xZ0p",
        None,
        &["--order", "hash-salt"],
    ),
    (
        "sha256-salt-password",
        "8Jq4xZ0p:cf964de7b8f7ae8d08fac98f452750c1b1c4e0f48f417236a16086e26181600c",
        None,
        &[],
    ),
    (
        "sha256-password-salt",
        "03f71f800c17f66a04affa17d271670959e573f7c8e36ce6746710dcf19ef643:8Jq4xZ0p",
        None,
        &["--order", "hash-salt"],
    ),
    (
        "sha512-salt-password",
        "8Jq4xZ0p:4bc49f067efc2ecbda61f6f76e1bcfa89083cfeb6c365c6a5d4580c371e2018e652ccf1aba66acfb9c8a368cec1116162ae671e6193e6f4532297c7e726f0f0c",
        None,
        &[],
    ),
    (
        "sha512-password-salt",
        "4c0a3fa258e345102fc4dfe3a39355070e0465befb4e8b984b7a37c9573083902463552a406af16aaefebeeeae3628b055fa3a72a0fb25970ecf781838fd02b3:8Jq4xZ0p",
        None,
        &["--order", "hash-salt"],
    ),
    (
        "sha256-salt-password",
        "cf964de7b8f7ae8d08fac98f452750c1b1c4e0f48f417236a16086e26181600c",
        Some("8Jq4xZ0p"),
        &[],
    ),
    (
        "sha512-salt-password-salt",
        "3a11a06dfbe5b8f78cbde7163b72f955aba9ad10fbf0e5bf21a26beb6bb3cd4f332e0bc794057d334576879ad04aba0d878d622e7b7095597e285e39391924b9",
        Some("8Jq4xZ0p"),
        &[],
    ),
    (
        "sha1-salt-password",
        "a1b2c3d4$802574c2320aa223243819177fe1dcadfbe10a16",
        None,
        &["--separator", "$", "--salt-encoding", "hex"],
    ),
    (
        "hmac-sha256",
        "bf97630b5d94b1d966f1e7fbb64c59257ea5651cf6b322482be1eab354bfce7e",
        Some("8Jq4xZ0p"),
        &[],
    ),
    (
        "sha1-salt-password",
        "sha1$8Jq4xZ0p$c884e98c577e555087121a4326629d6aa83b099b",
        None,
        &["--separator", "$"],
    ),
    ("md5", "{MD5}d88474d6d9eee923ae63121f1f1411fe", None, &[]),
    ("md5-salt-md5", "95541929bc3f5b763df19600580fd195", Some("8Jq4xZ0p"), &[]),
    ("restful-authentication", "eeae0db1b04ca01455e661426d681c6f269a27dd", Some("8Jq4xZ0p"), &[]),
    ("sha256-hex", "$2b$05$abcdefghijklmnopqrstuuqZrBTTsPWDEKQRxxwBHHHi2MyWuYc9e", None, &[]),
    ("vbulletin", "417930dcc41bfafef805f49f43114397", Some("x{!"), &[]),
    ("ipb", "4e13781e4a14f1463e29f7afcf6e9da6", Some("Q7sfp"), &[]),
    ("mysql", "a17cee632803773b7f6297c79a887854b58a9c4b", None, &[]),
    ("mysql", "*a17cee632803773b7f6297c79a887854b58a9c4b", None, &[]),
    (
        "pbkdf2-sha512",
        "00112233445566778899aabbccddeeff:02b8281ced318698f1de8b90eb2fd48b4fe5c702dcd708f454d350d180ae68b899c7b9fbb10b3dbf2730ca9756530c38600e6a5960344bf68d7208a233481914",
        None,
        &["--iterations", "1000"],
    ),
    (
        "pbkdf2-sha256",
        "a56bb500359c392f408c09ee3682d31f86411e2b3a6a1c439184e552ae46b47a.00112233445566778899aabbccddeeff",
        None,
        &["--iterations", "2048", "--order", "hash-salt", "--separator", ".", "--salt-encoding", "hex"],
    ),
    (
        "pbkdf2-sha1",
        "dPm9CSOLgYF8yOkZiUNpV1or2eY=",
        Some("AAECAwQFBgcICQoLDA0ODw=="),
        &["--iterations", "4096", "--salt-encoding", "base64"],
    ),
    (
        "pbkdf2-sha512",
        "6bf9fa6ae2ab17b0040d9a6d290c1a0024cb0b9a139445a25c185a1e729ef5590f5ba22df52c1b30faa832406a3af9e8e86ed74dbdbb1b2687c1f0d227692631",
        Some("pepper"),
        &["--iterations", "1000"],
    ),
    (
        "scrypt",
        "00112233445566778899aabbccddeeff:51923213abbc62a0f3db7016f92a03e740ae168a132a119e723aa09ad78523f531000cf8b6aca5f9ff4c9093be465da988c84b5e6fa132afc6177a4c549020e9",
        None,
        &[],
    ),
    (
        "scrypt",
        "2b286a81928624b7e0d973e752e76203a89e665f65b2f1dc630a888bf1c2c28a8caa910959e594fb559ac2cd3bbc52aee0c4d7bcc742c59ffdfcc92141a96714.00112233445566778899aabbccddeeff",
        None,
        &["--order", "hash-salt", "--separator", ".", "--scrypt-r", "16"],
    ),
    ("md5-hex", "$2b$05$abcdefghijklmnopqrstuukwmtBCisHk0zb6Hu53ELq3z.q5OLjDi", None, &[]),
    ("sha1-hex", "$2b$05$abcdefghijklmnopqrstuuInNpHIr0WYubOKDvnJbavEIGOikos7K", None, &[]),
    ("sha256-base64", "$2b$05$abcdefghijklmnopqrstuuIPw1vKYubnHxZsvjzu4O.JhFAPCKpiG", None, &[]),
    (
        "pepper-append",
        "$2b$05$abcdefghijklmnopqrstuuaKFq2U5QrrWnXWSkm1DUfeFC6ZXrKZC",
        None,
        &["--site-key", "devise"],
    ),
    (
        "pepper-prepend",
        "$2b$05$abcdefghijklmnopqrstuu.iHh6ThHRN8WRfUlqv2TCvvhNRNI6FK",
        None,
        &["--site-key", "old-site"],
    ),
];

/// The example of github.com/firebase/scrypt.
const GOOGLE_PROJECT: &str = "hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
";
