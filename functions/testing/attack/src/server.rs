//! A running `saltern serve`, on a port that the system chose.

use std::{
    collections::HashSet,
    error::Error,
    fs,
    io::{BufRead as _, BufReader},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit, setrlimit};
use serde_json::Value;
use tokio::{task::JoinHandle, time::sleep};

use crate::{
    cgroup::Cgroup,
    door::{Door, Identity},
    figure::Field,
    honest::ID_PREFIX,
};

pub(crate) struct Server {
    child: Child,
    pub(crate) door: Door,
    honest_ids: Arc<Mutex<HashSet<String>>>,
}

/// The settings of a server.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    pub(crate) arguments: &'a [&'a str],
    pub(crate) identity: Option<&'a Identity>,
    /// The names of callers with the scopes of their tokens. Without any, no request needs a token.
    pub(crate) tokens: &'a [(&'a str, &'a str)],
    pub(crate) cgroup: Option<&'a Cgroup>,
    /// The pause of the reader of the log after each line.
    pub(crate) pause_per_line: Duration,
}

impl Server {
    /// Starts a server and waits until it listens.
    pub(crate) async fn start(field: &Field, setup: &Setup<'_>) -> Result<Self, Box<dyn Error>> {
        let mut command = command(field, setup)?;
        let tls = setup.identity.map(Identity::connector).transpose()?;
        let door = Door::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), tls);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        // From here on an error ends the process.
        let mut server = Self { child, door, honest_ids: Arc::default() };
        let output = server.child.stdout.take().ok_or("no output")?;
        let started = read(output, Arc::clone(&server.honest_ids), setup.pause_per_line);
        let address = started.recv_timeout(PATIENCE).map_err(|_| "the server did not start")?;
        server.door.address = address.parse()?;
        sleep(SETTLE).await;
        Ok(server)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end.
    pub(crate) fn terminate(&self) -> Result<(), Box<dyn Error>> {
        let pid = Pid::from_raw(i32::try_from(self.child.id())?).ok_or("no process")?;
        Ok(kill_process(pid, Signal::TERM)?)
    }

    /// Waits for the end, and returns whether the status is that of a success.
    pub(crate) async fn ends_well(&mut self) -> bool {
        wait_until(PATIENCE, || self.has_ended()).await;
        self.child.try_wait().is_ok_and(|status| status.is_some_and(|status| status.success()))
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Returns the honest requests that the log names.
    pub(crate) fn logged(&self) -> usize {
        self.honest_ids.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the resident memory in MiB.
    pub(crate) fn resident_mib(&self) -> f64 {
        mib(resident_kib(self.child.id()))
    }

    /// Returns the open descriptors, if this user may see them.
    pub(crate) fn descriptors(&self) -> Option<usize> {
        Some(fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?.count())
    }

    /// Returns the processor time so far.
    pub(crate) fn processor_time(&self) -> Duration {
        saltern_stubs::process::processor_time(self.child.id()).unwrap_or_default()
    }

    /// Leaves the process this much address space beyond what it uses.
    pub(crate) fn leave_address_space(&self, bytes: u64) -> Result<(), Box<dyn Error>> {
        let used = status_kib(self.child.id(), "VmSize:").ok_or("the process has ended")? * 1024;
        let limit = Rlimit { current: Some(used + bytes), maximum: Some(used + bytes) };
        let pid = Pid::from_raw(i32::try_from(self.child.id())?);
        prlimit(pid, Resource::As, limit)?;
        Ok(())
    }

    /// Watches the resident memory until the watch ends.
    pub(crate) fn watch_memory(&self) -> MemoryWatch {
        let (pid, peak_kib) = (self.child.id(), Arc::new(AtomicU64::new(0)));
        let written = Arc::clone(&peak_kib);
        let task = tokio::spawn(async move {
            loop {
                written.fetch_max(resident_kib(pid), Ordering::Relaxed);
                sleep(BETWEEN_LOOKS).await;
            }
        });
        MemoryWatch { peak_kib, task }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
    }
}

/// Looks at the memory of a server again and again.
pub(crate) struct MemoryWatch {
    peak_kib: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl MemoryWatch {
    /// Ends the watch and returns the peak in MiB.
    pub(crate) fn end(self) -> f64 {
        self.task.abort();
        mib(self.peak_kib.load(Ordering::Relaxed))
    }
}

/// An honest caller and an attacker with the same rights.
pub(crate) const HONEST_AND_HOSTILE: &[(&str, &str)] = &[(HONEST, EVERY_SCOPE), (HOSTILE, EVERY_SCOPE)];

/// Memory for two hashes of the ceiling on each worker.
pub(crate) const ROOM_FOR_DEAR_HASHES: &[&str] = &["--memory-budget-mib", "1300"];

pub(crate) const HONEST: &str = "honest";
pub(crate) const HOSTILE: &str = "hostile";
pub(crate) const EVERY_SCOPE: &str = "hash,verify,metrics";

fn token(name: &str) -> String {
    format!("{name}-0123456789abcdef0123456789abcdef")
}

/// Returns the header line of the caller with this name.
pub(crate) fn bearer(name: &str) -> String {
    format!("Authorization: Bearer {}\r\n", token(name))
}

/// Writes a file of this run and returns its path.
pub(crate) fn file(name: &str, content: &str) -> std::io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = std::env::temp_dir().join(format!("saltern-attack-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{name}", COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::write(&path, content)?;
    Ok(path)
}

/// Allows this process as many connections as the system does.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let _stays = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

fn command(field: &Field, setup: &Setup<'_>) -> Result<Command, Box<dyn Error>> {
    // The shell joins the group and then becomes the server.
    let join = setup.cgroup.map(|group| format!("echo $$ > {} && ", group.processes().display()));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{}exec \"$0\" \"$@\"", join.unwrap_or_default())]).arg(&field.binary);
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]).args(setup.arguments);
    let settings = std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("SALTERN_"));
    settings.for_each(|name| {
        command.env_remove(name);
    });
    if let Some(Identity { certificate, key }) = setup.identity {
        command.arg("--tls-certificate").arg(certificate).arg("--tls-key").arg(key);
    }
    if !setup.tokens.is_empty() {
        let lines =
            setup.tokens.iter().map(|(name, scopes)| format!("{name} {scopes} never {}\n", token(name)));
        command.arg("--tokens-file").arg(file("tokens", &lines.collect::<String>())?);
    }
    Ok(command)
}

/// Reads the log: the address from its line at the start, then the ids of honest requests.
fn read(
    output: ChildStdout,
    honest_ids: Arc<Mutex<HashSet<String>>>,
    pause_per_line: Duration,
) -> mpsc::Receiver<String> {
    let (started, address) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if line.contains(r#""message":"serving""#) {
                let line: Value = serde_json::from_str(&line).unwrap_or_default();
                let _nobody_waits = started.send(line["address"].as_str().unwrap_or_default().to_owned());
            }
            if let Some(id) = line.split('"').find(|text| text.starts_with(ID_PREFIX)) {
                honest_ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
            }
            if !pause_per_line.is_zero() {
                thread::sleep(pause_per_line);
            }
        }
    });
    address
}

/// Returns the resident memory, of an ended process 0.
fn resident_kib(pid: u32) -> u64 {
    status_kib(pid, "VmRSS:").unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52 KiB")]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn status_kib(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Returns once the condition holds, or after this time.
pub(crate) async fn wait_until(longest: Duration, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() && begun.elapsed() < longest {
        sleep(BETWEEN_LOOKS).await;
    }
}

/// Long enough for the measurement at the start on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The memory of the start is given back, and threads sleep.
const SETTLE: Duration = Duration::from_millis(300);

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
