//! `saltern-fleet validate`: compares the model with real processes on this machine, at loads
//! within its capacity.
//!
//! The model uses durations measured on this machine before each turn. So the comparison does not
//! include differences between machines or times. Each turn gives a ratio, and the median of the
//! turns must be within the limits. Other programs that run for some seconds affect only a turn or
//! two.

use core::{fmt::Write as _, time::Duration};
use std::{collections::BTreeMap, sync::Arc};

use saltern_algorithm::Kernels;
use saltern_capacity::{Architecture, Durations};
use saltern_meter::{Machine, median, quantile};
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep_until},
};

use crate::{
    arguments::{Auth, ValidateArguments},
    caller::{Caller, Heard},
    documents::{self, User, Users},
    door::{Behind, Door, accept, listen, model::Model, real::Real, runtime},
    function::Function,
    progress::progress,
    spread::{Spread, others_until_now, share_of_others},
};
use saltern_program::{Failure, say};

pub(crate) fn run(arguments: &ValidateArguments) -> Result<(), Failure> {
    let runtime = runtime()?;
    let ended = runtime.block_on(validate(arguments));
    runtime.shutdown_timeout(Duration::from_secs(5));
    ended
}

async fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    let others = others_until_now()?;
    let mut sides = Sides::calibrated(arguments).await?;
    let mut table = format!(
        "Made by `saltern-fleet validate --policy {} --seconds {} --rounds {}` on {} cores of {}. A process takes {:.0} ms to start. {}\n\n| load | | real | model | model / real | in each turn | limits |\n|---|---|---|---|---|---|---|\n",
        arguments.policy,
        arguments.seconds,
        arguments.rounds,
        documents::cores(),
        Machine::this().cpu,
        sides.cold_start_ms,
        sides.timed_in_words()?,
    );
    let mut holds = true;
    for load in &LOADS {
        progress(load.name);
        holds &= sides.compare(load, &mut table).await?;
    }
    let others = 100.0 * share_of_others(&others)?;
    say(&format!("{table}\nOther processes took {others:.0} % of the cores meanwhile.\n"))?;
    let differs = "the model and the real processes differ by more than the limits: repeat the comparison on an idle machine";
    if holds { Ok(()) } else { Err(Failure::system(differs)) }
}

/// A load.
struct Load {
    name: &'static str,
    /// The utilisation of the cores, or of the reserved environments.
    utilisation: f64,
    reserved: Option<u32>,
    batch: usize,
}

/// Requests are evenly spaced and never exceed the number of cores, because on Lambda each has a
/// virtual CPU.
const LOADS: [Load; 4] = [
    Load { name: "a quarter of the cores", utilisation: 0.25, reserved: None, batch: 1 },
    Load { name: "three quarters of the cores", utilisation: 0.75, reserved: None, batch: 1 },
    Load { name: "batches of 4, half of the cores", utilisation: 0.5, reserved: None, batch: 4 },
    // Batches, because with short requests the limit on the rate would throttle more than the limit
    // on the concurrency.
    Load {
        name: "1.5 times the capacity of one reserved environment, batches of 16",
        utilisation: 1.5,
        reserved: Some(1),
        batch: 16,
    },
];

/// Both sides of the comparison.
struct Sides<'a> {
    arguments: &'a ValidateArguments,
    users: Users,
    user: User,
    /// The measured times by the number of hashes in a request.
    timed: BTreeMap<usize, Timed>,
    cold_start_ms: f64,
    /// The time of a request beyond its hash: the door, the Runtime API and the process.
    door_ms: f64,
}

/// The times of requests sent one at a time.
struct Timed {
    median_ms: f64,
    /// Relative to the times of `durations.json`.
    spread: Spread,
}

#[derive(Clone, Copy)]
enum Side {
    Model,
    Real,
}

/// The answers to a load in a turn.
#[derive(Default)]
struct Seen {
    /// The times of answers, sorted.
    answered_ms: Vec<f64>,
    throttled: u32,
}

impl<'a> Sides<'a> {
    /// Measures starts and hashes of real processes, one at a time.
    async fn calibrated(arguments: &'a ValidateArguments) -> Result<Self, Failure> {
        let users = documents::users(Some(&arguments.pool))?;
        let user = users.users.iter().find(|user| user.policy == arguments.policy).cloned();
        let user = user.ok_or_else(|| {
            let pool = arguments.pool.display();
            Failure::configuration(format!("{pool} has no user under {}", arguments.policy))
        })?;
        let mut sides =
            Self { arguments, users, user, timed: BTreeMap::new(), cold_start_ms: 0.0, door_ms: 0.0 };
        progress("measuring starts and hashes");
        let (mut starts, mut warm, mut door) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..CALIBRATION_STARTS {
            let opened = sides.open(Side::Real, None, 1).await?;
            starts.push(milliseconds(opened.ask(1, &sides.user).await?.took));
            for _ in 0..CALIBRATION_REQUESTS {
                let heard = opened.ask(1, &sides.user).await?;
                let took = milliseconds(heard.took);
                door.push(took - hash_ms(&heard)?);
                warm.push(took);
            }
        }
        sides.cold_start_ms = (median(&starts) - median(&warm)).max(0.0);
        sides.door_ms = median(&door);
        for batch in LOADS.map(|load| load.batch) {
            sides.time(batch).await?;
        }
        Ok(sides)
    }

