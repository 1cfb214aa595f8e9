use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::{BCRYPT, LDAP_SHA, PASSWORD, confirmed, convert, run, saltern, shell, succeeds};

/// `printf 'salternsite pepper' | openssl dgst -sha1 -binary | base64`
const PEPPERED: &str = "$saltern-prep$v=1,p=pepper-append,k=old-site${SHA}A5FT14X0B9diZNIIndsirvGHG7w=";

#[test]
fn a_known_login_with_a_pepper_is_verified_by_the_site_keys() {
    let keys = convert::site_keys("wrap");
    let known = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wrap-known-pepper");
    fs::write(&known, format!("1\t{PASSWORD}\n")).unwrap();
    let wrap = ["wrap", "--known", known.to_str().unwrap()];
    let without = saltern(&wrap, PEPPERED);
    assert!(without.code == 65 && without.err.contains("--seal-keys"), "{}", without.err);
    let ended = saltern(&[&wrap[..], &["--seal-keys", &keys]].concat(), PEPPERED);
    assert!(ended.code == 0 && ended.err.starts_with("1 row: 1 changed"), "{}", ended.err);
}

#[test]
fn weak_hashes_are_wrapped_and_other_lines_pass_through() {
    let ended =
        succeeds(&["wrap", "--allow-skipped"], &format!("{LDAP_SHA}\n{BCRYPT}\nno hash\n\n{LDAP_SHA}"));
    let lines: Vec<&str> = ended.out.lines().collect();
    let [first, bcrypt, no_hash, empty, last] = lines[..] else { panic!("{lines:?}") };
    assert_eq!([bcrypt, no_hash, empty], [BCRYPT, "no hash", ""]);
    assert_ne!(first, last, "each hash has a new salt");
    for wrapped in [first, last] {
        assert!(wrapped.starts_with("$saltern-wrap$argon2id$v=19$m=65536,t=4,p=1$"), "{wrapped}");
        assert!(!wrapped.contains(&LDAP_SHA[5..]), "the old output is gone");
        assert_eq!(
            saltern(&["verify", wrapped], "saltern\n").out,
            "matches, and should be replaced: weak_scheme\n"
        );
        assert_eq!(saltern(&["verify", wrapped], "Saltern\n").code, 1);
    }
}

#[test]
fn a_wrapped_hash_is_not_wrapped_again() {
    let once = confirmed(&["wrap"], LDAP_SHA).out;
    assert_eq!(confirmed(&["wrap", "--shape", "wrapped", "--shape", "ldap-sha"], &once).out, once);
}

#[test]
fn named_schemes_are_wrapped() {
    let wrapped = confirmed(&["wrap", "--shape", "bcrypt"], BCRYPT).out;
    assert!(wrapped.starts_with("$saltern-wrap$"), "{wrapped}");
    succeeds(&["verify", wrapped.trim_end()], "saltern\n");
    for (shape, changed) in [("rot13", 0), ("bcrypt:cost 5", 1), ("bcrypt:cost", 0), ("bcrypt:cost 50", 0)] {
        let ended = succeeds(&["wrap", "--shape", shape], BCRYPT);
        assert!(ended.err.contains(&format!("1 row: {changed} changed, ")), "{shape}: {}", ended.err);
    }
}

#[test]
fn a_table_keeps_its_other_columns_and_if_wanted_the_old_hash() {
    let table = format!("id,hash,name\n7,{LDAP_SHA},\"Ann, Bo\"\n8,{BCRYPT},C\n");
    let csv = ["wrap", "--delimiter", ",", "--column", "2", "--header", "--keep-old"];
    let ended = succeeds(&csv, &table);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[1].starts_with("7,\"$saltern-wrap$"), "{}", lines[1]);
    assert!(lines[1].ends_with(&format!(",\"Ann, Bo\",{LDAP_SHA}")), "{}", lines[1]);
    assert_eq!(lines[2], format!("8,{BCRYPT},C,{BCRYPT}"));
    assert_eq!(lines[0], "id,hash,name,old_hash");
}

#[test]
fn comments_and_fields_after_the_hash_stay() {
    let ended = confirmed(
        &["wrap"],
        &format!("# users: all of them\n\nann:{LDAP_SHA}:19000:0:::\nbo:{BCRYPT}:1:\n#cy:{LDAP_SHA}\n"),
    );
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines[..2], ["# users: all of them", ""]);
    assert!(lines[2].starts_with("ann:$saltern-wrap$") && lines[2].ends_with("=:19000:0:::"), "{}", lines[2]);
    assert_eq!(lines[3..], [format!("bo:{BCRYPT}:1:"), format!("#cy:{LDAP_SHA}")]);
}

