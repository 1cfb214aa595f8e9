//! `saltern migrate-plan` over three million rows.

use core::error::Error;
use std::{
    env, fs,
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    arguments::ServiceArguments,
    figure::{Bound, Figure, Unit, Wanted},
};

/// Measures its time, with the measurement of each scheme, and its memory.
pub(crate) fn figures(arguments: &ServiceArguments) -> Result<[Figure; 2], Box<dyn Error>> {
    let table = env::temp_dir().join(format!("saltern-numbers-{}.hashes", std::process::id()));
    write_table(&table)?;
    let measured = measure(arguments, &table);
    fs::remove_file(&table)?;
    let (times, memory) = measured?;
    let note = format!("{} schemes in turn", ROWS_IN_TURN.len());
    Ok([
        Figure::new("`saltern migrate-plan`, 3,000,000 rows: time", TIME, times).with_note(note),
        Figure::new("`saltern migrate-plan`, 3,000,000 rows: most memory", MEMORY, memory),
    ])
}

fn measure(arguments: &ServiceArguments, table: &Path) -> Result<(Vec<f64>, Vec<f64>), Box<dyn Error>> {
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..arguments.rounds.get() {
        let started = Instant::now();
        let mut child = Command::new(&arguments.server)
            .args(["migrate-plan", "--json"])
            .arg(table)
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start ({error})", arguments.server.display()))?;
        memory.push(watch(&mut child)?);
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    Ok((times, memory))
}

/// Waits until the process ends and returns its highest resident memory, in MiB.
fn watch(child: &mut Child) -> Result<f64, Box<dyn Error>> {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    loop {
        // A process that has just ended has no such line in its status.
        if let Some(now) = fs::read_to_string(&status).ok().as_deref().and_then(high_water_mib) {
            most = now;
        }
        if let Some(ended) = child.try_wait()? {
            return if ended.success() { Ok(most) } else { Err(format!("it ended with {ended}").into()) };
        }
        thread::sleep(WATCH);
    }
}

fn high_water_mib(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

/// Writes rows of all schemes in turn. `migrate-plan` verifies no password, so salts and outputs
/// are arbitrary.
fn write_table(table: &Path) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(table)?);
    for row in 0..ROWS {
        writeln!(file, "{}", ROWS_IN_TURN[row % ROWS_IN_TURN.len()])?;
    }
    file.flush()?;
    Ok(())
}

const ROWS: usize = 3_000_000;

/// Rows of tables of old applications, and a row that is not a hash.
const ROWS_IN_TURN: [&str; 8] = [
    "$2y$10$abcdefghijklmnopqrstuuB7iyf6Ibck5HqfVSpmMMOd9EQ2rMGO2",
    "$2y$12$abcdefghijklmnopqrstuuB7iyf6Ibck5HqfVSpmMMOd9EQ2rMGO2",
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$pbkdf2-sha512$i=100000,l=32$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "pbkdf2_sha256$260000$seasalt0123456789abcde$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "{SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "{SHA}3EvVateGVQQa1aJk+74E1imN5KA=",
    "d41d8cd98f00b204e9800998ecf8427e",
];

const TIME: Wanted = Wanted::of(Unit::Ms, Bound::Below(5000.0));
const MEMORY: Wanted = Wanted::of(Unit::MiB, Bound::Below(100.0));

/// Between two readings of its memory.
const WATCH: Duration = Duration::from_millis(5);
