//! What the size of a function gives its hashes.

use std::num::NonZeroUsize;

/// The size of a function on AWS Lambda, which bounds its hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSize {
    /// The function's memory in MiB, which AWS writes as MB.
    pub memory_mib: u64,
    /// Events at the same time: 1, or more on Managed Instances.
    pub concurrency: u64,
}

impl FunctionSize {
    /// Returns the number of hashing threads: the nearest number of virtual CPUs for the memory, at
    /// least one.
    pub fn workers(self) -> NonZeroUsize {
        let bought = self.memory_mib.saturating_add(MIB_PER_VCPU / 2) / MIB_PER_VCPU;
        usize::try_from(bought).ok().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN)
    }

    /// Returns the memory for all hashes together in bytes; `None` if the process and its events
    /// need all memory.
    pub fn memory_budget_bytes(self) -> Option<u64> {
        let left = self.memory_mib.checked_sub(self.head_room_mib()).filter(|&mib| mib > 0)?;
        Some(left.saturating_mul(BYTES_PER_MIB))
    }

    /// Returns the memory for the process and its events in MiB.
    pub fn head_room_mib(self) -> u64 {
        MIB_FOR_THE_PROCESS.saturating_add(self.concurrency.saturating_mul(MIB_PER_INVOCATION))
    }
}

/// The memory with which Lambda gives one virtual CPU (developer guide, "Configure Lambda function
/// memory").
const MIB_PER_VCPU: u64 = 1769;

/// The process before its first event (6 MiB resident), its stacks, the allocator's overhead, and
/// other processes of the environment, such as Lambda's agent.
const MIB_FOR_THE_PROCESS: u64 = 32;

/// The largest event, 6 MB (Lambda quota, "Invocation payload"), as bytes and as JSON, and a body
/// of 1 MiB with its parts.
const MIB_PER_INVOCATION: u64 = 14;

const BYTES_PER_MIB: u64 = 1024 * 1024;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn size(memory_mib: u64, concurrency: u64) -> FunctionSize {
        FunctionSize { memory_mib, concurrency }
    }

    #[test]
    fn the_number_of_workers_is_the_nearest_number_of_vcpus() {
        for (memory_mib, workers) in [(128, 1), (1769, 1), (2048, 1), (3008, 2), (3538, 2), (10_240, 6)] {
            assert_eq!(size(memory_mib, 1).workers().get(), workers, "{memory_mib} MB");
        }
    }

    #[test]
    fn a_virtual_cpu_is_that_of_the_table_of_durations() {
        let durations = include_str!("../../../infra/modules/password-hasher/durations.json");
        let durations: serde_json::Value = serde_json::from_str(durations).unwrap();
        assert_eq!(durations["reference_memory_mb"]["value"], MIB_PER_VCPU);
    }

    #[test]
    fn the_budget_is_the_memory_without_the_process_and_its_events() {
        assert_eq!(size(128, 1).memory_budget_bytes(), Some(82 * BYTES_PER_MIB));
        assert_eq!(size(2048, 8).memory_budget_bytes(), Some(1904 * BYTES_PER_MIB));
        for (memory_mib, concurrency) in [(0, 1), (46, 1), (128, 7), (2048, u64::MAX)] {
            assert_eq!(size(memory_mib, concurrency).memory_budget_bytes(), None, "{memory_mib} MB");
        }
    }
}