    /// Measures requests of `batch` hashes, one at a time, without the time of the door. The model
    /// has a door too.
    async fn time(&mut self, batch: usize) -> Result<(), Failure> {
        let opened = self.open(Side::Real, None, batch).await?;
        opened.ask(batch, &self.user).await?;
        let mut times = Vec::new();
        for _ in 0..CALIBRATION_REQUESTS {
            times.push(milliseconds(opened.ask(batch, &self.user).await?.took) - self.door_ms);
        }
        let median_ms = median(&times);
        let spread = Spread::over(times, milliseconds(self.planned(batch)?));
        self.timed.insert(batch, Timed { median_ms, spread });
        Ok(())
    }

    /// Describes the measured times, and compares the times of batches with the planned times.
    fn timed_in_words(&self) -> Result<String, Failure> {
        let one = self.timed(1)?.median_ms;
        let mut text = format!("One {} takes {one:.1} ms here", self.arguments.policy);
        for (&batch, timed) in self.timed.range(2..) {
            let planned = self.planned(batch)?.as_secs_f64() / self.planned(1)?.as_secs_f64();
            let _infallible = write!(
                text,
                ", {batch} in a batch {:.2} times that ({planned:.2} by durations.json)",
                timed.median_ms / one
            );
        }
        Ok(text + ".")
    }

    /// Measures a load and adds it to the table. Returns whether it is within the limits.
    async fn compare(&mut self, load: &Load, table: &mut String) -> Result<bool, Failure> {
        let (mut p50, mut p90, mut throttled) = (Turns::default(), Turns::default(), Turns::default());
        for round in 0..self.arguments.rounds {
            self.time(load.batch).await?;
            // The order alternates, so that slow changes of the machine affect both sides.
            let real_first = round % 2 == 0;
            let first = self.drive(if real_first { Side::Real } else { Side::Model }, load).await?;
            let second = self.drive(if real_first { Side::Model } else { Side::Real }, load).await?;
            let [real, model] = if real_first { [first, second] } else { [second, first] };
            p50.push(real.quantile(0.5), model.quantile(0.5));
            p90.push(real.quantile(0.9), model.quantile(0.9));
            throttled.push(real.throttled_percent(), model.throttled_percent());
        }
        let mut holds = p50.row(load, "p50", "ms", P50_WITHIN, table);
        holds &= p90.row(load, "p90", "ms", P90_WITHIN, table);
        if load.reserved.is_some() {
            holds &= throttled.row(load, "429", "%", THROTTLED_WITHIN, table);
        }
        Ok(holds)
    }

    /// Sends a load to one side for a turn.
    async fn drive(&self, side: Side, load: &Load) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let opened = Arc::new(self.open(side, load.reserved, load.batch).await?);
        let cores = u32::try_from(documents::cores().get()).unwrap_or(1);
        let at_once = f64::from(load.reserved.unwrap_or(cores)) * load.utilisation;
        let every = Duration::from_secs_f64(self.timed(load.batch)?.median_ms / 1e3 / at_once);
        let began = Instant::now();
        let turn = Duration::from_secs(self.arguments.seconds);
        let mut asked = Vec::new();
        for at in (0..).map(|index| every * index).take_while(|at| *at < turn) {
            sleep_until(began + at).await;
            let (opened, user, batch) = (Arc::clone(&opened), self.user.clone(), load.batch);
            asked.push(tokio::spawn(async move { opened.ask(batch, &user).await }));
        }
        for asked in asked {
            let heard = asked.await.map_err(|error| Failure::system(error.to_string()))??;
            match heard.status {
                200 => seen.answered_ms.push(milliseconds(heard.took)),
                429 => seen.throttled += 1,
                503 => {
                    return Err(Failure::system(
                        "the cores of this machine were too slow for the load: try again when it is idle",
                    ));
                }
                other => return Err(Failure::system(format!("unexpected status {other} in an answer"))),
            }
        }
        seen.answered_ms.sort_by(f64::total_cmp);
        Ok(seen)
    }

    async fn open(&self, side: Side, reserved: Option<u32>, batch: usize) -> Result<Opened, Failure> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few milliseconds")]
        let cold_start_ms = self.cold_start_ms.round() as u64;
        let reserved = reserved.map(u64::from);
        let function = Function { reserved, cold_start_ms, ..Function::unprepared() };
        let policies = Some(self.arguments.policies.as_path());
        let behind = match side {
            Side::Real => Behind::Real(Real::new(&self.arguments.real, policies, &function)?),
            Side::Model => {
                let (users, durations) = (self.users.clone(), Durations::documented().clone());
                let model = Model::new(
                    documents::policies(policies)?,
                    users,
                    durations,
                    self.timed(batch)?.spread.clone(),
                    SEED,
                )?;
                Behind::Model(Box::new(model))
            }
        };
        let door = Door::open(function, Auth::None, behind).await?;
        let (socket, address) = listen(([127, 0, 0, 1], 0).into()).await?;
        let accepting = tokio::spawn(accept(socket, door, Door::answer));
        Ok(Opened { caller: Caller::new(address), accepting })
    }

    fn timed(&self, batch: usize) -> Result<&Timed, Failure> {
        self.timed.get(&batch).ok_or_else(|| Failure::system("the load was not measured before"))
    }

    /// Returns the planned time of a request with `hashes` hashes of the user, from
    /// `durations.json`.
    fn planned(&self, hashes: usize) -> Result<Duration, Failure> {
        let stored = saltern_encoded::parse(&self.user.hash).map_err(|_| {
            Failure::configuration("the stored hash of the user is invalid: make the pool again")
        })?;
        let hashes = u64::try_from(hashes).unwrap_or(u64::MAX);
        let durations = Durations::documented();
        let planned = stored.setting().params().and_then(|params| {
            durations.batch(params, ARCHITECTURE, durations.reference_memory_mb(), hashes, Kernels::Own)
        });
        let unknown = || {
            Failure::configuration(format!("no duration on Lambda is known for {}", self.arguments.policy))
        };
        planned.map(|planned| planned.duration).ok_or_else(unknown)
    }
}

