mod barrier;
pub(crate) mod lanes;
pub(crate) mod reference;
mod tables;
