//! A stub of CloudWatch's `PutMetricData` on the loopback interface, for tests.
//!
//! It decodes the bytes of the protocol without the SDK that encoded them, and fails on demand. The
//! protocol is Smithy RPC v2: CBOR over HTTP/1.1, with gzip for long bodies.

mod wire;

use std::{
    io,
    net::{SocketAddr, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::http;
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
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl CloudWatch {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start(behaviour: Behaviour) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().behaviour = behaviour;
        let (accepting, serving) = (Arc::clone(&shared), Arc::clone(&shared));
        let is_closed = move || accepting.lock().closed;
        let address = http::listen("cloudwatch", is_closed, move |connection| serve(connection, &serving))?;
        Ok(Self { shared, address })
    }

    /// Returns the value for `AWS_ENDPOINT_URL_CLOUDWATCH`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how the stub treats calls from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        self.shared.lock().behaviour = behaviour;
    }

    /// Returns the received calls, in their order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// Waits for this number of calls. Returns `false` after the timeout.
    #[must_use]
    pub fn has_calls(&self, wanted: usize, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.lock();
        while state.calls.len() < wanted {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Returns the violations of the protocol in the received requests.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared.lock().faults.clone()
    }
}

impl Drop for CloudWatch {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // This wakes the accepting thread, which closes the port.
        let _refused = TcpStream::connect(self.address);
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    behaviour: Behaviour,
    calls: Vec<Call>,
    faults: Vec<String>,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = io::BufReader::new(connection);
    while let Some(request) = http::read(&mut reader)? {
        let behaviour = record(&request, shared);
        match behaviour {
            Behaviour::Accepts => http::write(connection, 200, &PROTOCOL, wire::EMPTY)?,
            Behaviour::Throttles => http::write(connection, 400, &PROTOCOL, wire::THROTTLED)?,
            Behaviour::AcceptsAndDisconnects => return Ok(()),
            Behaviour::NeverResponds => {
                let mut state = shared.lock();
                while !state.closed {
                    state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Records a call before the response, so that a test finds it as soon as the client has the
/// response.
fn record(request: &http::Request, shared: &Shared) -> Behaviour {
    let read = wire::read(request);
    let mut state = shared.lock();
    let behaviour = state.behaviour;
    match read {
        Ok(call) => state.calls.push(Call { acknowledged: behaviour == Behaviour::Accepts, ..call }),
        Err(fault) => state.faults.push(fault),
    }
    shared.changed.notify_all();
    behaviour
}

/// The headers of every response of the protocol.
const PROTOCOL: [(&str, &str); 2] =
    [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
