//! When distributions are sent: beside the requests, and at the end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use saltern_cloudwatch::{CloudWatch, Schedule};

use crate::{
    extension::{Extension, Hears},
    invocations::Invocations,
    refusal::Refusal,
};

/// Sends what was collected.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) cloudwatch: Arc<CloudWatch>,
    /// How often, at the most.
    pub(crate) interval: Duration,
    /// Whether the environment is never frozen, as on Managed Instances.
    pub(crate) is_always_awake: bool,
}

impl Sending {
    /// Registers with Lambda. Without an extension there is no SIGTERM at the end, and less is sent.
    pub(crate) async fn register(&self) -> Option<Extension> {
        let hears = if self.is_always_awake { Hears::Nothing } else { Hears::Invocations };
        let registered = Extension::register(hears).await;
        registered.inspect_err(|_| tracing::warn!("the Extensions API takes no extension of ours")).ok()
    }

    /// Sends for as long as it is polled, or until the function cannot go on.
    pub(crate) async fn beside(&self, extension: Option<Extension>, invocations: &Invocations) -> Refusal {
        if !self.is_always_awake {
            return self.after_answers(extension, invocations).await;
        }
        // An extension has started when it asks for its next event, of which there is none.
        let started = async {
            let mut extension = extension?;
            if extension.next().await.is_err() {
                tracing::warn!("the Extensions API does not answer any more");
            }
            None::<()>
        };
        let (never, _) = tokio::join!(self.cloudwatch.keep_sending(self.interval, AWAKE_WITHIN), started);
        match never {}
    }

    /// Sends what is left, at the end of a process that was told so at some moment.
    pub(crate) async fn at_the_end(&self, told: Instant) {
        self.cloudwatch.send(SENT_WITHIN.saturating_sub(told.elapsed())).await;
    }

    /// Lambda waits with the next invocation and with the freezing until the extension asks for its next event.
    async fn after_answers(&self, mut extension: Option<Extension>, invocations: &Invocations) -> Refusal {
        let schedule = Schedule::new(self.interval);
        loop {
            let time_left = match &mut extension {
                None => {
                    invocations.next_end().await;
                    Duration::MAX
                }
                Some(registered) => {
                    let Ok(invoked) = registered.next().await else {
                        return Refusal::new(
                            "the Extensions API does not answer any more. The process ends, for Lambda to start another: \
                             without its polls every invocation would last until its timeout",
                        );
                    };
                    invocations.end_of(&invoked.request_id).await;
                    invoked.time_left()
                }
            };
            if schedule.is_due() {
                self.cloudwatch.send(time_left.saturating_sub(MARGIN).min(ASLEEP_WITHIN)).await;
            }
        }
    }
}

/// In an environment that is held up meanwhile: enough for a connection from a small function, and a thirtieth of its
/// time where CloudWatch cannot be reached at all.
const ASLEEP_WITHIN: Duration = Duration::from_secs(1);

/// Where nobody waits.
const AWAKE_WITHIN: Duration = Duration::from_secs(5);

/// Since SIGTERM, the last answer included. Lambda gives a process with an internal extension 500 ms until SIGKILL; a small
/// function needs the rest to print what was not sent.
const SENT_WITHIN: Duration = Duration::from_millis(350);

/// Kept from the invocation's time: a function that takes all of it counts as timed out.
const MARGIN: Duration = Duration::from_millis(200);
