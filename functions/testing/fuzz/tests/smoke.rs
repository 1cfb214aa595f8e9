//! Builds the fuzz targets with stable Rust and runs them for a few seconds, so that they stay
//! usable.

use std::{fs, path::Path, process::Command};

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use saltern_vectors::{Tests, Topic};

#[test]
fn the_targets_take_every_vector() {
    let hashes = seeds();
    for (target, seeds) in [
        (env!("CARGO_BIN_EXE_parse_print_parse"), &hashes),
        (env!("CARGO_BIN_EXE_admit"), &hashes),
        (env!("CARGO_BIN_EXE_open_seal"), &hashes),
        (env!("CARGO_BIN_EXE_request"), &requests()),
        (env!("CARGO_BIN_EXE_document"), &documents()),
        (env!("CARGO_BIN_EXE_lanes"), &crowds()),
    ] {
        let name = Path::new(target).file_name().expect("a file").to_string_lossy().into_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the seeds");
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES / 10))]

    #[test]
    fn mutated_requests_documents_and_crowds_break_no_property(
        request in select(requests()), document in select(documents()), crowd in vec(any::<u8>(), 0..60), edits in edits(),
    ) {
        saltern_fuzz::request(&edited(request, edits.clone()));
        saltern_fuzz::document(&edited(document, edits));
        saltern_fuzz::lanes(&crowd);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn mutated_vectors_break_no_property(input in select(seeds()), edits in edits()) {
        let input = edited(input, edits);
        saltern_fuzz::parse_print_parse(&input);
        saltern_fuzz::admit(&input);
        saltern_fuzz::open_seal(&input);
    }
}

type Edit = (Index, usize, Vec<u8>);

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    vec((any::<Index>(), 0..8_usize, insertion()), 1..5)
}

fn edited(mut input: Vec<u8>, edits: Vec<Edit>) -> Vec<u8> {
    for (at, removed, inserted) in edits {
        let at = at.index(input.len() + 1);
        let end = (at + removed).min(input.len());
        input.splice(at..end, inserted);
    }
    input
}

/// What an edit puts into an input: nothing, a byte, a part of the formats, or the end of a vector.
fn insertion() -> impl Strategy<Value = Vec<u8>> {
    let tokens: Vec<_> = TOKENS.split(' ').map(|token| token.as_bytes().to_vec()).collect();
    let end_of_a_vector = (select(seeds()), any::<Index>())
        .prop_map(|(seed, from)| seed[from.index(seed.len() + 1)..].to_vec());
    prop_oneof![Just(Vec::new()), vec(any::<u8>(), 1), select(tokens), end_of_a_vector]
}

fn requests() -> Vec<Vec<u8>> {
    let bodies = [
        (
            "/hash",
            r#"{"password": "correct horse battery", "policy": "bcrypt-12-2023", "context": "user-7"}"#,
        ),
        (
            "/verify",
            r#"{"password": "correct horse battery", "hash": null, "rehash": true, "context": "user-7"}"#,
        ),
        (
            "/verify",
            r#"{"password": "\ud83d\ude00 horse battery", "hash": "$2b$04$......................4QqIrvEqWMALFbTSEMvHWTOXWbOgbsm"}"#,
        ),
        (
            "/batch",
            r#"{"operations": [{"op": "verify", "password": "p", "hash": "$1$salt$......................"}, {"op": "hash", "password": "p"}]}"#,
        ),
    ];
    let head = "content-type:application/json\nsaltern-deadline-ms:60000\nsaltern-request-id:r-1";
    bodies.map(|(path, body)| format!("{path}\n{head}\n\n{body}").into_bytes()).into()
}

fn documents() -> Vec<Vec<u8>> {
    let keys = br#"{"current": "2026b", "keys": [{"id": "2026a", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, {"id": "2026b", "key": "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "context": true}], "require": true, "site_keys": [{"id": "s", "key": "AAECAwQFBgcICQoLDA0ODw=="}]}"#;
    vec![saltern_policy::SHIPPED.to_vec(), keys.to_vec()]
}

/// Lanes of each algorithm.
fn crowds() -> Vec<Vec<u8>> {
    (0..10)
        .map(|algorithm| [&[algorithm][..], &[40, 80, 255, 32, 6, 255, 64, 1, 255].repeat(20)].concat())
        .collect()
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

/// Enough for some seconds.
const CASES: u32 = 10_000;

/// Parts of the formats, and numbers at the limits of their types, between spaces.
const TOKENS: &str = "$ $$ , = + - 0 00 1 04 31 63 64 255 256 4294967295 4294967296 18446744073709551616 16777215 \
    1073741823 m= t= p= i= l= ln= r= v= v=16$ v=19$ ,p=1,t=1 ,keyid= ,data= $2a$ $2b$ $2y$ $2x$ \
    $argon2d$ $argon2i$ $argon2id$ $pbkdf2$ $pbkdf2-sha256$ $pbkdf2-sha512$ $scrypt$ $fbscrypt$ $wp \
    $saltern-wrap $v=1,n= argon2 bcrypt$ bcrypt_sha256$ $bcrypt-sha256$v=2,t=2b,r=4$ \
    $bcrypt-sha256$2a, md5$ pbkdf2_sha256$ pbkdf2:sha256: scrypt: sha1$$ sha256$ grub.pbkdf2.sha512. \
    AQAAAAE {MD5}{ {PBKDF2-SHA256} {PKCS5S2} {SSHA} {SSHA256.HEX} {ldap} {bcrypt} {pbkdf2} \
    {scrypt}$e0801$ {sha256} } : == $1$ $5$ $6$ $7$ $H$ $P$ $S$ $apr1$ $gy$ $md5$ $md5, $sha1$ $y$ \
    U$ _ {CRYPT} rounds= rounds=0$ rounds=999$ rounds=1000$ rounds=999999999$ j9T$ A / . ä \n \0";
