//! The door: a Function URL on this machine, in front of the model.

mod function_url;
mod kernel;
mod model;
#[cfg(test)]
mod tests;

use core::{convert::Infallible, time::Duration};
use std::{
    fs, io,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use saltern_server::{Failure, say};
use tokio::{
    net::TcpListener,
    signal::{
        ctrl_c,
        unix::{SignalKind, signal},
    },
    time::sleep,
};

use crate::{
    arguments::ServeArguments,
    documents,
    fleet::{Fleet, Series},
    function::Function,
};

use model::Model;

/// `saltern-fleet serve`.
pub(crate) fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    // One thread: a request takes microseconds, and the load generator needs the other cores.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("no event loop can be started ({error})")))?;
    runtime.block_on(serve(arguments))
}

async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    arguments.function.check()?;
    let model = Model::new(documents::policies(&arguments.policies)?, documents::users(&arguments.pool)?)?;
    let (socket, address) = listen(arguments.listen).await?;
    let mut terminated = signal(SignalKind::terminate())
        .map_err(|error| Failure::system(format!("cannot handle signals ({error})")))?;
    let door = Arc::new(Door::open(arguments.function.clone(), model));
    tokio::spawn(accept(socket, Arc::clone(&door)));
    say(&format!("listening on http://{address}\n"))?;
    tokio::select! {
        _ = terminated.recv() => {}
        _ = ctrl_c() => {}
    }
    arguments.series.as_ref().map_or(Ok(()), |file| write(file, &door.series()))
}

fn write(file: &Path, series: &Series) -> Result<(), Failure> {
    let text = serde_json::to_string(series).map_err(|error| Failure::system(error.to_string()))?;
    fs::write(file, text + "\n")
        .map_err(|error| Failure::system(format!("{} cannot be written ({error})", file.display())))
}

/// The function behind its URL.
#[derive(Debug)]
struct Door {
    fleet: Mutex<Fleet>,
    opened: Instant,
    function: Function,
    model: Model,
}

impl Door {
    fn open(function: Function, model: Model) -> Self {
        Self { fleet: Mutex::new(Fleet::new(&function)), opened: Instant::now(), function, model }
    }

    fn series(&self) -> Series {
        self.fleet().series(self.now())
    }

    /// Returns the time since the door was opened.
    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves connections until the end of the task.
async fn accept(socket: TcpListener, door: Arc<Door>) {
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
            let service = service_fn(move |request: Request<Incoming>| {
                let answered = Arc::clone(&door).answer(request);
                async move { Ok::<_, Infallible>(answered.await) }
            });
            // A broken connection needs no action.
            let _broken = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let unavailable = |error: io::Error| {
        Failure::system(format!(
            "cannot listen on {address} ({error}): stop the process that uses it, or choose another address"
        ))
    };
    let socket = TcpListener::bind(address).await.map_err(unavailable)?;
    let address = socket.local_addr().map_err(unavailable)?;
    Ok((socket, address))
}

const AFTER_A_FAILED_ACCEPT: Duration = Duration::from_millis(100);
