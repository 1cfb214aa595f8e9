//! Stubs of AWS services on the loopback interface, for tests and load models.
//!
//! [`lambda`] has Lambda's Runtime API and the processes that poll it. [`cloudwatch`] has
//! `PutMetricData`, and [`kms`] has `Decrypt`. All read requests with [`http`].

#![forbid(unsafe_code)]

pub mod cloudwatch;
pub mod http;
pub mod kms;
pub mod lambda;