/// A password in clear may begin with the mark of a comment.
#[test]
fn a_table_has_no_comments() {
    let table = "7,#secret\n";
    for (arguments, code, reason) in
        [(&[][..], 0, "a comment"), (&["--delimiter", ",", "--column", "2"], 65, "skipped: ")]
    {
        let table = if arguments.is_empty() { "#secret\n" } else { table };
        let ended = confirmed(&[&["wrap"], arguments].concat(), table);
        assert_eq!((ended.code, ended.out.as_str()), (code, table), "{}", ended.err);
        assert!(ended.err.contains(reason), "{}", ended.err);
        let plan = saltern(&[&["migrate-plan", "--json"], arguments].concat(), table).out;
        assert_eq!(plan.contains("\"no_password\""), arguments.is_empty(), "{plan}");
    }
}

#[test]
fn a_wrapped_hash_over_the_length_limit_is_refused() {
    let stored = |salt: usize| format!("{{SSHA}}{}", "A".repeat((20 + salt) / 3 * 4));
    let wrapped = succeeds(&["wrap"], &stored(640));
    succeeds(&["inspect", wrapped.out.trim_end()], "");
    let ended = confirmed(&["wrap"], &format!("{LDAP_SHA}\n{}\n", stored(700)));
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("row 2") && ended.err.contains("1024 bytes"), "{}", ended.err);
}

#[test]
fn a_policy_that_is_not_argon2id_is_refused() {
    let ended = confirmed(&["wrap", "--policy", "bcrypt-12-2023"], LDAP_SHA);
    assert_eq!((ended.code, ended.out.as_str()), (64, ""));
    assert!(ended.err.contains("argon2id"), "{}", ended.err);
}

#[test]
fn skipped_rows_are_counted_and_end_with_a_code() {
    let table = format!("{LDAP_SHA}\n{BCRYPT}\n\n{{noop}}x\n{{noop}}y\n");
    let ended = confirmed(&["wrap"], &table);
    assert_eq!(ended.code, 65);
    let lines: Vec<&str> = ended.err.lines().collect();
    assert_eq!(lines[0], "5 rows: 1 changed, 2 left as wanted, 2 skipped");
    for (start, end) in
        [("skipped: ", "(rows 4, 5)"), ("left: ", "(row 2)"), ("left: no password", "(row 3)")]
    {
        let found = lines
            .iter()
            .any(|line| line.trim_start()[1..].trim_start().starts_with(start) && line.ends_with(end));
        assert!(found, "{start} {end} {}", ended.err);
    }
    assert!(ended.err.ends_with("--allow-skipped\n"), "{}", ended.err);
    let allowed = confirmed(&["wrap", "--allow-skipped"], &table);
    assert_eq!((allowed.code, allowed.out.lines().count()), (0, 5), "{}", allowed.err);
}

/// PostgreSQL reads an empty field without quotes as NULL, and `""` as an empty text.
#[test]
fn unchanged_bytes_of_a_table_stay_as_they_are() {
    let table = format!(
        "id,\"hash\",\"a \"\"b\"\"\"\r\n1,\"\",\"\"\r\n2,,\r\n\"3\",\"{BCRYPT}\",\"two\nlines, and more\"\r\n4,{LDAP_SHA},\"\""
    );
    let arguments = ["wrap", "--delimiter", ",", "--column", "2", "--header"];
    let ended = succeeds(&arguments, &table);
    let (before, after) = table.split_once(LDAP_SHA).unwrap();
    assert!(ended.out.starts_with(before) && ended.out.ends_with(after), "{}", ended.out);
    let with_old = confirmed(&[&arguments[..], &["--keep-old"]].concat(), &table).out;
    assert!(
        with_old.starts_with("id,\"hash\",\"a \"\"b\"\"\",old_hash\r\n1,\"\",\"\",\"\"\r\n2,,,\r\n"),
        "{with_old}"
    );
    let tabs = format!("7\t\"ann\\\\\t{LDAP_SHA}\n8\t\\N\t\\N\n");
    let ended = confirmed(&["wrap", "--delimiter", "\\t", "--column", "3"], &tabs);
    assert!(ended.out.starts_with("7\t\"ann\\\\\t$saltern-wrap$"), "{}", ended.out);
    assert!(ended.out.ends_with("\n8\t\\N\t\\N\n"), "{}", ended.out);
}

