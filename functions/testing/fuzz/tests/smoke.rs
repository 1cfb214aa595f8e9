//! Builds the fuzz targets with stable Rust and runs them for a few seconds, so that they stay
//! usable.

use std::{
    collections::hash_map::RandomState,
    fs,
    hash::{BuildHasher as _, Hasher as _},
    panic,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use saltern_vectors::{Tests, Topic};

#[test]
fn the_targets_take_every_vector() {
    for target in [
        env!("CARGO_BIN_EXE_parse_print_parse"),
        env!("CARGO_BIN_EXE_admit"),
        env!("CARGO_BIN_EXE_open_seal"),
    ] {
        let name = Path::new(target).file_name().expect("a file").to_string_lossy().into_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the seeds");
        let seeds = seeds();
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("{number:04}")), seed).expect("a seed");
        }
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("the seeds").map(|entry| entry.expect("a seed").path()).collect();
        files.sort();
        // libFuzzer runs the named files. A search would need instrumented code, which only
        // cargo-fuzz builds.
        let run = Command::new(target).args(&files).current_dir(&folder).output().expect("the target starts");
        let log = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{log}");
        assert_eq!(log.matches("Executed ").count(), seeds.len(), "{log}");
    }
}

#[test]
fn mutated_vectors_break_no_property() {
    let seeds = seeds();
    let mut random = Random::new();
    let start = Instant::now();
    let mut tried = 0_u64;
    while start.elapsed() < SEARCH || tried < FEWEST {
        let mut input = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            mutate(&mut input, &seeds, &mut random);
        }
        let outcome = panic::catch_unwind(|| {
            saltern_fuzz::parse_print_parse(&input);
            saltern_fuzz::admit(&input);
            saltern_fuzz::open_seal(&input);
        });
        assert!(outcome.is_ok(), "input {:?}", String::from_utf8_lossy(&input));
        tried += 1;
    }
    println!("{tried} inputs in {:?}", start.elapsed());
}

/// The stored hashes of all vectors, sealed ones too.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for topic in Topic::ALL {
        for group in topic.load().test_groups {
            match group.tests {
                Tests::Verify { tests } => {
                    seeds.extend(tests.into_iter().map(|vector| vector.hash.into_bytes()));
                }
                Tests::Firebase { project, tests } => {
                    seeds.extend(tests.iter().map(|user| project.stored(user).into_bytes()));
                }
                Tests::Seal { tests, .. } => {
                    seeds.extend(tests.into_iter().map(|vector| vector.hash.into_bytes()));
                }
                _ => {}
            }
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + random.below(8)).min(input.len());
    let tokens: Vec<_> = TOKENS.split(' ').collect();
    match random.below(6) {
        0 => input.insert(at, random.byte()),
        1 if at < input.len() => input[at] = random.byte(),
        2 => drop(input.drain(at..end)),
        3 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        4 => drop(input.splice(at..end, random.pick(&tokens).bytes())),
        _ => {
            let other = random.pick(seeds);
            let from = at.min(other.len());
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
    }
}

/// A generator to choose inputs: splitmix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("64 bits");
        usize::try_from(self.next() % bound).expect("below a usize")
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// The duration of the search.
const SEARCH: Duration = Duration::from_secs(5);

/// The fewest inputs of a search, on a slow machine.
const FEWEST: u64 = 5_000;

/// Parts of the formats, and numbers at the limits of their types, between spaces.
const TOKENS: &str = "$ $$ , = + - 0 00 1 04 31 63 64 255 256 4294967295 4294967296 18446744073709551616 16777215 \
    1073741823 m= t= p= i= l= ln= r= v= v=16$ v=19$ ,p=1,t=1 ,keyid= ,data= $2a$ $2b$ $2y$ $2x$ \
    $argon2d$ $argon2i$ $argon2id$ $pbkdf2$ $pbkdf2-sha256$ $pbkdf2-sha512$ $scrypt$ $fbscrypt$ $wp \
    $saltern-wrap $v=1,n= argon2 bcrypt$ bcrypt_sha256$ $bcrypt-sha256$v=2,t=2b,r=4$ \
    $bcrypt-sha256$2a, md5$ pbkdf2_sha256$ pbkdf2:sha256: scrypt: sha1$$ sha256$ grub.pbkdf2.sha512. \
    AQAAAAE {MD5}{ {PBKDF2-SHA256} {PKCS5S2} {SSHA} {SSHA256.HEX} {ldap} {bcrypt} {pbkdf2} \
    {scrypt}$e0801$ {sha256} } : == $1$ $5$ $6$ $7$ $H$ $P$ $S$ $apr1$ $gy$ $md5$ $md5, $sha1$ $y$ \
    U$ _ {CRYPT} rounds= rounds=0$ rounds=999$ rounds=1000$ rounds=999999999$ j9T$ A / . ä \n \0";
