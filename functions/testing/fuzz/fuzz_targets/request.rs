//! Every request gets an answer of the contract.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::request(data));
