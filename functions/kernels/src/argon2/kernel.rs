//! This crate's own kernel for Argon2 (RFC 9106).

use core::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

use blake2::Blake2bVarCore;
use blake2::digest::array::Array;
use blake2::digest::block_api::{UpdateCore as _, VariableOutputCore as _};
use blake2::digest::block_buffer::LazyBuffer;
use saltern_encoded::argon2::{Params, Setting, Version};
use zeroize::{Zeroize as _, Zeroizing};

use super::block::{BYTES, Block, Compressor};
#[cfg(target_arch = "x86_64")]
use super::compress_avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::compress_avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::compress_neon::Neon;
use super::compress_portable::Portable;
use super::fill::{FIRST_BLOCKS, Fill, Part, run_side_by_side, type_number};
use super::segment::{SLICES, Segment, segments};
use crate::{
    OutOfMemory,
    arena::{Arena, Claim},
    processor, stack,
};

/// Writes the hash to `output`, which has the setting's output length. Uses the arena's memory.
///
/// Argon2's lanes run in parallel on the available cores.
///
/// # Errors
/// [`OutOfMemory`] if the system has no memory for this hash.
pub(crate) fn compute(
    setting: &Setting,
    password: &[u8],
    output: &mut [u8],
    arena: &Arena,
) -> Result<(), OutOfMemory> {
    let computed = Path::best().compute(setting, password, output, arena);
    stack::wipe();
    computed
}

/// A set of instructions. A value proves that the machine has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Plain Rust.
    Portable(Portable),
    /// Vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Vectors of 128 bits, which every `aarch64` has.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

impl Path {
    /// Returns the fastest path of this machine.
    pub(crate) fn best() -> Self {
        Self::fastest_first().next().unwrap_or(Self::Portable(Portable))
    }

    /// Returns all paths of this machine, fastest first.
    pub(crate) fn fastest_first() -> impl Iterator<Item = Self> {
        let vectors: [Option<Self>; _] = [
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(Self::Avx512),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "aarch64")]
            Neon::detect().map(Self::Neon),
            Some(Self::Portable(Portable)),
        ];
        vectors.into_iter().flatten()
    }

    /// Computes as [`compute`], with these instructions.
    ///
    /// # Errors
    /// As [`compute`].
    #[inline(never)]
    pub(crate) fn compute(
        self,
        setting: &Setting,
        password: &[u8],
        output: &mut [u8],
        arena: &Arena,
    ) -> Result<(), OutOfMemory> {
        let params = setting.params();
        let (lanes, columns) = (lanes(params)?, columns(params)?);
        let mut memory = arena.lend(lanes * columns)?;
        let helpers = Helpers::of(params);
        self.write_first_blocks(setting, password, output.len(), &mut memory);
        for pass in 0..params.passes() {
            for slice in 0..SLICES {
                fill_slice(self, &Fill { params, pass }, &mut memory, slice, &helpers);
            }
        }
        self.write_output(&memory, columns, output);
        Ok(())
    }

    /// It is never inlined, so that its caller can wipe its stack.
    #[inline(never)]
    pub(super) fn fill(self, fill: &Fill, segment: &mut Segment<'_>, offsets: Range<usize>) {
        match self {
            Self::Portable(portable) => fill.run(portable, segment, offsets),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.fill(fill, segment, offsets),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.fill(fill, segment, offsets),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(neon) => neon.fill(fill, segment, offsets),
        }
    }

    /// Writes `steps` blocks of each part, in turn.
    pub(super) fn fill_side_by_side(self, parts: Vec<Part<'_>>, steps: usize) {
        match self {
            Self::Portable(portable) => run_side_by_side(portable, parts, steps),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.fill_side_by_side(parts, steps),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.fill_side_by_side(parts, steps),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(neon) => neon.fill_side_by_side(parts, steps),
        }
    }

    /// Writes the blocks that come from the initial hash.
    #[inline(never)]
    pub(super) fn write_first_blocks(
        self,
        setting: &Setting,
        password: &[u8],
        output_bytes: usize,
        memory: &mut [Block],
    ) {
        match self {
            Self::Portable(_) => write_first_blocks::<Portable>(setting, password, output_bytes, memory),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => write_first_blocks::<Avx2>(setting, password, output_bytes, memory),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => write_first_blocks::<Avx512>(setting, password, output_bytes, memory),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => write_first_blocks::<Neon>(setting, password, output_bytes, memory),
        }
    }

    /// Writes the output of a hash whose memory is filled.
    #[inline(never)]
    pub(super) fn write_output(self, memory: &[Block], columns: usize, output: &mut [u8]) {
        match self {
            Self::Portable(_) => write_output::<Portable>(memory, columns, output),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => write_output::<Avx2>(memory, columns, output),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => write_output::<Avx512>(memory, columns, output),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => write_output::<Neon>(memory, columns, output),
        }
    }
}

