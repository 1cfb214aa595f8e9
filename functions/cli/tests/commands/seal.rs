use std::{
    fs,
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{BCRYPT, Ended, LDAP_SHA, keys, saltern, succeeds};

#[test]
fn a_table_is_sealed_resealed_and_unsealed_byte_for_byte() {
    let file = keys_file("table", "a", &["a"]);
    let table = format!("id,hash,name\n7,\"{BCRYPT}\",\"Ann, Bo\"\r\n8,\"{LDAP_SHA}\",C\n9,,D\n");
    let sealed = on(&file, "seal", CSV, &table);
    assert_eq!(sealed.code, 0, "{}", sealed.err);
    assert_eq!(sealed.out.matches("$saltern-seal$v=1,k=a$").count(), 2, "{}", sealed.out);
    let summary = "3 rows: 2 changed, 1 left as wanted, 0 skipped\n";
    assert!(sealed.err.starts_with(summary), "{}", sealed.err);
    assert!(!sealed.out.contains(BCRYPT) && !sealed.err.contains('$'), "{}", sealed.err);
    let again = on(&file, "seal", CSV, &sealed.out);
    assert_eq!((again.code, &again.out), (0, &sealed.out), "a second run changes nothing: {}", again.err);

    write(&file, "b", &["a", "b"]);
    let resealed = on(&file, "reseal", CSV, &sealed.out);
    assert_eq!(resealed.out.matches("$saltern-seal$v=1,k=b$").count(), 2, "{}", resealed.err);
    let again = on(&file, "reseal", CSV, &resealed.out);
    assert_eq!(again.out, resealed.out);
    for sealed in [&sealed.out, &resealed.out] {
        let unsealed = on(&file, "unseal", CSV, sealed);
        assert_eq!((unsealed.code, unsealed.out), (0, table.clone()), "{}", unsealed.err);
    }
}

#[test]
fn rows_that_do_not_open_are_skipped_and_counted() {
    let file = keys_file("skipped", "a", &["a"]);
    let sealed = on(&file, "seal", &[], BCRYPT).out;
    let sealed = sealed.trim_end();
    let rows = [
        sealed.replace("k=a$", "k=c$"),
        sealed.replace("k=a$", "k=b$"),
        sealed[..40].to_owned(),
        sealed.to_owned(),
        BCRYPT.to_owned(),
    ];
    write(&file, "b", &["a", "b"]);
    for (command, opened) in [("unseal", BCRYPT), ("reseal", "$saltern-seal$v=1,k=b$")] {
        let ended = on(&file, command, &[], &rows.join("\n"));
        assert_eq!(ended.code, 65, "{command}");
        let lines: Vec<&str> = ended.out.lines().collect();
        assert_eq!(lines[..3], rows[..3], "{command}");
        assert!(lines[3].starts_with(opened) && lines[4] == BCRYPT, "{}", ended.out);
        for reason in ["not listed", "damaged", "canonical form"] {
            assert!(ended.err.contains(reason), "{command}: {}", ended.err);
        }
    }
    for text in ["5f4dcc3b5aa765d61d8327deb882cf99", "plain"] {
        let ended = on(&file, "seal", &[], text);
        assert_eq!((ended.code, ended.out.trim_end()), (65, text), "{}", ended.err);
    }
}

#[test]
fn a_key_with_contexts_seals_each_row_for_its_user() {
    let file = keys::file("seal-context");
    succeeds(&["keys", "new", "--id", "a", "--context", file.to_str().unwrap()], "");
    let table = format!("id,hash\n7,{BCRYPT}\n8,{BCRYPT}\n,{BCRYPT}\n");
    assert_eq!(on(&file, "seal", CSV, &table).code, 64, "no context column");
    let with_context = [CSV, &["--context-column", "1"]].concat();
    let sealed = on(&file, "seal", &with_context, &table);
    assert_eq!(sealed.code, 65, "{}", sealed.err);
    assert!(sealed.err.contains("its context is missing"), "{}", sealed.err);
    let [header, first, second, third] = sealed.out.lines().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(third, format!(",{BCRYPT}"));
    let unsealed = on(&file, "unseal", &with_context, &sealed.out.replace(third, ""));
    // A seal has a comma, so its field has quotes.
    assert!(unsealed.out.contains(&format!("8,\"{BCRYPT}\"\n")), "{}", unsealed.err);
    // The hash of one user in the row of another.
    let swapped = format!("{header}\n8{}\n7{}\n", &first[1..], &second[1..]);
    let refused = on(&file, "unseal", &with_context, &swapped);
    assert_eq!((refused.code, &refused.out), (65, &swapped), "{}", refused.err);
}

/// Programs of Windows begin a file with one.
#[test]
fn a_byte_order_mark_is_of_no_context() {
    let file = keys::file("seal-mark");
    succeeds(&["keys", "new", "--id", "a", "--context", file.to_str().unwrap()], "");
    let csv = ["--delimiter", ",", "--column", "2", "--context-column", "1"];
    for (mark, arguments) in [("", &csv[..]), ("\"", &csv[..]), ("", &csv[4..])] {
        let between = if arguments.len() == csv.len() { "," } else { ":" };
        let table = format!("\u{feff}{mark}7{mark}{between}{BCRYPT}\n");
        let sealed = on(&file, "seal", arguments, &table);
        assert!(sealed.code == 0 && sealed.out.starts_with('\u{feff}'), "{}", sealed.err);
        let unmarked = sealed.out.trim_start_matches('\u{feff}');
        assert_eq!(on(&file, "unseal", arguments, unmarked).code, 0, "{table}");
        assert!(on(&file, "unseal", arguments, &sealed.out).out.contains(BCRYPT), "{table}");
    }
}

/// A release build seals and plans three million rows, and a debug build a thousandth of them.
#[test]
fn three_million_rows_are_sealed_and_planned_in_little_time_and_memory() {
    let rows = if cfg!(debug_assertions) { 3_000 } else { 3_000_000 };
    let file = keys::file("seal-large");
    succeeds(&["keys", "new", "--id", "a", "--context", file.to_str().unwrap()], "");
    let [table, sealed] = ["table", "sealed"].map(|name| file.with_extension(name));
    let mut writer = BufWriter::new(fs::File::create(&table).unwrap());
    (0..rows).for_each(|row| writeln!(writer, "{row},{BCRYPT}").unwrap());
    writer.flush().unwrap();
    let _not_there = fs::remove_file(&sealed);
    let [table, sealed, keys] = [&table, &sealed, &file].map(|file| file.to_str().unwrap());
    let sealing = ["seal", "--output", sealed, table];
    for (command, done) in [(&sealing[..], "sealed"), (&["migrate-plan", sealed], "planned")] {
        let fields = ["--seal-keys", keys, "--delimiter", ",", "--column", "2", "--context-column", "1"];
        let start = Instant::now();
        let held = held_kib(&[command, &fields].concat());
        let took = start.elapsed();
        println!("{rows} rows {done} in {:.1} s, with at most {} MiB", took.as_secs_f64(), held / 1024);
        assert!(took < Duration::from_secs(30) && held < 100 * 1024, "{done}: {took:?}, {held} KiB");
    }
    let lines = BufReader::new(fs::File::open(sealed).unwrap()).lines();
    assert_eq!(lines.filter(|line| line.as_ref().unwrap().contains("$saltern-seal$v=1,k=a$")).count(), rows);
    for file in [table, sealed] {
        fs::remove_file(file).unwrap();
    }
}

/// Runs `saltern`, which must end with 0, and returns the most memory that it held: `VmHWM` of
/// proc(5), as long as the process is there.
fn held_kib(arguments: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saltern"))
        .args(arguments)
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut most = None;
    let ended = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let held = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        most = held.map(|kib| kib.parse().unwrap()).or(most);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        thread::sleep(Duration::from_millis(5));
    };
    assert!(ended.success(), "{arguments:?}: {ended}");
    most.unwrap()
}

