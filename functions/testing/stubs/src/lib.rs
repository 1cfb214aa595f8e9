//! Stubs of AWS services on the loopback interface, and the HTTP client of tools.
//!
//! [`lambda`] has Lambda's Runtime API and the processes that poll it. [`cloudwatch`] has
//! `PutMetricData`, and [`kms`] has `Decrypt`. All answer by [`http`], whose client the tools use.
//! [`process`] tells what a started program used.

#![forbid(unsafe_code)]

pub mod cloudwatch;
pub mod http;
pub mod kms;
pub mod lambda;
pub mod process;
mod watched;