/// Returns the parallelism.
fn lanes(params: Params) -> Result<usize, OutOfMemory> {
    usize::try_from(params.parallelism()).map_err(|_| OutOfMemory)
}

/// Returns the blocks of a lane, which has whole segments. The remaining blocks stay unused.
pub(super) fn columns(params: Params) -> Result<usize, OutOfMemory> {
    let memory_kib = usize::try_from(params.memory_kib()).map_err(|_| OutOfMemory)?;
    Ok(memory_kib / (lanes(params)? * SLICES) * SLICES)
}

/// Writes columns 0 and 1 of each lane. `C` decides the layout of a block.
fn write_first_blocks<C: Compressor>(
    setting: &Setting,
    password: &[u8],
    output_bytes: usize,
    memory: &mut [Block],
) {
    let mut seed = InitialHash::new(setting, password, output_bytes);
    write_from::<C>(&mut seed, setting.params(), memory);
}

fn write_from<C: Compressor>(seed: &mut InitialHash, params: Params, memory: &mut [Block]) {
    let columns = memory.len() / params.parallelism() as usize;
    for (number, lane) in (0_u32..).zip(memory.chunks_exact_mut(columns)) {
        for (column, block) in (0_u32..).zip(&mut lane[..FIRST_BLOCKS]) {
            let mut bytes = Zeroizing::new([0; BYTES]);
            variable_hash(seed.at(column, number), &mut *bytes);
            block.write::<C>(&bytes);
        }
    }
}

/// Hashes the last column of all lanes.
fn write_output<C: Compressor>(memory: &[Block], columns: usize, output: &mut [u8]) {
    let mut last = Zeroizing::new(Block::ZERO);
    for lane in memory.chunks_exact(columns) {
        for (word, other) in last.0.iter_mut().zip(&lane[columns - 1].0) {
            *word ^= other;
        }
    }
    let mut bytes = Zeroizing::new([0; BYTES]);
    last.read::<C>(&mut bytes);
    variable_hash(&*bytes, output);
}

/// The threads of a hash beside its own, with the claim of their memory.
struct Helpers {
    threads: usize,
    _memory: Option<Claim>,
}

impl Helpers {
    /// Claims the memory of as many threads as are useful. Without that memory there are none: a
    /// thread that starts and gets no memory ends the process.
    fn of(params: Params) -> Self {
        let threads = threads(params) - 1;
        if threads == 0 {
            return Self { threads, _memory: None };
        }
        let memory = Claim::new(threads as u64 * THREAD_BYTES).ok();
        Self { threads: if memory.is_some() { threads } else { 0 }, _memory: memory }
    }
}

/// Fills a segment of each lane. If there are no helpers, this thread fills all of them.
fn fill_slice(path: Path, fill: &Fill, memory: &mut [Block], slice: usize, helpers: &Helpers) {
    let lanes = fill.params.parallelism() as usize;
    let segments = segments(memory, lanes, slice);
    let fill_whole = |mut segment: Segment<'_>| {
        let offsets = fill.offsets(&segment);
        path.fill(fill, &mut segment, offsets);
    };
    if helpers.threads == 0 {
        return segments.for_each(fill_whole);
    }
    let segments = Mutex::new(segments);
    let work = || {
        loop {
            let next = segments.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(segment) = next else { break };
            fill_whole(segment);
        }
        // Each thread has its own stack.
        stack::wipe();
    };
    thread::scope(|scope| {
        for _ in 0..helpers.threads {
            // If the system refuses a thread, the others fill its segments.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        }
        work();
    });
}

/// Returns the number of threads of a hash, at least 1.
pub(crate) fn threads(params: Params) -> usize {
    let lanes = params.parallelism() as usize;
    let blocks_of_a_segment = params.memory_kib() as usize / (lanes * SLICES);
    if blocks_of_a_segment < MIN_BLOCKS_FOR_A_THREAD { 1 } else { lanes.min(processor::cores()) }
}

