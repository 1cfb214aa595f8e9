//! The systemd block of `packaging/README.md`, pasted into a shell.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
};

/// The programs of the block, in its order.
const PROGRAMS: [&str; 7] = ["curl", "sha256sum", "tar", "install", "groupadd", "systemctl", "saltern"];

#[test]
fn a_failed_step_of_the_systemd_block_stops_the_rest_and_leaves_the_shell_open() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pasted");
    let _absent_at_first = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    // It notes its call, and fails if it is the program that shall fail.
    let stub = folder.join("stub");
    fs::write(&stub, "#!/bin/sh\necho \"${0##*/}\"\n[ \"${0##*/}\" != \"$FAILS\" ]\n").unwrap();
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
    for program in PROGRAMS {
        symlink("stub", folder.join(program)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", folder.display());

    let page = include_str!("../../../packaging/README.md");
    let after = page.split_once("**systemd.**").unwrap().1.split_once("```sh\n").unwrap().1;
    let block = after.split_once("```").unwrap().0;
    for fails in PROGRAMS.into_iter().chain(["none"]) {
        let script = format!("{block}\necho open");
        let output =
            Command::new("sh").args(["-c", &script]).env("PATH", &path).env("FAILS", fails).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut called: Vec<_> = printed.lines().collect();
        assert_eq!(called.pop(), Some("open"), "{fails} failed: {printed}");
        called.dedup();
        let until = PROGRAMS.iter().position(|program| *program == fails).map_or(PROGRAMS.len(), |at| at + 1);
        assert_eq!(called, PROGRAMS[..until], "{fails} failed");
    }
}
