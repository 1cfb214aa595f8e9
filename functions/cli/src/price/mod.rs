//! What a hash costs: an attacker with a stolen table to guess, and its operator on AWS Lambda.
//!
//! [`Attack`] has the guesses per second that others published, with the rule that scales each to
//! other costs ([`attack.json`](attack.json)). A [`Guess`] is the rate for one setting, with its
//! row. [`warnings`] compares the policies of a document by these rates. [`standards`] has the
//! minima of OWASP and NIST. [`lambda`] has the price of logins there.
//!
//! No code that answers requests uses this crate.

mod advice;
mod arguments;
mod attack;
pub mod lambda;
pub mod standards;

pub use advice::{PRECISION, Warning, warnings};
pub use arguments::PriceArguments;
pub use attack::{Attack, Basis, DeviceHour, Guess, Row, Rule};
