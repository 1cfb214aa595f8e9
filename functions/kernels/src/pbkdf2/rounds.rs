//! The compressions of SHA-1, SHA-256 and SHA-512 over vectors of any width, specialised for
//! PBKDF2.
//!
//! PBKDF2 iterates over a block that holds one digest and fixed padding. Source: FIPS 180-4 §6.
//!
//! One file per instruction set implements [`Operations`] on its vectors, and enables the
//! instructions by [`kernel`](kernel!) in the two functions that stay functions. All others are
//! inlined into these: only so the compiler uses the instructions. There are no closures and no
//! iterators, because nothing forces the compiler to inline them. SHA-1's rounds and the first 32 of
//! SHA-2 are written out: there the constant words of the padding fold into the round constants and
//! the message schedule.
//!
//! `unsafe` has one meaning here: the machine must have the instructions of the [`Operations`].
#![allow(unsafe_code, unsafe_op_in_unsafe_fn, reason = "the caller asks once for all instructions")]
#![allow(clippy::inline_always, reason = "only the functions of `kernel` enable instructions")]
#![allow(clippy::many_single_char_names, reason = "the names of the standard")]

/// The operations of the rounds on vectors. A vector has one word of each stream.
pub(super) trait Operations {
    type Word;
    /// The words of a vector in memory.
    type Row;
    type Vector: Copy;

    /// Whether SHA-2 unrolls the later rounds too.
    const UNROLLED: bool = false;

    unsafe fn load(row: &Self::Row) -> Self::Vector;

    unsafe fn store(row: &mut Self::Row, x: Self::Vector);

    /// Returns a vector of equal words.
    unsafe fn splat(x: Self::Word) -> Self::Vector;

