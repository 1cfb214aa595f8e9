//! The exit codes of every command, compared with the list of `--help`.

use std::collections::BTreeSet;

use super::run;

#[test]
fn every_command_ends_with_a_code_of_the_list() {
    let window = ["--from", "2026-01-01T01:00:00Z", "--to", "2026-01-01T00:00:00Z", "--out", "/dev/null"];
    let size = ["--memory-mb", "1769", "--architecture", "arm64"];
    let report = [&["report", "--function", "logins"][..], &size, &window].concat();
    let cases: &[(&[&str], i32)] = &[
        (&["bench", "--algorithm", "rot13"], 64),
        (&["calibrate", "--target-ms", "5", "--algorithm", "bcrypt"], 0),
        (&["calibrate", "--target-ms", "soon"], 64),
        #[cfg(feature = "peers")]
        (&["compare", "kernels", "md5"], 64),
        (&["completions", "bash"], 0),
        (&["completions", "csh"], 64),
        (&["man"], 0),
        (&["man", "--directory", "/dev/null"], 64),
        (&report, 64),
        (&["--version"], 0),
        (&["no-such-command"], 64),
    ];
    for (arguments, code) in cases {
        let ended = run(arguments);
        assert_eq!(ended.code, *code, "{arguments:?}: {}", ended.err);
        assert_eq!(ended.err.is_empty(), *code == 0, "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out.is_empty(), *code != 0, "{arguments:?}: {}", ended.out);
    }

    let tried: BTreeSet<&str> = cases.iter().map(|(arguments, ..)| arguments[0]).collect();
    let help = run(&["--help"]).out;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.split("\n\n").next().unwrap().lines();
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        assert!(tried.contains(command), "no case tries {command}");
    }
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    for (_, code) in cases {
        let listed = codes.lines().any(|line| line.trim_start().starts_with(&format!("{code}  ")));
        assert!(listed, "{code} is not in {codes}");
    }
}
