//! Under valgrind no branch and no address of a kernel depends on a secret (`cargo xtask test
//! constant-time`). Otherwise these tests compare outputs.
//!
//! Not run, because their addresses depend on the password by their definition: bcrypt, scrypt,
//! yescrypt, DES, argon2d, and argon2id after the first half of its first pass. Sun's MD5 indexes
//! the 16 bytes of its digest with digits of the digest.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
};

use saltern_constant_time::{hidden, reports, reveal, revealed, runs_under_valgrind};
use saltern_encoded::{Setting, pbkdf2::Prf, verify_only::VerifyOnlySetting};
use saltern_vectors::{Expected, Topic, Verify, for_each};

use crate::{
    Kernels, Output,
    arena::Arena,
    argon2::{self, kernel::Path as Argon2Path, lanes::Lane as Argon2Lane},
    pbkdf2::{self, choice::Path, lanes::Lane},
    sha::State,
    verify_only,
};

/// Shorter than a block of each digest, and longer.
const PASSWORDS: [&[u8]; 2] = [b"correct horse battery", &[b'x'; 150]];

#[test]
fn pbkdf2_on_every_path() {
    let mut ran = BTreeSet::new();
    for (prf, text) in [
        (Prf::Sha1, "$pbkdf2$i=3,l=44$c29tZXNhbHQ$"),
        (Prf::Sha256, "$pbkdf2-sha256$i=3,l=44$c29tZXNhbHQ$"),
        (Prf::Sha512, "$pbkdf2-sha512$i=3,l=44$c29tZXNhbHQ$"),
    ] {
        let Setting::Pbkdf2(setting) = setting(&format!("{text}{}", "A".repeat(59))) else { unreachable!() };
        for password in PASSWORDS {
            let mut expected = vec![0; setting.output_bytes()];
            pbkdf2::reference::compute(&setting, password, &mut expected);
            let secret = hidden(password);
            let crate_alone = |output: &mut [u8]| pbkdf2::reference::compute(&setting, &secret, output);
            leaks_nothing(&format!("the crate, {prf:?}"), &expected, crate_alone);
            for path in Path::ALL.into_iter().filter(|path| path.available()) {
                for streams in path.streams(prf) {
                    ran.insert(format!("{path:?}"));
                    leaks_nothing(&format!("{path:?} {prf:?} {streams}"), &expected, |output| {
                        let mut lanes: Vec<_> =
                            (0..streams).map(|_| Lane::start(&setting, &secret)).collect();
                        let steps = lanes[0].remaining();
                        let mut side_by_side: Vec<&mut Lane> =
                            lanes.iter_mut().map(|lane| &mut **lane).collect();
                        pbkdf2::lanes::advance_on(path, &mut side_by_side, steps);
                        lanes.pop().unwrap().finish(output);
                    });
                }
            }
        }
    }
    assert!(ran.contains("Portable"), "{ran:?}");
    says_which_did_not_run("PBKDF2", &["Avx2", "Avx512", "ShaNi"], &ran);
}

#[test]
fn hmac_of_a_secret_key_and_message() {
    fn of<S: State>(name: &str) {
        for password in PASSWORDS {
            let mac = |password: &[u8], output: &mut [u8]| {
                let mut chain = pbkdf2::chain::Chain::<S>::idle();
                chain.key(password);
                chain.hmac(&[password, b"salt"]).write(output);
            };
            let mut expected = vec![0; S::DIGEST_BYTES];
            mac(password, &mut expected);
            let secret = hidden(password);
            leaks_nothing(name, &expected, |output| mac(&secret, output));
        }
    }
    of::<[u32; 5]>("HMAC of SHA-1");
    of::<[u32; 8]>("HMAC of SHA-256");
    of::<[u64; 8]>("HMAC of SHA-512");
}

/// With `BLAKE2b`, which makes the first blocks and the output.
#[test]
fn argon2i_on_every_path_with_and_without_threads() {
    let mut ran = BTreeSet::new();
    for costs in ["v=19$m=32,t=2,p=1", "v=16$m=32,t=2,p=1", "v=19$m=64,t=2,p=2"] {
        let setting = argon2_setting(&format!("$argon2i${costs}"));
        for password in PASSWORDS {
            let mut expected = vec![0; setting.output_bytes()];
            argon2::reference::compute(&setting, password, &mut expected).unwrap();
            let secret = hidden(password);
            for path in Argon2Path::fastest_first() {
                ran.insert(format!("{path:?}").split('(').next().unwrap().to_owned());
                let name = format!("{path:?} {costs}");
                leaks_nothing(&name, &expected, |output| {
                    path.compute(&setting, &secret, output, &Arena::new(0)).unwrap();
                });
                if setting.params().parallelism() == 1 {
                    leaks_nothing(&format!("{name}, two lanes"), &expected, |output| {
                        let mut lanes = [(); 2].map(|()| started(path, &setting, &secret));
                        let steps = lanes[0].remaining();
                        argon2::lanes::advance(&mut lanes.each_mut(), steps);
                        let [lane, _] = lanes;
                        lane.finish(output);
                    });
                }
            }
        }
    }
    says_which_did_not_run("Argon2", &["Avx2", "Avx512"], &ran);
}

