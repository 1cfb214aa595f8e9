//! The service as an AWS Lambda function. This file only composes: settings, policies, workers,
//! service, run.
//!
//! The function answers Function URL events, and the same events sent by a direct `Invoke`. If
//! `AWS_LAMBDA_MAX_CONCURRENCY` is above 1 (Managed Instances), the function polls for this number
//! of events at the same time.

#![forbid(unsafe_code)]

mod cloudwatch;
mod event;
mod extension;
mod fatal_error;
mod function_size;
mod guard;
mod handler;
mod invocations;
mod log;
mod payload;
mod policies;
mod publisher;
mod secrets;
mod settings;

use std::{env, io, process::ExitCode, sync::Arc};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use saltern_pool::{Pool, PoolSettings, Workers};
use saltern_seal::Keys;
use saltern_service::Service;
use tokio::runtime::{Builder, Runtime};

pub use function_size::FunctionSize;

use cloudwatch::{CloudWatch, Emf};
use fatal_error::FatalError;
use handler::Handler;
use publisher::Publisher;
use secrets::Secrets;
use settings::{Distributions, Settings};

/// Serves until Lambda ends the process. With the argument `--check` it only checks the settings.
#[must_use]
pub fn run() -> ExitCode {
    run_with(Pool::start)
}

/// Serves as [`run`] does, with the workers that `start` makes of the settings.
#[must_use]
pub fn run_with<W: Workers>(start: impl FnOnce(&PoolSettings) -> io::Result<W>) -> ExitCode {
    saltern_service::install_panic_hook("bootstrap");
    log::start();
    let is_check = env::args_os().nth(1).is_some_and(|argument| argument == CHECK);
    let result = if is_check { check() } else { serve(start) };
    result.map_or_else(|error| error.print(), |()| ExitCode::SUCCESS)
}

fn serve<W: Workers>(start: impl FnOnce(&PoolSettings) -> io::Result<W>) -> Result<(), FatalError> {
    keep_memory_private()?;
    let runtime = runtime()?;
    let started = runtime.block_on(Secrets::read(|name| env::var_os(name))).and_then(|secrets| {
        let Secrets { firebase_project, seal_keys } = secrets;
        compose(Settings::read(|name| env::var_os(name), firebase_project)?, seal_keys, start)
    });
    let result = match started {
        Ok((handler, sending)) => runtime.block_on(handler.serve(sending)),
        Err(error) => {
            runtime.block_on(error.report());
            Err(error)
        }
    };
    // A DNS lookup that still runs must not delay the end.
    runtime.shutdown_background();
    result
}

/// Checks the policy document against the function's settings, as at the start, without its
/// secrets. `package` uses this.
fn check() -> Result<(), FatalError> {
    let settings = Settings::read(|name| env::var_os(name), None)?;
    settings.describe()
}

fn compose<W: Workers>(
    settings: Settings,
    seal_keys: Option<Keys>,
    start: impl FnOnce(&PoolSettings) -> io::Result<W>,
) -> Result<(Handler<W>, Option<Publisher>), FatalError> {
    let Settings {
        policies,
        pool,
        upgrades,
        blocklist,
        function,
        starts_cold,
        is_always_awake,
        distributions,
        ..
    } = settings;
    if pool.holders < pool.workers {
        tracing::warn!(
            at_once = pool.holders,
            workers = pool.workers,
            "fewer hashes in memory at once than workers: increase the function's memory"
        );
    }
    let workers = start(&pool)
        .map_err(|error| FatalError::new(format!("the system cannot start a hashing thread ({error})")))?;
    let service = Service::new(policies, workers).with_upgrades(upgrades).with_blocklist(blocklist);
    let service = if starts_cold { service.with_cold_start() } else { service };
    if let Some(keys) = seal_keys {
        let (current, required) = (keys.current(), keys.requires_seal());
        tracing::info!(
            seal_key = current.id(),
            check_value = current.check_value(),
            seal_required = required,
            "sealed hashes"
        );
        service.install_keys(keys);
    }
    let emf = Emf::new(function.clone(), io::stdout());
    let Distributions::Sent { region, interval } = distributions else {
        let service = service.with_sink(Arc::new(emf.with_distributions()));
        return Ok((Handler::new(service), None));
    };
    let cloudwatch = Arc::new(CloudWatch::new(region, function, io::stdout()));
    let service = service.with_sink(Arc::new(emf)).with_sink(Arc::<CloudWatch>::clone(&cloudwatch));
    Ok((Handler::new(service), Some(Publisher { cloudwatch, interval, is_always_awake })))
}

/// Keeps other processes from reading this process's memory: extensions run as the same user in the
/// same environment.
fn keep_memory_private() -> Result<(), FatalError> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| FatalError::new(format!("the memory of this process cannot be protected ({error})")))
}

/// Builds an event loop on one thread. Reading and writing an event takes microseconds, and the
/// threads of the pool compute the hashes.
fn runtime() -> Result<Runtime, FatalError> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| FatalError::new(format!("the system cannot start an event loop ({error})")))
}

/// The argument that checks the settings and then ends.
const CHECK: &str = "--check";
