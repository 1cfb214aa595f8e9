//! Every admitted hash is below the ceilings and can be computed.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::admit(data));
