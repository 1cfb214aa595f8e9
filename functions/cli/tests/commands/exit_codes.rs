//! Tests the exit codes of every command against the list in `--help`.

use std::{collections::BTreeSet, fs, io::Write as _, net::TcpListener, path::PathBuf, process::Command};

use super::{BCRYPT, LDAP_SHA, saltern, succeeds};

#[test]
fn every_command_ends_with_a_code_of_the_list() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let directory = env!("CARGO_TARGET_TMPDIR");
    let document = PathBuf::from(directory).join("shipped-policies.json");
    fs::write(&document, saltern_policy::SHIPPED).unwrap();
    let document = document.to_str().unwrap();
    let keys = super::keys::file("exit-codes");
    let keys = keys.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", keys], "");
    let cases: &[(&[&str], &str, i32)] = &[
        (&["blocklist", "build"], "no digest\n", 65),
        (&["blocklist", "build", "--plain", "--at-least", "2"], "saltern\n", 64),
        (&["completions", "bash"], "", 0),
        (&["completions", "csh"], "", 64),
        (&["convert", "--from", "md5", "--shape", "bare_digest", "--unverified", "1"], MD5, 0),
        (&["convert", "--from", "md5", "--shape", "bare_digest", "--unverified", "2"], MD5, 64),
        (&["convert", "--from", "md5"], MD5, 64),
        (&["convert", "--from", "md5", "--shape-like", "."], "hunter2\n", 65),
        (&["convert", "--from", "unknown"], "", 64),
        (&["hash"], "saltern\n", 0),
        (&["hash", "--workers", "none"], "saltern\n", 64),
        (&["hash", "--policy", "unknown"], "saltern\n", 64),
        (&["hash", "--policy", "bcrypt-10-2019"], "saltern\n", 64),
        (
            &["hash", "--policy", "bcrypt-12-2023"],
            "one longer than 72 bytes: ......................................................\n",
            65,
        ),
        (&["health", "--listen", "nowhere"], "", 64),
        (&["health", "--listen", "unix:/nowhere"], "", 71),
        (&["hash-clear", "--unverified", "1"], "saltern\n", 0),
        (&["hash-clear"], "saltern\n", 64),
        (&["hash-clear", "--policy", "unknown"], "saltern\n", 64),
        (&["inspect", BCRYPT], "", 0),
        (&["inspect"], "", 64),
        (&["inspect", "plain"], "", 65),
        (&["keys", "check", keys], "", 0),
        (&["keys", "check", "/nowhere"], "", 64),
        (&["man"], "", 0),
        (&["man", "--directory", document], "", 64),
        (&["migrate-plan"], BCRYPT, 0),
        (&["migrate-plan", "/nowhere"], "", 64),
        (&["policies", "check", document], "", 0),
        (&["policies", "check", "--json", document], "", 0),
        (&["policies", "check", "/nowhere"], "", 64),
        (&["reseal", "--seal-keys", keys, "--allow-skipped"], BCRYPT, 0),
        (&["seal", "--seal-keys", keys], BCRYPT, 0),
        (&["seal", "--seal-keys", "/nowhere"], BCRYPT, 64),
        (&["seal"], BCRYPT, 64),
        (&["serve", "--listen", "nowhere"], "", 64),
        (&["serve", "--listen", &taken], "", 71),
        (&["try", BCRYPT], "saltern\n", 0),
        (&["try", BCRYPT], "wrong\n", 1),
        (&["try", "--seal-keys", "/nowhere", BCRYPT], "saltern\n", 64),
        (&["unseal", "--seal-keys", keys], BCRYPT, 0),
        (&["verify", BCRYPT], "saltern\n", 0),
        (&["verify", BCRYPT], "wrong\n", 1),
        (&["verify"], "saltern\n", 64),
        (&["verify", LDAP_SHA], "saltern\n", 65),
        (&["wrap", "--unverified", "1"], LDAP_SHA, 0),
        (&["wrap"], LDAP_SHA, 64),
        (&["wrap", "--policy", "bcrypt-12-2023"], LDAP_SHA, 64),
        (&["wrap", "--policy", "unknown"], LDAP_SHA, 64),
        (&["--version"], "", 0),
        (&["no-such-command"], "", 64),
    ];
    for (arguments, input, code) in cases {
        let ended = saltern(arguments, input);
        assert_eq!(ended.code, *code, "{arguments:?}: {}", ended.err);
        // A refusal has a message and no result. A rewritten table has a summary.
        let rewriting = ["convert", "hash-clear", "reseal", "seal", "unseal", "wrap"];
        let is_rewritten = rewriting.contains(&arguments[0]) && [0, 65].contains(code);
        assert_eq!(
            ended.err.is_empty(),
            [0, 1].contains(code) && !is_rewritten,
            "{arguments:?}: {}",
            ended.err
        );
        assert_eq!(ended.out.is_empty(), *code > 1 && !is_rewritten, "{arguments:?}: {}", ended.out);
    }

    let tested: BTreeSet<&str> = cases.iter().map(|(arguments, ..)| arguments[0]).collect();
    let help = saltern(&["--help"], "").out;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.split("\n\n").next().unwrap().lines();
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        assert!(tested.contains(command), "no case tests {command}");
    }
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    for (.., code) in cases {
        let listed = codes.lines().any(|line| line.trim_start().starts_with(&format!("{code}  ")));
        assert!(listed, "{code} is not in {codes}");
    }
}

