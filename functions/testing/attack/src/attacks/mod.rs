//! One module for each attack. Its bounds are constants beside it.

pub(crate) mod accounts;
pub(crate) mod allocation;
pub(crate) mod bodies;
pub(crate) mod fresh_memory;
pub(crate) mod handshakes;
pub(crate) mod http2_frames;
pub(crate) mod http2_memory;
pub(crate) mod log_flood;
pub(crate) mod nul;
pub(crate) mod overload;
pub(crate) mod residue;
pub(crate) mod shares;
pub(crate) mod shutdown;
pub(crate) mod silent_connections;
pub(crate) mod soak;
pub(crate) mod unmeasured_work;
pub(crate) mod weak_costs;
