//! No key is left in memory after it is dropped. The test reads its own memory. Its allocator wipes
//! nothing, so it shows that the keys do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper of tests fails by panicking, as tests do"
)]

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use saltern_seal::{Context, Keys};
use zeroize::Zeroizing;

#[test]
fn no_key_is_left_in_memory_after_it_is_dropped() {
    // On the heap: a move of an array would leave a copy.
    let mut planted = Zeroizing::new(vec![0; HALF]);
    planted.iter_mut().enumerate().for_each(|(index, byte)| *byte = marker(index));
    assert!(places() > 0, "a marker that is there is found");
    drop(planted);
    assert_eq!(places(), 0, "a wiped marker is not found");

    let file = std::env::temp_dir().join(format!("saltern-residue-{}", std::process::id()));
    let mut private = File::options().write(true).create_new(true).mode(0o600).open(&file).unwrap();
    private.write_all(&document()).unwrap();
    for is_file in [false, true] {
        let keys = if is_file { Keys::read(&file) } else { Keys::parse(&document()) }.unwrap();
        let context = Context::new("7");
        let sealed = keys.seal("hash", context.as_ref()).unwrap();
        assert!(keys.open(&sealed, context.as_ref()).is_ok());
        drop(keys);
        assert_eq!(places(), 0);
    }
    fs::remove_file(&file).unwrap();
}

/// A document with the marked key. It is wiped when it is dropped, and so is each part.
fn document() -> Zeroizing<Vec<u8>> {
    let mut document = Zeroizing::new(Vec::with_capacity(4096));
    document.extend_from_slice(br#"{"current": "a", "keys": [{"id": "a", "context": true, "key": ""#);
    let mut key = Zeroizing::new(vec![0; 2 * HALF]);
    key.iter_mut().enumerate().for_each(|(index, byte)| *byte = marker(index));
    let text = Zeroizing::new(BASE64_STANDARD.encode(key.as_slice()));
    document.extend_from_slice(text.as_bytes());
    document.extend_from_slice(br#""}]}"#);
    document
}

/// The bytes of the marked key: no array of the program holds them.
fn marker(index: usize) -> u8 {
    u8::try_from(index).unwrap().wrapping_mul(53) ^ 0xa7
}

/// Counts the halves of the marked key in the memory of this process.
fn places() -> usize {
    let memory = File::open("/proc/self/mem").unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut buffer = vec![0; CHUNK];
    let mut found = 0;
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (range, _) = line.split_once(' ').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let (from, to) = (u64::from_str_radix(from, 16).unwrap(), u64::from_str_radix(to, 16).unwrap());
        for start in (from..to).step_by(CHUNK - HALF + 1) {
            let wanted = usize::try_from((to - start).min(CHUNK as u64)).unwrap();
            // The memory may have been unmapped since the map was read.
            let Ok(read) = memory.read_at(&mut buffer[..wanted], start) else { continue };
            let starts = (0..(read + 1).saturating_sub(HALF)).filter(|&at| FIRST.contains(&buffer[at]));
            found += starts.filter(|&at| is_half(&buffer[at..at + HALF])).count();
            buffer.fill(0);
        }
    }
    found
}

fn is_half(window: &[u8]) -> bool {
    let is_from = |start: usize| window.iter().zip(start..).all(|(byte, index)| *byte == marker(index));
    is_from(0) || is_from(HALF)
}

/// The first bytes of both halves.
const FIRST: [u8; 2] = [0xa7, 0xf7];

/// A round key of AES, and half of the key.
const HALF: usize = 16;

const CHUNK: usize = 1 << 20;
