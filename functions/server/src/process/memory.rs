//! The memory that this process may use: that of the machine, or of its control group if that is
//! less.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the bytes of memory that this process may use.
pub fn usable_bytes() -> u64 {
    let machine = machine_bytes();
    group_limits(&fs::read_to_string(OWN_GROUPS).unwrap_or_default(), Path::new(GROUP_ROOT))
        .into_iter()
        .fold(machine, u64::min)
}

fn machine_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    #[allow(clippy::useless_conversion, reason = "the field's width is the platform's `unsigned long`")]
    u64::from(info.totalram).saturating_mul(u64::from(info.mem_unit))
}

/// Returns every limit from the control group of this process up to the root. The smallest one
/// holds.
fn group_limits(own_groups: &str, root: &Path) -> Vec<u64> {
    let mut limits = Vec::new();
    for line in own_groups.lines() {
        // cgroups(7): `hierarchy-ID:controller-list:path`; version 2 has the ID 0 and no
        // controllers.
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (mount, file) = match controllers {
            "" => (root.to_path_buf(), "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        limits.extend(ancestors(&mount, path).iter().filter_map(|group| read_limit(&group.join(file))));
    }
    limits
}

/// Returns the group's directory and those above it, with the mount itself last.
///
/// In a container the path may name the host's tree, of which only the mount is visible.
fn ancestors(mount: &Path, group: &str) -> Vec<PathBuf> {
    let relative = Path::new(group.trim_start_matches('/'));
    relative.ancestors().map(|ancestor| mount.join(ancestor)).collect()
}

/// Reads a limit. Version 2 writes `max` for no limit, which is not a number.
fn read_limit(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// cgroups(7).
const OWN_GROUPS: &str = "/proc/self/cgroup";

/// The usual mount point of the control groups (cgroups(7)).
const GROUP_ROOT: &str = "/sys/fs/cgroup";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_on_the_way_up_holds() {
        let root =
            tree("v2", &[("a/memory.max", "500\n"), ("a/b/memory.max", "max\n"), ("memory.max", "900\n")]);
        assert_eq!(group_limits("0::/a/b\n", &root), [500, 900]);
    }

    #[test]
    fn version_1_names_its_controller() {
        let root = tree("v1", &[("memory/x/memory.limit_in_bytes", "700\n"), ("memory.max", "1\n")]);
        assert_eq!(group_limits("5:cpu,cpuacct:/x\n4:memory:/x\n", &root), [700]);
    }

    #[test]
    fn a_machine_has_memory() {
        assert!(usable_bytes() > 64 * 1024 * 1024);
    }

    fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("saltern-cgroup-{name}-{}", std::process::id()));
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }
}
