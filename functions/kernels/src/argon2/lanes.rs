//! Argon2 with parallelism 1, several hashes at once on one core.
//!
//! A large hash reads each reference from main memory, and a core waits longer for it than it
//! computes. A [`Lane`] is one computation that can stop between two blocks. [`advance`] computes
//! the blocks of several lanes in turn: the reference of one lane arrives while the others compute.

use saltern_encoded::argon2::{Params, Setting};

use super::fill::{FIRST_BLOCKS, Fill, Part};
use super::kernel::{Path, columns};
use super::segment::{SLICES, only_segment};
use crate::{
    OutOfMemory,
    arena::{Arena, Lent},
    stack,
};

/// One Argon2 computation in progress. Its memory is wiped when it is dropped.
pub(crate) struct Lane {
    path: Path,
    params: Params,
    memory: Lent,
    /// The place of the next block.
    pass: u32,
    slice: usize,
    offset: usize,
}

impl Lane {
    /// Takes memory and writes the first blocks.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system has no memory for this hash.
    ///
    /// # Panics
    /// If the parallelism is not 1.
    pub(crate) fn start(setting: &Setting, password: &[u8], arena: &Arena) -> Result<Self, OutOfMemory> {
        Self::start_on(Path::best(), setting, password, arena)
    }

    /// As [`Lane::start`], with these instructions.
    ///
    /// # Errors
    /// As [`Lane::start`].
    pub(crate) fn start_on(
        path: Path,
        setting: &Setting,
        password: &[u8],
        arena: &Arena,
    ) -> Result<Self, OutOfMemory> {
        let params = setting.params();
        assert!(params.parallelism() == 1, "a lane computes Argon2 with parallelism 1");
        let mut memory = arena.lend(columns(params)?)?;
        memory.written_up_to(FIRST_BLOCKS);
        path.write_first_blocks(setting, password, setting.output_bytes(), &mut memory);
        stack::wipe();
        Ok(Self { path, params, memory, pass: 0, slice: 0, offset: FIRST_BLOCKS }.at_a_block())
    }

    /// Returns the remaining blocks of all passes.
    pub(crate) fn remaining(&self) -> u64 {
        let passes = u64::from(self.params.passes() - self.pass);
        passes * self.memory.len() as u64 - (self.slice * self.segment_blocks() + self.offset) as u64
    }

    /// Writes the output, and wipes the memory.
    ///
    /// # Panics
    /// If blocks remain.
    pub(crate) fn finish(self, output: &mut [u8]) {
        assert!(self.remaining() == 0, "a lane finishes after its last block");
        self.path.write_output(&self.memory, self.memory.len(), output);
        stack::wipe();
    }

    fn segment_blocks(&self) -> usize {
        self.memory.len() / SLICES
    }

    /// Returns the remaining blocks of the segment, at least 1 if blocks remain.
    fn remaining_of_the_segment(&self) -> usize {
        self.segment_blocks() - self.offset
    }

    /// Returns the rest of the segment.
    fn part(&mut self) -> Part<'_> {
        let fill = Fill { params: self.params, pass: self.pass };
        Part { fill, segment: only_segment(&mut self.memory, self.slice), start: self.offset }
    }

    /// States how far the memory is written after the next steps. It comes before them, so that all of
    /// it is wiped if they panic.
    fn goes_to_write(&mut self, steps: usize) {
        if self.pass == 0 {
            self.memory.written_up_to(self.slice * self.segment_blocks() + self.offset + steps);
        }
    }

    fn go_on(&mut self, steps: usize) {
        self.offset += steps;
        self.go_to_a_block();
    }

    fn at_a_block(mut self) -> Self {
        self.go_to_a_block();
        self
    }

    /// Goes from the end of a segment to the next one.
    fn go_to_a_block(&mut self) {
        if self.offset == self.segment_blocks() {
            (self.slice, self.offset) = (self.slice + 1, 0);
        }
        if self.slice == SLICES {
            (self.pass, self.slice) = (self.pass + 1, 0);
        }
    }
}

/// Writes `steps` blocks of each lane, in turn.
///
/// # Panics
/// If a lane has fewer blocks left, or if lanes run on different paths.
pub(crate) fn advance(lanes: &mut [&mut Lane], steps: u64) {
    assert!(lanes.iter().all(|lane| steps <= lane.remaining()), "a lane has fewer blocks left");
    fill_together(lanes, steps);
    stack::wipe();
}