    unsafe fn add(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    unsafe fn xor(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    #[inline(always)]
    unsafe fn xor3(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector {
        Self::xor(Self::xor(x, y), z)
    }

    /// Returns the bits of y where x is one, and of z elsewhere.
    unsafe fn choose(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector;

    /// `x ^ y` equals the `y ^ z` of the next round.
    #[inline(always)]
    unsafe fn majority(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector {
        Self::choose(Self::xor(x, y), z, y)
    }

    /// Rotates to the right, which equals a rotation to the left.
    unsafe fn rotate_right<const RIGHT: i32, const LEFT: i32>(x: Self::Vector) -> Self::Vector;

    unsafe fn shift_right<const RIGHT: i32>(x: Self::Vector) -> Self::Vector;
}

/// The compression of a function whose state has this number of words.
pub(super) trait Compression<const WORDS: usize> {
    type Word;

    /// Compresses the block that holds a digest, from a midstate.
    unsafe fn compress<O: Operations<Word = Self::Word>>(
        midstate: &[O::Row; WORDS],
        digest: &[O::Row; WORDS],
        result: &mut [O::Row; WORDS],
    );
}

/// Defines `iterate` for each function, over the operations of one set of instructions. It enables
/// their features, and checks them by a function `available`.
macro_rules! kernel {
    ($operations:ident $(, $features:literal, $available:path)?) => {
        /// Does `steps` iterations of PBKDF2 on every stream.
        pub(super) fn iterate<W, const WORDS: usize, const STREAMS: usize>(
            streams: &mut Streams<W, WORDS, STREAMS>,
            steps: u64,
        ) where
            [W; WORDS]: Compression<WORDS, Word = W>,
            $operations<W, STREAMS>: Operations<Word = W, Row = [W; STREAMS]>,
        {
            $(assert!($available(), "the path was not asked whether it is available");)?
            // SAFETY: the line above, if there is one, asked the processor for every feature that the
            // kernel enables.
            unsafe { iterate_enabled(streams, steps) }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn iterate_enabled<W, const WORDS: usize, const STREAMS: usize>(
            streams: &mut Streams<W, WORDS, STREAMS>,
            steps: u64,
        ) where
            [W; WORDS]: Compression<WORDS, Word = W>,
            $operations<W, STREAMS>: Operations<Word = W, Row = [W; STREAMS]>,
        {
            for _ in 0..steps {
                compress(&streams.inner, &streams.last, &mut streams.between);
                compress(&streams.outer, &streams.between, &mut streams.last);
                for (sum, last) in streams.sum.iter_mut().zip(&streams.last) {
                    let words = $operations::xor($operations::load(sum), $operations::load(last));
                    $operations::store(sum, words);
                }
            }
        }

        // Not inlined: each iteration calls it twice, and two copies would not fit the instruction
        // caches.
        #[inline(never)]
        $(#[target_feature(enable = $features)])?
        unsafe fn compress<W, const WORDS: usize, const STREAMS: usize>(
            midstate: &[[W; STREAMS]; WORDS],
            digest: &[[W; STREAMS]; WORDS],
            result: &mut [[W; STREAMS]; WORDS],
        ) where
            [W; WORDS]: Compression<WORDS, Word = W>,
            $operations<W, STREAMS>: Operations<Word = W, Row = [W; STREAMS]>,
        {
            <[W; WORDS]>::compress::<$operations<W, STREAMS>>(midstate, digest, result);
        }
    };
}

pub(super) use kernel;

#[inline(always)]
unsafe fn load_five<O: Operations>(rows: &[O::Row; 5]) -> [O::Vector; 5] {
    let [a, b, c, d, e] = rows;
    [O::load(a), O::load(b), O::load(c), O::load(d), O::load(e)]
}

#[inline(always)]
unsafe fn load_eight<O: Operations>(rows: &[O::Row; 8]) -> [O::Vector; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    [O::load(a), O::load(b), O::load(c), O::load(d), O::load(e), O::load(f), O::load(g), O::load(h)]
}

/// Adds the midstate to the state, which ends a compression.
#[inline(always)]
unsafe fn store_sum<O: Operations, const WORDS: usize>(
    state: &[O::Vector; WORDS],
    midstate: &[O::Row; WORDS],
    result: &mut [O::Row; WORDS],
) {
    for word in 0..WORDS {
        O::store(&mut result[word], O::add(state[word], O::load(&midstate[word])));
    }
}

/// SHA-1.
impl Compression<5> for [u32; 5] {
    type Word = u32;

    #[inline(always)]
    unsafe fn compress<O: Operations<Word = u32>>(
        midstate: &[O::Row; 5],
        digest: &[O::Row; 5],
        result: &mut [O::Row; 5],
    ) {
        let mut state = load_five::<O>(midstate);
        let [a, b, c, d, e] = load_five::<O>(digest);
        let [end, zero] = [O::splat(END_32), O::splat(0)];
        let bits = O::splat(SHA1_BITS);
        let mut w = [a, b, c, d, e, end, zero, zero, zero, zero, zero, zero, zero, zero, zero, bits];
        sha1_twenty_rounds::<O>(&mut state, &mut w, 0);
        sha1_twenty_rounds::<O>(&mut state, &mut w, 20);
        sha1_twenty_rounds::<O>(&mut state, &mut w, 40);
        sha1_twenty_rounds::<O>(&mut state, &mut w, 60);
        store_sum::<O, 5>(&state, midstate, result);
    }
}

#[inline(always)]
unsafe fn sha1_twenty_rounds<O: Operations<Word = u32>>(
    state: &mut [O::Vector; 5],
    w: &mut [O::Vector; 16],
    from: usize,
) {
    sha1_five_rounds::<O>(state, w, from);
    sha1_five_rounds::<O>(state, w, from + 5);
    sha1_five_rounds::<O>(state, w, from + 10);
    sha1_five_rounds::<O>(state, w, from + 15);
}

#[inline(always)]
unsafe fn sha1_five_rounds<O: Operations<Word = u32>>(
    state: &mut [O::Vector; 5],
    w: &mut [O::Vector; 16],
    from: usize,
) {
    sha1_round::<O>(state, w, from);
    sha1_round::<O>(state, w, from + 1);
    sha1_round::<O>(state, w, from + 2);
    sha1_round::<O>(state, w, from + 3);
    sha1_round::<O>(state, w, from + 4);
}

#[inline(always)]
unsafe fn sha1_round<O: Operations<Word = u32>>(
    state: &mut [O::Vector; 5],
    w: &mut [O::Vector; 16],
    t: usize,
) {
    if t >= 16 {
        let sooner = O::xor(w[t % 16], w[(t + 2) % 16]);
        w[t % 16] = O::rotate_right::<31, 1>(O::xor3(sooner, w[(t + 8) % 16], w[(t + 13) % 16]));
    }
    let [a, b, c, d, e] = *state;
    // The term that depends on the previous round comes last in each sum.
    let e = O::add(e, O::add(O::splat(SHA1_K[t / 20]), w[t % 16]));
    let e = match t / 20 {
        0 => O::add(e, O::choose(b, c, d)),
        2 => O::add(e, O::majority(b, c, d)),
        _ => O::add(e, O::xor3(b, c, d)),
    };
    let e = O::add(e, O::rotate_right::<27, 5>(a));
    *state = [e, a, O::rotate_right::<2, 30>(b), c, d];
}

/// SHA-256 and SHA-512.
impl<W: Sha2Word> Compression<8> for [W; 8] {
    type Word = W;

    #[inline(always)]
    unsafe fn compress<O: Operations<Word = W>>(
        midstate: &[O::Row; 8],
        digest: &[O::Row; 8],
        result: &mut [O::Row; 8],
    ) {
        let mut state = load_eight::<O>(midstate);
        let [a, b, c, d, e, f, g, h] = load_eight::<O>(digest);
        let [end, zero, bits] = [O::splat(W::END), O::splat(W::ZERO), O::splat(W::MESSAGE_BITS)];
        let mut w = [a, b, c, d, e, f, g, h, end, zero, zero, zero, zero, zero, zero, bits];
        sha2_sixteen_rounds::<W, O>(&mut state, &mut w, 0);
        sha2_sixteen_rounds::<W, O>(&mut state, &mut w, 16);
        // The rounds from 32 on have no constant words.
        if O::UNROLLED {
            sha2_sixteen_rounds::<W, O>(&mut state, &mut w, 32);
            sha2_sixteen_rounds::<W, O>(&mut state, &mut w, 48);
            if W::K.len() > 64 {
                sha2_sixteen_rounds::<W, O>(&mut state, &mut w, 64);
            }
        } else {
            let mut from = 32;
            while from < W::K.len() {
                sha2_sixteen_rounds::<W, O>(&mut state, &mut w, from);
                from += 16;
            }
        }
        store_sum::<O, 8>(&state, midstate, result);
    }
}

#[inline(always)]
unsafe fn sha2_sixteen_rounds<W: Sha2Word, O: Operations<Word = W>>(
    state: &mut [O::Vector; 8],
    w: &mut [O::Vector; 16],
    from: usize,
) {
    sha2_four_rounds::<W, O>(state, w, from);
    sha2_four_rounds::<W, O>(state, w, from + 4);
    sha2_four_rounds::<W, O>(state, w, from + 8);
    sha2_four_rounds::<W, O>(state, w, from + 12);
}

#[inline(always)]
unsafe fn sha2_four_rounds<W: Sha2Word, O: Operations<Word = W>>(
    state: &mut [O::Vector; 8],
    w: &mut [O::Vector; 16],
    from: usize,
) {
    sha2_round::<W, O>(state, w, from);
    sha2_round::<W, O>(state, w, from + 1);
    sha2_round::<W, O>(state, w, from + 2);
    sha2_round::<W, O>(state, w, from + 3);
}

#[inline(always)]
unsafe fn sha2_round<W: Sha2Word, O: Operations<Word = W>>(
    state: &mut [O::Vector; 8],
    w: &mut [O::Vector; 16],
    t: usize,
) {
    if t >= 16 {
        let sooner = O::add(w[t % 16], w[(t + 9) % 16]);
        let sigmas = O::add(W::small0::<O>(w[(t + 1) % 16]), W::small1::<O>(w[(t + 14) % 16]));
        w[t % 16] = O::add(sooner, sigmas);
    }
    let [a, b, c, d, e, f, g, h] = *state;
    // The term that depends on the previous round comes last in each sum.
    let h = O::add(h, O::add(O::splat(W::K[t]), w[t % 16]));
    let h = O::add(h, O::add(O::choose(e, f, g), W::big1::<O>(e)));
    let d = O::add(d, h);
    let h = O::add(h, O::add(O::majority(a, b, c), W::big0::<O>(a)));
    *state = [h, a, b, c, d, e, f, g];
}

/// What differs between SHA-256, whose words are `u32`, and SHA-512, whose words are `u64`.
pub(super) trait Sha2Word: Copy + 'static {
    /// The constants of the rounds.
    const K: &'static [Self];
    const ZERO: Self;
    /// The bit that ends the message, in the word after the digest.
    const END: Self;
    /// The length of the message in bits.
    const MESSAGE_BITS: Self;

    // The functions of FIPS 180-4 §4.1.2 and §4.1.3.
    unsafe fn big0<O: Operations>(x: O::Vector) -> O::Vector;
    unsafe fn big1<O: Operations>(x: O::Vector) -> O::Vector;
    unsafe fn small0<O: Operations>(x: O::Vector) -> O::Vector;
    unsafe fn small1<O: Operations>(x: O::Vector) -> O::Vector;
}

impl Sha2Word for u32 {
    const K: &'static [Self] = &SHA256_K;
    const ZERO: Self = 0;
    const END: Self = END_32;
    const MESSAGE_BITS: Self = SHA256_BITS;

    #[inline(always)]
    unsafe fn big0<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<2, 30>(x), O::rotate_right::<13, 19>(x), O::rotate_right::<22, 10>(x))
    }

    #[inline(always)]
    unsafe fn big1<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<6, 26>(x), O::rotate_right::<11, 21>(x), O::rotate_right::<25, 7>(x))
    }

    #[inline(always)]
    unsafe fn small0<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<7, 25>(x), O::rotate_right::<18, 14>(x), O::shift_right::<3>(x))
    }

