//! Whatever parses prints back as it was.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::parse_print_parse(data));
