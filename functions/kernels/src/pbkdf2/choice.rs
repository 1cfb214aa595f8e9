//! Which kernel of PBKDF2 computes: the instructions of the machine, and how many lanes there are.

use saltern_encoded::pbkdf2::Prf;
use zeroize::{Zeroize, Zeroizing};

#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sha_ni};
use super::{
    lane::{Held, Lane},
    scalar,
    streams::Streams,
};
#[cfg(target_arch = "aarch64")]
use super::{neon, neon_sha};
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
use crate::processor;

/// Returns the number of lanes of a full worker: as many as the kernel with the most hashes per
/// second has.
pub(crate) fn width(prf: Prf) -> usize {
    let available = kernels(prf).filter(|kernel| kernel.path.available());
    available.min_by_key(|kernel| kernel.cost_a_lane(MOST_LANES)).map_or(1, |kernel| kernel.streams)
}

/// Lanes of the widest kernel.
pub(crate) const MOST_LANES: usize = 32;

/// A set of instructions.
#[allow(dead_code, reason = "each architecture has only some of them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// x86-64: vectors of 256 bits.
    Avx2,
    /// x86-64: vectors of 256 and 512 bits, rotations, functions of three words.
    Avx512,
    /// aarch64: vectors of 128 bits.
    Neon,
    /// aarch64: the instructions for SHA-256 and SHA-1.
    NeonSha2,
    /// aarch64: the instructions for SHA-512.
    NeonSha512,
    /// General registers, one lane after the other.
    Portable,
    /// x86-64: the instructions for SHA-256 and SHA-1.
    ShaNi,
}

impl Path {
    /// Every path, also those that this machine lacks.
    pub(crate) const ALL: [Self; 7] =
        [Self::Avx2, Self::Avx512, Self::Neon, Self::NeonSha2, Self::NeonSha512, Self::Portable, Self::ShaNi];

    /// Whether this machine has the instructions.
    pub(crate) fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => processor::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => processor::has_avx512(),
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi => processor::has_sha(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => processor::has_neon(),
            #[cfg(target_arch = "aarch64")]
            Self::NeonSha2 => processor::has_sha2(),
            #[cfg(target_arch = "aarch64")]
            Self::NeonSha512 => processor::has_sha512(),
            #[allow(unreachable_patterns, reason = "the remaining paths differ between architectures")]
            _ => false,
        }
    }

    /// Returns the numbers of streams of its kernels for this function.
    pub(crate) fn streams(self, prf: Prf) -> impl Iterator<Item = usize> {
        kernels(prf).filter(move |kernel| kernel.path == self).map(|kernel| kernel.streams)
    }
}

/// Returns the kernel with the least time per lane for this number of lanes.
pub(super) fn fastest(prf: Prf, usable: impl Fn(&Kernel) -> bool, lanes: usize) -> &'static Kernel {
    let usable = kernels(prf).filter(|kernel| usable(kernel));
    let fastest = usable.min_by_key(|kernel| kernel.cost_a_lane(lanes));
    fastest
        .unwrap_or_else(|| unreachable!("the portable kernel is usable, or a path was asked for that exists"))
}

/// A kernel that advances up to `streams` lanes.
pub(super) struct Kernel {
    pub(super) path: Path,
    pub(super) streams: usize,
    /// Time of one iteration of all streams together, in nanoseconds; see [`SHA512`].
    cost: usize,
    /// Advances the lanes at some indices, all within a block.
    pub(super) run: fn(&mut [&mut Lane], &[usize], u64),
}

impl Kernel {
    /// Returns the time per lane for this number of lanes, in a unit for comparison. It includes
    /// the time of idle streams.
    fn cost_a_lane(&self, lanes: usize) -> usize {
        self.cost * FINE / lanes.min(self.streams)
    }
}

pub(super) fn kernels(prf: Prf) -> impl Iterator<Item = &'static Kernel> {
    let paths = match prf {
        Prf::Sha1 => SHA1,
        Prf::Sha256 => SHA256,
        Prf::Sha512 => SHA512,
    };
    paths.iter().copied().flatten()
}

