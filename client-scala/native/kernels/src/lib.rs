//! The kernels for the JVM: what `saltern.client.nativekernels.NativeCalls` declares.
//!
//! `boundary` is JNI and nothing else: it copies arrays in and out, and no panic passes it. `pools` keeps the pools of
//! `saltern-algorithm` that clients have opened, and `waits` the callers of one. Admission was the JVM's, under the same ceilings; here it is done again,
//! because a kernel takes nothing but an `Admitted`.

mod boundary;
mod pools;
mod waits;

use zeroizing_alloc::ZeroAlloc;

/// Wipes every buffer when it is freed, whoever allocated it. It serves this library alone, not the JVM's own heap.
#[global_allocator]
static WIPING: ZeroAlloc<std::alloc::System> = ZeroAlloc(std::alloc::System);
