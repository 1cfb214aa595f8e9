//! scrypt (RFC 7914), several hashes at once on one core.
//!
//! A [`Lane`] is one computation that can stop between two turns: each turn is two of the 2·N
//! `scryptBlockMix` of `scryptROMix`. [`advance`] computes the turns of several lanes in step, each
//! at its own place: one lane may fill its memory while another mixes its memory in. Only r is the
//! same for all lanes in step. Nearly every program has r=8, which RFC 7914 §2 names.

use pbkdf2::pbkdf2_hmac;
use saltern_encoded::scrypt::{Params, Setting};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{
    Path,
    mix::{BLOCK_BYTES, Block, Part, STATES, read, write},
};
use crate::{
    OutOfMemory,
    arena::{Arena, Lent},
    stack,
};

/// One scrypt computation in progress. Wiped when it is dropped.
pub(crate) struct Lane {
    /// The memory of one instance of `scryptROMix`: see the field `memory` of [`Part`].
    memory: Lent,
    /// B of RFC 7914 §6: the p instances of `scryptROMix`, finished or waiting.
    instances: Zeroizing<Box<[u8]>>,
    /// The last step hashes the password once more.
    password: Zeroizing<Box<[u8]>>,
    sizes: Sizes,
    /// The instance whose memory is in use.
    instance: usize,
    /// Its next turn.
    turn: usize,
    /// The units of work that [`advance`] was asked for, and that are not computed yet. A turn is r
    /// units.
    due: u64,
}

#[derive(Clone, Copy)]
struct Sizes {
    /// `2·r`.
    entry_blocks: usize,
    /// N, the turns of an instance.
    turns: usize,
}

impl Lane {
    /// Takes memory, and makes the instances.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for this hash.
    pub(crate) fn start(setting: &Setting, password: &[u8], arena: &Arena) -> Result<Self, OutOfMemory> {
        Self::of(setting.params(), password, setting.salt(), arena)
    }

    /// As [`Lane::start`]. It also accepts salts that are too short for a setting.
    fn of(params: Params, password: &[u8], salt: &[u8], arena: &Arena) -> Result<Self, OutOfMemory> {
        let count = |number: u32| usize::try_from(number).map_err(|_| OutOfMemory);
        let turns = 1_usize.checked_shl(params.log_n().into()).ok_or(OutOfMemory)?;
        let entry_blocks = count(params.r())?.checked_mul(2).ok_or(OutOfMemory)?;
        let sizes = Sizes { entry_blocks, turns };
        let each_bytes = entry_blocks.checked_mul(BLOCK_BYTES).ok_or(OutOfMemory)?;
        let all_bytes = count(params.p())?.checked_mul(each_bytes).ok_or(OutOfMemory)?;
        let mut instances = Vec::new();
        instances.try_reserve_exact(all_bytes).map_err(|_| OutOfMemory)?;
        instances.resize(all_bytes, 0);
        let states = turns.checked_add(STATES).ok_or(OutOfMemory)?;
        let memory = arena.lend_bytes(states.checked_mul(each_bytes).ok_or(OutOfMemory)?)?;
        let mut lane = Self {
            memory,
            instances: Zeroizing::new(instances.into()),
            password: Zeroizing::new(password.into()),
            sizes,
            instance: 0,
            turn: 0,
            due: 0,
        };
        derive(password, salt, &mut lane.instances);
        lane.begin_instance();
        Ok(lane)
    }

    /// Returns the remaining work: r for each turn.
    pub(crate) fn remaining(&self) -> u64 {
        let instances = self.instances.len() / self.sizes.instance_bytes() - self.instance;
        let turns = instances as u64 * self.sizes.turns as u64 - self.turn as u64;
        turns * self.sizes.turn_work() - self.due
    }