/// Advances the lanes at these indices with a kernel that has enough streams.
fn side_by_side<W, const WORDS: usize, const STREAMS: usize>(
    lanes: &mut [&mut Lane],
    members: &[usize],
    steps: u64,
    iterate: fn(&mut Streams<W, WORDS, STREAMS>, u64),
) where
    W: Copy + Default + Zeroize,
    [W; WORDS]: Held,
{
    let mut streams = Zeroizing::new(Streams::idle());
    for (stream, &index) in members.iter().enumerate() {
        streams.put(stream, <[W; WORDS]>::of(&mut lanes[index].chain));
    }
    iterate(&mut streams, steps);
    for (stream, &index) in members.iter().enumerate() {
        streams.take(stream, <[W; WORDS]>::of(&mut lanes[index].chain));
    }
}

/// Makes the kernels of a path for a function, each with its number of streams and its cost.
macro_rules! kernels {
    ($path:ident, $iterate:expr, $($streams:literal: $cost:literal),+) => {
        &[$(Kernel {
            path: Path::$path,
            streams: $streams,
            cost: $cost,
            run: |lanes, members, steps| side_by_side::<_, _, $streams>(lanes, members, steps, $iterate),
        }),+]
    };
}

/// Kernels with their cost: CPU nanoseconds for one iteration of all streams.
///
/// Only the ratios of costs matter: they decide from how many lanes on a wider kernel with idle
/// streams is faster. x86-64: medians of five interleaved rounds of the kernel comparison on an AMD
/// EPYC with Zen 5. A cost is the time of a call, divided by iterations and output blocks. aarch64:
/// rough estimates, not measured.
static SHA512: &[&[Kernel]] = &[
    kernels!(Portable, scalar::iterate::<u64, 8, _>, 1: 290),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx2, avx2::iterate::<u64, 8, _>, 4: 597),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx512, avx512::iterate::<u64, 8, _>, 4: 439, 8: 439, 16: 562),
    #[cfg(target_arch = "aarch64")]
    kernels!(Neon, neon::iterate::<u64, 8, _>, 2: 600),
    #[cfg(target_arch = "aarch64")]
    kernels!(NeonSha512, neon_sha::sha512, 1: 200, 2: 260, 3: 380),
];

/// As [`SHA512`].
static SHA256: &[&[Kernel]] = &[
    kernels!(Portable, scalar::iterate::<u32, 8, _>, 1: 236),
    #[cfg(target_arch = "x86_64")]
    kernels!(ShaNi, sha_ni::sha256, 1: 67, 2: 85, 3: 115, 4: 146, 6: 193),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx2, avx2::iterate::<u32, 8, _>, 8: 487),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx512, avx512::iterate::<u32, 8, _>, 8: 352, 16: 352, 32: 444),
    #[cfg(target_arch = "aarch64")]
    kernels!(Neon, neon::iterate::<u32, 8, _>, 4: 640),
    #[cfg(target_arch = "aarch64")]
    kernels!(NeonSha2, neon_sha::sha256, 1: 80, 2: 110, 4: 210),
];

/// As [`SHA512`].
static SHA1: &[&[Kernel]] = &[
    kernels!(Portable, scalar::iterate::<u32, 5, _>, 1: 116),
    #[cfg(target_arch = "x86_64")]
    kernels!(ShaNi, sha_ni::sha1, 1: 58, 2: 68, 3: 78, 4: 93),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx2, avx2::iterate::<u32, 5, _>, 8: 250),
    #[cfg(target_arch = "x86_64")]
    kernels!(Avx512, avx512::iterate::<u32, 5, _>, 8: 207, 16: 207, 32: 263),
    #[cfg(target_arch = "aarch64")]
    kernels!(Neon, neon::iterate::<u32, 5, _>, 4: 320),
    #[cfg(target_arch = "aarch64")]
    kernels!(NeonSha2, neon_sha::sha1, 1: 80, 2: 110, 4: 210),
];