/// Returns H₀ (RFC 9106 §3.2), with room for the column and the lane that are appended to it.
struct InitialHash(Zeroizing<[u8; BLAKE2B_BYTES + 8]>);

impl InitialHash {
    fn new(setting: &Setting, password: &[u8], output_bytes: usize) -> Self {
        let params = setting.params();
        let head = [
            params.parallelism(),
            little(output_bytes),
            params.memory_kib(),
            params.passes(),
            version_number(params),
            type_number(params),
        ];
        let none = 0_u32.to_le_bytes();
        let mut bytes = Zeroizing::new([0; BLAKE2B_BYTES + 8]);
        short_hash(
            &[
                head.map(u32::to_le_bytes).as_flattened(),
                &little(password.len()).to_le_bytes(),
                password,
                &little(setting.salt().len()).to_le_bytes(),
                setting.salt(),
                // The lengths of a secret key and of associated data. No setting has them.
                &none,
                &none,
            ],
            &mut bytes[..BLAKE2B_BYTES],
        );
        Self(bytes)
    }

    fn at(&mut self, column: u32, lane: u32) -> &[u8] {
        self.0[BLAKE2B_BYTES..BLAKE2B_BYTES + 4].copy_from_slice(&column.to_le_bytes());
        self.0[BLAKE2B_BYTES + 4..].copy_from_slice(&lane.to_le_bytes());
        &*self.0
    }
}

/// Computes H' (RFC 9106 §3.3): `BLAKE2b` extended to any length.
fn variable_hash(input: &[u8], output: &mut [u8]) {
    let head = little(output.len()).to_le_bytes();
    if output.len() <= BLAKE2B_BYTES {
        return short_hash(&[&head, input], output);
    }
    let mut link = Zeroizing::new([0; BLAKE2B_BYTES]);
    short_hash(&[&head, input], &mut *link);
    let mut rest = output;
    loop {
        let (half, after) = rest.split_at_mut(BLAKE2B_BYTES / 2);
        half.copy_from_slice(&link[..BLAKE2B_BYTES / 2]);
        rest = after;
        let input = link.clone();
        if rest.len() <= BLAKE2B_BYTES {
            return short_hash(&[&*input], rest);
        }
        short_hash(&[&*input], &mut *link);
    }
}

/// Computes `BLAKE2b` of the concatenated parts. The output has 1 to 64 bytes.
#[allow(clippy::expect_used, reason = "callers keep to the lengths that BLAKE2b has")]
fn short_hash(parts: &[&[u8]], output: &mut [u8]) {
    let mut hash = Blake2bVarCore::new(output.len()).expect("BLAKE2b gives 1 to 64 bytes");
    let mut buffer = LazyBuffer::default();
    for part in parts {
        buffer.digest_blocks(part, |blocks| hash.update_blocks(blocks));
    }
    let mut longest = Array::default();
    hash.finalize_variable_core(&mut buffer, &mut longest);
    output.copy_from_slice(&longest[..output.len()]);
    longest.as_mut_slice().zeroize();
}

fn version_number(params: Params) -> u32 {
    match params.version() {
        Version::V16 => 0x10,
        Version::V19 => 0x13,
    }
}

/// Returns a length as the specification's 32 bits.
#[allow(clippy::expect_used, reason = "passwords, salts and outputs are bounded far below 4 GiB")]
fn little(length: usize) -> u32 {
    u32::try_from(length).expect("shorter than 4 GiB")
}

/// The longest output of `BLAKE2b`, in bytes.
const BLAKE2B_BYTES: usize = 64;

/// The stack of a helper: far more than a segment needs.
const STACK_BYTES: usize = 1 << 20;

/// The memory that a helper must get: its stack and the stack of its signal handler. It can share
/// the heap of another thread.
const THREAD_BYTES: u64 = 2 << 20;

/// The fewest blocks in a segment for which a thread is faster: half a MiB, some 100 microseconds.
/// In tests the bound is lower, so that small memories use threads too.
const MIN_BLOCKS_FOR_A_THREAD: usize = if cfg!(test) { 2 } else { 512 };

#[cfg(test)]
mod tests {
    use std::env;

    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD_NO_PAD;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use saltern_encoded::argon2::Variant;
    use saltern_encoded::{Encoded, Setting as AnySetting, parse};
    use saltern_vectors::{Expected, Topic, Verify, for_each};