#[test]
fn a_second_run_changes_nothing() {
    let table = format!("id,hash\n7,{LDAP_SHA}\n8,{BCRYPT}\n9,{{noop}}x\n");
    let csv = ["wrap", "--allow-skipped", "--delimiter", ",", "--column", "2", "--header", "--keep-old"];
    let once = succeeds(&csv, &table);
    assert_eq!(confirmed(&csv, &once.out).out, once.out);
    let lines = ["wrap", "--allow-skipped", "--keep-old"];
    for table in [format!("{LDAP_SHA}\nno hash\n"), format!("ann:{LDAP_SHA}:1:\nbo:no hash\n")] {
        let once = confirmed(&lines, &table).out;
        assert!(once.lines().all(|line| line.matches('\t').count() == 1), "{once}");
        assert_eq!(confirmed(&lines, &once).out, once);
    }
    let unnamed = confirmed(&["wrap", "--delimiter", ",", "--keep-old"], &table);
    assert_eq!((unnamed.code, unnamed.out.as_str()), (64, ""), "{}", unnamed.err);
}

/// No old hash stands behind these tabs.
#[test]
fn a_line_with_a_tab_of_its_own_keeps_its_old_hash() {
    let value = format!("salt\t{}", "0".repeat(32));
    let named = ["convert", "--from", "md5-salt-password", "--separator", "\t", "--shape-like", "."];
    let named = [&named[..], &["--keep-old"]].concat();
    for user in ["", "ann:", "an\tn:"] {
        let once = succeeds(&named, &format!("{user}{value}\n")).out;
        assert!(once.starts_with(&format!("{user}$md5$pf=")), "{once}");
        assert!(once.ends_with(&format!("=\t{value}\n")), "{once}");
        assert_eq!(succeeds(&named, &once).out, once);
    }
    let kept = ["wrap", "--allow-skipped", "--keep-old"];
    let once = succeeds(&kept, &format!("{value}\n# a\tcomment\n\n")).out;
    assert_eq!(once, format!("{value}\t{value}\n# a\tcomment\t# a\tcomment\n\t\n"));
    assert_eq!(succeeds(&kept, &once).out, once);
}

#[test]
fn an_interrupted_run_goes_on_after_its_last_row() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("interrupted.csv");
    let _none = fs::remove_file(&output);
    let table = format!("id,hash\n7,{LDAP_SHA}\n8,{{noop}}x\n9,{LDAP_SHA}\n10,{LDAP_SHA}\n");
    let csv = ["wrap", "--delimiter", ",", "--column", "2", "--header", "--keep-old", "--output"];
    let csv = [&csv[..], &[output.to_str().unwrap()]].concat();
    assert_eq!(confirmed(&csv, &table).code, 65);
    let whole = fs::read_to_string(&output).unwrap();
    // The file ends within the row of user 9.
    let torn = whole.find("\n9,").unwrap() + 20;
    fs::write(&output, &whole[..torn]).unwrap();
    let resumed = confirmed(&csv, &table);
    assert_eq!(resumed.code, 65);
    assert!(resumed.err.starts_with("4 rows: 3 changed, 0 left as wanted, 1 skipped\n"), "{}", resumed.err);
    assert!(resumed.err.contains("1  changed by an earlier run"), "{}", resumed.err);
    let now = fs::read_to_string(&output).unwrap();
    let kept = whole.find("\n9,").unwrap();
    assert_eq!((&now[..kept], now.lines().count()), (&whole[..kept], whole.lines().count()));
    for line in now.lines().skip(3) {
        assert!(line.contains("$saltern-wrap$") && line.ends_with(&format!(",{LDAP_SHA}")), "{line}");
    }
    let other = confirmed(&csv, &table.replace("7,", "77,"));
    assert!(other.code == 65 && other.err.contains("row 2"), "{}", other.err);
    assert_eq!(fs::read_to_string(&output).unwrap(), now);
}