    /// Writes the output, and wipes the memory.
    ///
    /// # Panics
    /// If work remains.
    pub(crate) fn finish(self, output: &mut [u8]) {
        assert!(self.remaining() == 0, "a lane finishes after its last turn");
        derive(&self.password, &self.instances, output);
    }

    fn part(&mut self) -> Part<'_> {
        Part::new(self.sizes.blocks(&mut self.memory), self.sizes.entry_blocks, self.turn)
    }

    /// Returns the turns that are due, up to the end of the fill or of the instance.
    fn due_turns(&self) -> usize {
        let half = self.sizes.turns / 2;
        let rest = half - self.turn % half;
        usize::try_from(self.due / self.sizes.turn_work()).map_or(rest, |due| due.min(rest))
    }

    fn go_on(&mut self, turns: usize) {
        self.due -= turns as u64 * self.sizes.turn_work();
        self.turn += turns;
        if self.turn == self.sizes.turns {
            self.end_instance();
            (self.instance, self.turn) = (self.instance + 1, 0);
            self.begin_instance();
        }
    }

    /// Reads the instance, if there is one more, into the first entry of the memory.
    fn begin_instance(&mut self) {
        let Sizes { entry_blocks, .. } = self.sizes;
        let mut instances = self.instances.chunks_exact(self.sizes.instance_bytes());
        if let Some(instance) = instances.nth(self.instance) {
            let blocks = self.sizes.blocks(&mut self.memory);
            let y = blocks.len() - entry_blocks;
            blocks[y..].fill(Block::default());
            read(instance, &mut blocks[..entry_blocks]);
        }
    }

    fn end_instance(&mut self) {
        let Sizes { entry_blocks, .. } = self.sizes;
        let mut instances = self.instances.chunks_exact_mut(self.sizes.instance_bytes());
        if let Some(instance) = instances.nth(self.instance) {
            let blocks = self.sizes.blocks(&mut self.memory);
            let x = blocks.len() - STATES * entry_blocks;
            write(&blocks[x..][..entry_blocks], instance);
        }
    }
}

impl Sizes {
    /// Returns r, the work of a turn.
    fn turn_work(self) -> u64 {
        self.entry_blocks as u64 / 2
    }

    fn instance_bytes(self) -> usize {
        self.entry_blocks * BLOCK_BYTES
    }

    /// Returns the blocks of the N entries and of both states.
    fn blocks(self, memory: &mut Lent) -> &mut [Block] {
        let all: &mut [Block] = memory.words_mut().as_chunks_mut().0.as_chunks_mut().0;
        &mut all[..(self.turns + STATES) * self.entry_blocks]
    }
}

/// Computes PBKDF2-HMAC-SHA-256 with one iteration, and wipes the stack after it.
fn derive(password: &[u8], salt: &[u8], output: &mut [u8]) {
    #[inline(never)]
    fn derive_on_the_stack(password: &[u8], salt: &[u8], output: &mut [u8]) {
        pbkdf2_hmac::<Sha256>(password, salt, 1, output);
    }
    derive_on_the_stack(password, salt, output);
    stack::wipe();
}

/// Does `work` units on each lane.
///
/// # Panics
/// If a lane has less work left.
pub(crate) fn advance(lanes: &mut [&mut Lane], work: u64) {
    advance_on(Path::best(), lanes, work);
}

/// As [`advance`], with these instructions.
///
/// # Panics
/// As [`advance`].
pub(crate) fn advance_on(path: Path, lanes: &mut [&mut Lane], work: u64) {
    assert!(lanes.iter().all(|lane| work <= lane.remaining()), "a lane has less work left");
    for lane in &mut *lanes {
        lane.due += work;
    }
    lanes.sort_by_key(|lane| lane.sizes.entry_blocks);
    for of_one_r in lanes.chunk_by_mut(|a, b| a.sizes.entry_blocks == b.sizes.entry_blocks) {
        turn_together(path, of_one_r);
    }
    stack::wipe();
}