    use super::super::reference;
    use super::*;

    /// The vectors without a key of phc-winner-argon2, `src/test.c`.
    #[test]
    fn every_path_gives_the_official_outputs() {
        let most_kib = if cfg!(miri) { MIRI_MEMORY_KIB } else { OFFICIAL_MEMORY_KIB };
        let mut computed = 0;
        for_each(Topic::Argon2, |vector: &Verify| {
            if vector.result != Expected::Match {
                return;
            }
            let expected = parse(&vector.hash).unwrap();
            let setting = argon2(&expected);
            if setting.params().memory_kib() > most_kib {
                return;
            }
            for path in Path::fastest_first() {
                let output = compute_by(path, setting, &vector.password, &Arena::new(0));
                assert_eq!(output, expected.output(), "{path:?} {}", vector.hash);
                computed += 1;
            }
        });
        assert!(computed >= 16, "Miri computes sixteen, everything else more");
    }

    /// All vectors of RFC 9106 (§5) have a key and associated data, which no supported PHC string has.
    /// So each begins with its published pre-hashing digest.
    #[test]
    fn every_path_gives_the_tags_of_rfc_9106() {
        for (name, digest, tag) in RFC_9106 {
            let encoded =
                parse(&format!("${name}$v=19$m=32,t=3,p=4$AgICAgICAgICAgICAgICAg$c29tZW91dHB1dA")).unwrap();
            let params = argon2(&encoded).params();
            for path in Path::fastest_first() {
                let mut seed = InitialHash(Zeroizing::new([0; BLAKE2B_BYTES + 8]));
                base16ct::lower::decode(digest, &mut seed.0[..BLAKE2B_BYTES]).unwrap();
                let mut memory = vec![Block::ZERO; params.memory_kib() as usize];
                match path {
                    Path::Portable(_) => write_from::<Portable>(&mut seed, params, &mut memory),
                    #[cfg(target_arch = "x86_64")]
                    Path::Avx2(_) => write_from::<Avx2>(&mut seed, params, &mut memory),
                    #[cfg(target_arch = "x86_64")]
                    Path::Avx512(_) => write_from::<Avx512>(&mut seed, params, &mut memory),
                    #[cfg(target_arch = "aarch64")]
                    Path::Neon(_) => write_from::<Neon>(&mut seed, params, &mut memory),
                }
                for (pass, slice) in
                    (0..params.passes()).flat_map(|pass| (0..SLICES).map(move |slice| (pass, slice)))
                {
                    fill_slice(path, &Fill { params, pass }, &mut memory, slice, &Helpers::of(params));
                }
                let mut output = [0; 32];
                path.write_output(&memory, columns(params).unwrap(), &mut output);
                assert_eq!(base16ct::lower::encode_string(&output), tag, "{name} {path:?}");
            }
        }
    }

    #[test]
    fn every_path_gives_the_same_as_the_crate() {
        let config = Config { cases: random_cases(), failure_persistence: None, ..Config::default() };
        let arenas: Vec<_> = Path::fastest_first().map(|path| (path, Arena::new(KEEP_BYTES))).collect();
        TestRunner::new(config)
            .run(&cases(), |(text, password)| {
                let encoded = parse(&text).unwrap();
                let setting = argon2(&encoded);
                let mut expected = vec![0; setting.output_bytes()];
                reference::compute(setting, &password, &mut expected).unwrap();
                for (path, arena) in &arenas {
                    // One arena for all cases: data of one hash must not reach the next.
                    let output = compute_by(*path, setting, &password, arena);
                    prop_assert_eq!(&output, &expected, "{:?} {}", path, text);
                    prop_assert!(arena.is_wiped());
                }
                Ok(())
            })
            .unwrap();
    }

    /// Column counts around the groups of 128 addresses and around the smallest segments.
    #[test]
    #[cfg_attr(miri, ignore = "the random settings are enough there")]
    fn every_path_gives_the_same_as_the_crate_at_the_edges() {
        for memory_kib in (8..40).chain(508..524).chain(1020..1032) {
            for variant in ["argon2d", "argon2i", "argon2id"] {
                let text = format!("${variant}$v=19$m={memory_kib},t=2,p=1$c29tZXNhbHQ$c29tZW91dHB1dA");
                let encoded = parse(&text).unwrap();
                let setting = argon2(&encoded);
                let mut expected = vec![0; setting.output_bytes()];
                reference::compute(setting, b"edge", &mut expected).unwrap();
                for path in Path::fastest_first() {
                    let output = compute_by(path, setting, b"edge", &Arena::new(0));
                    assert_eq!(output, expected, "{path:?} {text}");
                }
            }
        }
    }