/// The references of the second half depend on the password by definition: they must be reported, or
/// this test would see nothing.
#[test]
fn argon2id_in_the_first_half_of_its_first_pass() {
    let setting = argon2_setting("$argon2id$v=19$m=64,t=1,p=1");
    let secret = hidden(PASSWORDS[0]);
    for path in Argon2Path::fastest_first() {
        let mut lane = None;
        let first_half = reports(|| {
            let lane = lane.insert(started(path, &setting, &secret));
            argon2::lanes::advance(&mut [lane], 30);
        });
        assert_eq!(first_half, 0, "{path:?}");
        let mut lane = lane.unwrap();
        assert_eq!(lane.remaining(), 32);
        let second_half = reports(|| argon2::lanes::advance(&mut [&mut lane], 32));
        assert_eq!(second_half > 0, runs_under_valgrind(), "{path:?}");
    }
}

#[test]
fn sha_crypt_and_the_other_loops_of_digests() {
    let mut ran = BTreeSet::new();
    for topic in Topic::with_passwords() {
        for_each(topic, |vector: &Verify| {
            let is_plain = vector.hash.starts_with(['$', '{']) && !vector.hash.starts_with("$saltern-prep");
            if vector.result != Expected::Match || vector.password.len() < 5 || !is_plain {
                return;
            }
            let encoded = saltern_encoded::parse(&vector.hash).unwrap();
            let Setting::VerifyOnly(setting) = encoded.setting() else { return };
            let cost = verify_only::work(setting, vector.password.len());
            let is_checked = matches!(
                setting,
                VerifyOnlySetting::Digest(_)
                    | VerifyOnlySetting::Md5Crypt(_)
                    | VerifyOnlySetting::Phpass(_)
                    | VerifyOnlySetting::Sha1Crypt(_)
                    | VerifyOnlySetting::ShaCrypt(_)
            );
            let algorithm = match setting {
                VerifyOnlySetting::Digest(digest) => format!("{:?}", digest.hash()),
                _ => format!("{:?}", setting.algorithm()),
            };
            if !is_checked || cost > MOST_WORK || !ran.insert(algorithm.clone()) {
                return;
            }
            let secret = hidden(&vector.password);
            leaks_nothing(&algorithm, encoded.output(), |output| {
                verify_only::compute(Kernels::Own, setting, &secret, output).unwrap();
            });
        });
    }
    assert_eq!(ran.len(), 11, "{ran:?}");
}

/// A scheme whose vectors all cost more would be missing among those that ran.
const MOST_WORK: u64 = 100_000;

#[test]
fn the_comparison_of_outputs() {
    for (stored, matches) in [(b"0123456789abcdef", true), (b"0123456789abcdeF", false)] {
        let (computed, stored) = (Output::of_model(&hidden(b"0123456789abcdef")), hidden(stored));
        let mut verdict = None;
        let reported = reports(|| verdict = Some(computed.matches(&stored)));
        assert_eq!((reported, verdict.map(revealed)), (0, Some(matches)));
    }
}

/// The computation leaves no report, and writes the expected output.
#[track_caller]
fn leaks_nothing(name: &str, expected: &[u8], compute: impl FnOnce(&mut [u8])) {
    let mut output = vec![0; expected.len()];
    let reported = reports(|| compute(&mut output));
    reveal(&mut output);
    assert_eq!(reported, 0, "{name}: valgrind shows above where a secret decides");
    assert_eq!(output, expected, "{name}");
}

/// valgrind has fewer instructions than processors. The other paths equal these bit by bit, and their
/// branches are read by people.
fn says_which_did_not_run(name: &str, paths: &[&str], ran: &BTreeSet<String>) {
    let missing: Vec<_> = paths.iter().copied().filter(|path| !ran.contains(*path)).collect();
    if runs_under_valgrind() && !missing.is_empty() {
        // The harness hides what a passed test prints by the macros.
        let line = format!("\nNOT RUN: {name} on {}: valgrind lacks the instructions\n", missing.join(", "));
        io::stdout().write_all(line.as_bytes()).unwrap();
    }
}

fn started(path: Argon2Path, setting: &saltern_encoded::argon2::Setting, password: &[u8]) -> Argon2Lane {
    Argon2Lane::start_on(path, setting, password, &Arena::new(0)).unwrap()
}

fn argon2_setting(costs: &str) -> saltern_encoded::argon2::Setting {
    let Setting::Argon2(setting) = setting(&format!("{costs}$c29tZXNhbHQ${}", "A".repeat(43))) else {
        unreachable!()
    };
    setting
}

fn setting(stored: &str) -> Setting {
    saltern_encoded::parse(stored).unwrap().setting().clone()
}
