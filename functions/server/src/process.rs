//! Settings of this process in the operating system: core files, open files, memory.

mod memory;

use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};

use crate::Failure;

pub use memory::usable_bytes;

/// Keeps the memory of this process out of core files and away from other processes of the same
/// user.
///
/// # Errors
/// [`Failure::System`] if the system refuses.
pub fn keep_memory_private() -> Result<(), Failure> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .and_then(|()| setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }))
        .map_err(|error| {
            Failure::system(format!(
                "cannot disable core dumps of this process ({error}): allow prctl and setrlimit"
            ))
        })
}

/// Raises the soft limit on open files to the hard limit and returns the limit.
///
/// On most systems the soft limit is 1,024, because programs with `select` need that.
pub fn raise_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = if setrlimit(Resource::Nofile, raised).is_ok() { raised.current } else { limit.current };
    current.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}
