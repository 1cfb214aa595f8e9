//! A running `saltern serve`.

use core::error::Error;
use std::{
    fs::{self, File},
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use saltern_stubs::http::{Client, request};

pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts the server and waits for its first response. Its log goes to a file, as under a
    /// service manager.
    pub(crate) fn start(arguments: &[&str]) -> Result<Self, Box<dyn Error>> {
        let binary = std::env::current_exe()?.with_file_name("saltern");
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = format!("saltern-measure-{}-{}.log", std::process::id(), address.port());
        let log = std::env::temp_dir().join(log);
        let child = Command::new(&binary)
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

    /// Returns the processor time so far.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        saltern_stubs::process::processor_time(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
        let _is_gone = fs::remove_file(&self.log);
    }
}

const TO_START: Duration = Duration::from_secs(10);
const BETWEEN_ATTEMPTS: Duration = Duration::from_micros(200);

/// Longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(30);
