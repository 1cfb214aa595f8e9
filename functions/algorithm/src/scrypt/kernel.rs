//! This crate's own kernel for scrypt (RFC 7914), in memory that is kept from one hash to the next.
//!
//! The reference crate allocates fresh memory for each hash, and the allocator wipes it afterwards.
//! The system then handles a fault for each page. The time of that depends on the load of the
//! machine.

use pbkdf2::pbkdf2_hmac;
use saltern_encoded::scrypt::{Params, Setting};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::mix::{BLOCK_BYTES, Block, read, ro_mix, write};
use crate::{OutOfMemory, arena::Arena};

/// Writes the hash to `output`, which has the setting's output length. Uses the arena's memory.
///
/// # Errors
/// [`OutOfMemory`] if the system has no memory for this hash.
pub(crate) fn compute(
    setting: &Setting,
    password: &[u8],
    output: &mut [u8],
    arena: &Arena,
) -> Result<(), OutOfMemory> {
    derive(setting.params(), password, setting.salt(), output, arena)
}

/// The sizes of a hash.
struct Sizes {
    /// Blocks of 64 bytes in a lane: `2·r`.
    lane_blocks: usize,
    /// N.
    turns: usize,
    /// p.
    lanes: usize,
}

impl Sizes {
    fn of(params: Params) -> Result<Self, OutOfMemory> {
        let count = |number: u32| usize::try_from(number).map_err(|_| OutOfMemory);
        Ok(Self {
            lane_blocks: count(params.r())?.checked_mul(2).ok_or(OutOfMemory)?,
            turns: 1_usize.checked_shl(params.log_n().into()).ok_or(OutOfMemory)?,
            lanes: count(params.p())?,
        })
    }
}

/// Derives a key. It also accepts salts that are too short for a setting.
fn derive(
    params: Params,
    password: &[u8],
    salt: &[u8],
    output: &mut [u8],
    arena: &Arena,
) -> Result<(), OutOfMemory> {
    let sizes = Sizes::of(params)?;
    let each_bytes = sizes.lane_blocks.checked_mul(BLOCK_BYTES).ok_or(OutOfMemory)?;
    let all_bytes = sizes.lanes.checked_mul(each_bytes).ok_or(OutOfMemory)?;
    let mut lanes = Zeroizing::new(Vec::new());
    lanes.try_reserve_exact(all_bytes).map_err(|_| OutOfMemory)?;
    lanes.resize(all_bytes, 0);
    // N copies of a lane, and two for the current state.
    let kept = sizes.turns.checked_mul(sizes.lane_blocks).ok_or(OutOfMemory)?;
    let blocks = sizes.lane_blocks.checked_mul(2).and_then(|two| two.checked_add(kept)).ok_or(OutOfMemory)?;
    let mut memory = arena.lend_bytes(blocks.checked_mul(BLOCK_BYTES).ok_or(OutOfMemory)?)?;

    pbkdf2_hmac::<Sha256>(password, salt, 1, &mut lanes);
    let memory: &mut [Block] = memory.words_mut().as_chunks_mut().0.as_chunks_mut().0;
    let (memory, under_way) = memory.split_at_mut(kept);
    let (lane, rest) = under_way.split_at_mut(sizes.lane_blocks);
    let spare = &mut rest[..sizes.lane_blocks];
    for bytes in lanes.chunks_exact_mut(each_bytes) {
        read(bytes, lane);
        ro_mix(lane, memory, spare);
        write(lane, bytes);
    }
    pbkdf2_hmac::<Sha256>(password, &lanes, 1, output);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saltern_encoded::{Setting as AnySetting, parse};
    use saltern_vectors::{Expected, ScryptRaw, Topic, for_each};

    use super::*;
    use crate::scrypt::reference;

    #[test]
    fn published_vectors_with_salts_too_short_for_a_string() {
        for_each(Topic::Scrypt, |vector: &ScryptRaw| {
            assert_eq!(vector.result, Expected::Match, "{}", vector.comment);
            let params = Params::new(vector.log_n, vector.r, vector.p).unwrap();
            let mut output = vec![0; vector.dk_len];
            derive(params, &vector.password, &vector.salt, &mut output, &Arena::new(0)).unwrap();
            assert_eq!(output, vector.output, "{}", vector.comment);
        });
    }

    #[test]
    fn every_hash_equals_that_of_the_crate() {
        let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
        let arena = Arena::new(KEPT_BYTES);
        let bytes = |length| prop::collection::vec(any::<u8>(), length);
        proptest!(config, |(log_n in 1..=MOST_LOG_N, r in 1..=9_u32, p in 1..=3_u32, password in bytes(0..=80))| {
            let setting = setting(log_n, r, p);
            let mut expected = vec![0; OUTPUT_BYTES];
            prop_assume!(Params::new(log_n, r, p).is_some());
            reference::compute(&setting, &password, &mut expected).unwrap();
            let mut output = vec![0; OUTPUT_BYTES];
            // One arena for all cases: data of one hash must not reach the next.
            compute(&setting, &password, &mut output, &arena).unwrap();
            prop_assert_eq!(output, expected);
            prop_assert!(arena.is_wiped());
        });
    }

    /// Counts the page faults of this thread: fresh memory causes a fault for each page.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn memory_is_allocated_once_and_not_for_each_hash() {
        let setting = setting(13, 8, 1);
        let (arena, mut output) = (Arena::new(KEPT_BYTES), vec![0; OUTPUT_BYTES]);
        let mut hash = || compute(&setting, b"again", &mut output, &arena).unwrap();
        hash();
        let before = minor_faults_of_this_thread();
        (0..5).for_each(|_| hash());
        let faults = minor_faults_of_this_thread() - before;
        // Each hash has 8 MiB: 2,048 pages of 4 KiB. A sanitizer causes more faults.
        assert!(faults < 2_048 / 4, "{faults} faults in five hashes");
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn minor_faults_of_this_thread() -> u64 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // proc(5): the tenth field. The second may contain any text; it ends with the last
        // parenthesis.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(7).unwrap().parse().unwrap()
    }

    fn setting(log_n: u8, r: u32, p: u32) -> Setting {
        let output = "A".repeat((4 * OUTPUT_BYTES).div_ceil(3));
        let text = format!("$scrypt$ln={log_n},r={r},p={p}$c29tZXNhbHRzb21lc2FsdA${output}");
        match parse(&text).unwrap().setting() {
            AnySetting::Scrypt(setting) => setting.clone(),
            other => panic!("{other:?}"),
        }
    }

    const CASES: u32 = if cfg!(miri) { 4 } else { 100 };
    const MOST_LOG_N: u8 = if cfg!(miri) { 2 } else { 7 };
    const KEPT_BYTES: u64 = 32 << 20;
    const OUTPUT_BYTES: usize = 32;
}
