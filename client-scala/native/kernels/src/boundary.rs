//! JNI: arrays are copied in and out, numbers say what came of it, and no panic passes.
//!
//! No pointer into the JVM's heap is ever held. What was copied is wiped before the call returns.

#![allow(
    unsafe_code,
    non_snake_case,
    reason = "the JVM finds a native method by its symbol: each is exported under the name that JNI gives it, which holds the \
              class's own and is nobody else's. There is no other unsafe code in this crate"
)]

use std::{num::NonZeroUsize, panic, sync::Once, time::Duration};

use jni::{
    Env, EnvUnowned, Outcome,
    errors::Error,
    objects::{JByteArray, JClass, JLongArray},
    sys::{jint, jlong},
};
use saltern_algorithm::{Ceilings, MAX_PASSWORD_BYTES, Output, Password};
use saltern_encoded::MAX_ENCODED_BYTES;
use zeroize::Zeroizing;

use crate::pools::{self, Refusal};

/// `long open(int workers, long keptBytes, long[] ceilings)`: the number of a pool, or 0 where it could not be started.
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

/// `int compute(long pool, long call, byte[] setting, byte[] password, long nanosLeft, byte[] output)`: 0, or the number of a
/// [`Refusal`].
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
        let password = Password::new(&password).map_err(|_| Refusal::NotReadHere)?;
        let left = u64::try_from(nanos_left).map_err(|_| Refusal::DeadlineExceeded)?;
        let computed = pools::compute(pool, call, &setting, password, Duration::from_nanos(left))?;
        give(env, &computed, &output)
    });
    match computed.into_outcome() {
        Outcome::Ok(()) => 0,
        Outcome::Err(NotComputed::Refused(refusal)) => refusal as jint,
        Outcome::Err(NotComputed::Jni) | Outcome::Panic(_) => Refusal::Fault as jint,
    }
}

/// `void cancel(long pool, long call)`: from another thread than the one that `compute` keeps waiting. The deadline alone would
/// leave the lane of a caller that has gone to nobody for as long as the caller had been ready to wait.
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
    // There is nothing to tell: a call that was not cancelled ends by itself.
    drop(cancelled.into_outcome());
}

/// `void close(long pool)`
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
    // There is nothing to tell: whatever happened, nobody reaches the pool any more.
    drop(closed.into_outcome());
}

/// Why a call has no output.
enum NotComputed {
    Refused(Refusal),
    /// The JVM refused something; its exception, where there is one, is thrown when the call returns.
    Jni,
}

impl From<Refusal> for NotComputed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for NotComputed {
    fn from(_: Error) -> Self {
        Self::Jni
    }
}

/// A copy of a Java array of at most `MOST` bytes. Every buffer on the way is wiped.
fn copied<const MOST: usize>(env: &Env, array: &JByteArray) -> Result<Zeroizing<Vec<u8>>, NotComputed> {
    let bytes = array.len(env)?;
    if bytes > MOST {
        return Err(Refusal::NotReadHere.into());
    }
    let mut signed = Zeroizing::new([0; MOST]);
    array.get_region(env, 0, &mut signed[..bytes])?;
    Ok(Zeroizing::new(signed[..bytes].iter().map(|byte| byte.cast_unsigned()).collect()))
}

/// Copies an output into a Java array, which has its length.
fn give(env: &Env, computed: &Output, output: &JByteArray) -> Result<(), NotComputed> {
    let computed = computed.expose();
    if output.len(env)? != computed.len() {
        return Err(Refusal::NotReadHere.into());
    }
    let signed: Zeroizing<Vec<i8>> = Zeroizing::new(computed.iter().map(|byte| byte.cast_signed()).collect());
    output.set_region(env, 0, &signed)?;
    Ok(())
}

/// In the order in which `saltern.client.local.Ceilings` has them.
fn read_ceilings(env: &Env, values: &JLongArray) -> Result<Ceilings, Error> {
    let mut read: [jlong; 8] = [0; 8];
    values.get_region(env, 0, &mut read)?;
    // A negative one lets nothing pass. Where a cost itself has 32 bits, a larger ceiling is none.
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

/// A panic's message may quote what it was about. The place is enough to find it, and the call is answered with a fault.
#[allow(clippy::print_stderr, reason = "a library in somebody's JVM has no log of its own")]
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|panic| {
            let (file, line) = panic.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
            eprintln!("saltern-client-native: a panic at {file}:{line}");
        }));
    });
}
