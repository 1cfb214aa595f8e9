//! The proofs that a command wants before it changes rows.

use std::{fs, path::PathBuf};

use super::{BCRYPT, LDAP_SHA, PASSWORD, confirmed, saltern, succeeds};

/// libxcrypt's hash of the MD5 of `saltern` in hexadecimal, with the cost of [`BCRYPT`].
const BCRYPT_OF_MD5: &str = "$2b$05$abcdefghijklmnopqrstuukwmtBCisHk0zb6Hu53ELq3z.q5OLjDi";

/// The MD5 of `saltern`.
const MD5: &str = "d88474d6d9eee923ae63121f1f1411fe";

#[test]
fn a_conversion_without_a_shape_changes_nothing() {
    let table = format!("{BCRYPT}\n{MD5}\n");
    for from in ["md5-hex", "md5"] {
        let ended = saltern(&["convert", "--from", from, "--unverified", "1"], &table);
        assert_eq!((ended.code, ended.out.as_str()), (64, ""), "{}", ended.err);
        assert!(ended.err.contains("name each shape that shall change by --shape"), "{}", ended.err);
    }
}

/// Where some rows are bcrypt of a digest, others are bcrypt of the password, or of another scheme.
#[test]
fn rows_of_another_shape_are_left_and_counted_by_shape() {
    let current = saltern(&["hash"], "saltern\n").out;
    let table = format!("{BCRYPT_OF_MD5}\n{current}{LDAP_SHA}\n{LDAP_SHA}\n{MD5}\n\n");
    let ended = succeeds(&["convert", "--from", "md5-hex", "--shape", "bcrypt:cost 5"], &table);
    let converted = format!("$saltern-prep$v=1,p=md5-hex${BCRYPT_OF_MD5}\n");
    assert_eq!(ended.out, table.replace(&format!("{BCRYPT_OF_MD5}\n"), &converted));
    assert!(ended.err.starts_with("6 rows: 1 changed, 5 left as wanted, 0 skipped\n"), "{}", ended.err);
    for left in [
        "1  left: of another shape: argon2:argon2id, m=65536 KiB, t=4, p=1 (row 2)",
        "2  left: of another shape: ldap-sha:one pass (rows 3, 4)",
        "1  left: of another shape: bare_digest:32 (row 5)",
        "1  left: of another shape: no_password (row 6)",
    ] {
        assert!(ended.err.contains(left), "{left}: {}", ended.err);
    }
    assert!(!ended.err.contains("no row has the shape"), "{}", ended.err);
    // What was converted has another shape.
    let twice = saltern(&["convert", "--from", "md5-hex", "--shape", "bcrypt"], &ended.out);
    assert_eq!((twice.code, &twice.out), (0, &ended.out), "{}", twice.err);
}

/// `try` prints a command without the column of the table, and a name can be misspelt.
#[test]
fn a_shape_that_no_row_has_is_told() {
    let table = format!("1,{MD5}\n");
    let column = ["--delimiter", ",", "--column", "2"];
    for (arguments, shape) in [
        (&["--shape", "bare_digest:32"][..], "bare_digest:32"),
        (&[&["--shape", "bare_digest", "--shape", "md5", "--dry-run"], &column[..]].concat(), "md5"),
    ] {
        let ended = saltern(&[&["convert", "--from", "md5"], arguments].concat(), &table);
        let told = format!("no row has the shape '{shape}': check its name, --delimiter and --column\n");
        assert!(ended.code == 0 && ended.err.starts_with(&told), "{}", ended.err);
        assert_eq!(ended.err.matches("no row has").count(), 1, "{}", ended.err);
    }
}

#[test]
fn a_regular_expression_names_rows_by_their_values() {
    let like = ["convert", "--from", "md5", "--shape-like", "^D8", "--shape-like", "^0x"];
    let table = format!("{MD5}\n{}\n0x{MD5}\n", MD5.to_uppercase());
    let ended = succeeds(&like, &table);
    assert!(ended.err.starts_with("3 rows: 2 changed, 1 left as wanted"), "{}", ended.err);
    assert!(ended.out.starts_with(&format!("{MD5}\n{{MD5}}")), "{}", ended.out);
    assert_eq!(saltern(&["wrap", "--shape-like", "("], "").code, 64);
}