#[inline(never)]
fn fill_together(lanes: &mut [&mut Lane], steps: u64) {
    let mut left = steps;
    while left > 0 {
        let Some(nearest) = lanes.iter().map(|lane| lane.remaining_of_the_segment()).min() else { return };
        let together = usize::try_from(left).map_or(nearest, |left| left.min(nearest));
        for lane in &mut *lanes {
            lane.goes_to_write(together);
        }
        match lanes {
            // Alone the chain stays in registers, and nothing would hide a wait.
            [lane] => {
                let (path, Part { fill, mut segment, start }) = (lane.path, lane.part());
                path.fill(&fill, &mut segment, start..start + together);
            }
            [first, ..] => {
                let path = first.path;
                assert!(lanes.iter().all(|lane| lane.path == path), "all lanes have one layout of blocks");
                path.fill_side_by_side(lanes.iter_mut().map(|lane| lane.part()).collect(), together);
            }
            [] => {}
        }
        for lane in &mut *lanes {
            lane.go_on(together);
        }
        left -= together as u64;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use saltern_encoded::{Setting as AnySetting, parse};

    use super::super::reference;
    use super::*;
    use crate::testing::serve;

    /// Random hashes join and leave between any two blocks, on each path.
    #[test]
    fn every_path_gives_the_same_as_the_crate_with_lanes_that_join_and_leave() {
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        for path in Path::fastest_first() {
            let hashes = prop::collection::vec((hash(), 0..40_u64), 1..=2 * MOST_AT_ONCE);
            let arena = Arena::new(KEPT_BYTES);
            TestRunner::new(config.clone())
                .run(&(hashes, 1..=MOST_AT_ONCE), |(hashes, most)| {
                    let start = |(text, password): &(String, Vec<u8>)| {
                        Lane::start_on(path, &setting(text), password, &arena).unwrap()
                    };
                    serve(&hashes, most, start, Lane::remaining, advance, |(text, password), lane| {
                        let setting = setting(text);
                        let [mut output, mut expected] = [(); 2].map(|()| vec![0; setting.output_bytes()]);
                        lane.finish(&mut output);
                        reference::compute(&setting, password, &mut expected).unwrap();
                        assert_eq!(output, expected, "{path:?} {text}");
                    });
                    prop_assert!(arena.is_wiped());
                    Ok(())
                })
                .unwrap();
        }
    }

    /// Every pair of boundaries: the second hash joins after each number of blocks of the first.
    #[test]
    #[cfg_attr(miri, ignore = "the random hashes are enough there")]
    fn a_lane_joins_at_every_block_of_another() {
        let first = setting("$argon2id$v=19$m=32,t=2,p=1$c29tZXNhbHQ$c29tZW91dHB1dA");
        let second = setting("$argon2d$v=16$m=17,t=3,p=1$c29tZXNhbHQ$c29tZW91dHB1dA");
        let expected = [&first, &second].map(|setting| {
            let mut output = vec![0; setting.output_bytes()];
            reference::compute(setting, b"password", &mut output).unwrap();
            output
        });
        for path in Path::fastest_first() {
            let arena = Arena::new(KEPT_BYTES);
            let start = |setting| Lane::start_on(path, setting, b"password", &arena).unwrap();
            for joins_after in 0..=start(&first).remaining() {
                let mut lanes = [start(&first), start(&second)];
                advance(&mut [&mut lanes[0]], joins_after);
                let together = lanes.iter().map(Lane::remaining).min().unwrap();
                let [one, other] = &mut lanes;
                advance(&mut [&mut *one, &mut *other], together);
                for (mut lane, expected) in lanes.into_iter().zip(&expected) {
                    let rest = lane.remaining();
                    advance(&mut [&mut lane], rest);
                    let mut output = vec![0; expected.len()];
                    lane.finish(&mut output);
                    assert_eq!(&output, expected, "{path:?}, after {joins_after}");
                }
            }
        }
    }

    #[test]
    fn a_lane_leaves_its_memory_wiped_however_it_ends() {
        let setting = setting("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZW91dHB1dA");
        let arena = Arena::new(KEPT_BYTES);
        let start = || {
            let mut lane = Lane::start(&setting, b"password", &arena).unwrap();
            advance(&mut [&mut lane], 32);
            assert!(lane.memory.iter().any(|block| block.0.iter().any(|word| *word != 0)));
            lane
        };
        let finish = || {
            let mut lane = start();
            let rest = lane.remaining();
            advance(&mut [&mut lane], rest);
            lane.finish(&mut vec![0; setting.output_bytes()]);
        };
        let is_cancelled = || drop(start());
        let panics = || {
            let mut lanes = [start(), start()];
            let [one, other] = &mut lanes;
            advance(&mut [&mut *one, &mut *other], 1 << 20);
        };
        arena.assert_wiped_after(&[&finish, &is_cancelled, &panics]);
    }

    #[test]
    #[should_panic(expected = "after its last block")]
    fn no_lane_finishes_early() {
        let setting = setting("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZW91dHB1dA");
        let lane = Lane::start(&setting, b"password", &Arena::new(0)).unwrap();
        lane.finish(&mut vec![0; setting.output_bytes()]);
    }

    fn setting(text: &str) -> Setting {
        match parse(text).unwrap().setting() {
            AnySetting::Argon2(setting) => setting.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Generates a PHC string and a password.
    fn hash() -> impl Strategy<Value = (String, Vec<u8>)> {
        let memory_kib = if cfg!(miri) { 8..=40_u32 } else { 8..=600 };
        let variant = prop::sample::select(vec!["argon2d", "argon2i", "argon2id"]);
        let version = prop::sample::select(vec![16, 19]);
        let password = prop::collection::vec(any::<u8>(), 0..=80);
        (variant, version, memory_kib, 1..=3_u32, password).prop_map(
            |(variant, version, memory_kib, passes, password)| {
                let costs = format!("m={memory_kib},t={passes},p=1");
                (format!("${variant}$v={version}${costs}$c29tZXNhbHQ$c29tZW91dHB1dA"), password)
            },
        )
    }

    const CASES: u32 = if cfg!(miri) { 2 } else { 100 };
    const MOST_AT_ONCE: usize = 6;
    const KEPT_BYTES: u64 = 64 << 20;
}
