//! A running `saltern serve`, on a port that the system chose. A debug build computes its policies
//! in milliseconds.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read},
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::OwnedFd,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    output: Arc<Mutex<String>>,
}

impl Server {
    /// Starts a server with two workers.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    /// Starts a server with this tokens file.
    pub(crate) fn with_tokens(tokens: &str, arguments: &[&str]) -> Self {
        let tokens = file("tokens", tokens);
        Self::start(&[&["--tokens-file", tokens.to_str().unwrap()], arguments].concat())
    }

    /// Starts a server with further environment variables.
    pub(crate) fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = command(arguments);
        command.envs(environment.iter().copied());
        Self::spawn(command)
    }

    /// Starts a server with this limit on open files, soft and hard.
    pub(crate) fn start_with_open_files(files: u32, arguments: &[&str]) -> Self {
        Self::spawn(with_open_files(files, &command(arguments)))
    }

    /// Starts a server that writes to these outputs.
    pub(crate) fn start_writing_to(stdout: Stdio, stderr: Stdio) -> Self {
        Self::start_unheard(|mut command| {
            command.stdout(stdout).stderr(stderr);
            command
        })
    }

    /// Starts a server whose standard output is closed.
    pub(crate) fn start_without_output() -> Self {
        Self::start_unheard(|command| in_shell("exec \"$0\" \"$@\" >&-", &command))
    }

    /// Starts a server on a port that was free: its log does not tell.
    fn start_unheard(prepare: impl FnOnce(Command) -> Command) -> Self {
        let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let mut command = prepare(command(&["--listen", &free.to_string()]));
        let child = command.args(["--log-format", "json", "--workers", "2"]).spawn().unwrap();
        let server = Self { child, address: free, output: Arc::default() };
        until(|| TcpStream::connect(free).ok()).expect("the server should listen");
        server
    }

    /// Starts a server by this command.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command
            .args(["--log-format", "json", "--workers", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Arc::new(Mutex::new(String::new()));
        collect(child.stdout.take().unwrap(), &output);
        collect(child.stderr.take().unwrap(), &output);
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), output };
        let started = server.line("serving");
        // A socket file has no address.
        if let Ok(address) = started["address"].as_str().unwrap().parse() {
            server.address = address;
        }
        server
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the output so far.
    pub(crate) fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    /// Returns the lines of JSON so far.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.output().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits for the first line with this message.
    pub(crate) fn line(&self, message: &str) -> Value {
        until(|| self.lines().into_iter().find(|line| line["message"] == message))
            .unwrap_or_else(|| panic!("no line says {message}:\n{}", self.output()))
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits for the end of the server.
    pub(crate) fn end(&mut self) -> ExitStatus {
        until(|| self.child.try_wait().unwrap()).expect("the server should have ended")
    }

    /// Returns the processor time of the server so far.
    pub(crate) fn cpu(&self) -> Duration {
        saltern_stubs::process::processor_time(self.child.id()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
    }
}

/// Returns the command `saltern serve`, on a port that the system chooses unless the arguments have
/// `--listen`. The server has patience with a test that is late: a test of a timeout sets its own.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = saltern();
    command.arg("serve").arg("--policies").arg(policies());
    for timeout in ["FIRST_BYTE", "HEADER", "BODY", "ANSWER"] {
        command.env(format!("SALTERN_{timeout}_TIMEOUT_MS"), PATIENCE.as_millis().to_string());
    }
    if !arguments.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.args(arguments);
    command
}

/// Returns the command in a shell that lowers the limit on open files.
pub(crate) fn with_open_files(files: u32, command: &Command) -> Command {
    in_shell(&format!("ulimit -n {files} && exec \"$0\" \"$@\""), command)
}

/// Returns the command in a shell that passes a socket as systemd does (`sd_listen_fds(3)`).
pub(crate) fn with_socket(socket: OwnedFd, command: &Command) -> Command {
    let pass = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$0\" \"$@\" 3<&0 </dev/null";
    let mut shell = in_shell(pass, command);
    shell.stdin(socket);
    shell
}

fn in_shell(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// Returns the command `saltern` without settings from the environment of the test.
pub(crate) fn saltern() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltern"));
    let own = std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("SALTERN_"));
    own.for_each(|name| {
        command.env_remove(name);
    });
    command
}

/// Writes a file of this test run and returns its path.
pub(crate) fn file(name: &str, content: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!("{}-{number}-{name}", std::process::id()));
    fs::write(&path, content).unwrap();
    path
}

/// Repeats the function until it returns a value, for a bounded time.
pub(crate) fn until<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Returns the shipped document with cheap policies. bcrypt-4 is current; the others take
/// measurable time.
fn policies() -> PathBuf {
    let mut document: Value = serde_json::from_str(SHIPPED).unwrap();
    let bcrypt = |cost: u32| {
        json!({
            "id": format!("bcrypt-{cost}"), "algorithm": "bcrypt", "cost": cost, "status": "active",
            "rationale": "quick enough for tests", "source": "none",
        })
    };
    let least_iterations = document["floors"]["pbkdf2_iterations"]["min"].clone();
    document["policies"] = json!([
        bcrypt(8),
        bcrypt(10),
        bcrypt(12),
        {
            "id": "argon2id-small", "algorithm": "argon2id", "memory_kib": 1024, "passes": 1, "parallelism": 1,
            "status": "active", "rationale": "quick enough for tests", "source": "none",
        },
        bcrypt(4),
        {
            "id": PBKDF2_AT_ITS_FLOOR, "algorithm": "pbkdf2-sha512", "iterations": least_iterations,
            "status": "active", "rationale": "quick enough for a thousand a second", "source": "none",
        },
    ]);
    for floor in document["floors"].as_object_mut().unwrap().values_mut() {
        floor["min"] = json!(0);
    }
    document["current"] = json!("bcrypt-4");
    document["decoy"] = json!("bcrypt-4");
    document.as_object_mut().unwrap().remove("$schema");
    file("policies.json", &document.to_string())
}

fn collect(stream: impl Read + Send + 'static, output: &Arc<Mutex<String>>) {
    let output = Arc::clone(output);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let mut output = output.lock().unwrap();
            output.push_str(&line.unwrap());
            output.push('\n');
        }
    });
}

/// The policy with the fewest iterations that the shipped floor admits. It stands after the current
/// one, so a match is not replaced.
pub(crate) const PBKDF2_AT_ITS_FLOOR: &str = "pbkdf2-floor";

/// The longest wait for what must come. It only ends a test that hangs, also on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

const SHIPPED: &str = include_str!("../../../policy/policies.json");