/// The number is that of a dry run over the same table.
#[test]
fn without_a_known_login_the_number_of_rows_is_repeated() {
    let table = format!("id,hash\n1,{MD5}\n2,{MD5}\n3,{BCRYPT}\n");
    let file = file("unverified", &table);
    let fields = ["--delimiter", ",", "--column", "2", "--header"];
    for (command, input) in [
        (&["convert", "--from", "md5", "--shape", "bare_digest:32", "-"][..], &*table),
        (&["convert", "--from", "md5", "--shape", "bare_digest:32", &file], ""),
    ] {
        let command = [command, &fields].concat();
        let rehearsed = saltern(&[&command[..], &["--dry-run"]].concat(), input);
        let told = "2  of the shape 'bare_digest:32', no login is known (rows 2, 3)";
        assert!(rehearsed.code == 0 && rehearsed.err.contains(told), "{}", rehearsed.err);
        for (number, code) in [("1", 64), ("3", 64), ("2", 0)] {
            let ended = saltern(&[&command[..], &["--unverified", number]].concat(), input);
            assert_eq!((ended.code, ended.out.is_empty()), (code, code != 0), "{number}: {}", ended.err);
        }
        let stopped = saltern(&command, input);
        assert!(stopped.err.contains("2 rows would change without a known login"), "{}", stopped.err);
        assert!(stopped.err.ends_with("--unverified 2\n") && stopped.out.is_empty(), "{}", stopped.err);
    }
}

#[test]
fn a_known_login_is_verified_before_anything_is_written() {
    let keys = super::convert::site_keys("known");
    let peppered = "$2b$05$abcdefghijklmnopqrstuuaKFq2U5QrrWnXWSkm1DUfeFC6ZXrKZC";
    for (command, table, shape) in [
        (&["convert", "--from", "md5"][..], MD5, "bare_digest:32"),
        (&["convert", "--from", "md5-hex"], BCRYPT_OF_MD5, "bcrypt:cost 5"),
        (
            &["convert", "--from", "pepper-append", "--site-key", "devise", "--seal-keys", &keys],
            peppered,
            "bcrypt",
        ),
        (&["wrap"], LDAP_SHA, "ldap-sha"),
        (&["hash-clear"], PASSWORD, "no_hash"),
    ] {
        let known = |logins: &str| {
            let known = file("known", logins);
            saltern(
                &[command, &["--shape", shape, "--known", &known]].concat(),
                &format!("{BCRYPT}\n{table}\n"),
            )
        };
        let right = known("2\tsaltern\n7\tof no row\n");
        assert_eq!((right.code, right.out.lines().count()), (0, 2), "{command:?} {}", right.err);
        let wrong = known("2\tSaltern\n");
        assert_eq!((wrong.code, wrong.out.as_str()), (65, ""), "{command:?} {}", wrong.err);
        assert!(wrong.err.contains("known password of row 2 would not match"), "{}", wrong.err);
        assert!(!wrong.err.contains("Saltern"), "{}", wrong.err);
        let of_no_row = known("7\tsaltern\n");
        assert_eq!((of_no_row.code, of_no_row.out.as_str()), (64, ""), "{command:?} {}", of_no_row.err);
    }
    for lines in ["saltern\n", "first\tsaltern\n"] {
        let ended = saltern(&["wrap", "--known", &file("known", lines)], LDAP_SHA);
        assert!(ended.code == 64 && ended.err.contains("number of a row"), "{}", ended.err);
    }
    assert_eq!(saltern(&["wrap", "--known", "/nowhere"], LDAP_SHA).code, 64);
}

/// bcrypt of the password looks like bcrypt of its MD5.
#[test]
fn a_known_login_of_another_kind_stops_the_conversion() {
    let table = format!("{BCRYPT_OF_MD5}\n{BCRYPT}\n");
    let convert = ["convert", "--from", "md5-hex", "--shape", "bcrypt:cost 5", "--known"];
    let known = file("other-kind", "1\tsaltern\n2\tsaltern\n");
    let ended = saltern(&[&convert[..], &[&known]].concat(), &table);
    assert_eq!((ended.code, ended.out.as_str()), (65, ""), "{}", ended.err);
    assert!(ended.err.contains("known password of row 2"), "{}", ended.err);
}

/// A known login speaks for the rows of its shape alone.
#[test]
fn each_shape_wants_a_known_login_or_its_number() {
    let table = format!("{MD5}\n{LDAP_SHA}\n{LDAP_SHA}\n");
    let known = file("each-shape", "1\tsaltern\n");
    let wrap = ["wrap", "--shape-like", ".", "--allow-skipped", "--known", &known];
    let stopped = saltern(&wrap, &table);
    assert!(stopped.err.ends_with("--unverified 2\n"), "{}", stopped.err);
    let ended = confirmed(&wrap, &table);
    assert_eq!(ended.out.matches("$saltern-wrap$").count(), 2, "{}", ended.err);
}

fn file(name: &str, content: &str) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("confirmed-{name}"));
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}
