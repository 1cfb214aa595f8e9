//! The compressions of SHA-1, SHA-256 and SHA-512 over vectors of any width, specialised for
//! PBKDF2.
//!
//! PBKDF2 iterates over a block that holds one digest and fixed padding. Source: FIPS 180-4 §6.
//!
//! One file per instruction set defines its vector operations (`add`, `xor`, `xor3`, `choose`,
//! `majority`, `splat`, `load`, `store`, `rotate_right`, `shift_right`) and expands these macros
//! over them. They are macros because the operations and all their callers must have the same
//! `#[target_feature]`. The first 32 rounds are unrolled: there the constant words of the padding
//! fold into the round constants and the message schedule.

/// Defines a module with `iterate` for SHA-256 or SHA-512, over a module of operations.
macro_rules! sha2_kernel {
    ($name:ident, $operations:ident, $(#[$features:meta])* $word:ident, $streams:literal, $constants:ident, $end:ident, $bits:ident, $later:ident) => {
        pub(super) mod $name {
        use super::$operations::{
            add, choose, load, majority, rotate_right, shift_right, splat, store, xor, xor3,
        };
        use $crate::pbkdf2::rounds::{$constants, $end, $bits};

        /// Does `steps` iterations of PBKDF2 on every stream.
        $(#[$features])*
        pub(in crate::pbkdf2) fn iterate(streams: &mut $crate::pbkdf2::streams::Streams<$word, 8, $streams>, steps: u64) {
            for _ in 0..steps {
                compress(&streams.inner, &streams.last, &mut streams.between);
                compress(&streams.outer, &streams.between, &mut streams.last);
                for (sum, last) in streams.sum.iter_mut().zip(&streams.last) {
                    store(sum, xor(load(sum), load(last)));
                }
            }
        }

        // Not inlined: each iteration calls it twice, and two copies would not fit the instruction
        // caches.
        #[inline(never)]
        $(#[$features])*
        fn compress(midstate: &[[$word; $streams]; 8], digest: &[[$word; $streams]; 8], result: &mut [[$word; $streams]; 8]) {
            let [mut a, mut b, mut c, mut d] = [load(&midstate[0]), load(&midstate[1]), load(&midstate[2]), load(&midstate[3])];
            let [mut e, mut f, mut g, mut h] = [load(&midstate[4]), load(&midstate[5]), load(&midstate[6]), load(&midstate[7])];
            let zero = splat(0);
            let mut w = [
                load(&digest[0]), load(&digest[1]), load(&digest[2]), load(&digest[3]),
                load(&digest[4]), load(&digest[5]), load(&digest[6]), load(&digest[7]),
                splat($end), zero, zero, zero, zero, zero, zero, splat($bits),
            ];
            $crate::pbkdf2::rounds::sha2_group!(no_schedule, $word, a b c d e f g h, w, $constants, 0);
            $crate::pbkdf2::rounds::sha2_group!(schedule, $word, a b c d e f g h, w, $constants, 16);
            $crate::pbkdf2::rounds::sha2_later_groups!($later $word, a b c d e f g h, w, $constants);
            store(&mut result[0], add(a, load(&midstate[0])));
            store(&mut result[1], add(b, load(&midstate[1])));
            store(&mut result[2], add(c, load(&midstate[2])));
            store(&mut result[3], add(d, load(&midstate[3])));
            store(&mut result[4], add(e, load(&midstate[4])));
            store(&mut result[5], add(f, load(&midstate[5])));
            store(&mut result[6], add(g, load(&midstate[6])));
            store(&mut result[7], add(h, load(&midstate[7])));
        }
        }
    };
}

/// The rounds from 32 on, which have no constant words.
macro_rules! sha2_later_groups {
    // The unrolled code fits the instruction caches easily.
    (rolled $word:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:ident) => {
        let mut from = 32;
        while from < $k.len() {
            $crate::pbkdf2::rounds::sha2_group!(schedule, $word, $a $b $c $d $e $f $g $h, $w, $k, from);
            from += 16;
        }
    };
    // 4 % faster in general registers.
    (unrolled u32, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:ident) => {
        $crate::pbkdf2::rounds::sha2_group!(schedule, u32, $a $b $c $d $e $f $g $h, $w, $k, 32);
        $crate::pbkdf2::rounds::sha2_group!(schedule, u32, $a $b $c $d $e $f $g $h, $w, $k, 48);
    };
    (unrolled u64, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:ident) => {
        $crate::pbkdf2::rounds::sha2_group!(schedule, u64, $a $b $c $d $e $f $g $h, $w, $k, 32);
        $crate::pbkdf2::rounds::sha2_group!(schedule, u64, $a $b $c $d $e $f $g $h, $w, $k, 48);
        $crate::pbkdf2::rounds::sha2_group!(schedule, u64, $a $b $c $d $e $f $g $h, $w, $k, 64);
    };
}

/// Sixteen rounds of SHA-2. The names of the working variables rotate; the values stay in place.
macro_rules! sha2_group {
    ($step:ident, $word:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:path, $from:expr) => {
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $a $b $c $d $e $f $g $h, $w, $k, $from, 0);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $h $a $b $c $d $e $f $g, $w, $k, $from, 1);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $g $h $a $b $c $d $e $f, $w, $k, $from, 2);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $f $g $h $a $b $c $d $e, $w, $k, $from, 3);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $e $f $g $h $a $b $c $d, $w, $k, $from, 4);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $d $e $f $g $h $a $b $c, $w, $k, $from, 5);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $c $d $e $f $g $h $a $b, $w, $k, $from, 6);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $b $c $d $e $f $g $h $a, $w, $k, $from, 7);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $a $b $c $d $e $f $g $h, $w, $k, $from, 8);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $h $a $b $c $d $e $f $g, $w, $k, $from, 9);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $g $h $a $b $c $d $e $f, $w, $k, $from, 10);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $f $g $h $a $b $c $d $e, $w, $k, $from, 11);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $e $f $g $h $a $b $c $d, $w, $k, $from, 12);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $d $e $f $g $h $a $b $c, $w, $k, $from, 13);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $c $d $e $f $g $h $a $b, $w, $k, $from, 14);
        $crate::pbkdf2::rounds::sha2_round!($step, $word, $b $c $d $e $f $g $h $a, $w, $k, $from, 15);
    };
}

