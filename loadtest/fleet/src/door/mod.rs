//! The door: a Function URL on this machine, in front of the model or of real processes.

mod control;
mod event;
mod function_url;
pub(crate) mod model;
pub(crate) mod real;
mod sigv4;
#[cfg(test)]
mod tests;

use core::{convert::Infallible, future::Future, time::Duration};
use std::{
    fs, io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use saltern_capacity::{Durations, Limits};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    time::sleep,
};

use crate::{
    arguments::{Auth, ServeArguments},
    documents,
    function::Function,
    ledger::{Ledger, Series},
    moment::Moment,
    plan,
    platform::Platform,
    progress::progress,
    spread::Spread,
};
use saltern_program::{Failure, say};

use model::Model;
use real::Real;

/// `saltern-fleet serve`.
pub(crate) fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    let runtime = runtime()?;
    let ended = runtime.block_on(serve(arguments));
    // Does not wait for processes that still answer.
    runtime.shutdown_timeout(Duration::ZERO);
    ended
}

/// Returns a runtime with one thread. A request takes microseconds, and the load generator needs
/// the other cores.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("no event loop can be started ({error})")))
}

async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let function = arguments.function.function()?;
    let behind = behind(arguments, &function)?;
    let (listening, controlling) = (listen(arguments.listen).await?, listen(arguments.control).await?);
    let interrupted = signals()?;
    let door = Door::open(function, arguments.auth, behind).await?;
    let serving = tokio::spawn(accept(listening.0, Arc::clone(&door), Door::answer));
    let answering = tokio::spawn(accept(controlling.0, Arc::clone(&door), control::answer));
    say(&format!("listening on http://{}, control on http://{}\n", listening.1, controlling.1))?;
    interrupted.await;
    serving.abort();
    door.until_all_are_answered().await;
    answering.abort();
    let series = door.series();
    if let Some(file) = &arguments.series {
        let text = serde_json::to_string(&series).map_err(|error| Failure::system(error.to_string()))?;
        fs::write(file, text + "\n")
            .map_err(|error| Failure::system(format!("{} cannot be written ({error})", file.display())))?;
    }
    let totals = &series.totals;
    let throttled: u64 = totals.throttled.values().sum();
    progress(&format!(
        "{} requests: {} answered, {} refused, {throttled} throttled; {} at once at most, {} cold starts; $ {:.4}; {:.1} s of CPU here",
        totals.requested,
        totals.answered,
        totals.refused,
        totals.concurrency,
        totals.cold_starts,
        totals.usd,
        totals.cpu_seconds,
    ));
    Ok(())
}

fn behind(arguments: &ServeArguments, function: &Function) -> Result<Behind, Failure> {
    if let Some(bootstrap) = &arguments.real {
        return Ok(Behind::Real(Real::new(bootstrap, arguments.policies.as_deref(), function)?));
    }
    let policies = documents::policies(arguments.policies.as_deref())?;
    let users = documents::users(arguments.pool.as_deref())?;
    let own = arguments.durations.as_deref().map(plan::durations).transpose()?;
    let durations = own.unwrap_or_else(|| Durations::documented().clone());
    let model = Model::new(policies, users, durations, Spread::measured().clone(), arguments.seed)?;
    Ok(Behind::Model(Box::new(model)))
}

/// The function behind its URL.
#[derive(Debug)]
pub(crate) struct Door {
    fleet: Mutex<Fleet>,
    opened: Instant,
    function: Function,
    auth: Auth,
    behind: Behind,
}

/// The state that changes with every request.
#[derive(Debug)]
struct Fleet {
    platform: Platform,
    ledger: Ledger,
}

/// The source of the answers.
#[derive(Debug)]
pub(crate) enum Behind {
    Model(Box<Model>),
    Real(Real),
}

impl Door {
    pub(crate) async fn open(function: Function, auth: Auth, behind: Behind) -> Result<Arc<Self>, Failure> {
        let platform = Platform::new(&function, Limits::documented(), 1);
        if let Behind::Real(real) = &behind {
            for environment in platform.started_ahead() {
                real.start(environment).await.map_err(|error| Failure::system(error.to_string()))?;
            }
        }
        let ledger = Ledger::new(&function, 1);
        let fleet = Mutex::new(Fleet { platform, ledger });
        Ok(Arc::new(Self { fleet, opened: Instant::now(), function, auth, behind }))
    }

    /// Returns the series until now.
    pub(crate) fn series(&self) -> Series {
        self.fleet().ledger.series(self.now())
    }

    fn now(&self) -> Moment {
        Moment::START + self.opened.elapsed()
    }

    fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all answers, at most [`PATIENCE`].
    async fn until_all_are_answered(&self) {
        let began = Instant::now();
        while self.fleet().ledger.are_under_way() && began.elapsed() < PATIENCE {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Serves connections until the end of the task.
pub(crate) async fn accept<F, A>(socket: TcpListener, door: Arc<Door>, answer: F)
where
    F: Fn(Arc<Door>, Request<Incoming>) -> A + Copy + Send + 'static,
    A: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    loop {
        let Ok((stream, _)) = socket.accept().await else {
            // The process has no free file. Connections can end during the wait.
            sleep(AFTER_A_FAILED_ACCEPT).await;
            continue;
        };
        // Each answer is one write, so a delay would only add time.
        let _late = stream.set_nodelay(true);
        let door = Arc::clone(&door);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let answered = answer(Arc::clone(&door), request);
                async move { Ok::<_, Infallible>(answered.await) }
            });
            // A broken connection needs no action.
            let _broken = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

pub(crate) async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let unavailable = |error: io::Error| {
        Failure::system(format!(
            "cannot listen on {address} ({error}): stop the process that uses it, or choose another address"
        ))
    };
    let socket = TcpListener::bind(address).await.map_err(unavailable)?;
    let address = socket.local_addr().map_err(unavailable)?;
    Ok((socket, address))
}

/// Returns a future that ends with the first SIGINT or SIGTERM.
fn signals() -> Result<impl Future<Output = ()>, Failure> {
    let listen =
        |kind| signal(kind).map_err(|error| Failure::system(format!("cannot handle signals ({error})")));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

const AFTER_A_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// Longer than the deadline of most callers.
const PATIENCE: Duration = Duration::from_secs(10);