impl Seen {
    fn quantile(&self, of_all: f64) -> f64 {
        quantile(&self.answered_ms, of_all)
    }

    fn throttled_percent(&self) -> f64 {
        let answered = f64::from(u32::try_from(self.answered_ms.len()).unwrap_or(u32::MAX));
        100.0 * f64::from(self.throttled) / (answered + f64::from(self.throttled))
    }
}

/// A figure of both sides in each turn.
#[derive(Default)]
struct Turns {
    real: Vec<f64>,
    model: Vec<f64>,
    ratios: Vec<f64>,
}

impl Turns {
    fn push(&mut self, real: f64, model: f64) {
        self.real.push(real);
        self.model.push(model);
        self.ratios.push(model / real);
    }

    /// Adds the medians to the table. Returns whether the median ratio is within the limits.
    fn row(self, load: &Load, what: &str, unit: &str, within: f64, table: &mut String) -> bool {
        let turns = self.ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(" ");
        let ratio = median(&self.ratios);
        let _infallible = writeln!(
            table,
            "| {} | {what} | {:.1} {unit} | {:.1} {unit} | {ratio:.3} | {turns} | {:.2} to {:.2} |",
            load.name,
            median(&self.real),
            median(&self.model),
            1.0 - within,
            1.0 + within
        );
        (ratio - 1.0).abs() <= within
    }
}

/// The open door of a side. Dropping it closes the door to new connections.
struct Opened {
    caller: Caller,
    accepting: JoinHandle<()>,
}

impl Opened {
    /// Sends `batch` logins of a user and checks that all match.
    async fn ask(&self, batch: usize, user: &User) -> Result<Heard, Failure> {
        let login = json!({ "op": "verify", "password": user.password, "hash": user.hash });
        let heard = if batch == 1 {
            let body = json!({ "password": user.password, "hash": user.hash }).to_string();
            self.caller.post("/verify", &[], body.as_bytes()).await
        } else {
            let body = json!({ "operations": vec![login; batch] }).to_string();
            self.caller.post("/batch", &[], body.as_bytes()).await
        };
        let heard = heard.map_err(|error| Failure::system(format!("no answer came ({error})")))?;
        let matches = String::from_utf8_lossy(&heard.body).matches(r#""match":true"#).count();
        if heard.status == 200 && matches != batch {
            return Err(Failure::system("a right password did not match"));
        }
        Ok(heard)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Reads the time of a hash from its answer, including the wait for a lane.
fn hash_ms(heard: &Heard) -> Result<f64, Failure> {
    let timing = heard.header("server-timing").unwrap_or_default();
    let durations = timing.split(", ").map(|one| one.split_once(";dur=")?.1.parse::<f64>().ok());
    durations
        .sum::<Option<f64>>()
        .filter(|ms| *ms > 0.0)
        .ok_or_else(|| Failure::system("an answer has no server-timing header with the time of its hashes"))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Used only to read `durations.json`. The calibration replaces the times.
const ARCHITECTURE: Architecture = Architecture::Arm64;

const CALIBRATION_STARTS: usize = 5;
/// The requests after each start and before each turn.
const CALIBRATION_REQUESTS: usize = 12;

/// The permitted differences of the model.
const P50_WITHIN: f64 = 0.10;
const P90_WITHIN: f64 = 0.20;
const THROTTLED_WITHIN: f64 = 0.10;

const SEED: u64 = 1;
