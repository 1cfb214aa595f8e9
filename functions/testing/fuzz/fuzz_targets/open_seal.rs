//! A seal opens to the text that was sealed, and every other string is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::open_seal(data));
