//! The service over HTTP beside its own kernel in a bare loop on the same cores: what is lost between the two is the
//! service's, and the load generator's, which runs on those cores too.

mod callers;
mod raw;
mod report;
mod server;

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use saltern_algorithm::lanes_for_bench;

use crate::{arguments::HttpArguments, measure::median};

use callers::{Call, Offered};
use raw::{Raw, crates, lanes, libxcrypt};
use report::{Must, Report, Row};
use server::Server;

pub(crate) fn run(arguments: &HttpArguments) -> Result<(), Box<dyn Error>> {
    let bench = Bench { arguments, window: Duration::from_secs(arguments.seconds) };
    let rows = vec![
        bench.saturated("bcrypt-10, 16 callers, crates: of the raw loop", 10, 16, "crates", crates, 0.96)?,
        bench.saturated("bcrypt-4, 16 callers, crates: of the raw loop", 4, 16, "crates", crates, 0.88)?,
        bench.saturated("bcrypt-10, 64 callers, lanes: of the raw loop", 10, 64, "lanes", lanes, 0.96)?,
        bench.saturated(
            "bcrypt-10, 64 callers, lanes: of libxcrypt's limit",
            10,
            64,
            "lanes",
            libxcrypt,
            3.3,
        )?,
        bench.saturated(
            "bcrypt-4, 16 callers, lanes: of libxcrypt's limit",
            4,
            16,
            "lanes",
            libxcrypt,
            0.88,
        )?,
        bench.eight_callers()?,
    ];
    let overloads = [
        bench.overload("open loop, 5 x raw, crates", "crates", crates, 5.0, 0.95)?,
        bench.overload("open loop, 10 x raw, crates", "crates", crates, 10.0, 0.95)?,
        bench.overload("open loop, 10 x libxcrypt, lanes", "lanes", libxcrypt, 10.0, 3.1)?,
    ];
    let report =
        Report::new(arguments, rows.into_iter().chain(overloads.into_iter().flatten()).chain(bench.start()?));
    report.print();
    if let Some(file) = &arguments.json {
        report.write_json(file)?;
    }
    Ok(())
}

struct Bench<'a> {
    arguments: &'a HttpArguments,
    window: Duration,
}

impl Bench<'_> {
    /// Verifies a second over kept connections, divided by hashes a second of the bare loop.
    fn saturated(
        &self,
        what: &str,
        cost: u32,
        callers: usize,
        kernels: &str,
        raw: fn(u32) -> Result<Raw, Box<dyn Error>>,
        at_least: f64,
    ) -> Result<Row, Box<dyn Error>> {
        let raw = raw(cost)?;
        let server = Server::start(&self.arguments.server, kernels)?;
        let call = Call::verify(cost)?;
        let mut ratios = Vec::new();
        let mut rates = Vec::new();
        let mut raw_rates = Vec::new();
        for _ in 0..self.arguments.rounds {
            let before = raw.hashes_a_second(self.window / 2)?;
            let rate = callers::closed_loop(&server, &call, callers, self.window)?.rate;
            let after = raw.hashes_a_second(self.window / 2)?;
            let around = f64::midpoint(before, after);
            ratios.push(rate / around);
            rates.push(rate);
            raw_rates.push(around);
        }
        let note = format!("{:.0}/s of {:.0}/s", median(&rates), median(&raw_rates));
        Ok(Row::new(what, ratios, "x", Must::AtLeast(at_least), note))
    }

    /// What company costs: the median time of eight callers over that of one alone, on this many cores.
    fn eight_callers(&self) -> Result<Row, Box<dyn Error>> {
        let server = Server::start(&self.arguments.server, "lanes")?;
        let call = Call::verify(10)?;
        let mut ratios = Vec::new();
        let mut times = Vec::new();
        for _ in 0..self.arguments.rounds {
            let alone = callers::closed_loop(&server, &call, 1, self.window / 2)?.median_ms;
            let together = callers::closed_loop(&server, &call, 8, self.window / 2)?.median_ms;
            ratios.push(together / alone);
            times.push(together);
        }
        let note = format!("{:.1} ms", median(&times));
        Ok(Row::new("bcrypt-10, 8 callers, lanes: median of one alone", ratios, "x", Must::AtMost(1.4), note))
    }

    /// More callers than can be served, who do not wait for each other.
    fn overload(
        &self,
        what: &str,
        kernels: &str,
        raw: fn(u32) -> Result<Raw, Box<dyn Error>>,
        times: f64,
        at_least: f64,
    ) -> Result<[Row; 2], Box<dyn Error>> {
        let raw = raw(10)?;
        let server = Server::start(&self.arguments.server, kernels)?;
        let call = Call::verify_within(10, DEADLINE)?;
        let (mut goodput, mut refusals, mut late) = (Vec::new(), Vec::new(), 0);
        for _ in 0..self.arguments.rounds {
            let limit = raw.hashes_a_second(self.window / 2)?;
            let offered = Offered { rate: limit * times, deadline: DEADLINE, seconds: self.window };
            let seen = callers::open_loop(&server, &call, offered)
                .map_err(|error| format!("{what}, {:.0} a second: {error}", offered.rate))?;
            goodput.push(seen.goodput / limit);
            refusals.push(seen.median_refusal_ms);
            late += seen.late;
        }
        let note = format!("{late} answers came after their deadline");
        Ok([
            Row::new(&format!("{what}: answers in time"), goodput, "x", Must::AtLeast(at_least), note),
            Row::new(&format!("{what}: median refusal"), refusals, "ms", Must::AtMost(5.0), String::new()),
        ])
    }

    /// From the start of the process to its first answer, and what it then holds in memory.
    fn start(&self) -> Result<[Row; 2], Box<dyn Error>> {
        let (mut times, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..self.arguments.rounds {
            let start = Instant::now();
            let server = Server::start(&self.arguments.server, "lanes")?;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            thread::sleep(IDLE);
            memory.push(server.resident_mib()?);
        }
        Ok([
            Row::new("start to first answer", times, "ms", Must::AtMost(30.0), String::new()),
            Row::new("idle resident memory", memory, "MiB", Must::AtMost(16.0), String::new()),
        ])
    }
}

/// Of the open loops (issue 2).
const DEADLINE: Duration = Duration::from_secs(1);

/// After the first answer, before its memory is read.
const IDLE: Duration = Duration::from_millis(500);

/// How many hashes a worker of this machine computes at once.
fn lanes_a_core() -> usize {
    lanes_for_bench::bcrypt_lanes_that_fit_l1()
}
