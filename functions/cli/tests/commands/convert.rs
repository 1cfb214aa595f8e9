//! Hashes that sites made themselves: `convert`, `try` and `hash-clear`.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use super::{BCRYPT, LDAP_SHA, PASSWORD, confirmed, keys, saltern, shell, succeeds};

#[test]
fn each_source_is_converted_to_a_hash_of_its_password_and_once() {
    let keys = site_keys("convert");
    for Kind { source, value, salt, more } in kinds() {
        let table = format!("7\t{value}\t{}\n", salt.unwrap_or("-"));
        let column = if salt.is_some() { &["--salt-column", "3"][..] } else { &[] };
        let convert =
            ["convert", "--from", source, "--shape-like", ".", "--delimiter", "\\t", "--column", "2"];
        let convert = [&convert[..], column, &more].concat();
        let once = succeeds(&convert, &table);
        assert!(once.err.starts_with("1 row: 1 changed, 0 left as wanted, 0 skipped\n"), "{}", once.err);
        let stored = once.out.split('\t').nth(1).unwrap();
        assert_eq!(once.out, table.replace(value, stored), "{source}");
        let verify = ["verify", "--accept-weak", "all", "--seal-keys", &keys, "-"];
        succeeds(&verify, &format!("{stored}\n{PASSWORD}\n"));
        let wrong = saltern(&verify, &format!("{stored}\nSaltern\n"));
        assert_eq!(wrong.code, 1, "{source} {value}: {stored} {} {}", wrong.out, wrong.err);
        let twice = saltern(&convert, &once.out);
        assert_eq!((twice.code, &twice.out), (0, &once.out), "{source}: {}", twice.err);
        assert!(twice.err.starts_with("1 row: 0 changed, 1 left as wanted, 0 skipped\n"), "{}", twice.err);
    }
}

#[test]
fn a_row_whose_salt_cannot_be_read_is_skipped() {
    let Kind { source, value, .. } = kinds().into_iter().find(|kind| kind.salt.is_some()).unwrap();
    let fields = ["--delimiter", "\\t", "--column", "2", "--salt-column", "3"];
    let convert = [&["convert", "--from", source, "--shape-like", "."], &fields[..]].concat();
    let table = format!("7\t{value}\t\\N\n");
    let ended = saltern(&convert, &table);
    assert_eq!((ended.code, &ended.out), (65, &table), "{}", ended.err);
    assert!(ended.err.starts_with("1 row: 0 changed, 0 left as wanted, 1 skipped\n"), "{}", ended.err);
    let empty = saltern(&convert, &table.replace("\\N", ""));
    assert!(empty.code == 65 && empty.err.contains("is its salt missing?"), "{}", empty.err);
}

/// Of `PBKDF2PasswordEncryptorTest`: the password is `password`.
#[test]
fn the_vector_of_liferay_s_own_tests_is_converted() {
    let convert = ["convert", "--from", "liferay", "--shape-like", "^AAAAoAA", "--delimiter", "\\t"];
    let converted = succeeds(&convert, "AAAAoAAB9ADJZ16OuMAPPHe2CUbP0HPyXvagoKHumh7iHU3c\n").out;
    assert!(converted.starts_with("$pbkdf2$i=128000,l=20$"), "{converted}");
    succeeds(&["verify", converted.trim_end()], "password\n");
}

