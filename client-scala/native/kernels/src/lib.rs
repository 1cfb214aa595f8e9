//! The kernels for the JVM: the native methods of `saltern.client.nativekernels.NativeCalls`.
//!
//! `boundary` is only JNI: it copies arrays in and out, and stops panics. `pools` holds the pools
//! that clients have opened, and `waits` the callers that wait in a pool. The JVM has already
//! checked the cost under the same ceilings. This crate checks it again, because a kernel takes
//! only an `Admitted`.

mod boundary;
mod pools;
mod waits;

use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer of this library when it is freed. The JVM's heap does not use this allocator.
#[global_allocator]
static WIPING: ZeroAlloc<std::alloc::System> = ZeroAlloc(std::alloc::System);
