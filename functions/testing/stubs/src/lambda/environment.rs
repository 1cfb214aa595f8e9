//! A process that polls the Runtime API, started as Lambda starts `bootstrap`.

use std::{
    ffi::OsString,
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::RuntimeApi;

/// A running `bootstrap`. Dropping it ends the process.
#[derive(Debug)]
pub struct Environment {
    child: Child,
    stdout: Option<thread::JoinHandle<Vec<u8>>>,
    stderr: Option<thread::JoinHandle<Vec<u8>>>,
    /// The moment before the process was created.
    pub started: Instant,
}

/// The exit status and the output of a process.
#[derive(Debug)]
pub struct Output {
    /// The exit status.
    pub status: ExitStatus,
    /// The standard output, as text.
    pub stdout: String,
    /// The standard error, as text.
    pub stderr: String,
}

impl Environment {
    /// Starts a command, program first. Its environment has the variables that Lambda sets and the
    /// given ones, and no others.
    ///
    /// # Errors
    /// [`io::Error`] if it cannot be started.
    pub fn start(command: &[OsString], api: &RuntimeApi, variables: &[(&str, &str)]) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", api.address().to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "saltern")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "1769")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().map(read);
        let stderr = child.stderr.take().map(read);
        Ok(Self { child, stdout, stderr, started })
    }

    /// Whether the process is still running.
    ///
    /// # Errors
    /// [`io::Error`] if the system does not return the status.
    pub fn is_running(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Stops the process, as Lambda does between two invocations.
    ///
    /// # Errors
    /// [`io::Error`] if the process has ended.
    pub fn freeze(&self) -> io::Result<()> {
        self.signal(Signal::STOP)
    }

    /// Continues a frozen process.
    ///
    /// # Errors
    /// [`io::Error`] if the process has ended.
    pub fn thaw(&self) -> io::Result<()> {
        self.signal(Signal::CONT)
    }

    /// Sends SIGTERM, as Lambda does before it ends a process with an extension.
    ///
    /// # Errors
    /// [`io::Error`] if the process has ended.
    pub fn terminate(&self) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Ends the process with SIGKILL, and returns its output.
    ///
    /// # Errors
    /// [`io::Error`] if the system cannot end the process.
    pub fn stop(mut self) -> io::Result<Output> {
        self.child.kill()?;
        self.output()
    }

    /// Waits until the process ends, and returns its output.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if the process still runs after the timeout; any other
    /// [`io::Error`] if the system does not return the status.
    pub fn wait(mut self, timeout: Duration) -> io::Result<Output> {
        let deadline = Instant::now() + timeout;
        while self.is_running()? {
            if Instant::now() >= deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.output()
    }

    fn output(&mut self) -> io::Result<Output> {
        let status = self.child.wait()?;
        let text = |thread: Option<thread::JoinHandle<Vec<u8>>>| {
            let bytes = thread.and_then(|thread| thread.join().ok()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(Output { status, stdout: text(self.stdout.take()), stderr: text(self.stderr.take()) })
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// Reads to the end on a thread, since a full pipe would stop the process.
fn read(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The bytes before a failure are kept.
        let _broken = from.read_to_end(&mut bytes);
        bytes
    })
}
