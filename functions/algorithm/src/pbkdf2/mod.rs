pub(crate) mod reference;