/// Databases run the statement in `cargo xtask test databases`.
#[test]
fn a_run_that_changes_rows_prints_how_to_take_it_back() {
    let csv = ["wrap", "--delimiter", ",", "--column", "2", "--header"];
    let table = format!("user_id,pass,name\n7,{LDAP_SHA},Ann\n");
    let kept = succeeds(&[&csv[..], &["--keep-old"]].concat(), &table).err;
    let restored =
        "UPDATE users SET pass = (SELECT old_hash FROM moved WHERE moved.user_id = users.user_id)\n";
    assert!(kept.contains(restored), "{kept}");
    // Rows that the run has not changed stay as they are.
    assert!(kept.contains("AND moved.pass = users.pass AND moved.pass <> moved.old_hash);\n"), "{kept}");
    let copied = succeeds(&csv, &table).err;
    assert!(copied.contains("(SELECT pass FROM users_before WHERE users_before.user_id"), "{copied}");
    assert!(copied.contains("AND moved.pass <> users_before.pass);\n"), "{copied}");
    // Each run has a table of its own, so that its statement takes back no other run.
    let named = succeeds(&[&csv[..], &["--keep-old", "--result-table", "moved_2"]].concat(), &table).err;
    assert!(named.contains("FROM moved_2 WHERE moved_2.user_id") && !named.contains("moved."), "{named}");
    let unnamed = succeeds(&csv, &table.replace("user_id,pass", "\"the id\",\"a;b\"")).err;
    assert!(unnamed.contains("SET password_hash = ") && unnamed.contains("moved.id = users.id"), "{unnamed}");
    assert!(succeeds(&["wrap"], LDAP_SHA).err.ends_with("by the file that was read: keep it\n"));
    for (arguments, table) in [(&["wrap", "--dry-run"][..], LDAP_SHA), (&["wrap"], BCRYPT)] {
        assert!(!saltern(arguments, table).err.contains("take the change back"), "{arguments:?}");
    }
}

/// A file may have no more than a KiB or two, as on a disk that is full.
#[test]
fn a_run_that_ends_early_tells_its_cause_and_the_command_that_goes_on() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("it's full");
    let table = output.with_extension("table");
    let _none = fs::remove_file(&output);
    fs::write(&table, format!("{LDAP_SHA}\n").repeat(40)).unwrap();
    let [output, table] = [&output, &table].map(|path| path.to_str().unwrap());
    let convert = ["convert", "--from", "sha1-hex", "--shape-like", "^.SHA.", "--unverified", "40"];
    let files = ["--keep-old", "--output", output, table];
    let full = |arguments: &[&str]| {
        let limited = ["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_saltern")];
        run(Command::new("sh").args(limited).args(arguments), "")
    };
    let begun = full(&[&convert[..], &files].concat());
    assert_eq!(begun.code, 71, "{}", begun.err);
    assert!(begun.err.contains("cannot write the result (File too large"), "{}", begun.err);
    let (_, command) = begun.err.split_once("Go on over the same table with: ").unwrap();
    let on = shell(command.lines().next().unwrap(), "");
    assert!(on.code == 0 && on.err.contains("changed by an earlier run"), "{command} {}", on.err);
    let whole = saltern(&[&convert[..], &["--keep-old", table]].concat(), "");
    assert_eq!(fs::read_to_string(output).unwrap(), whole.out);
    let line = "saltern convert --from sha1-hex --shape ldap-sha --unverified 1 > /dev/full";
    let unkept = shell(line, LDAP_SHA);
    assert!(unkept.code == 71 && unkept.err.contains("begin again"), "{}", unkept.err);
}

/// The rows of a second take little room: without it a file got them after minutes.
#[test]
fn rows_are_written_through_while_others_are_computed() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("written-through");
    let table = output.with_extension("table");
    let _none = fs::remove_file(&output);
    fs::write(&table, format!("{LDAP_SHA}\n").repeat(100_000)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltern"));
    command.args(["wrap", "--unverified", "100000", "--keep-old", "--output"]).args([&output, &table]);
    let mut child = command.env_clear().stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let written = || fs::metadata(&output).map_or(0, |file| file.len());
    while written() == 0 && start.elapsed() < Duration::from_mins(5) {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let wrapped = fs::read_to_string(&output).unwrap();
    assert!(wrapped.starts_with("$saltern-wrap$argon2id$") && wrapped.ends_with('\n'), "{wrapped}");
    assert!(wrapped.len() < 200_000, "{}", wrapped.len());
}

/// The system has less address space than a hash of 256 MiB takes, until the test gives more.
#[test]
fn a_run_waits_for_memory_that_the_system_does_not_give_yet() {
    let document = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("large-policy.json");
    let mut policies: serde_json::Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    let large = serde_json::json!({
        "id": "large", "algorithm": "argon2id", "status": "active", "memory_kib": 262_144, "passes": 1, "parallelism": 1,
        "rationale": "a large hash", "source": "this test"
    });
    policies["policies"].as_array_mut().unwrap().push(large);
    fs::write(&document, policies.to_string()).unwrap();
    let limited = ["-c", "ulimit -S -v 250000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_saltern")];
    let arguments = ["wrap", "--unverified", "1", "--workers", "1", "--memory-budget-mib", "600"];
    let policy = ["--policy", "large", "--policies", document.to_str().unwrap()];
    let mut command = Command::new("sh");
    command.args(limited).args(arguments).args(policy).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{LDAP_SHA}").unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = told.next().unwrap().unwrap();
    assert_eq!(first, "the system gives no memory for a hash: waiting for it");
    let unlimited = Rlimit { current: None, maximum: None };
    prlimit(Pid::from_raw(child.id().cast_signed()), Resource::As, unlimited).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{:?}", told.collect::<Vec<_>>());
    assert!(ended.stdout.starts_with(b"$saltern-wrap$argon2id$v=19$m=262144"));
}

