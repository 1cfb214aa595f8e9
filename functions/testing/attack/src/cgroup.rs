//! A memory cgroup for one server (cgroups(7)), of version 2 or 1.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A group with a limit. It is removed when it is dropped, after its processes ended.
pub(crate) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Makes a group. It needs root, and a controller of memory.
    pub(crate) fn new(limit_bytes: u64) -> io::Result<Self> {
        let (root, limit) = match fs::read_to_string(Path::new(V2).join("cgroup.controllers")) {
            Ok(controllers) if controllers.contains("memory") => (V2, "memory.max"),
            _ => (V1, "memory.limit_in_bytes"),
        };
        let group = Self { folder: Path::new(root).join(format!("saltern-attack-{}", std::process::id())) };
        fs::create_dir(&group.folder)?;
        fs::write(group.folder.join(limit), limit_bytes.to_string())?;
        Ok(group)
    }

    /// Returns the file to which a process writes its id to join.
    pub(crate) fn processes(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _left_behind = fs::remove_dir(&self.folder);
    }
}

/// The limit of the attacks: a small container.
pub(crate) const CGROUP_BYTES: u64 = 512 << 20;

const V2: &str = "/sys/fs/cgroup";
const V1: &str = "/sys/fs/cgroup/memory";
