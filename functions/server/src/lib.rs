//! `saltern serve`: the front door on any machine, HTTP/1.1 and HTTP/2.

mod address;
mod arguments;
mod bounds;
mod buffer;
mod connection;
pub mod document;
mod door;
mod drain;
mod exchange;
mod exposure;
mod failure;
mod file;
mod gate;
mod health;
mod lines;
mod listener;
mod local;
mod log;
mod machine;
mod output;
mod phase;
mod plain;
pub mod process;
#[cfg(test)]
mod residue;
mod room;
mod sending;
mod settings;
mod slots;
mod sniff;
mod socket;
mod socket_file;
mod streams;
mod supervisor;
mod tls;
mod tokens;
mod watch;
mod wire;

use std::{io, sync::Arc, time::Duration};

use saltern_pool::{Pool, PoolSettings, Workers};
use saltern_service::Service;
use tokio::runtime::Runtime;

pub use arguments::ServeArguments;
pub use failure::{EXIT_CODES, Failure, MISMATCH, exit_codes, read};
pub use health::{HealthArguments, health};
pub use machine::{DocumentArguments, KernelArguments, MachineArguments};
pub use output::say;

use door::Door;
use listener::Listener;
use log::{Log, RequestLines};
use settings::Settings;

/// Serves until a signal ends the process.
///
/// # Errors
/// [`Failure`] if a setting is invalid, if the system refuses a resource, or if the drain runs out
/// of time.
pub fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    run_with(arguments, Pool::start)
}

/// Serves as [`run`] does, with the workers that `start` makes of the settings.
///
/// # Errors
/// As [`run`].
pub fn run_with<W: Workers>(
    arguments: &ServeArguments,
    start: impl FnOnce(&PoolSettings) -> io::Result<W>,
) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let settings = Settings::read(arguments)?;
    let log = log::start(settings.log_format)?;
    let runtime = runtime()?;
    let ended = runtime.block_on(serve(settings, &log, start));
    // Do not wait for tasks that still run.
    runtime.shutdown_timeout(Duration::ZERO);
    ended
}

async fn serve<W: Workers>(
    mut settings: Settings,
    log: &Log,
    start: impl FnOnce(&PoolSettings) -> io::Result<W>,
) -> Result<(), Failure> {
    let listener = match settings.passed.take() {
        Some(passed) => Listener::adopt(passed, &settings.listen)?,
        None => Listener::bind(&settings.listen, settings.socket_mode)?,
    };
    let workers = start(&settings.pool).map_err(|error| {
        Failure::system(format!("cannot start a hashing thread ({error}): lower --workers"))
    })?;
    let mut signals = drain::Signals::listen()?;
    settings.log(listener.address());
    let Settings { policies, seal_keys, blocklist, upgrades, access, tls, bounds, drain, .. } = settings;
    let service = Service::new(policies, workers)
        .with_upgrades(upgrades)
        .with_blocklist(blocklist)
        .with_metrics(&log.dropped)
        .with_sink(Arc::new(RequestLines));
    let keys_file = seal_keys.map(|(file, keys)| {
        service.install_keys(keys);
        file
    });
    let door = Arc::new(Door::new(service, access, keys_file, tls, bounds));
    door.access.log_advice();
    let serving = listener.serve(Arc::clone(&door));
    supervisor::tell_ready();
    let read_again = || {
        supervisor::tell_reloading();
        door.read_again();
        supervisor::tell_ready();
    };
    signals.until_asked_to_end(read_again).await;
    supervisor::tell_stopping();
    door.service.begin_drain();
    serving.drain(drain, signals).await
}

fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(bounds::IO_THREADS)
        .thread_name("saltern-io")
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::system(format!("cannot start an I/O thread ({error}): raise the limit on threads"))
        })
}
