pub(crate) mod kernel;
pub(crate) mod reference;
