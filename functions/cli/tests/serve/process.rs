use std::{fs, os::unix::fs::MetadataExt as _};

use super::server::Server;

#[test]
fn the_server_writes_no_core_file() {
    let server = Server::start(&[]);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let values: Vec<&str> = core.split_whitespace().skip(4).take(2).collect();
    assert_eq!(values, ["0", "0"]);
}

/// proc(5): the files in /proc of a process that is not dumpable belong to root.
#[test]
fn other_processes_of_the_user_cannot_read_the_memory() {
    let user = if rustix::process::geteuid().is_root() { Some(NOBODY) } else { None };
    let server = Server::start_as(user, &[]);
    let owner = |file: &str| fs::metadata(format!("/proc/{}/{file}", server.pid())).unwrap().uid();
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let user = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    assert!(!user.starts_with("Uid:\t0\t"), "the test needs a user other than root");
    assert_eq!((owner("mem"), owner("environ")), (0, 0));
}

const NOBODY: u32 = 65534;
