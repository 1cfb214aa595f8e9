//! Marks secrets for valgrind's memcheck, as `BoringSSL` does.
//!
//! memcheck follows each undefined bit through arithmetic, and reports a branch and an address that
//! depend on one. So a hidden secret that reaches neither leaves no report. `cargo xtask test
//! constant-time` runs the tests that hide something under valgrind. Elsewhere they compare outputs
//! only: nothing is hidden, and there are no reports.

#![allow(unsafe_code, reason = "valgrind is asked by instructions that do nothing on a processor")]

use std::env;

/// Marks bytes as secret.
pub fn hide(bytes: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, bytes);
}

/// Returns a secret copy.
#[must_use]
pub fn hidden(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    hide(&mut bytes);
    bytes
}

/// Marks bytes as public: the result of a computation, before a test looks at it.
pub fn reveal(bytes: &mut [u8]) {
    request(MAKE_MEM_DEFINED, bytes);
}

/// Returns what is public of a verdict.
#[must_use]
pub fn revealed(verdict: bool) -> bool {
    let mut byte = [u8::from(verdict)];
    reveal(&mut byte);
    byte == [1]
}

/// Returns how many branches and addresses memcheck reports for a computation. Each occurrence
/// counts. Zero without valgrind.
///
/// # Panics
/// If valgrind runs and the environment does not say so, or the other way round: then a test would
/// see no reports, whatever it runs.
pub fn reports(compute: impl FnOnce()) -> u64 {
    let is_expected = env::var_os("SALTERN_VALGRIND").is_some();
    assert_eq!(runs_under_valgrind(), is_expected, "use `cargo xtask test constant-time`");
    let before = request(COUNT_ERRORS, &mut []);
    compute();
    request(COUNT_ERRORS, &mut []) - before
}

/// Whether valgrind runs this program.
#[must_use]
pub fn runs_under_valgrind() -> bool {
    request(RUNNING_ON_VALGRIND, &mut []) > 0
}

/// Asks valgrind, as its `valgrind.h` does on x86-64. The answer is 0 without valgrind.
#[cfg(target_arch = "x86_64")]
fn request(number: u64, bytes: &mut [u8]) -> u64 {
    let arguments = [number, bytes.as_mut_ptr().expose_provenance() as u64, bytes.len() as u64, 0, 0, 0];
    let mut answer = 0_u64;
    // SAFETY: a processor rotates rdi by 128 bits in all and exchanges rbx with itself. valgrind
    // reads the six words, and changes no byte of the memory that they name.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

/// The requests have other instructions on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn request(_number: u64, _bytes: &mut [u8]) -> u64 {
    0
}

// From `valgrind.h` and `memcheck.h`.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;

#[cfg(test)]
mod tests {
    use core::hint::black_box;

    use super::*;

    /// The planted defects. If valgrind misses one, what it says of the other tests is worthless.
    #[test]
    fn a_branch_and_an_address_that_depend_on_a_secret_are_reported() {
        let password = hidden(b"correct horse");
        let reported = reports(|| {
            let guess = black_box(b"correct jorse".as_slice());
            black_box(password.iter().zip(guess).position(|(own, other)| own != other));
        });
        assert_eq!(reported > 0, runs_under_valgrind(), "a comparison that ends early: {reported}");

        let table: [u8; 256] = black_box([7; 256]);
        let reported = reports(|| {
            black_box(table[usize::from(password[0])]);
        });
        assert_eq!(reported > 0, runs_under_valgrind(), "a table that a secret indexes: {reported}");
    }

    #[test]
    fn arithmetic_on_a_secret_is_not_reported() {
        let password = hidden(b"correct horse");
        let mut sum = [0];
        let reported = reports(|| sum[0] = password.iter().fold(0, |sum, byte| sum ^ byte));
        reveal(&mut sum);
        assert_eq!((reported, sum[0]), (0, b"correct horse".iter().fold(0, |sum, byte| sum ^ byte)));
    }
}