macro_rules! sha2_round {
    (schedule, $word:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:path, $from:expr, $i:literal) => {
        $w[$i] = add(
            add($w[$i], $w[($i + 9) % 16]),
            add($crate::pbkdf2::rounds::sigma!(small0 $word, $w[($i + 1) % 16]), $crate::pbkdf2::rounds::sigma!(small1 $word, $w[($i + 14) % 16])),
        );
        $crate::pbkdf2::rounds::sha2_round!(no_schedule, $word, $a $b $c $d $e $f $g $h, $w, $k, $from, $i);
    };
    (no_schedule, $word:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $w:ident, $k:path, $from:expr, $i:literal) => {
        // The term that depends on the previous round comes last in each sum.
        $h = add($h, add(splat($k[$from + $i]), $w[$i]));
        $h = add($h, add(choose($e, $f, $g), $crate::pbkdf2::rounds::sigma!(big1 $word, $e)));
        $d = add($d, $h);
        $h = add($h, add(majority($a, $b, $c), $crate::pbkdf2::rounds::sigma!(big0 $word, $a)));
    };
}

/// The functions of FIPS 180-4 §4.1.2 and §4.1.3. Each takes a right rotation and the equal left
/// one.
macro_rules! sigma {
    (big0 u32, $x:expr) => {
        xor3(rotate_right::<2, 30>($x), rotate_right::<13, 19>($x), rotate_right::<22, 10>($x))
    };
    (big1 u32, $x:expr) => {
        xor3(rotate_right::<6, 26>($x), rotate_right::<11, 21>($x), rotate_right::<25, 7>($x))
    };
    (small0 u32, $x:expr) => {
        xor3(rotate_right::<7, 25>($x), rotate_right::<18, 14>($x), shift_right::<3>($x))
    };
    (small1 u32, $x:expr) => {
        xor3(rotate_right::<17, 15>($x), rotate_right::<19, 13>($x), shift_right::<10>($x))
    };
    (big0 u64, $x:expr) => {
        xor3(rotate_right::<28, 36>($x), rotate_right::<34, 30>($x), rotate_right::<39, 25>($x))
    };
    (big1 u64, $x:expr) => {
        xor3(rotate_right::<14, 50>($x), rotate_right::<18, 46>($x), rotate_right::<41, 23>($x))
    };
    (small0 u64, $x:expr) => {
        xor3(rotate_right::<1, 63>($x), rotate_right::<8, 56>($x), shift_right::<7>($x))
    };
    (small1 u64, $x:expr) => {
        xor3(rotate_right::<19, 45>($x), rotate_right::<61, 3>($x), shift_right::<6>($x))
    };
}