/// Parts that do not fit, and hashes over hashes.
#[test]
fn a_form_of_other_software_is_read_whole_or_refused() {
    let digest = "342a5979352177a6e619cf5c79d3449b380d388e55add85d0a918c8095a93510";
    for (source, value) in [
        ("magento2", format!("{digest}:8Jq4xZ0pWc2mT7vKsaltsaltsaltsalt:1:2")),
        ("magento2", format!("{digest}:8Jq4xZ0pWc2mT7vKsaltsaltsaltsalt:4")),
        ("magento2", format!("{digest}:short:2")),
        ("magento2", format!("{digest}:8Jq4xZ0pWc2mT7vKsaltsaltsaltsalt:3_16_2_67108864")),
        ("magento2", digest.to_owned()),
        ("nextcloud", format!("4|{BCRYPT}")),
        ("nextcloud", "3|$argon2id$v=19$m=8192,t=1,p=1$cut".to_owned()),
        ("mosquitto", "$7$x$EsMViXFWACF0g/0F$qgTTsA==".to_owned()),
        ("mosquitto", "$7$101$EsMViXFWACF0g/0F$qgTTsA==".to_owned()),
        ("liferay", "AAAAoQAABRRzYWx0c2FsdN5q9mVo4/n4olJi5B5Q5ZCWE+xi".to_owned()),
        ("liferay", "AAAAoAAABRRzYWx0".to_owned()),
        // The layout fits, and the function is another one.
        ("liferay", "{PBKDF2WITHHMACSHA384}AAAAoAAABRRzYWx0c2FsdN5q9mVo4/n4olJi5B5Q5ZCWE+xi".to_owned()),
        ("liferay", "{SHA-384}AAAAoAAABRRzYWx0c2FsdN5q9mVo4/n4olJi5B5Q5ZCWE+xi".to_owned()),
    ] {
        let convert = ["convert", "--from", source, "--shape-like", ".", "--delimiter", "\\t"];
        let ended = saltern(&convert, &format!("{value}\n"));
        assert_eq!((ended.code, ended.out.trim_end()), (65, &*value), "{source}: {}", ended.err);
    }
}

#[test]
fn a_value_that_no_way_fits_comes_with_advice() {
    for (value, more, advice) in [
        ("!", &[][..], "no password is set"),
        ("$2b$10$abcdefghijk", &[], "look at the width of the column"),
        (BCRYPT, &[], "if the site has a pepper"),
        ("5f4dcc3b5aa765d61d8327deb882cf99", &[], "if another column has a salt, give it by --salt"),
        ("5f4dcc3b5aa765d61d8327deb882cf99", &["--salt", "x"], "look into the site's code"),
    ] {
        let tried = saltern(&[&["try", "-"], more].concat(), &format!("{value}\nwrong password\n"));
        assert_eq!(tried.code, 1, "{value}");
        assert!(tried.out.contains("none fits: ") && tried.out.contains(advice), "{}", tried.out);
    }
}

/// One password shows how a site made its hashes. A shell runs the printed command on a table that has
/// rows of another shape, too.
#[test]
fn the_command_that_try_prints_converts_the_rows_of_its_kind_alone() {
    let keys = site_keys("printed");
    let project = firebase_project("it's a project");
    let firebase = Kind {
        source: "firebase",
        value: "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==",
        salt: Some("42xEC-ixf3L2lw=="),
        more: vec![],
    };
    for Kind { source, value, salt, .. } in kinds().into_iter().chain([firebase]) {
        let password = if source == "firebase" { "user1password" } else { PASSWORD };
        let site = ["--seal-keys", &keys, "--firebase-project", &project];
        let salted = salt.map_or(vec![], |salt| vec!["--salt", salt]);
        let tried = [&["try", "-"], &site[..], &salted].concat();
        let tried = succeeds(&tried, &format!("{value}\n{password}\n")).out;
        let is_read = saltern_encoded::parse(value).is_ok() && !tried.contains(" convert ");
        let named = tried.contains(&format!("saltern convert --from {source}"));
        assert!(named || is_read, "{source} {value}: {tried}");
        let Some((_, command)) = tried.split_once("convert the table with: ") else {
            assert!(saltern_encoded::parse(value).is_ok(), "{source} {value}: {tried}");
            continue;
        };
        // A row of another shape stays.
        let table = format!("{value}\t{}\n{LDAP_SHA}\t-\n", salt.unwrap_or("-"));
        let command = command.trim_end().replace("NUMBER", "2");
        let known = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("printed-known");
        fs::write(&known, format!("1\t{password}\n")).unwrap();
        let known = known.display();
        let converted = shell(&format!("{command} --delimiter '\\t' --known '{known}'"), &table);
        assert_eq!(converted.code, 0, "{command}: {}", converted.err);
        assert!(converted.err.starts_with("2 rows: 1 changed, 1 left as wanted"), "{}", converted.err);
        let stored = converted.out.split('\t').next().unwrap();
        let verify = [&["verify", "--accept-weak", "all", "-"], &site[..]].concat();
        succeeds(&verify, &format!("{stored}\n{password}\n"));
    }
}