/// A user of one context must not verify with the hash of another.
#[test]
fn a_row_without_a_context_of_its_own_is_skipped() {
    let file = keys::file("seal-no-context");
    succeeds(&["keys", "new", "--id", "a", "--context", file.to_str().unwrap()], "");
    let tabs = ["--delimiter", "\\t", "--column", "2", "--context-column"];
    for (arguments, table) in [
        ([&tabs[..], &["1"]].concat(), format!("\\N\t{BCRYPT}\n")),
        ([&tabs[..], &["1"]].concat(), format!("NULL\t{BCRYPT}\n")),
        ([&tabs[..], &["2"]].concat(), format!("7\t{BCRYPT}\n")),
        (vec!["--context-column", "1"], format!("{BCRYPT}\n")),
        (vec!["--context-column", "2"], format!("ann:{BCRYPT}\n")),
    ] {
        let ended = on(&file, "seal", &arguments, &table);
        assert_eq!((ended.code, &ended.out), (65, &table), "{}", ended.err);
        assert!(ended.err.contains("its context is missing"), "{}", ended.err);
    }
    let latin1 = file.with_extension("latin1");
    fs::write(&latin1, [b"\xfc\t", BCRYPT.as_bytes()].concat()).unwrap();
    let ended = on(&file, "seal", &[&tabs[..], &["1", "--dry-run", latin1.to_str().unwrap()]].concat(), "");
    assert!(ended.code == 65 && ended.err.contains("not UTF-8"), "{}", ended.err);
    fs::remove_file(latin1).unwrap();

    // A row without a hash needs no context. One that is sealed is opened with it.
    let named = on(&file, "seal", &["--context-column", "1"], &format!("ann:{BCRYPT}\nbo:\n"));
    assert_eq!(named.code, 0, "{}", named.err);
    let csv = ["--delimiter", ",", "--column", "2", "--context-column", "3"];
    let again = on(&file, "seal", &csv, &named.out.replace(':', ",\"").replace('\n', "\"\n"));
    assert!(again.code == 65 && again.err.contains("its context is missing"), "{}", again.err);
    let again = on(&file, "seal", &["--context-column", "1"], &named.out);
    assert!(again.code == 0 && again.err.contains("sealed already"), "{}", again.err);
    let moved = on(&file, "seal", &["--context-column", "1"], &named.out.replace("ann:", "eve:"));
    assert_eq!(moved.code, 65, "no server opens it: {}", moved.err);
}

