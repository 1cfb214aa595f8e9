//! Sends distributions between the requests, and at the end of the process.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    cloudwatch::{CloudWatch, Schedule},
    extension::{Events, Extension},
    fatal_error::FatalError,
    invocations::Invocations,
};

/// Sends the collected distributions.
#[derive(Debug)]
pub(crate) struct Publisher {
    pub(crate) cloudwatch: Arc<CloudWatch>,
    /// The shortest time between two calls of CloudWatch.
    pub(crate) interval: Duration,
    /// Whether the environment is never frozen, as on Managed Instances.
    pub(crate) is_always_awake: bool,
}

impl Publisher {
    /// Registers an extension with Lambda. Without an extension Lambda sends no SIGTERM, so the
    /// last distributions are lost.
    pub(crate) async fn register(&self) -> Option<Extension> {
        let events = if self.is_always_awake { Events::None } else { Events::Invocations };
        let registered = Extension::register(events).await;
        registered.inspect_err(|error| tracing::warn!(%error, "the extension is not registered")).ok()
    }

    /// Sends as long as the future is polled. It returns if the process must end.
    pub(crate) async fn beside(&self, extension: Option<Extension>, invocations: &Invocations) -> FatalError {
        if !self.is_always_awake {
            return self.after_answers(extension, invocations).await;
        }
        // Lambda considers an extension started when it polls for an event. No event ever comes.
        let started = async {
            let mut extension = extension?;
            if let Err(error) = extension.next().await {
                tracing::warn!(%error, "the Extensions API does not respond");
            }
            None::<()>
        };
        let (never, _) = tokio::join!(self.cloudwatch.keep_sending(self.interval, AWAKE_WITHIN), started);
        match never {}
    }

    /// Sends the remaining distributions, after the SIGTERM at this moment.
    pub(crate) async fn at_the_end(&self, terminated: Instant) {
        self.cloudwatch.send(SENT_WITHIN.saturating_sub(terminated.elapsed())).await;
    }

    /// Sends after responses. Until the extension polls for its next event, Lambda neither freezes
    /// the environment nor sends the next invocation.
    async fn after_answers(&self, mut extension: Option<Extension>, invocations: &Invocations) -> FatalError {
        let schedule = Schedule::new(self.interval);
        loop {
            let time_left = match &mut extension {
                None => {
                    invocations.next_end().await;
                    Duration::MAX
                }
                Some(registered) => {
                    let Ok(invoked) = registered.next().await else {
                        return FatalError::new(
                            "the Extensions API does not respond. The process ends, and Lambda starts another: \
                             without polls of the extension every invocation would last until its timeout",
                        );
                    };
                    invocations.end_of(&invoked.request_id).await;
                    invoked.time_left()
                }
            };
            if schedule.is_due() {
                self.cloudwatch.send(time_left.saturating_sub(TO_END).min(ASLEEP_WITHIN)).await;
            }
        }
    }
}

/// The longest call on classic Lambda, where the environment waits for it. This is enough to
/// connect from a small function. If CloudWatch cannot be reached, it is a thirtieth of the time.
const ASLEEP_WITHIN: Duration = Duration::from_secs(1);

/// The longest call on Managed Instances, where nothing waits for it.
const AWAKE_WITHIN: Duration = Duration::from_secs(5);

/// The end of the last call, after SIGTERM. Lambda gives a process with an internal extension 500
/// ms until SIGKILL. A small function needs the rest to print unsent distributions.
const SENT_WITHIN: Duration = Duration::from_millis(350);

/// The time between the end of a call and the deadline of the invocation. If the extension works
/// until the deadline, the invocation counts as timed out.
const TO_END: Duration = Duration::from_millis(200);
