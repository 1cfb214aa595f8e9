//! A running `saltern serve`, and the figures of starts.

use core::error::Error;
use std::{
    fs::{self, File},
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::compare::others::process_time_of;
use saltern_stubs::{
    http::{Client, request},
    lambda::{Environment, RuntimeApi},
};

use super::super::{
    arguments::ServiceArguments,
    bounds::{FIRST_ANSWER, FIRST_POLL, IDLE_MEMORY, LANES_MODE, ZIP},
    figure::Figure,
};

pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts the server and waits for its first response. Its log goes to a file, as under a
    /// service manager.
    pub(crate) fn start(binary: &Path, arguments: &[&str]) -> Result<Self, Box<dyn Error>> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = format!("saltern-numbers-{}-{}.log", std::process::id(), address.port());
        let log = std::env::temp_dir().join(log);
        let child = Command::new(binary)
            .args(["serve", "--listen", &address.to_string()])
            .args(arguments)
            .stdout(File::create(&log)?)
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| {
                format!("{} does not start ({error}): cargo build --release", binary.display())
            })?;
        let mut server = Self { child, address, log };
        let start = Instant::now();
        let mut client = loop {
            if let Ok(client) = server.connect() {
                break client;
            }
            if let Some(ended) = server.child.try_wait()? {
                return Err(format!("the server ended with {ended}").into());
            }
            if start.elapsed() > TO_START {
                return Err("the server does not respond".into());
            }
            thread::sleep(BETWEEN_ATTEMPTS);
        };
        let health = client.send(&request("GET", "/health", &[], b""))?;
        if health.status == 200 { Ok(server) } else { Err(format!("/health: {}", health.status).into()) }
    }

    pub(crate) fn connect(&self) -> io::Result<Client<TcpStream>> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Client::new(stream))
    }

    /// Returns the CPU time of all its threads since its start.
    pub(crate) fn cpu_time(&self) -> io::Result<Duration> {
        process_time_of(self.child.id())
    }

    /// Returns the resident memory in MiB (`VmRSS`).
    fn resident_mib(&self) -> Result<f64, Box<dyn Error>> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(kib.trim().trim_end_matches(" kB").parse::<f64>()? / KIB_PER_MIB)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
        let _is_gone = fs::remove_file(&self.log);
    }
}

/// Measures the times from the start of the programs to their first response and their first poll,
/// and the memory of an idle server.
pub(super) fn starts(arguments: &ServiceArguments, rounds: usize) -> Result<[Figure; 4], Box<dyn Error>> {
    let (mut answers, mut memory, mut polls) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let server = Server::start(&arguments.server, LANES_MODE)?;
        answers.push(start.elapsed().as_secs_f64() * 1000.0);
        thread::sleep(IDLE);
        memory.push(server.resident_mib()?);
        drop(server);

        let api = RuntimeApi::start()?;
        let environment = Environment::start(&[arguments.bootstrap.clone().into()], &api, &[])
            .map_err(|error| format!("{} does not start ({error})", arguments.bootstrap.display()))?;
        let first_poll = api.first_poll(TO_START).ok_or("bootstrap does not poll")?;
        polls.push(first_poll.saturating_duration_since(environment.started).as_secs_f64() * 1000.0);
        environment.stop()?;
    }
    Ok([
        Figure::new("`saltern serve`: start to first answer", FIRST_ANSWER, &answers),
        Figure::new("`saltern serve`: idle resident memory", IDLE_MEMORY, &memory),
        Figure::new("`bootstrap`: start to first poll of a local Runtime API", FIRST_POLL, &polls),
        zip(&arguments.zip),
    ])
}

/// Returns the size of the zip for Lambda. `make package` builds it, which takes longer than this
/// run.
fn zip(file: &Path) -> Figure {
    let what = "arm64 zip for Lambda";
    match fs::metadata(file) {
        #[allow(clippy::cast_precision_loss, reason = "a few million")]
        Ok(metadata) => Figure::new(what, ZIP, &[metadata.len() as f64 / BYTES_PER_MB]),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Figure::not_measured(what, ZIP, "the file is missing: run `make package`")
        }
        Err(error) => Figure::not_measured(what, ZIP, &error.to_string()),
    }
}

const BYTES_PER_MB: f64 = 1.0e6;
const KIB_PER_MIB: f64 = 1024.0;
const TO_START: Duration = Duration::from_secs(10);
const BETWEEN_ATTEMPTS: Duration = Duration::from_micros(200);

/// Between the first response and the reading of the memory.
const IDLE: Duration = Duration::from_millis(500);

/// Longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(30);