/// bcrypt of a digest and of the password look alike, and so do digests of one length.
#[test]
fn what_looks_alike_is_told_with_the_logins_that_decide() {
    for (source, said) in [
        (Some("md5-hex"), "the password alone looks the same, and later users may have it: give --known"),
        (
            Some("sha1"),
            "Other functions make digests of this length, and a password in clear can look like one: give --known with one login of each age",
        ),
        (Some("nextcloud"), "Other rows can be of another kind: give --known with one login of each age"),
        (None, "Bcrypt of a digest looks the same, and older users may have it: try one login of each age"),
    ] {
        let kinds = kinds();
        let value = source.and_then(|source| kinds.iter().find(|kind| kind.source == source));
        let told = succeeds(&["try", value.map_or(BCRYPT, |kind| kind.value)], "saltern\n").out;
        assert!(told.contains(said), "{source:?}: {told}");
    }
}

#[test]
fn a_value_that_no_way_fits_ends_with_one() {
    let digest = kinds()[0].value;
    let wrong = saltern(&["try", digest], "Saltern\n");
    assert_eq!(wrong.code, 1, "{}", wrong.err);
    assert!(wrong.out.contains("none fits") && !wrong.out.contains(digest), "{}", wrong.out);
    let clear = saltern(&["try", PASSWORD], "saltern\n");
    assert!(clear.code == 0 && clear.out.contains("saltern hash-clear --shape no_hash"), "{}", clear.out);
    // Whoever gives the value as the password, too, gets no advice to hash it.
    for hash in [BCRYPT, digest, "3|$argon2id$v=19$m=65536,t=4,p=1$c2FsdHNhbHQ$AAAA"] {
        let pasted = saltern(&["try", hash], &format!("{hash}\n")).out;
        assert!(pasted.contains("never use `saltern hash-clear`"), "{pasted}");
    }
    let known = saltern(&["try", LDAP_SHA], "saltern\n");
    assert_eq!((known.code, known.out.as_str()), (0, "fits as it is: ldap-sha\n"));
}

#[test]
fn rows_of_another_form_are_skipped_and_told() {
    let table = format!("{}\n\n!locked\n{BCRYPT}\nhunter2\n{}\n", kinds()[1].value, &kinds()[1].value[..39]);
    let ended = confirmed(&["convert", "--from", "sha1", "--shape-like", "."], &table);
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
    let keys = site_keys("listed");
    let ended = saltern(
        &[
            "convert",
            "--from",
            "pepper-append",
            "--site-key",
            "devsie",
            "--seal-keys",
            &keys,
            "--unverified",
            "2",
        ],
        &format!("{BCRYPT}\n{BCRYPT}\n"),
    );
    assert_eq!((ended.code, ended.out.as_str()), (64, ""), "{}", ended.err);
    assert!(ended.err.contains("--seal-keys has no site key devsie"), "{}", ended.err);
}

/// Else a hash would be converted without its pepper or its salt, and match nothing.
#[test]
fn an_argument_that_the_source_does_not_take_is_refused() {
    let table = format!("1,{},salt\n", kinds()[0].value);
    let csv = ["convert", "--shape-like", ".", "--delimiter", ",", "--column", "2", "--from", "md5"];
    for (more, why) in
        [(["--site-key", "devise"], "no other source"), (["--salt-column", "3"], "no --salt-column")]
    {
        let ended = saltern(&[&csv[..], &more].concat(), &table);
        assert_eq!((ended.code, ended.out.as_str()), (64, ""), "{}", ended.err);
        assert!(ended.err.contains(why), "{}", ended.err);
    }
}

