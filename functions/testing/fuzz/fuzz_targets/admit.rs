//! Whatever is admitted stays below the ceilings, and computes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::admit(data));
