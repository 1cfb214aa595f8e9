use std::fs;

use crate::server::Server;

#[test]
fn no_core_file_and_no_dump() {
    let server = Server::start(&[]);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let values: Vec<&str> = core.split_whitespace().skip(4).take(2).collect();
    assert_eq!(values, ["0", "0"]);
    // proc_pid(5): what belongs to a process that is not dumpable belongs to root; and root's own shows it elsewhere.
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    assert!(status.contains("CoreDumping:\t0"), "{status}");
    assert_not_dumpable(server.pid());
}

/// Only a process that may be dumped has its memory mapped out for others of its user: for root, the file of dump
/// filters says nothing, so the owner of its directory is compared where the test is not root.
fn assert_not_dumpable(pid: u32) {
    use std::os::unix::fs::MetadataExt as _;
    let owner = fs::metadata(format!("/proc/{pid}")).unwrap().uid();
    assert_eq!(owner, 0, "a directory of a process that is not dumpable belongs to root");
}