    #[inline(always)]
    unsafe fn small1<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<17, 15>(x), O::rotate_right::<19, 13>(x), O::shift_right::<10>(x))
    }
}

impl Sha2Word for u64 {
    const K: &'static [Self] = &SHA512_K;
    const ZERO: Self = 0;
    const END: Self = END_64;
    const MESSAGE_BITS: Self = SHA512_BITS;

    #[inline(always)]
    unsafe fn big0<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<28, 36>(x), O::rotate_right::<34, 30>(x), O::rotate_right::<39, 25>(x))
    }

    #[inline(always)]
    unsafe fn big1<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<14, 50>(x), O::rotate_right::<18, 46>(x), O::rotate_right::<41, 23>(x))
    }

    #[inline(always)]
    unsafe fn small0<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<1, 63>(x), O::rotate_right::<8, 56>(x), O::shift_right::<7>(x))
    }

    #[inline(always)]
    unsafe fn small1<O: Operations>(x: O::Vector) -> O::Vector {
        O::xor3(O::rotate_right::<19, 45>(x), O::rotate_right::<61, 3>(x), O::shift_right::<6>(x))
    }
}

/// The bit that ends the message, in the word after the digest (FIPS 180-4 §5.1).
pub(super) const END_32: u32 = 1 << 31;
pub(super) const END_64: u64 = 1 << 63;

/// The length of the message in bits: the block of key and pad, and one digest.
pub(super) const SHA1_BITS: u32 = 8 * (64 + 20);
pub(super) const SHA256_BITS: u32 = 8 * (64 + 32);
pub(super) const SHA512_BITS: u64 = 8 * (128 + 64);

/// FIPS 180-4 §4.2.1.
pub(super) const SHA1_K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// FIPS 180-4 §4.2.2: the upper halves of the first 64 constants of SHA-512.
pub(super) const SHA256_K: [u32; 64] = {
    let mut upper = [0; 64];
    let mut i = 0;
    while i < 64 {
        upper[i] = (SHA512_K[i] >> 32) as u32;
        i += 1;
    }
    upper
};

/// FIPS 180-4 §4.2.3.
pub(super) const SHA512_K: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];