/// Defines a module with `iterate` for SHA-1, over a module of operations.
macro_rules! sha1_kernel {
    ($name:ident, $operations:ident, $(#[$features:meta])* $streams:literal) => {
        pub(super) mod $name {
        use super::$operations::{add, choose, load, majority, rotate_right, splat, store, xor, xor3};
        use $crate::pbkdf2::rounds::{sha1_five, SHA1_K};

        /// Does `steps` iterations of PBKDF2 on every stream.
        $(#[$features])*
        pub(in crate::pbkdf2) fn iterate(streams: &mut $crate::pbkdf2::streams::Streams<u32, 5, $streams>, steps: u64) {
            for _ in 0..steps {
                compress(&streams.inner, &streams.last, &mut streams.between);
                compress(&streams.outer, &streams.between, &mut streams.last);
                for (sum, last) in streams.sum.iter_mut().zip(&streams.last) {
                    store(sum, xor(load(sum), load(last)));
                }
            }
        }

        // Not inlined: each iteration calls it twice, and two copies would not fit the instruction
        // caches.
        #[inline(never)]
        $(#[$features])*
        fn compress(midstate: &[[u32; $streams]; 5], digest: &[[u32; $streams]; 5], result: &mut [[u32; $streams]; 5]) {
            let [mut a, mut b, mut c] = [load(&midstate[0]), load(&midstate[1]), load(&midstate[2])];
            let [mut d, mut e] = [load(&midstate[3]), load(&midstate[4])];
            let zero = splat(0);
            let mut w = [
                load(&digest[0]), load(&digest[1]), load(&digest[2]), load(&digest[3]), load(&digest[4]),
                splat($crate::pbkdf2::rounds::END_32), zero, zero, zero, zero, zero, zero, zero, zero, zero,
                splat($crate::pbkdf2::rounds::SHA1_BITS),
            ];
            sha1_five!(no_schedule, choose, a b c d e, w, SHA1_K[0], 0 1 2 3 4);
            sha1_five!(no_schedule, choose, a b c d e, w, SHA1_K[0], 5 6 7 8 9);
            sha1_five!(no_schedule, choose, a b c d e, w, SHA1_K[0], 10 11 12 13 14);
            $crate::pbkdf2::rounds::sha1_round!(no_schedule, choose, a b c d e, w, SHA1_K[0], 15);
            $crate::pbkdf2::rounds::sha1_round!(schedule, choose, e a b c d, w, SHA1_K[0], 0);
            $crate::pbkdf2::rounds::sha1_round!(schedule, choose, d e a b c, w, SHA1_K[0], 1);
            $crate::pbkdf2::rounds::sha1_round!(schedule, choose, c d e a b, w, SHA1_K[0], 2);
            $crate::pbkdf2::rounds::sha1_round!(schedule, choose, b c d e a, w, SHA1_K[0], 3);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[1], 4 5 6 7 8);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[1], 9 10 11 12 13);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[1], 14 15 0 1 2);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[1], 3 4 5 6 7);
            sha1_five!(schedule, majority, a b c d e, w, SHA1_K[2], 8 9 10 11 12);
            sha1_five!(schedule, majority, a b c d e, w, SHA1_K[2], 13 14 15 0 1);
            sha1_five!(schedule, majority, a b c d e, w, SHA1_K[2], 2 3 4 5 6);
            sha1_five!(schedule, majority, a b c d e, w, SHA1_K[2], 7 8 9 10 11);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[3], 12 13 14 15 0);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[3], 1 2 3 4 5);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[3], 6 7 8 9 10);
            sha1_five!(schedule, xor3, a b c d e, w, SHA1_K[3], 11 12 13 14 15);
            store(&mut result[0], add(a, load(&midstate[0])));
            store(&mut result[1], add(b, load(&midstate[1])));
            store(&mut result[2], add(c, load(&midstate[2])));
            store(&mut result[3], add(d, load(&midstate[3])));
            store(&mut result[4], add(e, load(&midstate[4])));
        }
        }
    };
}

/// Five rounds of SHA-1. The names of the working variables rotate; the values stay in place.
macro_rules! sha1_five {
    ($step:ident, $mix:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $w:ident, $k:expr,
     $i0:literal $i1:literal $i2:literal $i3:literal $i4:literal) => {
        $crate::pbkdf2::rounds::sha1_round!($step, $mix, $a $b $c $d $e, $w, $k, $i0);
        $crate::pbkdf2::rounds::sha1_round!($step, $mix, $e $a $b $c $d, $w, $k, $i1);
        $crate::pbkdf2::rounds::sha1_round!($step, $mix, $d $e $a $b $c, $w, $k, $i2);
        $crate::pbkdf2::rounds::sha1_round!($step, $mix, $c $d $e $a $b, $w, $k, $i3);
        $crate::pbkdf2::rounds::sha1_round!($step, $mix, $b $c $d $e $a, $w, $k, $i4);
    };
}

macro_rules! sha1_round {
    (schedule, $mix:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $w:ident, $k:expr, $i:literal) => {
        $w[$i] = rotate_right::<31, 1>(xor3(xor($w[$i], $w[($i + 2) % 16]), $w[($i + 8) % 16], $w[($i + 13) % 16]));
        $crate::pbkdf2::rounds::sha1_round!(no_schedule, $mix, $a $b $c $d $e, $w, $k, $i);
    };
    (no_schedule, $mix:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $w:ident, $k:expr, $i:literal) => {
        // The term that depends on the previous round comes last in each sum.
        $e = add(add($e, add(splat($k), $w[$i])), $mix($b, $c, $d));
        $e = add($e, rotate_right::<27, 5>($a));
        $b = rotate_right::<2, 30>($b);
    };
}

pub(super) use {
    sha1_five, sha1_kernel, sha1_round, sha2_group, sha2_kernel, sha2_later_groups, sha2_round, sigma,
};

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
