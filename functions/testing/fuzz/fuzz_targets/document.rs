//! Every accepted document of policies or keys keeps its promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltern_fuzz::document(data));