#[test]
fn firebase_and_keycloak_come_with_their_second_field() {
    let project = &firebase_project("firebase-project");
    let user = "user-1,lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==,42xEC-ixf3L2lw==\n";
    let csv =
        ["convert", "--shape-like", ".", "--delimiter", ",", "--column", "2", "--salt-column", "3", "--from"];
    let converted = succeeds(&[&csv[..], &["firebase", "--firebase-project", project]].concat(), user);
    let stored = converted.out.split('"').nth(1).unwrap();
    succeeds(&["verify", "--firebase-project", project, stored], "user1password\n");
    let credential = "1,\"{\"\"value\"\":\"\"VALUE==\"\",\"\"salt\"\":\"\"c29tZXNhbHRzb21lc2FsdA==\"\"}\",\"{\"\"hashIterations\"\":27500,\"\"algorithm\"\":\"\"pbkdf2-sha256\"\"}\"\n";
    let converted =
        succeeds(&[&csv[..], &["keycloak"]].concat(), &credential.replace("VALUE", &"A".repeat(86)));
    let stored = format!("\"$pbkdf2-sha256$i=27500,l=64$c29tZXNhbHRzb21lc2FsdA${}\"", "A".repeat(86));
    assert_eq!(converted.out.split("\",\"").next(), Some(format!("1,{stored}").trim_end_matches('"')));
}

