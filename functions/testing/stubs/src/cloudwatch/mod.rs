//! A stub of CloudWatch's `PutMetricData` on the loopback interface, for tests.
//!
//! It decodes the bytes of the protocol without the SDK that encoded them, and fails on demand. The
//! protocol is Smithy RPC v2: CBOR over HTTP/1.1, with gzip for long bodies.

mod wire;

use std::{io, sync::Arc, time::Duration};

use crate::{
    http::{Request, Response, Stub},
    watched::Watched,
};
pub use wire::{Call, Datum};

/// How the stub treats calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// Accepts calls.
    #[default]
    Accepts,
    /// Refuses calls, with a `ThrottlingException`.
    Throttles,
    /// Reads calls and sends no response.
    NeverResponds,
    /// Accepts calls, and closes the connection before the response.
    AcceptsAndDisconnects,
}

/// The server. Dropping it closes its port.
#[derive(Debug)]
pub struct CloudWatch {
    shared: Arc<Watched<State>>,
    stub: Stub,
}

#[derive(Debug, Default)]
struct State {
    behaviour: Behaviour,
    calls: Vec<Call>,
    faults: Vec<String>,
    is_closed: bool,
}

impl CloudWatch {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start(behaviour: Behaviour) -> io::Result<Self> {
        let shared = Arc::<Watched<State>>::default();
        shared.lock().behaviour = behaviour;
        let serving = Arc::clone(&shared);
        let stub = Stub::start(move |request| match record(&request, &serving) {
            Behaviour::Accepts => Some(Response::new(200, &PROTOCOL, wire::EMPTY)),
            Behaviour::Throttles => Some(Response::new(400, &PROTOCOL, wire::THROTTLED)),
            Behaviour::AcceptsAndDisconnects => None,
            Behaviour::NeverResponds => {
                serving.wait(Duration::MAX, |state| state.is_closed.then_some(()));
                None
            }
        })?;
        Ok(Self { shared, stub })
    }

    /// Returns the value for `AWS_ENDPOINT_URL_CLOUDWATCH`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.stub.endpoint()
    }

    /// Returns the received calls, in their order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// Waits for this number of calls. Returns `false` after the timeout.
    #[must_use]
    pub fn has_calls(&self, wanted: usize, timeout: Duration) -> bool {
        self.shared.wait(timeout, |state| (state.calls.len() >= wanted).then_some(())).is_some()
    }

    /// Returns the violations of the protocol in the received requests.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared.lock().faults.clone()
    }
}

impl Drop for CloudWatch {
    fn drop(&mut self) {
        self.shared.change(|state| state.is_closed = true);
    }
}

/// Records a call before the response, so that a test finds it as soon as the client has the
/// response.
fn record(request: &Request, shared: &Watched<State>) -> Behaviour {
    let read = wire::read(request);
    shared.change(|state| {
        match read {
            Ok(call) => {
                let acknowledged = state.behaviour == Behaviour::Accepts;
                state.calls.push(Call { acknowledged, ..call });
            }
            Err(fault) => state.faults.push(fault),
        }
        state.behaviour
    })
}

/// The headers of every response of the protocol.
const PROTOCOL: [(&str, &str); 2] =
    [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
