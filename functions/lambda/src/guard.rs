//! Keeps events that are not JSON from the Lambda runtime.

use core::task::{Context, Poll};

use lambda_runtime::{LambdaInvocation, Service, tower::Layer};
use serde_json::value::RawValue;

/// Replaces an event that is not JSON by `null`, which [`event::read`](crate::event::read) refuses
/// with a 400.
///
/// Without the guard the runtime itself answers such an event, with serde's message in the log and
/// in the response. An event that is not UTF-8 can end the process. The runtime also accepts an
/// event with trailing bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard;

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded(inner)
    }
}

/// A runtime behind the guard.
#[derive(Clone)]
pub(crate) struct Guarded<S>(S);

impl<S: Service<LambdaInvocation>> Service<LambdaInvocation> for Guarded<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut invocation: LambdaInvocation) -> S::Future {
        if serde_json::from_slice::<&RawValue>(&invocation.body).is_err() {
            invocation.body = NOT_AN_EVENT.into();
        }
        self.0.call(invocation)
    }
}

const NOT_AN_EVENT: &[u8] = b"null";
