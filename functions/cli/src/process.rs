//! What the operating system is told about this process, and what it tells.

mod memory;

use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};

use crate::Failure;

pub(crate) use memory::usable_bytes;

/// Keeps the memory of this process out of core files, and from other processes of the same user.
pub(crate) fn keep_memory_private() -> Result<(), Failure> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .and_then(|()| setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }))
        .map_err(|error| {
            Failure::system(format!(
                "this process cannot be kept from being dumped ({error}): allow prctl and setrlimit"
            ))
        })
}

/// Raises the limit on open files as far as this process may, and names it.
///
/// The soft limit is 1,024 on most systems, for the sake of programs that still call `select`.
pub(crate) fn raise_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = if setrlimit(Resource::Nofile, raised).is_ok() { raised.current } else { limit.current };
    current.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}
