//! A running `saltern serve`.

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

use saltern_meter::process_time_of;

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts the server and waits for its first response. Its log goes to a file, as under a
    /// service manager.
    pub(crate) fn start(binary: &Path, arguments: &[&str]) -> Result<Self, Box<dyn Error>> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = std::env::temp_dir().join(format!(
            "saltern-numbers-{}-{}.log",
            std::process::id(),
            address.port()
        ));
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
        server.await_first_response()?;
        Ok(server)
    }

    /// Returns the resident memory in MiB (`VmRSS`).
    pub(crate) fn resident_mib(&self) -> Result<f64, Box<dyn Error>> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(kib.trim().trim_end_matches(" kB").parse::<f64>()? / KIB_PER_MIB)
    }

    /// Returns the CPU time of all its threads since its start.
    pub(crate) fn cpu_time(&self) -> io::Result<Duration> {
        process_time_of(self.child.id())
    }

    fn await_first_response(&mut self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        loop {
            if let Ok(mut stream) = TcpStream::connect(self.address) {
                stream.write_all(b"GET /health HTTP/1.1\r\nHost: saltern\r\nConnection: close\r\n\r\n")?;
                let mut response = String::new();
                stream.read_to_string(&mut response)?;
                return if response.starts_with("HTTP/1.1 200 ") { Ok(()) } else { Err(response.into()) };
            }
            if let Some(ended) = self.child.try_wait()? {
                return Err(format!("the server ended with {ended}").into());
            }
            if start.elapsed() > TO_START {
                return Err("the server does not respond".into());
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

const KIB_PER_MIB: f64 = 1024.0;
const TO_START: Duration = Duration::from_secs(10);
const BETWEEN_ATTEMPTS: Duration = Duration::from_micros(200);
