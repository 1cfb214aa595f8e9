//! Distributions on their way to CloudWatch: collected in the process, sent every half minute or so, off the path of
//! requests.
//!
//! `PutMetricData` is not idempotent: what is sent twice counts twice. So nothing is tried again. What was not certainly
//! taken is printed as EMF under the metric's other name, where it cannot count twice whatever became of the call.
//!
//! 1. `aggregate` counts values into buckets.
//! 2. `schedule` says when it is time to send.
//! 3. `send` is the SDK's client, built when it is first needed.

#![forbid(unsafe_code)]

mod aggregate;
mod emf;
mod schedule;
mod send;

use core::{convert::Infallible, fmt};
use std::{
    io::Write,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use saltern_service::{
    Outcome,
    metrics::{Kind, Sample, Sink},
};
use tokio::time::{Instant, timeout_at};

use aggregate::{Aggregate, Distribution};
pub use emf::Emf;
use emf::write_unsent;
pub use schedule::Schedule;
use send::{FAILED, Sender};

/// Collects distributions, and sends them when asked to.
pub struct CloudWatch {
    service: String,
    aggregate: Mutex<Aggregate>,
    sender: Sender,
    out: Mutex<Box<dyn Write + Send>>,
}

impl CloudWatch {
    /// Sends to a region, under the name of a service; what cannot be sent is written to `out`.
    ///
    /// Nothing is read or connected to before the first [`send`](Self::send).
    #[must_use]
    pub fn new(
        region: impl Into<String>,
        service: impl Into<String>,
        out: impl Write + Send + 'static,
    ) -> Self {
        let service = service.into();
        Self {
            sender: Sender::new(region.into(), service.clone()),
            service,
            aggregate: Mutex::default(),
            out: Mutex::new(Box::new(out)),
        }
    }

    /// Sends what has been collected, each value at most once, and prints what could not be sent within the time.
    ///
    /// Where the future is dropped before its end, what it had not sent is printed too.
    pub async fn send(&self, within: Duration) {
        let deadline = Instant::now() + within;
        let mut unsent = Unsent { cloudwatch: self, distributions: self.take() };
        while !unsent.distributions.is_empty() {
            let call = send::as_many_as_fit(&unsent.distributions);
            match timeout_at(deadline, self.sender.put(&unsent.distributions[..call])).await {
                Ok(Ok(())) => unsent.distributions.drain(..call),
                Ok(Err(failure)) => return failure.log(),
                Err(_) => return tracing::warn!(reason = "timeout", "{FAILED}"),
            };
        }
    }

    /// Sends at intervals, for as long as it is polled: for a process that is never frozen.
    pub async fn keep_sending(&self, interval: Duration, within: Duration) -> Infallible {
        loop {
            tokio::time::sleep(schedule::jittered(interval)).await;
            self.send(within).await;
        }
    }

    fn take(&self) -> Vec<Distribution> {
        self.aggregate.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Sink for CloudWatch {
    fn record(&self, _outcome: &Outcome, samples: &[Sample]) {
        let now = SystemTime::now();
        let mut aggregate = self.aggregate.lock().unwrap_or_else(PoisonError::into_inner);
        for sample in samples.iter().filter(|sample| sample.metric.kind == Kind::Distribution) {
            aggregate.add(sample, now);
        }
        if aggregate.is_full() {
            // Nobody has sent for long: printed, it is not lost and takes no memory.
            let all = aggregate.take();
            drop(aggregate);
            write_unsent(&self.service, &all, &self.out);
        }
    }
}

impl fmt::Debug for CloudWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudWatch").field("service", &self.service).finish_non_exhaustive()
    }
}

/// What is being sent. Whatever is left of it when it is dropped is printed.
struct Unsent<'a> {
    cloudwatch: &'a CloudWatch,
    distributions: Vec<Distribution>,
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        if !self.distributions.is_empty() {
            write_unsent(&self.cloudwatch.service, &self.distributions, &self.cloudwatch.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_looks_for_the_line_that_is_written() {
        let guide = include_str!("../../../infra/OPERATIONS.md");
        assert!(guide.contains(&format!("filter message = \"{FAILED}\"")));
    }
}
