//! The time to start, and the memory when idle.

use core::{error::Error, time::Duration};
use std::{fs, io, thread, time::Instant};

use saltern_stubs::lambda::{Environment, RuntimeApi};

use super::super::{
    arguments::ServiceArguments,
    figure::{Bound, Figure, Unit, Wanted},
};

use super::{LANES, server::Server};

/// Measures the time from the start of `saltern serve` to its first response, and its memory when
/// idle.
pub(super) fn server(arguments: &ServiceArguments) -> Result<[Figure; 2], Box<dyn Error>> {
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..arguments.rounds.get() {
        let start = Instant::now();
        let server = Server::start(&arguments.server, LANES)?;
        times.push(milliseconds(start.elapsed()));
        thread::sleep(IDLE);
        memory.push(server.resident_mib()?);
    }
    Ok([
        Figure::new("`saltern serve`: start to first answer", FIRST_ANSWER, times),
        Figure::new("`saltern serve`: idle resident memory", IDLE_MEMORY, memory),
    ])
}

/// Measures the time from the start of `bootstrap` to its first poll of a local Runtime API.
pub(super) fn bootstrap(arguments: &ServiceArguments) -> Result<Figure, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..arguments.rounds.get() {
        let api = RuntimeApi::start()?;
        let environment = Environment::start(&[arguments.bootstrap.clone().into()], &api, &[])
            .map_err(|error| format!("{} does not start ({error})", arguments.bootstrap.display()))?;
        let first_poll = api.first_poll(TO_POLL).ok_or("bootstrap does not poll")?;
        times.push(milliseconds(first_poll.saturating_duration_since(environment.started)));
        environment.stop()?;
    }
    Ok(Figure::new("`bootstrap`: start to first poll of a local Runtime API", FIRST_POLL, times))
}

/// Returns the size of the zip for Lambda. `make package` builds it, which takes longer than this
/// run.
pub(super) fn zip(arguments: &ServiceArguments) -> Figure {
    let what = "arm64 zip for Lambda";
    match fs::metadata(&arguments.zip) {
        #[allow(clippy::cast_precision_loss, reason = "a few million")]
        Ok(metadata) => Figure::new(what, ZIP, vec![metadata.len() as f64 / BYTES_PER_MB]),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Figure::not_measured(what, ZIP, "the file is missing: run `make package`")
        }
        Err(error) => Figure::not_measured(what, ZIP, &error.to_string()),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

const FIRST_ANSWER: Wanted = Wanted::of(Unit::Ms, Bound::Below(30.0));
const IDLE_MEMORY: Wanted = Wanted::of(Unit::MiB, Bound::Below(16.0));
const FIRST_POLL: Wanted = Wanted::of(Unit::Ms, Bound::Below(15.0));
const ZIP: Wanted = Wanted::of(Unit::Mb, Bound::Below(5.0));

/// Between the first response and the reading of the memory.
const IDLE: Duration = Duration::from_millis(500);

const TO_POLL: Duration = Duration::from_secs(10);
const BYTES_PER_MB: f64 = 1.0e6;