/// No table is whole without its reader.
#[test]
fn a_reader_that_is_gone_is_a_failure_of_every_command() {
    for arguments in [&["man"][..], &["unseal", "--seal-keys", "KEYS"], &["inspect", BCRYPT]] {
        let keys = super::keys::file("gone-reader");
        let keys = keys.to_str().unwrap();
        succeeds(&["keys", "new", "--id", "a", keys], "");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (table, mut input) = std::io::pipe().unwrap();
        writeln!(input, "{BCRYPT}").unwrap();
        drop(input);
        let mut command = Command::new(env!("CARGO_BIN_EXE_saltern"));
        command.args(arguments.iter().map(|word| if *word == "KEYS" { keys } else { word }));
        let ended = command.env_clear().stdin(table).stdout(writer).output().unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(71), "{arguments:?}: {err}");
        assert!(err.contains("cannot write the result (Broken pipe"), "{err}");
    }
}

#[test]
fn a_mistake_of_the_command_line_says_what_to_write() {
    for (arguments, input, code, said) in [
        (&["migrate-plan", "--delimiter", ",", "--column", "0"][..], "", 64, "the first one is 1"),
        (
            &["convert", "--delimiter", ",", "--salt-column", "x", "--from", "ipb"],
            "",
            64,
            "the first one is 1",
        ),
        (&["convert", "--from", "rot13"], "", 64, "vbulletin"),
        (&["convert", "--from", "md5-hxe"], "", 64, "'md5-hex'"),
        (&["convert", "--form", "md5"], "", 64, "'--from'"),
        (&["hsah"], "", 64, "'hash'"),
        (&["wrap", "/"], "", 64, "(is a directory): name a file of hashes"),
        (&["migrate-plan", "/"], "", 64, "(is a directory): name a file of hashes"),
        (&["hash"], "first line\nsecond line\n", 65, "has a second line"),
        (&[], "", 64, "saltern: a command is missing\n\nHashes and verifies"),
    ] {
        let ended = saltern(arguments, input);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
    assert!(saltern(&["completions", "bash"], "").out.contains("vbulletin"));
}

/// The MD5 of `password`.
const MD5: &str = "5f4dcc3b5aa765d61d8327deb882cf99\n";

#[test]
fn the_manual_has_a_page_for_each_command() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("manual");
    let _none = fs::remove_dir_all(&directory);
    succeeds(&["man", "--directory", directory.to_str().unwrap()], "");
    let pages: BTreeSet<String> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["saltern.1", "saltern-wrap.1", "saltern-serve.1", "saltern-policies-check.1"] {
        assert!(pages.contains(page), "{pages:?}");
    }
    assert!(saltern(&["man"], "").out.contains(".SH \"EXIT STATUS\""));
}

/// The commit is that of the build. The processor names its instruction sets in `/proc/cpuinfo`.
#[test]
fn the_version_tells_commit_target_and_instruction_sets() {
    let short = saltern(&["-V"], "").out;
    assert_eq!(short, concat!("saltern ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = saltern(&["--version"], "").out;
    let lines: Vec<&str> = long.lines().collect();
    let [first, commit, target, instructions] = lines[..] else { panic!("{long}") };
    assert_eq!(first, short.trim_end());
    let head = Command::new("git").args(["rev-parse", "HEAD"]).output().unwrap();
    let head = String::from_utf8(head.stdout).unwrap();
    assert_eq!(commit, format!("commit {}", option_env!("SALTERN_COMMIT").unwrap_or(head.trim_end())));
    assert!(target.starts_with(&format!("target {}-", std::env::consts::ARCH)), "{target}");
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap();
    let flags =
        cpuinfo.lines().find(|line| line.starts_with("flags") || line.starts_with("Features")).unwrap();
    let used = ["avx2", "avx512f", "avx512vl", "sha_ni", "asimd", "sha2", "sha512"];
    let expected: Vec<&str> =
        used.into_iter().filter(|set| flags.split_whitespace().any(|flag| flag == *set)).collect();
    let expected = if expected.is_empty() { "of the baseline alone".to_owned() } else { expected.join(" ") };
    assert_eq!(instructions, format!("instructions {expected}"));
    assert!(!saltern(&["man"], "").out.contains("instructions"), "the manual is of no machine");
}

#[test]
fn check_prints_the_policies_as_json() {
    let document = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shipped-for-json.json");
    fs::write(&document, saltern_policy::SHIPPED).unwrap();
    let summary = saltern(&["policies", "check", "--json", document.to_str().unwrap()], "");
    let summary: serde_json::Value = serde_json::from_str(&summary.out).unwrap();
    assert_eq!((&summary["current"], &summary["consistent"]), (&"argon2id-2026".into(), &true.into()));
    assert_eq!(summary["policies"].as_array().unwrap().len(), 4);
    assert_eq!(summary["ceilings"]["bcrypt_cost"], 15);
}
