//! Distributions to CloudWatch, where that is asked for.

use std::{convert::Infallible, sync::Arc, time::Duration};

use saltern_cloudwatch::CloudWatch;
use saltern_service::Service;
use tokio::task::JoinHandle;

use super::{lines::Lines, settings::CloudWatchSettings};

/// The service with its figures sent, and the task that sends them.
pub(super) fn sending(
    service: Service,
    settings: Option<CloudWatchSettings>,
    unsent: Lines,
) -> (Service, Sending) {
    let Some(CloudWatchSettings { region, service: name, interval }) = settings else {
        return (service, Sending(None));
    };
    let cloudwatch = Arc::new(CloudWatch::new(region, name, unsent));
    let own = Arc::clone(&cloudwatch);
    let task = tokio::spawn(async move { own.keep_sending(interval, WITHIN).await });
    (service.with_sink(Arc::<CloudWatch>::clone(&cloudwatch)), Sending(Some((cloudwatch, task))))
}

/// Sends until it is ended.
pub(super) struct Sending(Option<(Arc<CloudWatch>, JoinHandle<Infallible>)>);

impl Sending {
    /// Sends what is left, or prints it where nobody waits any more.
    pub(super) async fn end(self, in_good_order: bool) {
        let Some((cloudwatch, task)) = self.0 else { return };
        task.abort();
        // What it was sending is printed when it has ended.
        let _aborted = task.await;
        cloudwatch.send(if in_good_order { AT_THE_END_WITHIN } else { Duration::ZERO }).await;
    }
}

/// Nobody waits for it.
const WITHIN: Duration = Duration::from_secs(5);

/// Whoever asked for the end waits for it.
const AT_THE_END_WITHIN: Duration = Duration::from_secs(2);
