//! Argon2's compression in plain Rust.

use super::block::{Block, Compressor, WORDS};

/// The compressor that every machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

impl Compressor for Portable {
    type Working = ();

    #[inline(always)]
    fn start(self, _previous: &Block) {}

    #[inline(always)]
    fn step(
        self,
        _working: &mut (),
        previous: &Block,
        reference: &Block,
        destination: &mut Block,
        xor: bool,
    ) -> u64 {
        let mut state = [0; WORDS];
        for ((word, previous), reference) in state.iter_mut().zip(&previous.0).zip(&reference.0) {
            *word = previous ^ reference;
        }
        for (word, mixed) in destination.0.iter_mut().zip(&state) {
            *word = if xor { *word ^ mixed } else { *mixed };
        }
        for row in 0..8 {
            round(&mut state, |position| 16 * row + position);
        }
        for column in 0..8 {
            round(&mut state, |position| 2 * column + 16 * (position / 2) + position % 2);
        }
        for (word, state) in destination.0.iter_mut().zip(&state) {
            *word ^= state;
        }
        destination.0[0]
    }

    #[inline(always)]
    fn prefetch(self, _block: &Block) {}
}

/// Computes the permutation P on the sixteen words with the indices in `at`.
#[inline(always)]
fn round(state: &mut [u64; WORDS], at: impl Fn(usize) -> usize) {
    let quad = |state: &[u64; WORDS], first: usize| -> [u64; 4] {
        core::array::from_fn(|position| state[at(first + position)])
    };
    let (mut a, mut b, mut c, mut d) = (quad(state, 0), quad(state, 4), quad(state, 8), quad(state, 12));
    quarter_rounds(&mut a, &mut b, &mut c, &mut d);
    b.rotate_left(1);
    c.rotate_left(2);
    d.rotate_left(3);
    quarter_rounds(&mut a, &mut b, &mut c, &mut d);
    b.rotate_right(1);
    c.rotate_right(2);
    d.rotate_right(3);
    for position in 0..4 {
        state[at(position)] = a[position];
        state[at(4 + position)] = b[position];
        state[at(8 + position)] = c[position];
        state[at(12 + position)] = d[position];
    }
}

/// Computes four GB of RFC 9106 §3.6 side by side.
#[inline(always)]
fn quarter_rounds(a: &mut [u64; 4], b: &mut [u64; 4], c: &mut [u64; 4], d: &mut [u64; 4]) {
    for lane in 0..4 {
        a[lane] = multiply_add(a[lane], b[lane]);
        d[lane] = (d[lane] ^ a[lane]).rotate_right(32);
        c[lane] = multiply_add(c[lane], d[lane]);
        b[lane] = (b[lane] ^ c[lane]).rotate_right(24);
        a[lane] = multiply_add(a[lane], b[lane]);
        d[lane] = (d[lane] ^ a[lane]).rotate_right(16);
        c[lane] = multiply_add(c[lane], d[lane]);
        b[lane] = (b[lane] ^ c[lane]).rotate_right(63);
    }
}

/// Returns `x + y + 2·low(x)·low(y)`. `BlaMka` has it in place of BLAKE2's addition.
#[inline(always)]
fn multiply_add(x: u64, y: u64) -> u64 {
    let product = (x & LOW).wrapping_mul(y & LOW);
    x.wrapping_add(y).wrapping_add(product).wrapping_add(product)
}

const LOW: u64 = 0xffff_ffff;