#[test]
fn a_table_in_clear_is_hashed_and_hashes_are_left() {
    let table = format!("id,password\n1,saltern\n2,\n3,{BCRYPT}\n4,{}\n5,!x\n", kinds()[0].value);
    let csv = ["hash-clear", "--delimiter", ",", "--column", "2", "--header"];
    let ended = confirmed(&csv, &table);
    assert_eq!(ended.code, 65);
    assert!(ended.err.starts_with("5 rows: 1 changed, 3 left as wanted, 1 skipped\n"), "{}", ended.err);
    assert!(ended.err.contains("by --shape 'bare_digest:32'"), "{}", ended.err);
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

/// A line can be a comment, or have a user. Of `hunter2:anna` the password would be `anna`.
#[test]
fn a_line_that_may_have_more_than_a_password_stops_the_hashing() {
    for line in ["#hunter2", "anna:hunter2", "hunter2:anna:x", "\u{feff}hunter2"] {
        let table = format!("{line}\nsaltern\n");
        let stopped = saltern(&["hash-clear", "--unverified", "2", "--allow-skipped"], &table);
        assert_eq!((stopped.code, stopped.out.as_str()), (65, ""), "{line}: {}", stopped.err);
        assert!(stopped.err.contains("row 1 may have more than a password"), "{line}: {}", stopped.err);
        assert!(!stopped.err.contains("hunter2"), "{}", stopped.err);
        let alone = ["hash-clear", "--shape-like", ".", "--delimiter", "\\t"];
        let password = line.trim_start_matches('\u{feff}');
        let hashed = succeeds(&alone, &format!("{password}\n"));
        assert_eq!(saltern(&["verify", hashed.out.trim_end()], &format!("{password}\n")).code, 0, "{line}");
    }
    let users = ["hash-clear", "--shape-like", ".", "--delimiter", ":", "--column", "2"];
    let stopped = saltern(&users[..3], "anna:hunter2\n");
    assert!(stopped.err.contains("--delimiter ':' --column 2"), "{}", stopped.err);
    assert!(succeeds(&users, "anna:hunter2\n").out.starts_with("anna:$argon2id$"));
    // Of `hun:ter2` the password would be `hun`.
    for table in ["anna:hunter2\nbo:hun:ter2\n", "bo:hun:ter2\nanna:hunter2\n"] {
        let stopped = saltern(&[&users[..], &["--unverified", "2"]].concat(), table);
        assert_eq!((stopped.code, stopped.out.as_str()), (65, ""), "{}", stopped.err);
        assert!(stopped.err.contains("row 2 may have more than a password"), "{}", stopped.err);
    }
    let quoted = succeeds(&users, "anna:hunter2\nbo:\"hun:ter2\"\n").out;
    let stored = quoted.lines().nth(1).unwrap().strip_prefix("bo:").unwrap().trim_matches('"');
    assert_eq!(saltern(&["verify", stored], "hun:ter2\n").code, 0, "{quoted}");
}

/// Of `"hunter2"` the password would be `hunter2`, and an open quote would take the next users with it.
#[test]
fn quotes_that_may_be_of_the_password_are_skipped() {
    let users = ["hash-clear", "--shape-like", ".", "--delimiter", ":", "--column", "2"];
    for table in ["anna:\"hunter2\"\n", "anna:\"hunter2\nbo:hunter2\"\n", "anna:\"hunter2\nbo:\"hunter2\n"] {
        let ended = confirmed(&users, table);
        assert_eq!((ended.code, ended.out.as_str()), (65, table), "{}", ended.err);
        assert!(ended.err.contains("1  skipped: its quotes may be of the password"), "{}", ended.err);
    }
    let doubled = succeeds(&users, "anna:\"\"\"hunter2\"\"\"\n").out;
    let stored = doubled.trim_end().strip_prefix("anna:").unwrap().trim_matches('"');
    assert_eq!(saltern(&["verify", stored], "\"hunter2\"\n").code, 0, "{doubled}");
}

/// All passwords of another encoding would become the same one.
#[test]
fn a_password_that_is_not_utf_8_is_not_hashed() {
    let table = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clear-latin1");
    let latin1 = b"1,caf\xe9\n2,caf\xef\xbf\xbd\n";
    fs::write(&table, latin1).unwrap();
    let fields = ["--delimiter", ",", "--column", "2"];
    let result = table.with_extension("result");
    for (arguments, code) in [(&[][..], 65), (&["--shape-like", "."], 65), (&["--allow-skipped"], 0)] {
        let _none = fs::remove_file(&result);
        let files = ["--output", result.to_str().unwrap(), table.to_str().unwrap()];
        let ended = confirmed(&[&["hash-clear"], &fields[..], arguments, &files].concat(), "");
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.contains("2  skipped: it is not UTF-8, or "), "{}", ended.err);
        assert_eq!(fs::read(&result).unwrap(), latin1);
    }
    // Nor is one whose backslash is not escaped: without it, it would be another.
    let tabs = ["hash-clear", "--delimiter", "\\t"];
    let ended = confirmed(&tabs, "pass\\word\n");
    assert_eq!((ended.code, ended.out.as_str()), (65, "pass\\word\n"), "{}", ended.err);
    let hashed = succeeds(&tabs, "pass\\\\word\n").out;
    assert_eq!(saltern(&["verify", hashed.trim_end()], "pass\\word\n").code, 0, "{hashed}");
}

/// Magento 2 writes `hash:salt:1`, where the 1 is no part of the salt.
#[test]
fn a_salt_with_the_separator_is_refused() {
    let digest = kinds()[2].value;
    for (order, row) in
        [("hash-salt", format!("{digest}:salt:1\n")), ("salt-hash", format!("a:b:{digest}\n"))]
    {
        let fields = ["--delimiter", "\\t", "--shape-like", ".", "--order", order];
        let ended = saltern(&[&["convert", "--from", "sha256-salt-password"], &fields[..]].concat(), &row);
        assert_eq!((ended.code, &ended.out), (65, &row), "{}", ended.err);
    }
}

