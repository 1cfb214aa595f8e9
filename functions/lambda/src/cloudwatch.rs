//! Metrics in CloudWatch's formats, for the Lambda function.
//!
//! Counts are printed in the embedded metric format ([`Emf`]). Distributions are collected in the
//! process and sent about every half minute, and no request waits for that ([`CloudWatch`]).
//!
//! `PutMetricData` is not idempotent: a value that is sent twice counts twice. So failed calls are
//! not repeated. If delivery is uncertain, the values are printed under the metric's `unsent` name,
//! where they cannot count twice.
//!
//! 1. `emf` prints metrics.
//! 2. `aggregate` counts values in buckets.
//! 3. `schedule` decides when to send.
//! 4. `send` calls CloudWatch.
//! 5. `sdk` configures the AWS SDK, also for the function's other calls.

mod aggregate;
mod emf;
mod schedule;
mod sdk;
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
pub(crate) use emf::Emf;
use emf::write_unsent;
pub(crate) use schedule::Schedule;
pub(crate) use sdk::{CallFailure, sdk_config};
use send::{FAILED, Sender};

/// A sink that collects distributions, and sends them on request.
pub(crate) struct CloudWatch {
    service: String,
    aggregate: Mutex<Aggregate>,
    sender: Sender,
    out: Mutex<Box<dyn Write + Send>>,
}

impl CloudWatch {
    /// Sends to a region, with this value of the dimension `Service`. Distributions that cannot be
    /// sent are written to `out`.
    ///
    /// The SDK reads its configuration and connects at the first [`send`](Self::send).
    pub(crate) fn new(
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

    /// Sends the collected distributions, each value at most once. It prints the distributions that
    /// are not sent within this time.
    ///
    /// Dropping the future prints the remaining distributions too.
    pub(crate) async fn send(&self, within: Duration) {
        let deadline = Instant::now() + within;
        let mut unsent = Unsent { cloudwatch: self, distributions: self.take() };
        while !unsent.distributions.is_empty() {
            let call = send::as_many_as_fit(&unsent.distributions);
            match timeout_at(deadline, self.sender.put(&unsent.distributions[..call])).await {
                Ok(Ok(())) => unsent.distributions.drain(..call),
                Ok(Err(failure)) => return log(&failure),
                Err(_) => return log(&CallFailure::TIMEOUT),
            };
        }
    }

    /// Sends at intervals, as long as the future is polled. For a process that is never frozen.
    pub(crate) async fn keep_sending(&self, interval: Duration, within: Duration) -> Infallible {
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
        for sample in samples.iter().filter(|sample| sample.metric.kind != Kind::Count) {
            aggregate.add(sample, now);
        }
        if aggregate.is_full() {
            // Nothing was sent for a long time. Printing keeps the values and frees the memory.
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

fn log(failure: &CallFailure) {
    tracing::warn!(reason = failure.reason, code = failure.code, "{FAILED}");
}

/// The distributions that are being sent. Dropping it prints those that remain.
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
    fn the_guide_quotes_the_log_line() {
        let guide = include_str!("../../../infra/OPERATIONS.md");
        assert!(guide.contains(&format!("filter message = \"{FAILED}\"")));
    }
}
