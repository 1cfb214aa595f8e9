//! The front door: an event comes in, an answer in the same shape goes out.

use core::convert::Infallible;
use std::{panic::catch_unwind, sync::Arc, time::Instant};

use lambda_runtime::{LambdaEvent, Runtime, service_fn};
use saltern_service::{Answer, Problem, Service};
use serde_json::value::RawValue;

use crate::{
    event::{self, Invocation, Unreadable},
    guard::Guard,
    refusal::Refusal,
    reply::Reply,
};

/// The service behind Lambda's Runtime API.
#[derive(Clone, Debug)]
pub(crate) struct Front(Arc<Service>);

impl Front {
    pub(crate) fn new(service: Service) -> Self {
        Self(Arc::new(service))
    }

    /// Polls for events and answers them, `AWS_LAMBDA_MAX_CONCURRENCY` at once. Ends only by a failure.
    pub(crate) async fn serve(self) -> Result<(), Refusal> {
        let handler = service_fn(move |event| self.clone().handle(event));
        // What the failure says may come from a header that a caller controls (`ClientContext`).
        Runtime::new(handler).layer(Guard).run_concurrent().await.map_err(|_unsaid| {
            Refusal::new("the Runtime API cannot be reached, or sent what is no invocation")
        })
    }

    /// Total: an error that reached the runtime would be logged and sent out in a form that is not ours.
    async fn handle(self, event: LambdaEvent<Box<RawValue>>) -> Result<Reply, Infallible> {
        let invocation = Invocation::of(&event.context, Instant::now());
        let answer = self.answer(event.payload, &invocation).await;
        // After the answer Lambda freezes the process: the line goes out before.
        answer.outcome.log();
        Ok(Reply::new(answer.response))
    }

    async fn answer(&self, event: Box<RawValue>, invocation: &Invocation) -> Answer {
        // A fault in the mapping becomes a 500 here; the runtime would send out the panic's message.
        let read = catch_unwind(|| event::read(&event, invocation));
        drop(event);
        match read {
            Ok(Ok(request)) => self.0.answer(request).await,
            Ok(Err(Unreadable { headers, problem })) => self.0.refuse(&headers, problem),
            Err(_panic) => self.0.refuse(&invocation.headers(), Problem::internal()),
        }
    }
}