/// A hash at the place of an old one, and a file of another program.
#[test]
fn a_file_that_no_run_over_this_table_has_begun_is_refused_and_stays() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("not-begun");
    let file = ["--output", output.to_str().unwrap()];
    let keeps = [&["wrap", "--keep-old"], &file[..]].concat();
    let csv = ["--delimiter", ",", "--column", "2", "--header"];
    let lines = format!("{LDAP_SHA}\n{LDAP_SHA}\n");
    let begun = confirmed(&["wrap", "--keep-old"], LDAP_SHA).out;
    let earlier = format!("id,hash,old_hash\n7,{LDAP_SHA},{LDAP_SHA}\n");
    for (arguments, table, content) in [
        ([&["wrap"], &file[..]].concat(), &lines, format!("{BCRYPT}\n")),
        ([&["wrap"], &file[..], &csv].concat(), &earlier, "id,hash,old_hash\n".to_owned()),
        (keeps.clone(), &lines, "a note".to_owned()),
        (keeps.clone(), &lines, "a note\n".to_owned()),
        (keeps.clone(), &lines, format!("{begun}\n{}", "x".repeat(70_000))),
        ([&keeps[..], &csv].concat(), &earlier, "\"a note".to_owned()),
        ([&keeps[..], &csv].concat(), &earlier, earlier.replacen(LDAP_SHA, BCRYPT, 1)),
    ] {
        fs::write(&output, &content).unwrap();
        let ended = confirmed(&arguments, table);
        assert!(ended.code == 65 && ended.err.contains("name a new file"), "{content} {}", ended.err);
        assert_eq!(fs::read_to_string(&output).unwrap(), content, "{arguments:?}");
    }
}

#[test]
fn only_the_owner_may_read_a_file_that_was_there() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("was-there");
    fs::write(&output, "").unwrap();
    fs::set_permissions(&output, fs::Permissions::from_mode(0o644)).unwrap();
    succeeds(&["wrap", "--output", output.to_str().unwrap()], LDAP_SHA);
    assert_eq!(fs::metadata(&output).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Threads of this name compute hashes that take memory. The current policy takes 64 MiB.
#[test]
fn as_many_workers_hold_a_hash_as_the_memory_budget_has_room_for() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltern"));
    command.args(["wrap", "--workers", "4", "--memory-budget-mib", "150"]).env_clear();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let holders = || {
        let threads = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        let names = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("comm")).ok());
        names.filter(|name| name.starts_with("saltern-block")).count()
    };
    let start = Instant::now();
    while holders() < 2 && start.elapsed() < Duration::from_mins(2) {
        thread::sleep(Duration::from_millis(5));
    }
    // Further threads would have started by now.
    thread::sleep(Duration::from_millis(300));
    let holders = holders();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(holders, 2);
}

#[test]
fn every_form_of_a_scheme_is_wrapped_by_its_name() {
    for label in ["{PBKDF2}", "{PBKDF2-SHA512}"] {
        let length = if label == "{PBKDF2}" { 27 } else { 86 };
        let stored = format!("{label}10000$c2FsdHNhbHRzYWx0$…").replace('…', &"A".repeat(length));
        let wrapped = confirmed(&["wrap", "--shape", "ldap-pbkdf2"], &stored);
        assert!(wrapped.out.starts_with("$saltern-wrap$"), "{} {}", wrapped.out, wrapped.err);
    }
}
