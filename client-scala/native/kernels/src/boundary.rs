//! JNI: copies arrays in and out, returns numbers, and stops panics.
//!
//! This code holds no pointer into the JVM's heap. It wipes all copies before a call returns.

#![allow(
    unsafe_code,
    non_snake_case,
    reason = "the JVM finds a native method by its symbol, so each is exported under its JNI name. The name contains \
              the class name, so it is unique. This crate has no other unsafe code"
)]

use std::{num::NonZeroUsize, panic, sync::Once, time::Duration};

use jni::{
    Env, EnvUnowned, Outcome,
    errors::Error,
    objects::{JByteArray, JClass, JLongArray},
    sys::{jint, jlong},
};
use saltern_encoded::MAX_ENCODED_BYTES;
use saltern_kernels::{Ceilings, MAX_PASSWORD_BYTES, Output, Password};
use zeroize::Zeroizing;

use crate::pools::{self, NotComputed};

/// `long open(int workers, long keptBytes, long[] ceilings)`: returns the number of a pool, or 0 if
/// the pool could not start.
#[unsafe(no_mangle)]
extern "system" fn Java_saltern_client_nativekernels_NativeCalls_open<'caller>(
    mut env: EnvUnowned<'caller>,
    _class: JClass<'caller>,
    workers: jint,
    kept_bytes: jlong,
    ceilings: JLongArray<'caller>,
) -> jlong {
    keep_panics_quiet();
    let opened = env.with_env(|env| -> Result<jlong, Error> {
        let ceilings = read_ceilings(env, &ceilings)?;
        let workers = usize::try_from(workers).ok().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN);
        let kept_bytes = u64::try_from(kept_bytes).unwrap_or(0);
        Ok(pools::open(workers, kept_bytes, ceilings).unwrap_or(0))
    });
    match opened.into_outcome() {
        Outcome::Ok(number) => number,
        Outcome::Err(_) | Outcome::Panic(_) => 0,
    }
}

/// `int compute(long pool, long call, byte[] setting, byte[] password, long nanosLeft, byte[]
/// output)`: returns 0, or the number of a [`NotComputed`].
#[unsafe(no_mangle)]
extern "system" fn Java_saltern_client_nativekernels_NativeCalls_compute<'caller>(
    mut env: EnvUnowned<'caller>,
    _class: JClass<'caller>,
    pool: jlong,
    call: jlong,
    setting: JByteArray<'caller>,
    password: JByteArray<'caller>,
    nanos_left: jlong,
    output: JByteArray<'caller>,
) -> jint {
    let computed = env.with_env(|env| -> Result<(), NotComputed> {
        let setting = copied::<MAX_ENCODED_BYTES>(env, &setting)?;
        let password = copied::<MAX_PASSWORD_BYTES>(env, &password)?;
        let password = Password::new(&password).map_err(|_| NotComputed::NotReadHere)?;
        let left = u64::try_from(nanos_left).map_err(|_| NotComputed::DeadlineExceeded)?;
        let computed = pools::compute(pool, call, &setting, password, Duration::from_nanos(left))?;
        give(env, &computed, &output)
    });
    match computed.into_outcome() {
        Outcome::Ok(()) => 0,
        Outcome::Err(reason) => reason as jint,
        Outcome::Panic(_) => NotComputed::Fault as jint,
    }
}

/// `void cancel(long pool, long call)`: cancels a call of `compute` from another thread.
///
/// Without it, the lane of a caller that has gone would stay in use until the deadline.
#[unsafe(no_mangle)]
extern "system" fn Java_saltern_client_nativekernels_NativeCalls_cancel<'caller>(
    mut env: EnvUnowned<'caller>,
    _class: JClass<'caller>,
    pool: jlong,
    call: jlong,
) {
    let cancelled = env.with_env(|_| -> Result<(), Error> {
        pools::cancel(pool, call);
        Ok(())
    });
    // No error to report: a call that was not cancelled ends at its deadline.
    drop(cancelled.into_outcome());
}

/// `void close(long pool)`: closes a pool.
#[unsafe(no_mangle)]
extern "system" fn Java_saltern_client_nativekernels_NativeCalls_close<'caller>(
    mut env: EnvUnowned<'caller>,
    _class: JClass<'caller>,
    pool: jlong,
) {
    let closed = env.with_env(|_| -> Result<(), Error> {
        pools::close(pool);
        Ok(())
    });
    // No error to report: the pool is unreachable in any case.
    drop(closed.into_outcome());
}

/// A failed call of JNI is a fault. If the JVM has thrown an exception, the caller gets it.
impl From<Error> for NotComputed {
    fn from(_: Error) -> Self {
        Self::Fault
    }
}

/// Copies a Java array of at most `MOST` bytes. All buffers are wiped.
fn copied<const MOST: usize>(env: &Env, array: &JByteArray) -> Result<Zeroizing<Vec<u8>>, NotComputed> {
    let bytes = array.len(env)?;
    if bytes > MOST {
        return Err(NotComputed::NotReadHere);
    }
    let mut signed = Zeroizing::new([0; MOST]);
    array.get_region(env, 0, &mut signed[..bytes])?;
    Ok(Zeroizing::new(signed[..bytes].iter().map(|byte| byte.cast_unsigned()).collect()))
}

/// Copies an output into a Java array of the same length.
fn give(env: &Env, computed: &Output, output: &JByteArray) -> Result<(), NotComputed> {
    let computed = computed.expose();
    if output.len(env)? != computed.len() {
        return Err(NotComputed::NotReadHere);
    }
    let signed: Zeroizing<Vec<i8>> = Zeroizing::new(computed.iter().map(|byte| byte.cast_signed()).collect());
    output.set_region(env, 0, &signed)?;
    Ok(())
}

/// Reads the ceilings, in the order of `saltern.hashes.Ceilings`.
fn read_ceilings(env: &Env, values: &JLongArray) -> Result<Ceilings, Error> {
    let mut read: [jlong; 8] = [0; 8];
    values.get_region(env, 0, &mut read)?;
    // A negative ceiling admits nothing. A ceiling above 32 bits is no bound for a cost of 32 bits.
    let [
        bcrypt_cost,
        argon2_memory_kib,
        argon2_memory_passes_kib,
        argon2_parallelism,
        pbkdf2_iterations_blocks,
        scrypt_memory_bytes,
        scrypt_n_r_p,
        sha_crypt_rounds,
    ] = read.map(|value| u64::try_from(value).unwrap_or(0));
    let in_32_bits = |value| u32::try_from(value).unwrap_or(u32::MAX);
    Ok(Ceilings {
        bcrypt_cost: in_32_bits(bcrypt_cost),
        argon2_memory_kib: in_32_bits(argon2_memory_kib),
        argon2_memory_passes_kib,
        argon2_parallelism: in_32_bits(argon2_parallelism),
        pbkdf2_iterations_blocks,
        sha_crypt_rounds,
        scrypt_memory_bytes,
        scrypt_n_r_p,
    })
}

/// Prints only the place of a panic: its message may quote a secret. The call returns a fault.
#[allow(clippy::print_stderr, reason = "a library in a JVM has no log")]
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|panic| {
            let (file, line) = panic.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
            eprintln!("saltern-client-native: a panic at {file}:{line}");
        }));
    });
}
