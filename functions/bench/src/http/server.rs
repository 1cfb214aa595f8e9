//! One `saltern serve`.

use core::error::Error;
use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts it and returns with its first answer. Its lines go to a file, as a service manager's would.
    pub(crate) fn start(binary: &Path, kernels: &str) -> Result<Self, Box<dyn Error>> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log =
            std::env::temp_dir().join(format!("saltern-bench-{}-{}.log", std::process::id(), address.port()));
        let child = Command::new(binary)
            .args(["serve", "--kernels", kernels, "--listen", &address.to_string()])
            .stdout(File::create(&log)?)
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| {
                format!("{} does not start ({error}): cargo build --release", binary.display())
            })?;
        let mut server = Self { child, address, log };
        server.await_first_answer()?;
        Ok(server)
    }

    /// `VmRSS`, in MiB.
    pub(crate) fn resident_mib(&self) -> Result<f64, Box<dyn Error>> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(kib.trim().trim_end_matches(" kB").parse::<f64>()? / KIB_PER_MIB)
    }

    /// CPU time of all its threads since its start.
    pub(crate) fn cpu_time(&self) -> io::Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name, in parentheses, may hold anything; after it come the fields from the third on (proc_pid_stat(5)).
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
        let ticks = fields.skip(UTIME_FIELD - 3).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>();
        let ticks = ticks.map_err(io::Error::other)?;
        Ok(Duration::from_secs(1) * ticks / TICKS_PER_SECOND)
    }

    fn await_first_answer(&mut self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        loop {
            if let Ok(mut stream) = TcpStream::connect(self.address) {
                stream.write_all(b"GET /health HTTP/1.1\r\nHost: saltern\r\nConnection: close\r\n\r\n")?;
                let mut answer = String::new();
                stream.read_to_string(&mut answer)?;
                return if answer.starts_with("HTTP/1.1 200 ") { Ok(()) } else { Err(answer.into()) };
            }
            if let Some(ended) = self.child.try_wait()? {
                return Err(format!("the server ended with {ended}").into());
            }
            if start.elapsed() > TO_START {
                return Err("the server does not answer".into());
            }
            thread::sleep(BETWEEN_ATTEMPTS);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
        let _is_gone = fs::remove_file(&self.log);
    }
}

/// `utime`, the first of two: `stime` follows.
const UTIME_FIELD: usize = 14;

/// `USER_HZ`, which Linux fixes for user space.
pub(super) const TICKS_PER_SECOND: u32 = 100;

const KIB_PER_MIB: f64 = 1024.0;
const TO_START: Duration = Duration::from_secs(10);
const BETWEEN_ATTEMPTS: Duration = Duration::from_micros(200);
