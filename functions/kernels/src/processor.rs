//! What the processor of this machine has.

use std::{fs, path::Path, sync::OnceLock, thread};

/// Whether it has AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// Whether it has AVX-512 with vectors of every length: foundation and vector length extensions.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl")
}

/// Whether it has the instructions for SHA-1 and SHA-256, and those that their kernels use beside
/// them.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_sha() -> bool {
    std::arch::is_x86_feature_detected!("sha")
        && std::arch::is_x86_feature_detected!("ssse3")
        && std::arch::is_x86_feature_detected!("sse4.1")
}

/// Whether it has NEON.
#[cfg(target_arch = "aarch64")]
pub(crate) fn has_neon() -> bool {
    std::arch::is_aarch64_feature_detected!("neon")
}

/// Whether it has the instructions for SHA-1 and SHA-256.
#[cfg(target_arch = "aarch64")]
pub(crate) fn has_sha2() -> bool {
    std::arch::is_aarch64_feature_detected!("sha2")
}

/// Whether it has the instructions for SHA-512. Rust includes them in the feature `sha3`.
#[cfg(target_arch = "aarch64")]
pub(crate) fn has_sha512() -> bool {
    std::arch::is_aarch64_feature_detected!("sha3")
}

/// Returns the number of cores that this process may use. It is read once, because the system reads
/// several files for it.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the L1 data cache of a CPU, in bytes. A cache that several CPUs share counts in parts.
pub(crate) fn l1_data_bytes() -> usize {
    l1_data_bytes_a_cpu(Path::new(CPU0_CACHES)).unwrap_or(UNKNOWN_L1_DATA_BYTES)
}

/// Returns the L1 data cache divided by the CPUs that share it, from sysfs; `None` if sysfs has no
/// size.
fn l1_data_bytes_a_cpu(caches: &Path) -> Option<usize> {
    let cache = fs::read_dir(caches).ok()?.flatten().map(|entry| entry.path()).find(|cache| {
        let is = |file, text| fs::read_to_string(cache.join(file)).is_ok_and(|found| found.trim() == text);
        is("level", "1") && (is("type", "Data") || is("type", "Unified"))
    })?;
    let size = fs::read_to_string(cache.join("size")).ok()?;
    let kib: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    // One bit per CPU, in hexadecimal, with a comma every eight digits.
    let sharers = fs::read_to_string(cache.join("shared_cpu_map")).unwrap_or_default();
    let sharers: u32 = sharers.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum();
    Some(kib * 1024 / usize::try_from(sharers.max(1)).ok()?)
}

/// The directory in which Linux describes the caches of the first CPU. All cores of a server are
/// equal.
const CPU0_CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The smallest L1 data cache of an x86-64 server CPU.
const UNKNOWN_L1_DATA_BYTES: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn reads_the_cache_size_from_sysfs() {
        let caches = env::temp_dir().join(format!("saltern-caches-{}", std::process::id()));
        let cache = |index: &str, level: &str, kind: &str, sharers: &str| {
            let cache = caches.join(index);
            fs::create_dir_all(&cache).unwrap();
            let files = [("level", level), ("type", kind), ("size", "48K"), ("shared_cpu_map", sharers)];
            for (file, text) in files {
                fs::write(cache.join(file), format!("{text}\n")).unwrap();
            }
        };
        cache("index1", "1", "Instruction", "1");
        cache("index2", "2", "Unified", "1");
        assert_eq!(l1_data_bytes_a_cpu(&caches), None);
        cache("index0", "1", "Data", "1");
        assert_eq!(l1_data_bytes_a_cpu(&caches), Some(48 * 1024));
        cache("index0", "1", "Data", "00000001,00000001");
        assert_eq!(l1_data_bytes_a_cpu(&caches), Some(24 * 1024));
        fs::remove_dir_all(&caches).unwrap();
    }
}