/// Kinds of software that Saltern does not know, and passwords that look like them.
#[test]
fn a_value_with_a_sign_of_a_hash_stops_the_hashing_of_a_table_in_clear() {
    let salt = "c2FsdHNhbHRzYWx0c2FsdA";
    let hex = |digits: usize| "0123456789abcdef".repeat(10)[..digits].to_owned();
    let foreign = [
        ("Nextcloud", "foreign:nextcloud", format!("3|$argon2id$v=19$m=65536,t=4,p=1${salt}$AAAA")),
        ("Nextcloud", "foreign:nextcloud", format!("1|{BCRYPT}")),
        ("Oracle 11", "foreign:oracle", format!("S:{}", hex(60).to_uppercase())),
        ("Oracle 12", "foreign:oracle", format!("T:{}", hex(160).to_uppercase())),
        ("PostgreSQL", "foreign:postgresql", format!("SCRAM-SHA-256$4096:{salt}==$AAAA=:BBBB=")),
        ("PostgreSQL", "foreign:postgresql", format!("md5{}", hex(32))),
        ("CouchDB", "foreign:couchdb", format!("-pbkdf2-{},{},10", hex(40), hex(32))),
        ("Gitea", "may_be_hash:hexadecimal", hex(100)),
        ("a label", "may_be_hash:braces", "x{SSHA9}c2FsdA==".to_owned()),
        ("Base64", "may_be_hash:base64", "abcdefghij".repeat(4)),
        ("a long text", "may_be_hash:long", "correct horse ".repeat(5)),
        ("a password", "may_be_hash:prefix", "Password1$".to_owned()),
        ("a password", "unsupported_hash", "$ecret".to_owned()),
        ("a password", "encoded", "Xk29fLqPz83hdSvBn47aTr".to_owned()),
        ("SHA-1 in Base64 without a digit", "encoded", "qUqPfyzRmRgLXBDKtVbQcnSdhWE=".to_owned()),
        ("the same of Perl", "encoded", "qUqPfyzRmRgLXBDKtVbQcnSdhWE".to_owned()),
        ("SHA-1 in Base32", "encoded", "RVNFU4DEMV3GQ2LKNNWG23TPOBYXE43U".to_owned()),
        ("OLD_PASSWORD() of MySQL", "may_be_hash:hexadecimal", "5d2e19393cc5ef67".to_owned()),
    ];
    let fields = ["--delimiter", "\\t"];
    for (kind, shape, value) in &foreign {
        let table = format!("hunter2\n{value}\n");
        let stopped = saltern(&[&["hash-clear", "--unverified", "2"], &fields[..]].concat(), &table);
        assert_eq!((stopped.code, stopped.out.as_str()), (64, ""), "{kind} {value}: {}", stopped.err);
        assert!(stopped.err.contains("name each shape that shall change"), "{}", stopped.err);
        assert!(stopped.err.contains(&format!("'{shape}'")), "{kind} {value}: {}", stopped.err);
    }
    // In one table, because each command hashes or measures.
    let values: Vec<_> = foreign.iter().map(|(_, _, value)| value.as_str()).collect();
    let table = format!("hunter2\n{}\n", values.join("\n"));
    let no_hash = ["hash-clear", "--shape", "no_hash"];
    let left = succeeds(&[&no_hash[..], &fields].concat(), &table);
    assert_eq!(left.out.lines().skip(1).collect::<Vec<_>>(), values, "{}", left.err);
    let shapes: BTreeSet<_> = foreign.iter().map(|(_, shape, _)| *shape).collect();
    let named: Vec<_> = shapes.iter().flat_map(|shape| ["--shape", *shape]).collect();
    let all = succeeds(&[&no_hash[..], &named, &fields].concat(), &table);
    assert_eq!(all.out.lines().count(), values.len() + 1, "{}", all.out);
    assert!(all.out.lines().all(|line| line.starts_with("$argon2id$")), "{}", all.out);
    let plan = saltern(&[&["migrate-plan"], &fields[..]].concat(), &table).out;
    for shape in shapes {
        let rows = foreign.iter().filter(|(_, of, _)| *of == shape).count();
        assert!(plan.contains(&format!("{rows}  {shape}: ")), "{shape}: {plan}");
    }
    let words = "CorrectHorseBatteryStaple";
    let hashed = succeeds(&["hash-clear", "--unverified", "1"], &format!("{words}\n"));
    assert!(hashed.out.starts_with("$argon2id$"), "{}", hashed.err);
    // What has the form of a hash is never a password.
    let padded = format!("{} ", kinds()[6].value);
    for hash in [BCRYPT, LDAP_SHA, kinds()[0].value, kinds()[7].value, "NULL", &padded] {
        let ended = saltern(&["hash-clear", "--shape-like", ".", "--delimiter", "\\t"], &format!("{hash}\n"));
        assert_eq!(ended.out, format!("{hash}\n"), "{}", ended.err);
    }
}

