//! Runs the streams of an HTTP/2 connection.

use std::sync::Arc;

use hyper::rt::Executor;
use tokio::{sync::Notify, task_local};

/// Runs each stream as a task. A stream that is evicted ends, and the HTTP/2 crate resets it.
#[derive(Clone)]
pub(super) struct Streams;

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let evicted = Arc::<Notify>::default();
        // In a box, so that the task does not hold it twice.
        let stream = Box::pin(stream);
        let until_evicted = {
            let evicted = Arc::clone(&evicted);
            async move {
                tokio::select! {
                    biased;
                    () = stream => {}
                    () = evicted.notified() => {}
                }
            }
        };
        tokio::spawn(EVICTED.scope(evicted, until_evicted));
    }
}

/// Returns what tells that the stream that calls this is evicted. A request of HTTP/1 is never told,
/// so it is not evicted.
pub(super) fn eviction() -> Arc<Notify> {
    EVICTED.try_with(Arc::clone).unwrap_or_default()
}

task_local! {
    static EVICTED: Arc<Notify>;
}
