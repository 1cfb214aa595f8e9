//! Every parsed hash prints as the same text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::parse_print_parse(data));
