//! Argon2's compression in AVX2: two rows, then one pair of columns, in registers at a time.
#![allow(unsafe_code, reason = "vector instructions exist only behind `#[target_feature]`")]

use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_add_epi64, _mm256_alignr_epi8, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_mul_epu32, _mm256_permute4x64_epi64, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_srli_epi64, _mm256_store_si256, _mm256_xor_si256,
};

use super::block::{Block, Compressor, bytes_turned_right};
use super::fill::Fill;
use super::segment::Segment;

/// The proof that this machine has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub(super) fn fill(self, fill: &Fill, segment: &mut Segment<'_>) {
        // SAFETY: the machine has AVX2, or `self` would not exist.
        unsafe { fill_avx2(self, fill, segment) }
    }
}

#[target_feature(enable = "avx2")]
fn fill_avx2(compressor: Avx2, fill: &Fill, segment: &mut Segment<'_>) {
    fill.run(compressor, segment);
}

impl Compressor for Avx2 {
    type Working = ();

    fn place(index: usize) -> usize {
        index
    }

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
        // SAFETY: the machine has AVX2, or `self` would not exist.
        unsafe { step(previous, reference, destination, xor) }
        destination.0[0]
    }

    #[inline(always)]
    fn prefetch(self, block: &Block) {
        for line in block.0.chunks_exact(WORDS_PER_LINE) {
            // SAFETY: a prefetch reads nothing that the program could see.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn step(previous: &Block, reference: &Block, destination: &mut Block, xor: bool) {
    // Vector `4·row + part` holds the words 4·part to 4·part + 3 of that row.
    let mut state = [_mm256_setzero_si256(); VECTORS];
    let mut mixed = [_mm256_setzero_si256(); VECTORS];
    for rows in 0..4 {
        let mut pair = [_mm256_setzero_si256(); 8];
        for (vector, pair) in pair.iter_mut().enumerate() {
            let index = 8 * rows + vector;
            *pair = _mm256_xor_si256(load(previous, index), load(reference, index));
            mixed[index] = if xor { _mm256_xor_si256(*pair, load(destination, index)) } else { *pair };
        }
        let [mut a0, mut b0, mut c0, mut d0, mut a1, mut b1, mut c1, mut d1] = pair;
        quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
        quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
        // The diagonals are reached by turning a, c and d around b: b is ready last and needed first.
        turn_row::<ROTATE_3, ROTATE_1>(&mut a0, &mut c0, &mut d0);
        turn_row::<ROTATE_3, ROTATE_1>(&mut a1, &mut c1, &mut d1);
        quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
        quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
        turn_row::<ROTATE_1, ROTATE_3>(&mut a0, &mut c0, &mut d0);
        turn_row::<ROTATE_1, ROTATE_3>(&mut a1, &mut c1, &mut d1);
        state[8 * rows..8 * rows + 8].copy_from_slice(&[a0, b0, c0, d0, a1, b1, c1, d1]);
    }
    // A pair of columns is one vector of each row; the four words of a part lie in two rows.
    for columns in 0..4 {
        let [mut a0, mut a1, mut b0, mut b1, mut c0, mut c1, mut d0, mut d1] =
            core::array::from_fn(|row| state[4 * row + columns]);
        quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
        quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
        (a1, a0) = turn_columns(a0, a1);
        (c0, c1) = turn_columns(c0, c1);
        (d0, d1) = (d1, d0);
        quarter_rounds(&mut a0, &mut b0, &mut c0, &mut d0);
        quarter_rounds(&mut a1, &mut b1, &mut c1, &mut d1);
        (a0, a1) = turn_columns(a0, a1);
        (c1, c0) = turn_columns(c0, c1);
        (d0, d1) = (d1, d0);
        for (row, vector) in [a0, a1, b0, b1, c0, c1, d0, d1].into_iter().enumerate() {
            let index = 4 * row + columns;
            store(destination, index, _mm256_xor_si256(vector, mixed[index]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block, vector: usize) -> __m256i {
    let words = &block.0[4 * vector..4 * vector + 4];
    // SAFETY: 32 bytes, at a multiple of 32 in a block that begins on a multiple of 64.
    unsafe { _mm256_load_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(block: &mut Block, vector: usize, value: __m256i) {
    let words = &mut block.0[4 * vector..4 * vector + 4];
    // SAFETY: 32 bytes, at a multiple of 32 in a block that begins on a multiple of 64.
    unsafe { _mm256_store_si256(words.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn turn_row<const A: i32, const C: i32>(a: &mut __m256i, c: &mut __m256i, d: &mut __m256i) {
    *a = _mm256_permute4x64_epi64::<A>(*a);
    *c = _mm256_permute4x64_epi64::<C>(*c);
    *d = _mm256_permute4x64_epi64::<ROTATE_2>(*d);
}

/// Turns the four words of each of two columns down by one; with the two results exchanged, by three.
#[inline]
#[target_feature(enable = "avx2")]
fn turn_columns(first: __m256i, second: __m256i) -> (__m256i, __m256i) {
    (_mm256_alignr_epi8::<8>(second, first), _mm256_alignr_epi8::<8>(first, second))
}

/// GB of RFC 9106 §3.6, four times side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn quarter_rounds(a: &mut __m256i, b: &mut __m256i, c: &mut __m256i, d: &mut __m256i) {
    *a = multiply_add(*a, *b);
    *d = _mm256_shuffle_epi32::<SWAP_HALVES>(_mm256_xor_si256(*d, *a));
    *c = multiply_add(*c, *d);
    *b = rotate_bytes::<3>(_mm256_xor_si256(*b, *c));
    *a = multiply_add(*a, *b);
    *d = rotate_bytes::<2>(_mm256_xor_si256(*d, *a));
    *c = multiply_add(*c, *d);
    let sum = _mm256_xor_si256(*b, *c);
    *b = _mm256_xor_si256(_mm256_srli_epi64::<63>(sum), _mm256_add_epi64(sum, sum));
}

/// `x + y + 2·low(x)·low(y)`.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(x: __m256i, y: __m256i) -> __m256i {
    let product = _mm256_mul_epu32(x, y);
    _mm256_add_epi64(_mm256_add_epi64(_mm256_add_epi64(x, y), product), product)
}

/// Each word turned right by whole bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate_bytes<const BYTES: usize>(x: __m256i) -> __m256i {
    let table: &[u8; 32] = const { &bytes_turned_right(BYTES) };
    // SAFETY: 32 bytes of a table of that size.
    let table = unsafe { _mm256_loadu_si256(table.as_ptr().cast()) };
    _mm256_shuffle_epi8(x, table)
}

const VECTORS: usize = 32;
const WORDS_PER_LINE: usize = 8;

/// The four words of a vector turned down by one, two, three.
const ROTATE_1: i32 = 0b00_11_10_01;
const ROTATE_2: i32 = 0b01_00_11_10;
const ROTATE_3: i32 = 0b10_01_00_11;

/// The halves of each word exchanged: a rotation by 32.
const SWAP_HALVES: i32 = 0b10_11_00_01;
