//! How other software writes what is computed here anyway.

pub(crate) mod django;
pub(crate) mod ldap;
