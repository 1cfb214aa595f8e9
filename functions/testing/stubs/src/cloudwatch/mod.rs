//! CloudWatch as far as `PutMetricData` goes, on the loopback, for tests. It reads the protocol as it is on the wire
//! (smithy RPC v2: CBOR over HTTP/1.1, gzip where it is long) without the SDK that wrote it, and fails on demand.

mod wire;

use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::http;
pub use wire::{Call, Datum};

/// What becomes of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// They are taken.
    #[default]
    Takes,
    /// They are refused for being too many.
    Throttles,
    /// They are read and never answered.
    NeverAnswers,
    /// They are taken, and the connection ends before the answer.
    TakesAndHangsUp,
}

/// The server. Dropping it ends it: from then on connections are refused.
#[derive(Debug)]
pub struct CloudWatch {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl CloudWatch {
    /// Listens on a free port of the loopback.
    ///
    /// # Errors
    /// [`io::Error`] where there is none.
    pub fn start(behaviour: Behaviour) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        shared.lock().behaviour = behaviour;
        let accepting = Arc::clone(&shared);
        thread::Builder::new().name("cloudwatch".to_owned()).spawn(move || accept(&listener, &accepting))?;
        Ok(Self { shared, address })
    }

    /// What `AWS_ENDPOINT_URL_CLOUDWATCH` says.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on calls fare so.
    pub fn behave(&self, behaviour: Behaviour) {
        self.shared.lock().behaviour = behaviour;
    }

    /// The calls that have come, in their order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// Waits until so many calls have come; whether they have.
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

    /// What was on the wire and is not of the protocol.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared.lock().faults.clone()
    }
}

impl Drop for CloudWatch {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // Wakes the thread that accepts, which lets go of the port.
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

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.lock().closed {
            return;
        }
        let Ok(connection) = connection else { continue };
        let shared = Arc::clone(shared);
        let _handle = thread::spawn(move || {
            // A connection that breaks is the client's doing: it gave up, or ended.
            let _broken = serve(&connection, &shared);
        });
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = io::BufReader::new(connection);
    while let Some(request) = http::read(&mut reader)? {
        let behaviour = note(&request, shared);
        match behaviour {
            Behaviour::Takes => http::write(connection, 200, &PROTOCOL, wire::NOTHING)?,
            Behaviour::Throttles => http::write(connection, 400, &PROTOCOL, wire::THROTTLED)?,
            Behaviour::TakesAndHangsUp => return Ok(()),
            Behaviour::NeverAnswers => {
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

/// Notes a call before it is answered: who has the answer finds it noted.
fn note(request: &http::Request, shared: &Shared) -> Behaviour {
    let read = wire::read(request);
    let mut state = shared.lock();
    let behaviour = state.behaviour;
    match read {
        Ok(call) => state.calls.push(Call { acknowledged: behaviour == Behaviour::Takes, ..call }),
        Err(fault) => state.faults.push(fault),
    }
    shared.changed.notify_all();
    behaviour
}

/// The headers of every response of the protocol.
const PROTOCOL: [(&str, &str); 2] =
    [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