/// `mariadb --batch` escapes every newline of a value, and no carriage return.
#[test]
fn a_carriage_return_before_the_newline_is_of_the_value_unless_the_first_row_has_it() {
    let digest = kinds()[2].value;
    let fields = ["--delimiter", "\\t", "--column", "2", "--header"];
    let convert =
        ["convert", "--from", "sha256-salt-password", "--shape", "bare_digest", "--salt-column", "3"];
    let hash = |newline: &str, salt: &str| {
        let table = format!("id\thash\tsalt{newline}1\t{digest}\t{salt}{newline}");
        let ended = succeeds(&[&convert[..], &fields].concat(), &table);
        ended.out.split('\t').nth(3).unwrap().to_owned()
    };
    let escaped = hash("\n", "salt\\r");
    assert_eq!(hash("\n", "salt\r"), escaped);
    assert_eq!(hash("\r\n", "salt"), hash("\n", "salt"));
    assert_ne!(hash("\n", "salt"), escaped);
    let table = format!("id\thash\n1\t{digest}\r\n");
    let plan = saltern(&[&["migrate-plan"], &fields[..]].concat(), &table).out;
    assert!(plan.contains("1  padded: "), "{plan}");
}

/// A quarter of all passwords of 13 letters and digits have the form of DES crypt(3).
#[test]
fn a_password_with_the_form_of_a_hash_is_skipped_until_its_shape_is_named() {
    let digits = "d88474d6d9eee923ae63121f1f1411fe";
    let passwords = ["Sommer2024Bos", "!bang", digits];
    let table = passwords.join("\n") + "\n";
    let fields = ["hash-clear", "--delimiter", "\\t"];
    for arguments in [
        &[][..],
        &["--shape-like", "."],
        &["--shape", "no_hash", "--shape-like", "^Sommer"],
        &["--shape", "no_hash"],
    ] {
        let ended = confirmed(&[&fields[..], arguments].concat(), &table);
        assert_eq!(ended.out, table, "{arguments:?} {}", ended.err);
        assert_eq!(ended.code, 65, "{arguments:?} {}", ended.err);
    }
    let shapes = ["--shape", "des-crypt", "--shape", "no_password", "--shape", "bare_digest:32"];
    let ended = succeeds(&[&fields[..], &shapes].concat(), &table);
    for (password, stored) in passwords.iter().zip(ended.out.lines()) {
        assert_eq!(saltern(&["verify", stored], &format!("{password}\n")).code, 0, "{password} {stored}");
    }
    // What is a hash for sure is left, as each row of a shape that has no name.
    let salted = format!("hunter2\nsalt:{digits}\n");
    let left = succeeds(&[&fields[..], &["--shape", "no_hash"]].concat(), &salted);
    assert!(left.err.contains("1  left: of another shape: salt_and_digest:32"), "{}", left.err);
    // The proof is that the row is the password, and not that it is a hash of the password.
    let known = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("known-in-clear");
    let proven = [&fields[..], &shapes, &["--known", known.to_str().unwrap()]].concat();
    let logins: Vec<String> =
        (1..).zip(passwords).map(|(row, password)| format!("{row}\t{password}\n")).collect();
    fs::write(&known, logins.concat()).unwrap();
    let ended = saltern(&proven, &table);
    assert_eq!((ended.code, ended.out.lines().count()), (0, 3), "{}", ended.err);
    fs::write(&known, format!("1\t{PASSWORD}\n")).unwrap();
    let hashed = saltern(&proven, &format!("{DES}\n"));
    assert_eq!((hashed.code, hashed.out.as_str()), (65, ""), "{}", hashed.err);
    // No name makes a password of what is none.
    let locked = format!("\nNULL\n\\N\n!\n!!\n*\nx\n!{BCRYPT}\n{BCRYPT}\n");
    let names = ["--shape", "no_password", "--shape", "bcrypt", "--shape-like", "."];
    let left = succeeds(&[&fields[..], &names].concat(), &locked);
    assert_eq!(left.out, locked, "{}", left.err);
}

