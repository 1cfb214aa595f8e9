//! Real processes of `bootstrap`, one for each environment, behind a stub of the Runtime API.

use core::time::Duration;
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use http::request::Parts;
use saltern_stubs::lambda::{Ended, Environment, Invocation, RuntimeApi};
use tokio::task::spawn_blocking;

use crate::function::Function;
use saltern_program::Failure;

use super::{
    event,
    function_url::{Answered, bad_gateway},
};

#[derive(Debug)]
pub(crate) struct Real {
    bootstrap: PathBuf,
    variables: Vec<(&'static str, String)>,
    processes: Mutex<HashMap<u32, Arc<Process>>>,
}

#[derive(Debug)]
struct Process {
    api: RuntimeApi,
    /// Ends with the process.
    _environment: Environment,
}

impl Real {
    pub(crate) fn new(
        bootstrap: &Path,
        policies: Option<&Path>,
        function: &Function,
    ) -> Result<Self, Failure> {
        let absolute = |path: &Path| {
            fs::canonicalize(path).map_err(|error| {
                Failure::configuration(format!("{} cannot be read ({error})", path.display()))
            })
        };
        let bootstrap = absolute(bootstrap).map_err(|failure| {
            Failure::configuration(format!(
                "{failure}: build it with cargo build --release --package saltern-lambda"
            ))
        })?;
        let mut variables = vec![
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", function.memory_mb.to_string()),
            ("SALTERN_KERNELS", function.kernels.name().to_owned()),
        ];
        if let Some(policies) = policies {
            variables.push(("SALTERN_POLICIES", absolute(policies)?.display().to_string()));
        }
        if let Some(managed) = function.managed {
            variables.push(("AWS_LAMBDA_MAX_CONCURRENCY", managed.requests_at_once.to_string()));
        }
        Ok(Self { bootstrap, variables, processes: Mutex::default() })
    }

    /// Starts the process of an environment and waits for its first poll.
    pub(super) async fn start(&self, environment: u32) -> io::Result<()> {
        let (bootstrap, variables) = (self.bootstrap.clone(), self.variables.clone());
        let started = spawn_blocking(move || Process::start(&bootstrap, &variables)).await;
        let process = started.map_err(io::Error::other).and_then(|started| started)?;
        self.processes().insert(environment, Arc::new(process));
        Ok(())
    }

    /// Ends the process of an environment.
    pub(super) fn stop(&self, environment: u32) {
        let process = self.processes().remove(&environment);
        // Ending a process blocks for a moment.
        spawn_blocking(move || drop(process));
    }

    pub(super) async fn answer(
        &self,
        environment: u32,
        is_cold: bool,
        parts: &Parts,
        body: &[u8],
    ) -> Answered {
        if is_cold && self.start(environment).await.is_err() {
            return Answered { response: bad_gateway(), run: Duration::ZERO };
        }
        let began = Instant::now();
        let process = self.processes().get(&environment).map(Arc::clone);
        let event = event::of(parts, body).to_string();
        let ended =
            spawn_blocking(move || process?.api.invoke(Invocation::new(event)).wait(FUNCTION_TIMEOUT)).await;
        let answer = match ended {
            Ok(Some(Ended::Response(reply))) => event::answer(&reply),
            _ => None,
        };
        Answered { response: answer.unwrap_or_else(bad_gateway), run: began.elapsed() }
    }

    fn processes(&self) -> MutexGuard<'_, HashMap<u32, Arc<Process>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    fn start(bootstrap: &Path, variables: &[(&'static str, String)]) -> io::Result<Self> {
        let api = RuntimeApi::start()?;
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let environment = Environment::start(&[bootstrap.into()], &api, &variables)?;
        match api.first_poll(TO_START) {
            Some(_) => Ok(Self { api, _environment: environment }),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "bootstrap did not poll for events")),
        }
    }
}

/// The limit of Lambda for a start.
const TO_START: Duration = Duration::from_secs(10);

/// Longer than the longest deadline of a caller.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(70);
