//! Tracks the running invocations, and the invocation that ended last.

use core::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use lambda_runtime::{LambdaInvocation, Service, tower::Layer};
use tokio::sync::watch;

/// Watches the runtime. An invocation ends when Lambda has its response, not before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invocations(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    running: usize,
    ended: u64,
    last_ended: String,
}

impl Invocations {
    /// Waits for the end of an invocation. The caller starts no other invocation in the meantime.
    pub(crate) async fn end_of(&self, request_id: &str) {
        self.wait_for(|state| state.last_ended == request_id).await;
    }

    /// Waits for the next end of any invocation.
    pub(crate) async fn next_end(&self) {
        let ended = self.0.borrow().ended;
        self.wait_for(|state| state.ended != ended).await;
    }

    /// Waits until no invocation is running.
    pub(crate) async fn none_running(&self) {
        self.wait_for(|state| state.running == 0).await;
    }

    async fn wait_for(&self, reached: impl FnMut(&State) -> bool) {
        let mut state = self.0.subscribe();
        // The sender lives as long as `self`, so the channel is open.
        drop(state.wait_for(reached).await);
    }
}

impl<S> Layer<S> for Invocations {
    type Service = Watched<S>;

    fn layer(&self, inner: S) -> Watched<S> {
        Watched { inner, invocations: self.clone() }
    }
}

/// A watched runtime.
#[derive(Clone)]
pub(crate) struct Watched<S> {
    inner: S,
    invocations: Invocations,
}

impl<S> Service<LambdaInvocation> for Watched<S>
where
    S: Service<LambdaInvocation>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, invocation: LambdaInvocation) -> Self::Future {
        let running = Running::begin(&self.invocations, &invocation.context.request_id);
        let call = self.inner.call(invocation);
        Box::pin(async move {
            let result = call.await;
            drop(running);
            result
        })
    }
}

/// A running invocation. Dropping it ends the invocation, also if the invocation fails.
struct Running {
    invocations: Invocations,
    request_id: String,
}

impl Running {
    fn begin(invocations: &Invocations, request_id: &str) -> Self {
        invocations.0.send_modify(|state| state.running += 1);
        Self { invocations: invocations.clone(), request_id: request_id.to_owned() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.invocations.0.send_modify(|state| {
            state.running -= 1;
            state.ended += 1;
            state.last_ended = core::mem::take(&mut self.request_id);
        });
    }
}
