//! A process that polls, started as Lambda starts `bootstrap`.

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
    /// When the process was asked for.
    pub started: Instant,
}

/// What a process has left behind.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output, as text.
    pub stdout: String,
    /// Its standard error, as text.
    pub stderr: String,
}

impl Environment {
    /// Starts a command, program first, with the variables that Lambda sets and those given, and no others.
    ///
    /// # Errors
    /// [`io::Error`] where it cannot be started.
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
        let stdout = child.stdout.take().map(gather);
        let stderr = child.stderr.take().map(gather);
        Ok(Self { child, stdout, stderr, started })
    }

    /// Whether the process still runs.
    ///
    /// # Errors
    /// [`io::Error`] where the system does not say.
    pub fn is_running(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Stops it as Lambda does between two invocations.
    ///
    /// # Errors
    /// [`io::Error`] where it has ended.
    pub fn freeze(&self) -> io::Result<()> {
        self.signal(Signal::STOP)
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// [`io::Error`] where it has ended.
    pub fn thaw(&self) -> io::Result<()> {
        self.signal(Signal::CONT)
    }

    /// Tells it that it will be ended, as Lambda does where it has an extension.
    ///
    /// # Errors
    /// [`io::Error`] where it has ended.
    pub fn terminate(&self) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    /// The process's number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Ends the process and gives what it wrote.
    ///
    /// # Errors
    /// [`io::Error`] where the system does not end it.
    pub fn stop(mut self) -> io::Result<Output> {
        self.child.kill()?;
        self.gathered()
    }

    /// Waits until the process ends by itself; [`io::ErrorKind::TimedOut`] where it does not.
    ///
    /// # Errors
    /// [`io::Error`], also where the time ran out.
    pub fn wait(mut self, timeout: Duration) -> io::Result<Output> {
        let deadline = Instant::now() + timeout;
        while self.is_running()? {
            if Instant::now() >= deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.gathered()
    }

    fn gathered(&mut self) -> io::Result<Output> {
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

/// Reads to the end beside the test: a full pipe would stop the process.
fn gather(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a failure is kept.
        let _broken = from.read_to_end(&mut bytes);
        bytes
    })
}