/// Computes all turns that are due.
#[inline(never)]
fn turn_together(path: Path, lanes: &mut [&mut Lane]) {
    loop {
        let mut due: Vec<_> = lanes.iter_mut().filter(|lane| lane.due_turns() > 0).collect();
        let Some(turns) = due.iter().map(|lane| lane.due_turns()).min() else { return };
        let mut parts: Vec<_> = due.iter_mut().map(|lane| lane.part()).collect();
        path.run(&mut parts, turns);
        for lane in due {
            lane.go_on(turns);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use saltern_encoded::{Setting as AnySetting, parse};
    use saltern_vectors::{ScryptRaw, Topic, for_each};

    use super::super::reference;
    use super::*;
    use crate::testing::serve;

    #[test]
    #[cfg_attr(miri, ignore = "the random hashes are enough there")]
    fn published_vectors_with_salts_too_short_for_a_string() {
        for path in Path::fastest_first() {
            for_each(Topic::Scrypt, |vector: &ScryptRaw| {
                if vector.log_n > MOST_LOG_N_ON_EVERY_PATH && path != Path::best() {
                    return;
                }
                let params = Params::new(vector.log_n, vector.r, vector.p).unwrap();
                let lane = Lane::of(params, &vector.password, &vector.salt, &Arena::new(0)).unwrap();
                let output = output(path, lane, vector.dk_len);
                assert_eq!(output, vector.output, "{path:?}, {}", vector.comment);
            });
        }
    }

    /// Random hashes join and leave after any number of units, on each path.
    #[test]
    fn every_path_gives_the_same_as_the_crate_with_lanes_that_join_and_leave() {
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        for path in Path::fastest_first() {
            let hashes = prop::sample::select(&[1_u32, 2, 8, 9][..])
                .prop_flat_map(|r| prop::collection::vec((hash(r), 0..80_u64), 1..=2 * MOST_AT_ONCE));
            let arena = Arena::new(KEPT_BYTES);
            TestRunner::new(config.clone())
                .run(&(hashes, 1..=MOST_AT_ONCE), |(hashes, most)| {
                    let start = |hash: &Hash| start(hash, &arena);
                    let advance = |lanes: &mut [&mut Lane], work| advance_on(path, lanes, work);
                    serve(&hashes, most, start, Lane::remaining, advance, |hash, lane| {
                        let expected = expected(hash);
                        assert_eq!(output(path, lane, expected.len()), expected, "{path:?}");
                    });
                    prop_assert!(arena.is_wiped());
                    Ok(())
                })
                .unwrap();
        }
    }

    /// The second hash joins after each unit of the first. So each phase of one runs beside each
    /// phase of the other, and each instance too.
    #[test]
    #[cfg_attr(miri, ignore = "the random hashes are enough there")]
    fn a_lane_joins_at_every_unit_of_another() {
        for path in Path::fastest_first() {
            for (r, other_r) in [(1, 1), (3, 3), (1, 3)] {
                let hashes = [(4, r, 2), (5, other_r, 1)].map(|costs| (costs, b"password".to_vec()));
                let expected = hashes.each_ref().map(expected);
                let arena = Arena::new(KEPT_BYTES);
                let start = |hash| start(hash, &arena);
                for joins_after in 0..=start(&hashes[0]).remaining() {
                    let mut lanes = hashes.each_ref().map(start);
                    advance_on(path, &mut [&mut lanes[0]], joins_after);
                    let together = lanes.iter().map(Lane::remaining).min().unwrap();
                    advance_on(path, &mut lanes.each_mut(), together);
                    for (lane, expected) in lanes.into_iter().zip(&expected) {
                        let output = output(path, lane, expected.len());
                        assert_eq!(&output, expected, "{path:?}, r = {r} and {other_r}, after {joins_after}");
                    }
                }
            }
        }
    }

    /// The unit of a lane is that of the estimates, although a turn is r units.
    #[test]
    fn remaining_counts_every_unit() {
        let mut lane = Lane::start(&setting((2, 3, 2)), b"", &Arena::new(0)).unwrap();
        for left in (0..=4 * 3 * 2).rev() {
            assert_eq!(lane.remaining(), left);
            advance(&mut [&mut lane], left.min(1));
        }
    }

    #[test]
    fn a_lane_leaves_its_memory_wiped_however_it_ends() {
        let setting = setting((5, 1, 1));
        let arena = Arena::new(KEPT_BYTES);
        let start = || {
            let mut lane = Lane::start(&setting, b"password", &arena).unwrap();
            advance(&mut [&mut lane], 20);
            let blocks = lane.sizes.blocks(&mut lane.memory);
            assert!(blocks.iter().all(|block| block.iter().flatten().any(|word| *word != 0)));
            lane
        };
        let finish = || drop(output(Path::best(), start(), 16));
        let is_cancelled = || drop(start());
        let panics = || {
            let mut lanes = [start(), start()];
            advance(&mut lanes.each_mut(), 1 << 20);
        };
        arena.assert_wiped_after(&[&finish, &is_cancelled, &panics]);
    }

    #[test]
    #[should_panic(expected = "after its last turn")]
    fn no_lane_finishes_early() {
        let lane = Lane::start(&setting((2, 1, 1)), b"password", &Arena::new(0)).unwrap();
        lane.finish(&mut [0; 16]);
    }

    /// Counts the page faults of this thread: fresh memory causes a fault for each page.
    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn memory_is_allocated_once_and_not_for_each_hash() {
        let (setting, arena) = (setting((13, 8, 1)), Arena::new(KEPT_BYTES));
        let hash = || drop(output(Path::best(), Lane::start(&setting, b"again", &arena).unwrap(), 16));
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

    /// Ends the hash of a lane.
    fn output(path: Path, mut lane: Lane, length: usize) -> Vec<u8> {
        let rest = lane.remaining();
        advance_on(path, &mut [&mut lane], rest);
        let mut output = vec![0; length];
        lane.finish(&mut output);
        output
    }

    fn start((costs, password): &Hash, arena: &Arena) -> Lane {
        Lane::start(&setting(*costs), password, arena).unwrap()
    }

    fn expected((costs, password): &Hash) -> Vec<u8> {
        let setting = setting(*costs);
        let mut output = vec![0; setting.output_bytes()];
        reference::compute(&setting, password, &mut output).unwrap();
        output
    }

    /// Costs (log N, r and p) and a password.
    type Hash = ((u8, u32, u32), Vec<u8>);

    fn hash(r: u32) -> impl Strategy<Value = Hash> {
        let costs = (1..=MOST_LOG_N, Just(r), 1..=3_u32);
        let possible = costs.prop_filter("possible", |&(log_n, r, p)| Params::new(log_n, r, p).is_some());
        let password = prop::collection::vec(any::<u8>(), 0..=80);
        (possible, password)
    }

    fn setting((log_n, r, p): (u8, u32, u32)) -> Setting {
        let output = "A".repeat(43);
        let text = format!("$scrypt$ln={log_n},r={r},p={p}$c29tZXNhbHRzb21lc2FsdA${output}");
        match parse(&text).unwrap().setting() {
            AnySetting::Scrypt(setting) => setting.clone(),
            other => panic!("{other:?}"),
        }
    }

    const CASES: u32 = if cfg!(miri) { 1 } else { 100 };
    const MOST_LOG_N: u8 = if cfg!(miri) { 2 } else { 7 };
    const MOST_LOG_N_ON_EVERY_PATH: u8 = 14;
    const MOST_AT_ONCE: usize = if cfg!(miri) { 2 } else { 6 };
    /// Without room for huge pages an arena rounds up to small pages, which Miri reads faster.
    const KEPT_BYTES: u64 = if cfg!(miri) { 1 << 20 } else { 32 << 20 };
}
