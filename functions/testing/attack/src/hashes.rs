//! Stored hashes of honest callers and of attackers. Attackers need no matching password.

/// The password of [`BCRYPT_10`].
pub(crate) const PASSWORD: &str = "honest";

pub(crate) const BCRYPT_10: &str = "$2b$10$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK";
pub(crate) const BCRYPT_12: &str = "$2b$12$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK";
pub(crate) const BCRYPT_14: &str = "$2b$14$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK";
pub(crate) const BCRYPT_15: &str = "$2b$15$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK";

/// The ceilings of memory, and of memory times passes.
pub(crate) const ARGON2ID_256_MIB: &str =
    "$argon2id$v=19$m=262144,t=4,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The costs of the shipped document's current policy.
pub(crate) const ARGON2ID_CURRENT: &str =
    "$argon2id$v=19$m=65536,t=4,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(crate) const SHA512_CRYPT: &str =
    "$6$saltsalt$18ulwIo9ruUtlTTLfw.MIx7yRFfMVS0gHPjlsCHWv7AsrQabre3ELko.XPvqoYOtuyo/3R.L5AaoEMJBSklW2/";

/// A tenth of the ceiling, for passwords that make it twelve times as dear.
pub(crate) const SHA512_CRYPT_DEAR: &str = "$6$rounds=100000$saltsalt$18ulwIo9ruUtlTTLfw.MIx7yRFfMVS0gHPjlsCHWv7AsrQabre3ELko.XPvqoYOtuyo/3R.L5AaoEMJBSklW2/";

pub(crate) const MD5_CRYPT: &str = "$1$saltsalt$dw./IUNZ6iMTMiAolemFa0";

/// A string that no scheme has.
pub(crate) const UNREADABLE: &str = "5f4dcc3b5aa765d61d8327deb882cf99";

/// Sun's MD5 near the ceiling of rounds (its 4,096 are added), inside an argon2id at its floor.
///
/// Each layer counts twice, for the two readings of a NUL. All parts together have two ceilings.
pub(crate) const WRAPPED_SUN_MD5: &str = concat!(
    "$saltern-wrap$argon2id$v=19$m=1024,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$$md5,rounds=985904$saltsalt$$......................"
);

/// Each layer at half of its ceiling.
pub(crate) const WRAPPED_TWICE_DEAR: &str = concat!(
    "$saltern-wrap$argon2id$v=19$m=262144,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$$md5,rounds=495904$saltsalt$$......................"
);

/// A fifth of the inner work, so that the outer layer is most of the whole.
pub(crate) const WRAPPED_DEAR_OUTSIDE: &str = concat!(
    "$saltern-wrap$argon2id$v=19$m=262144,t=3,p=1$MDEyMzQ1Njc4OWFiY2RlZg$",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$$md5,rounds=95904$saltsalt$$......................"
);

/// yescrypt with N=2^15 and r=32: 128 MiB.
pub(crate) const YESCRYPT_128_MIB: &str =
    "$y$jCT$saltsaltsaltsaltsalts.$...........................................";

/// The memory of [`YESCRYPT_128_MIB`].
pub(crate) const YESCRYPT_BYTES: u64 = 128 << 20;
