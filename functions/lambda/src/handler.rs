//! The front door: receives events and sends responses.

use core::{convert::Infallible, pin::pin};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use lambda_runtime::{LambdaEvent, Runtime, service_fn, tower::util::MapRequestLayer};
use saltern_pool::Workers;
use saltern_service::{Code, Problem, Service};
use serde_json::value::RawValue;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{sleep, timeout},
};

use crate::{
    event::{self, Invocation},
    fatal_error::FatalError,
    guard::guarded,
    invocations::Invocations,
    payload::Payload,
    publisher::Publisher,
};

/// The service behind Lambda's Runtime API.
#[derive(Debug)]
pub(crate) struct Handler<W> {
    service: Service<W>,
}

impl<W: Workers> Handler<W> {
    pub(crate) fn new(service: Service<W>) -> Self {
        Self { service }
    }

    /// Polls for events and answers them, `AWS_LAMBDA_MAX_CONCURRENCY` at the same time. Returns
    /// after SIGTERM if it sends distributions; else the signal ends the process.
    ///
    /// # Errors
    /// [`FatalError`] if one of Lambda's APIs does not respond.
    pub(crate) async fn serve(self, sending: Option<Publisher>) -> Result<(), FatalError> {
        let handler = Arc::new(self);
        let service = service_fn(move |event| Arc::clone(&handler).handle(event));
        let invocations = Invocations::default();
        let serving = Runtime::new(service)
            .layer(MapRequestLayer::new(guarded))
            .layer(invocations.clone())
            .run_concurrent();
        let mut serving = pin!(async {
            // The error may quote a header that the caller controls (`ClientContext`).
            serving.await.map_err(|_may_quote_input| {
                FatalError::new("the Runtime API cannot be reached, or it sent an invalid invocation")
            })
        });
        let Some(sending) = sending else { return serving.await };
        let mut terminate = signal(SignalKind::terminate())
            .map_err(|error| FatalError::new(format!("the system cannot deliver signals ({error})")))?;
        let extension = sending.register().await;
        let result = tokio::select! {
            biased;
            result = &mut serving => {
                sending.at_the_end(Instant::now()).await;
                return result;
            }
            error = sending.beside(extension, &invocations) => Err(error),
            _ = terminate.recv() => Ok(()),
        };
        let terminated = Instant::now();
        // A running request may still be answered and counted. An event that came together with the
        // signal has yet to be read.
        let last_response = async {
            for _ in 0..TURNS_TO_READ {
                sleep(TURN).await;
            }
            invocations.none_running().await;
        };
        tokio::select! {
            biased;
            _ended = serving => {}
            _timeout = timeout(LAST_RESPONSE_WITHIN, last_response) => {}
        }
        sending.at_the_end(terminated).await;
        result
    }

    /// Answers an event. It returns no errors: the runtime would log an error, and send it to the
    /// caller in a form outside the contract.
    async fn handle(self: Arc<Self>, event: LambdaEvent<Box<RawValue>>) -> Result<Payload, Infallible> {
        let invocation = Invocation::of(&event.context, Instant::now());
        // A sink prints the log line with the metrics before the response, after which Lambda freezes
        // the process.
        Ok(self.answer(event.payload, &invocation).await)
    }

    async fn answer(&self, event: Box<RawValue>, invocation: &Invocation) -> Payload {
        // A panic becomes a 500 here. The runtime would send the panic's message to the caller.
        // Unwind safety: reading an event changes nothing of the service.
        let read = catch_unwind(AssertUnwindSafe(|| event::read(&self.service, &event, invocation)));
        drop(event);
        let answer = match read {
            Ok(mut incoming) => self.service.answer(&mut incoming).await,
            Err(_panic) => self.service.refuse(&invocation.unread(), Problem::new(Code::Internal)),
        };
        Payload(answer.response)
    }
}

/// The latest end of a response after SIGTERM, of the 500 ms that Lambda gives. Publisher gets the
/// rest of its time.
const LAST_RESPONSE_WITHIN: Duration = Duration::from_millis(150);

/// The most turns of the event loop that an event takes from the socket to the handler. A time
/// would not work: on a busy core it could end before the first turn.
const TURNS_TO_READ: u32 = 5;

/// Lets the other tasks run for one turn. The event of Lambda is already in the socket.
const TURN: Duration = Duration::from_millis(1);
