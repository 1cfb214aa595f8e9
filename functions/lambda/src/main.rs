//! `bootstrap`: the service as an AWS Lambda function. Composition only: settings, policies, workers, service, run.
//!
//! It answers Function URL events, and the same events sent by a direct `Invoke`; where it is told to, calibrate events too. With `AWS_LAMBDA_MAX_CONCURRENCY`
//! above 1 (Managed Instances) it polls for as many events at once.

#![forbid(unsafe_code)]

mod calibration;
mod event;
mod extension;
mod front;
mod guard;
mod invocations;
mod log;
mod policies;
mod refusal;
mod reply;
mod sending;
mod settings;

use std::{alloc::System, env, io, process::ExitCode, sync::Arc};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use saltern_algorithm::Pool;
use saltern_cloudwatch::{CloudWatch, Emf};
use saltern_service::Service;
use tokio::runtime::{Builder, Runtime};
use zeroizing_alloc::ZeroAlloc;

use calibration::Calibration;
use front::Front;
use refusal::Refusal;
use sending::Sending;
use settings::{Distributions, Settings};

/// Wipes every buffer that is freed: an event passes through buffers of the HTTP client and of the Lambda runtime,
/// which do not.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    saltern_service::install_panic_hook("bootstrap");
    log::start();
    let asked_to_check = env::args_os().nth(1).is_some_and(|argument| argument == CHECK);
    let ended = if asked_to_check { check() } else { run() };
    ended.map_or_else(|refusal| refusal.tell(), |()| ExitCode::SUCCESS)
}

/// Starts the function and serves until Lambda ends it.
fn run() -> Result<(), Refusal> {
    keep_memory_private()?;
    let runtime = runtime()?;
    let ended = match Settings::read(|name| env::var_os(name)).and_then(compose) {
        Ok((front, sending)) => runtime.block_on(front.serve(sending)),
        Err(refusal) => {
            runtime.block_on(refusal.report());
            Err(refusal)
        }
    };
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    ended
}

/// Holds the policy document against the function's settings, as at start-up, and ends. `package` calls it.
fn check() -> Result<(), Refusal> {
    let settings = Settings::read(|name| env::var_os(name))?;
    settings.describe()
}

fn compose(settings: Settings) -> Result<(Front, Option<Sending>), Refusal> {
    let calibration = settings
        .answers_calibrate
        .then(|| Calibration::new(settings.policies.clone(), settings.pool.clone(), settings.memory_mb));
    let Settings { policies, pool, function, starts_cold, is_always_awake, distributions, .. } = settings;
    let pool = Pool::start(&pool)
        .map_err(|error| Refusal::new(format!("the system gives no thread to hash on ({error})")))?;
    let service = Service::new(policies, pool);
    let service = if starts_cold { service.with_cold_start() } else { service };
    let emf = Emf::new(function.clone(), io::stdout());
    let Distributions::Sent { region, interval } = distributions else {
        let service = service.with_sink(Arc::new(emf.with_distributions()));
        return Ok((Front::new(service, calibration), None));
    };
    let cloudwatch = Arc::new(CloudWatch::new(region, function, io::stdout()));
    let service = service.with_sink(Arc::new(emf)).with_sink(Arc::<CloudWatch>::clone(&cloudwatch));
    Ok((Front::new(service, calibration), Some(Sending { cloudwatch, interval, is_always_awake })))
}

/// Extensions run as the same user in the same environment: they shall not read this process's memory.
fn keep_memory_private() -> Result<(), Refusal> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| Refusal::new(format!("this process cannot be kept from being dumped ({error})")))
}

/// One thread: an event is read and written in microseconds, and hashes are computed by the pool's own threads.
fn runtime() -> Result<Runtime, Refusal> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Refusal::new(format!("the system gives no event loop ({error})")))
}

/// The argument that asks for nothing but the check of the settings.
const CHECK: &str = "--check";