#[test]
fn lines_that_keep_their_old_hashes_are_resealed_and_unsealed() {
    for user in ["", "ann:"] {
        let file = keys_file("keep-old", "a", &["a"]);
        let sealed = on(&file, "seal", &["--keep-old"], &format!("{user}{BCRYPT}\n"));
        assert!(sealed.out.starts_with(&format!("{user}$saltern-seal$v=1,k=a$")), "{}", sealed.err);
        write(&file, "b", &["a", "b"]);
        let resealed = on(&file, "reseal", &[], &sealed.out);
        assert!(resealed.out.starts_with(&format!("{user}$saltern-seal$v=1,k=b$")), "{}", resealed.err);
        for sealed in [sealed, resealed] {
            let unsealed = on(&file, "unseal", &[], &sealed.out);
            let old = format!("{user}{BCRYPT}\t{BCRYPT}\n");
            assert_eq!((unsealed.code, unsealed.out), (0, old), "{}", unsealed.err);
        }
    }
}

#[test]
fn a_sealed_table_is_planned_as_sealed() {
    let file = keys_file("plan", "a", &["a"]);
    let sealed = on(&file, "seal", &[], BCRYPT).out;
    let plan = saltern(&["migrate-plan"], &sealed);
    assert!(
        plan.code == 0 && plan.out.contains("sealed: only its key opens it"),
        "{} {}",
        plan.out,
        plan.err
    );
}

fn on(file: &Path, command: &str, arguments: &[&str], table: &str) -> Ended {
    saltern(&[&[command, "--seal-keys", file.to_str().unwrap()], arguments].concat(), table)
}

/// A file with these keys.
fn keys_file(name: &str, current: &str, ids: &[&str]) -> PathBuf {
    let file = keys::file(&format!("seal-{name}"));
    succeeds(&["keys", "new", "--id", current, file.to_str().unwrap()], "");
    write(&file, current, ids);
    file
}

fn write(file: &Path, current: &str, ids: &[&str]) {
    let key = |id: &str| match id {
        "a" => "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
        _ => "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=",
    };
    let keys: Vec<_> = ids.iter().map(|id| json!({"id": id, "key": key(id)})).collect();
    fs::write(file, json!({"current": current, "keys": keys}).to_string()).unwrap();
}

const CSV: &[&str] = &["--delimiter", ",", "--column", "2", "--header"];
