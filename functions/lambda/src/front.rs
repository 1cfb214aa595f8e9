//! The front door: an event comes in, an answer in the same shape goes out.

use core::{convert::Infallible, pin::pin};
use std::{
    panic::catch_unwind,
    sync::Arc,
    time::{Duration, Instant},
};

use lambda_runtime::{LambdaEvent, Runtime, service_fn};
use saltern_service::{Problem, Service};
use serde_json::value::RawValue;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{sleep, timeout},
};

use crate::{
    calibration::Calibration,
    event::{self, Invocation, Unreadable},
    guard::Guard,
    invocations::Invocations,
    refusal::Refusal,
    reply::Reply,
    sending::Sending,
};

/// The service behind Lambda's Runtime API.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    service: Arc<Service>,
    /// Where calibrate events are answered.
    calibration: Option<Arc<Calibration>>,
}

impl Front {
    pub(crate) fn new(service: Service, calibration: Option<Calibration>) -> Self {
        Self { service: Arc::new(service), calibration: calibration.map(Arc::new) }
    }

    /// Polls for events and answers them, `AWS_LAMBDA_MAX_CONCURRENCY` at once. Ends by a failure, or by SIGTERM.
    ///
    /// # Errors
    /// [`Refusal`], where one of Lambda's APIs does not answer any more.
    pub(crate) async fn serve(self, sending: Option<Sending>) -> Result<(), Refusal> {
        let handler = service_fn(move |event| self.clone().handle(event));
        let invocations = Invocations::default();
        let serving = Runtime::new(handler).layer(Guard).layer(invocations.clone()).run_concurrent();
        let mut serving = pin!(async {
            // What the failure says may come from a header that a caller controls (`ClientContext`).
            serving.await.map_err(|_unsaid| {
                Refusal::new("the Runtime API cannot be reached, or sent what is no invocation")
            })
        });
        let Some(sending) = sending else { return serving.await };
        let mut terminate = signal(SignalKind::terminate())
            .map_err(|error| Refusal::new(format!("the system passes no signals on ({error})")))?;
        let extension = sending.register().await;
        let end = tokio::select! {
            biased;
            ended = &mut serving => return ended,
            refusal = sending.beside(extension, &invocations) => Err(refusal),
            _ = terminate.recv() => Ok(()),
        };
        let told = Instant::now();
        // One that is under way may still be answered, and counted. One that came with the signal has yet to be read.
        let last_answer = async {
            for _ in 0..TURNS_TO_READ {
                sleep(TURN).await;
            }
            invocations.none_running().await;
        };
        tokio::select! {
            biased;
            ended = serving => return ended,
            _late = timeout(LAST_ANSWER_WITHIN, last_answer) => {}
        }
        sending.at_the_end(told).await;
        end
    }

    /// Total: an error that reached the runtime would be logged and sent out in a form that is not ours.
    async fn handle(self, event: LambdaEvent<Box<RawValue>>) -> Result<Reply, Infallible> {
        let invocation = Invocation::of(&event.context, Instant::now());
        // Its line is printed with its metrics: after the answer Lambda freezes the process.
        Ok(self.answer(event.payload, &invocation).await)
    }

    async fn answer(&self, event: Box<RawValue>, invocation: &Invocation) -> Reply {
        // A fault in the mapping becomes a 500 here; the runtime would send out the panic's message.
        let read = catch_unwind(|| event::read(&event, invocation));
        // Only what is no request may be a calibrate event.
        if let (Ok(Err(_)), Some(calibration)) = (&read, &self.calibration)
            && let Some(question) = Calibration::question(&event)
        {
            return Reply::Calibrated(calibration.reply(question, invocation.not_after()).await);
        }
        drop(event);
        let answer = match read {
            Ok(Ok(request)) => self.service.answer(request).await,
            Ok(Err(Unreadable { headers, problem })) => {
                self.service.refuse(&headers, problem, invocation.arrival())
            }
            Err(_panic) => {
                self.service.refuse(&invocation.headers(), Problem::internal(), invocation.arrival())
            }
        };
        Reply::Http(answer.response)
    }
}

/// From SIGTERM on, of the 500 ms that Lambda gives. The sending has what is then left of its time.
const LAST_ANSWER_WITHIN: Duration = Duration::from_millis(150);

/// Turns of the event loop from an event that lies in the socket to the handler, with room. Turns are counted, since on a
/// busy core a time may be over before there was one.
const TURNS_TO_READ: u32 = 5;

/// What Lambda has sent is there; this only lets others run.
const TURN: Duration = Duration::from_millis(1);
