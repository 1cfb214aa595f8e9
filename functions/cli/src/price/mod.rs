//! What a guess of a hash costs an attacker with a stolen table.
//!
//! [`Attack`] has the guesses per second that others published, with the rule that scales each to
//! other costs ([`attack.json`](attack.json)). A [`Guess`] is the rate for one setting, with its
//! row. [`warnings`] compares the policies of a document by these rates. [`standards`] has the
//! minima of OWASP and NIST.
//!
//! No code that answers requests uses this module.

mod advice;
mod arguments;
mod attack;
pub mod standards;

pub use advice::{PRECISION, Warning, warnings};
pub use arguments::PriceArguments;
pub(crate) use attack::parameters;
pub use attack::{Attack, Basis, DeviceHour, Guess, Row, Rule};
