//! The text of `--version`: version, commit, target and instruction sets.

use std::sync::LazyLock;

/// The lines of `--version`. `-V` prints the version alone.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\ncommit {}\ntarget {}\ninstructions {}",
        env!("CARGO_PKG_VERSION"),
        option_env!("SALTERN_COMMIT").unwrap_or("unknown: built outside a clone of the repository"),
        option_env!("SALTERN_TARGET").unwrap_or("unknown"),
        instructions()
    )
});

/// Returns the instruction sets of this processor that the kernels use, by their names in
/// `/proc/cpuinfo`.
fn instructions() -> String {
    #[cfg(target_arch = "x86_64")]
    let sets = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ("avx512vl", std::arch::is_x86_feature_detected!("avx512vl")),
        ("sha_ni", std::arch::is_x86_feature_detected!("sha")),
    ];
    #[cfg(target_arch = "aarch64")]
    let sets = [
        ("asimd", std::arch::is_aarch64_feature_detected!("neon")),
        ("sha2", std::arch::is_aarch64_feature_detected!("sha2")),
        ("sha512", std::arch::is_aarch64_feature_detected!("sha3")),
    ];
    let found: Vec<_> = sets.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
    if found.is_empty() { "of the baseline alone".to_owned() } else { found.join(" ") }
}
