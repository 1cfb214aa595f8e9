#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::mix::{Part, run_up_to_four};
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
use super::portable::Plain;
use super::rows::Row;
#[cfg(target_arch = "x86_64")]
use super::sse2::Sse2;

/// A set of instructions. A value proves that the machine has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Plain Rust.
    #[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
    Portable,
    /// Vectors of 128 bits, which every `x86_64` has.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// Vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Vectors of 128 bits, which every `aarch64` has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Path {
    /// Returns the fastest path of this machine.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        let least = Self::Sse2;
        #[cfg(target_arch = "aarch64")]
        let least = Self::Neon;
        #[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
        let least = Self::Portable;
        Self::fastest_first().next().unwrap_or(least)
    }

    /// Returns all paths of this machine, fastest first.
    pub(crate) fn fastest_first() -> impl Iterator<Item = Self> {
        let paths: [Option<Self>; _] = [
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(Self::Avx512),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Some(Self::Sse2),
            #[cfg(target_arch = "aarch64")]
            Some(Self::Neon),
            #[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
            Some(Self::Portable),
        ];
        paths.into_iter().flatten()
    }

    /// Computes `turns` turns of each part, up to four parts side by side. All parts have the same
    /// `r`.
    pub(super) fn run(self, parts: &mut [Part<'_>], turns: usize) {
        for parts in parts.chunks_mut(MOST_SIDE_BY_SIDE) {
            match self {
                #[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
                Self::Portable => run_in_step::<Plain>(parts, turns),
                #[cfg(target_arch = "x86_64")]
                Self::Sse2 => run_in_step::<Sse2>(parts, turns),
                #[cfg(target_arch = "x86_64")]
                Self::Avx2(avx2) => avx2.run(parts, turns),
                #[cfg(target_arch = "x86_64")]
                Self::Avx512(avx512) => avx512.run(parts, turns),
                #[cfg(target_arch = "aarch64")]
                Self::Neon => run_in_step::<Neon>(parts, turns),
            }
        }
    }
}

#[inline(never)]
fn run_in_step<R: Row>(parts: &mut [Part<'_>], turns: usize) {
    run_up_to_four::<[R; 1], [R; 2], [R; 3], [R; 4]>(parts, turns);
}

/// The most hashes side by side.
pub(crate) const MOST_SIDE_BY_SIDE: usize = 4;
const _: () = assert!(MOST_SIDE_BY_SIDE == 4, "`run_up_to_four` computes no more");