/// Of what is not read as it is, the plan and `try` say what can be done.
#[test]
fn a_hash_of_other_software_is_named_with_what_can_be_done() {
    let hex = "0123456789abcdef".repeat(10);
    for (software, value) in [
        ("bcrypt-2x", BCRYPT.replace("$2y$", "$2x$")),
        ("cisco", "$9$nhEmQVczB7dqsO$X.HsgL6x1il0RxkOSSvyQYwucySCt7qFm4v7pqCxkKM".to_owned()),
        ("couchdb", format!("-pbkdf2-{},{},10", &hex[..40], &hex[..32])),
        ("json", "{\"algorithm\": \"BCRYPT\", \"workFactor\": 10}".to_owned()),
        ("mssql", format!("0x0200{}", &hex[..136])),
        ("mysql-sha2", "$A$005$salt".to_owned()),
        ("oracle", format!("T:{hex}")),
        ("postgresql", format!("md5{}", &hex[..32])),
        ("liferay", "PBKDF2WithHmacSHA1/160/1300/AAAA".to_owned()),
        ("liferay", "{PBKDF2WITHHMACSHA1}AAAA".to_owned()),
        ("magento2", format!("{}:salt:1", &hex[..64])),
        ("magento2-upgraded", format!("{}:salt:0:1", &hex[..64])),
        ("magento2-upgraded", format!("{}:salt:1:2", &hex[..64])),
        ("mosquitto", "$7$101$EsMViXFWACF0g/0F$qgTTsA==".to_owned()),
        ("nextcloud", format!("1|{BCRYPT}")),
    ] {
        let plan = saltern(&["migrate-plan", "--delimiter", "\\t"], &format!("{value}\n")).out;
        assert!(plan.contains(&format!("1  foreign:{software}: ")), "{plan}");
        let tried = saltern(&["try", "-"], &format!("{value}\nwrong password\n"));
        let is_source = saltern(&["convert", "--help"], "").out.contains(&format!("  {software} "));
        let said = if is_source { format!("--from {software}`") } else { "keep your old check".to_owned() };
        let said = if software == "json" { "export the hash" } else { &said };
        assert!(tried.code == 1 && tried.out.contains(said), "{software}: {}", tried.out);
    }
}

/// A file with the example of github.com/firebase/scrypt.
fn firebase_project(name: &str) -> String {
    let project = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&project, GOOGLE_PROJECT).unwrap();
    fs::set_permissions(&project, fs::Permissions::from_mode(0o600)).unwrap();
    project.to_str().unwrap().to_owned()
}

/// A file with two peppers.
pub(super) fn site_keys(name: &str) -> String {
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

/// A value for the password `saltern`. Python's hashlib and libxcrypt made the values.
struct Kind {
    source: &'static str,
    value: &'static str,
    /// The salt in another field.
    salt: Option<&'static str>,
    /// More arguments of `convert`.
    more: Vec<&'static str>,
}

fn kinds() -> Vec<Kind> {
    let rows = include_str!("kinds.txt").lines().filter(|line| !line.starts_with('#'));
    let kind = |row: &'static str| {
        let [source, value, salt, more @ ..] = &row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        Kind { source, value, salt: Some(*salt).filter(|salt| *salt != "-"), more: more.to_vec() }
    };
    rows.map(kind).collect()
}

/// The example of github.com/firebase/scrypt.
const GOOGLE_PROJECT: &str = "hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
";

/// `perl -e 'print crypt("saltern", "ab")'`
const DES: &str = "abQFjYBCX3zIA";