/// The unit of costs per lane: so fine that different costs stay different.
const FINE: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use core::ptr;

    use super::*;

    #[test]
    fn widths_are_of_available_kernels() {
        for prf in [Prf::Sha1, Prf::Sha256, Prf::Sha512] {
            let width = width(prf);
            assert!((1..=MOST_LANES).contains(&width));
            let fastest = fastest(prf, |kernel| kernel.path.available(), width);
            assert_eq!(fastest.streams, width, "a full worker uses the widest kernel");
        }
    }

    /// From each number of lanes on, the path and the streams of the kernel, by the paths that a
    /// machine has beside the portable one.
    #[test]
    #[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
    fn the_fastest_kernels_are_those_of_the_table() {
        #[cfg(target_arch = "x86_64")]
        use Path::{Avx2, Avx512, ShaNi};
        #[cfg(target_arch = "aarch64")]
        use Path::{Neon, NeonSha2, NeonSha512};

        #[cfg(target_arch = "x86_64")]
        let choices: &[(Prf, &[Path], &str)] = &[
            (Prf::Sha1, &[], "1: Portable 1"),
            (Prf::Sha1, &[ShaNi], "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4"),
            (Prf::Sha1, &[Avx2], "1: Portable 1, 3: Avx2 8"),
            (Prf::Sha1, &[ShaNi, Avx2], "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4"),
            (Prf::Sha1, &[Avx2, Avx512], "1: Portable 1, 2: Avx512 8, 9: Avx512 16, 21: Avx512 32"),
            (
                Prf::Sha1,
                &[ShaNi, Avx2, Avx512],
                "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4, 9: Avx512 16, 21: Avx512 32",
            ),
            (Prf::Sha256, &[], "1: Portable 1"),
            (Prf::Sha256, &[ShaNi], "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4, 6: ShaNi 6"),
            (Prf::Sha256, &[Avx2], "1: Portable 1, 3: Avx2 8"),
            (Prf::Sha256, &[ShaNi, Avx2], "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4, 6: ShaNi 6"),
            (Prf::Sha256, &[Avx2, Avx512], "1: Portable 1, 2: Avx512 8, 9: Avx512 16, 21: Avx512 32"),
            (
                Prf::Sha256,
                &[ShaNi, Avx2, Avx512],
                "1: ShaNi 1, 2: ShaNi 2, 3: ShaNi 3, 4: ShaNi 4, 6: ShaNi 6, 11: Avx512 16, 21: Avx512 32",
            ),
            (Prf::Sha512, &[], "1: Portable 1"),
            (Prf::Sha512, &[Avx2], "1: Portable 1, 3: Avx2 4"),
            (Prf::Sha512, &[Avx2, Avx512], "1: Portable 1, 2: Avx512 4, 5: Avx512 8, 11: Avx512 16"),
            (Prf::Sha512, &[ShaNi, Avx2, Avx512], "1: Portable 1, 2: Avx512 4, 5: Avx512 8, 11: Avx512 16"),
        ];
        #[cfg(target_arch = "aarch64")]
        let choices: &[(Prf, &[Path], &str)] = &[
            (Prf::Sha1, &[], "1: Portable 1"),
            (Prf::Sha1, &[Neon], "1: Portable 1, 3: Neon 4"),
            (Prf::Sha1, &[Neon, NeonSha2], "1: NeonSha2 1, 2: NeonSha2 2, 4: NeonSha2 4"),
            (Prf::Sha1, &[Neon, NeonSha2, NeonSha512], "1: NeonSha2 1, 2: NeonSha2 2, 4: NeonSha2 4"),
            (Prf::Sha256, &[], "1: Portable 1"),
            (Prf::Sha256, &[Neon], "1: Portable 1, 3: Neon 4"),
            (Prf::Sha256, &[Neon, NeonSha2], "1: NeonSha2 1, 2: NeonSha2 2, 4: NeonSha2 4"),
            (Prf::Sha256, &[Neon, NeonSha2, NeonSha512], "1: NeonSha2 1, 2: NeonSha2 2, 4: NeonSha2 4"),
            (Prf::Sha512, &[], "1: Portable 1"),
            (Prf::Sha512, &[Neon], "1: Portable 1"),
            (Prf::Sha512, &[Neon, NeonSha2], "1: Portable 1"),
            (Prf::Sha512, &[Neon, NeonSha2, NeonSha512], "1: NeonSha512 1, 2: NeonSha512 2, 3: NeonSha512 3"),
        ];
        for &(prf, paths, expected) in choices {
            let usable = |kernel: &Kernel| kernel.path == Path::Portable || paths.contains(&kernel.path);
            let mut chosen: Vec<_> =
                (1..=MOST_LANES).map(|lanes| (lanes, fastest(prf, usable, lanes))).collect();
            chosen.dedup_by_key(|(_, kernel)| ptr::from_ref(*kernel));
            let chosen: Vec<_> = chosen
                .iter()
                .map(|(lanes, kernel)| format!("{lanes}: {:?} {}", kernel.path, kernel.streams))
                .collect();
            assert_eq!(chosen.join(", "), expected, "{prf:?} with {paths:?}");
        }
    }
}
