//! Measures the time that a seal adds to a login, and prints it.

use std::time::{Duration, Instant};

use saltern_seal::{Context, Keys};

/// The most that a login does: it opens a seal, and seals the same string under another key.
#[test]
fn a_seal_costs_a_login_under_a_tenth_of_a_millisecond() {
    let keys = Keys::parse(DOCUMENT.as_bytes()).unwrap();
    let context = Context::new("user-7");
    let sealed = keys.seal(HASH, context.as_ref()).unwrap();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let opened = keys.open(&sealed, context.as_ref()).unwrap();
            let anew = keys.seal(&opened.text, context.as_ref()).unwrap();
            let took = start.elapsed();
            assert_eq!(anew.len(), sealed.len());
            took
        })
        .collect();
    times.sort_unstable();
    let (median, slow) = (times[RUNS / 2], times[RUNS / 100 * 99]);
    println!("to open and to seal: median {median:.2?}, 99 of 100 within {slow:.2?}");
    let bound = if cfg!(debug_assertions) { DEBUG_BOUND } else { BOUND };
    assert!(median < bound, "to open and to seal: {median:?}, at most {bound:?}");
}

const DOCUMENT: &str = r#"{"current": "a", "keys":
    [{"id": "a", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "context": true}]}"#;

/// A hash of the shipped policy.
const HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$FQRv+zyHPhrMFyXbHT+v/DZQbvrT0TxcQhb9vLhYH84";

const RUNS: usize = 1000;

const BOUND: Duration = Duration::from_micros(100);

/// The bound of a debug build beside other tests.
const DEBUG_BOUND: Duration = Duration::from_millis(20);