    /// Four lanes with segments of a size for which threads are faster.
    #[test]
    #[cfg_attr(miri, ignore = "the random settings have threads too")]
    fn lanes_on_threads_give_the_same_as_the_crate() {
        let encoded = parse("$argon2id$v=19$m=16384,t=3,p=4$c29tZXNhbHQ$c29tZW91dHB1dA").unwrap();
        let setting = argon2(&encoded);
        let mut expected = vec![0; setting.output_bytes()];
        reference::compute(setting, b"lanes", &mut expected).unwrap();
        let mut output = vec![0; setting.output_bytes()];
        compute(setting, b"lanes", &mut output, &Arena::new(KEEP_BYTES)).unwrap();
        assert_eq!(output, expected);
    }

    #[test]
    fn the_portable_path_is_always_available_and_last() {
        assert!(matches!(Path::fastest_first().last(), Some(Path::Portable(_))));
    }

    fn compute_by(path: Path, setting: &Setting, password: &[u8], arena: &Arena) -> Vec<u8> {
        let mut output = vec![0; setting.output_bytes()];
        path.compute(setting, password, &mut output, arena).unwrap();
        output
    }

    fn argon2(encoded: &Encoded) -> &Setting {
        match encoded.setting() {
            AnySetting::Argon2(setting) => setting,
            _ => panic!("not argon2"),
        }
    }

    /// Generates a PHC string with any output, and a password.
    fn cases() -> impl Strategy<Value = (String, Vec<u8>)> {
        let memory_kib = if cfg!(miri) { 8..=64_u32 } else { 8..=2048 };
        let costs = (memory_kib, 1..=4_u32, 1..=4_u32);
        let bytes = |length| prop::collection::vec(any::<u8>(), length);
        let variant = prop::sample::select(vec![Variant::D, Variant::I, Variant::Id]);
        let version = prop::sample::select(vec![16, 19]);
        (variant, version, costs, bytes(8..=64), bytes(4..=128), bytes(0..=80)).prop_map(
            |(variant, version, (memory_kib, passes, lanes), salt, output, password)| {
                let name = match variant {
                    Variant::D => "argon2d",
                    Variant::I => "argon2i",
                    Variant::Id => "argon2id",
                };
                let memory_kib = memory_kib.max(8 * lanes);
                let (salt, output) =
                    (BASE64_STANDARD_NO_PAD.encode(salt), BASE64_STANDARD_NO_PAD.encode(output));
                let text = format!("${name}$v={version}$m={memory_kib},t={passes},p={lanes}${salt}${output}");
                (text, password)
            },
        )
    }

    /// Returns the number of random settings: few, unless the environment demands more.
    fn random_cases() -> u32 {
        env::var("SALTERN_RANDOM_CASES")
            .map_or(if cfg!(miri) { 4 } else { 100 }, |cases| cases.parse().unwrap())
    }

    /// The algorithm, the pre-hashing digest and the tag.
    const RFC_9106: [(&str, &str, &str); 3] = [
        (
            "argon2d",
            "b8819791a0359660bb7709c85fa48f04d5d82c05c5f215ccdb885491717cf757\
             082c28b951be381410b5fc2eb7274033b9fdc7ae672bcaac5d179097a4af3109",
            "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb",
        ),
        (
            "argon2i",
            "c46065815276a0b3e731731c902f1fd80cf776907fbb7b6a5ca72e7b56011fee\
             ca446c86dd75b9469a5e6879dec4b72d0863fb939b982e5f397cc7d164fddaa9",
            "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8",
        ),
        (
            "argon2id",
            "2889de487eb42ae500c0007ed9252f1069eadec40d5765b485de6dc2437a67b8\
             546a2f0acc1a0882db8fcf74714b472e94df421a5da1112ffa11434370a1e997",
            "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659",
        ),
    ];

    /// The highest memory cost that Miri fills within seconds.
    const MIRI_MEMORY_KIB: u32 = 256;

    /// The highest memory cost of all vectors but those of 256 MiB.
    const OFFICIAL_MEMORY_KIB: u32 = 1 << 16;

    const KEEP_BYTES: u64 = 64 << 20;
}
