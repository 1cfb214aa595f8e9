//! The service over HTTP, beside other code on the same cores.
//!
//! Beside its own kernel in a bare loop, the difference is the cost of the service and of the load
//! generator, which runs on the same cores.

mod load;
mod server;

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use crate::measure::{Meter, median};

use super::{
    arguments::ServiceArguments,
    bounds::{Callers, Cost, LANES_MODE, Limit, ONE_LANE_MODE, REFUSAL, SERVICE, ServiceBound, TOGETHER},
    contenders::{
        Hashes, argon2_in_lanes, bcrypt_in_lanes, by_argon2_c, by_crate, by_libxcrypt, fastest_argon2,
    },
    cores,
    figure::{Figure, Wanted},
    rounds::{Contender, count},
    summary::Progress,
};
use load::{Call, Pace};
use server::Server;

/// Measures all figures of the service.
pub(super) fn figures(
    arguments: &ServiceArguments,
    rounds: usize,
    progress: &Progress,
) -> Result<Vec<Figure>, Box<dyn Error>> {
    let bench = Bench { arguments, rounds, progress, window: Duration::from_secs(arguments.seconds.get()) };
    let mut figures = Vec::new();
    for bound in &SERVICE {
        figures.extend(bench.beside_limit(bound)?);
    }
    for (cost, wanted) in TOGETHER {
        figures.push(bench.together(cost, wanted)?);
    }
    Ok(figures)
}

struct Bench<'a> {
    arguments: &'a ServiceArguments,
    rounds: usize,
    progress: &'a Progress,
    window: Duration,
}

impl Bench<'_> {
    /// Measures the matches of the service a second, divided by those of the limit before and
    /// after. With an open loop, also the time to refuse.
    fn beside_limit(&self, bound: &ServiceBound) -> Result<Vec<Figure>, Box<dyn Error>> {
        let what = bound.what();
        self.progress.print(&what);
        let deadline = matches!(bound.callers, Callers::Open(_)).then_some(DEADLINE);
        let hashes = Hashes::new(bound.cost.params, MOST_LANES)?;
        let call = Call::verify(&hashes, deadline);
        let server = self.start(bound.mode)?;
        let mut limit = self.limit(bound, &hashes)?;
        // The bare loop of the service's own kernel separates the cost of the service from the speed
        // of the kernel.
        let mut own = bound.own_kernel(&hashes)?.map(Running::Loops);
        let (mut ratios, mut of_own) = (Vec::new(), Vec::new());
        let (mut rates, mut limits, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
        let (mut late, mut refused) = (0, 0);
        for _ in 0..self.rounds {
            let half = self.window / 2;
            let before = limit.rate(&call, bound.callers, half)?;
            let seen = load::run(&server, &call, bound.callers.pace(before), self.window)
                .map_err(|error| format!("{what} of {before:.0} hashes a second: {error}"))?;
            let around = f64::midpoint(before, limit.rate(&call, bound.callers, half)?);
            let rate = seen.rate();
            ratios.push(rate / around);
            rates.push(rate);
            limits.push(around);
            late += seen.late;
            refused += seen.refusals.len();
            if !seen.refusals.is_empty() {
                refusals.push(median(&seen.refusals));
            }
            if let Some(own) = &mut own {
                of_own.push(rate / own.rate(&call, bound.callers, half)?);
            }
        }
        let mut note = format!("{:.0}/s of {:.0}/s", median(&rates), median(&limits));
        if refused > 0 {
            note = format!("{note}, {refused} refused, {late} late");
        }
        if !of_own.is_empty() {
            note = format!("{note}, {:.3} of its own kernel's bare loop", median(&of_own));
        }
        let title =
            if deadline.is_some() { format!("{what}, deadline 1 s: answers in time") } else { what.clone() };
        let mut figures = vec![Figure::new(title, bound.wanted, &ratios).with_note(note)];
        if deadline.is_some() {
            figures.push(Figure::new(format!("{what}: median time to refuse"), REFUSAL, &refusals));
        }
        Ok(figures)
    }

    /// Measures the median time of several callers a core, divided by the time of one caller alone.
    fn together(&self, cost: Cost, wanted: Wanted) -> Result<Figure, Box<dyn Error>> {
        let (name, cores) = (cost.name, cores());
        let callers = CALLERS_A_CORE * cores;
        let what =
            format!("{name}, {callers} callers on {cores} cores, lanes: median time against one alone");
        self.progress.print(&what);
        let server = self.start(LANES_MODE)?;
        let call = Call::verify(&Hashes::new(cost.params, 1)?, None);
        let (mut ratios, mut alones, mut togethers) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            let run = |callers| load::run(&server, &call, Pace::Closed { callers }, self.window / 2);
            let (alone, together) = (run(1)?, run(callers)?);
            ratios.push(together.median_ms() / alone.median_ms());
            alones.push(alone.median_ms());
            togethers.push(together.median_ms());
        }
        let note = format!("{:.1} ms against {:.1} ms", median(&togethers), median(&alones));
        Ok(Figure::new(what, wanted, &ratios).with_note(note))
    }

    fn start(&self, mode: &[&str]) -> Result<Server, Box<dyn Error>> {
        Server::start(&self.arguments.server, mode)
    }

    fn limit<'a>(&self, bound: &ServiceBound, hashes: &'a Hashes) -> Result<Running<'a>, Box<dyn Error>> {
        let on_each_core = |make: fn(&'a Hashes) -> Result<Contender<'a>, Box<dyn Error>>| {
            let loops = (0..cores()).map(|_| Ok(warm(make(hashes)?)?));
            Ok(Running::Loops(loops.collect::<Result<_, Box<dyn Error>>>()?))
        };
        match bound.limit {
            Limit::Raw => on_each_core(|hashes| Ok(by_crate("", hashes))),
            Limit::Libxcrypt => on_each_core(by_libxcrypt),
            Limit::Argon2C => on_each_core(by_argon2_c),
            Limit::OneLane => Ok(Running::Service(self.start(ONE_LANE_MODE)?)),
        }
    }
}

/// The other side of a comparison.
enum Running<'a> {
    /// Bare loops: a thread for each core that only calls the kernel.
    Loops(Vec<Contender<'a>>),
    Service(Server),
}

impl Running<'_> {
    /// Returns the hashes a second.
    fn rate(&mut self, call: &Call, callers: Callers, window: Duration) -> Result<f64, Box<dyn Error>> {
        let contenders = match self {
            Self::Service(server) => return Ok(load::run(server, call, callers.pace(0.0), window)?.rate()),
            Self::Loops(contenders) => contenders,
        };
        let rate: Option<f64> = thread::scope(|scope| {
            let threads: Vec<_> =
                contenders.iter_mut().map(|own| scope.spawn(|| loop_for(own, window))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop that ends")).sum()
        });
        Ok(rate.ok_or("a kernel fails")?)
    }
}

/// Computes once, so that the cost of fresh memory does not count.
fn warm(mut contender: Contender<'_>) -> Result<Contender<'_>, &'static str> {
    contender.call().ok_or("a kernel fails")?;
    Ok(contender)
}

/// Returns the hashes a second.
fn loop_for(contender: &mut Contender<'_>, window: Duration) -> Option<f64> {
    let start = Instant::now();
    let mut hashes = 0;
    while start.elapsed() < window {
        hashes += contender.call()?;
    }
    Some(count(hashes) / start.elapsed().as_secs_f64())
}

impl ServiceBound {
    fn what(&self) -> String {
        let (name, mode) = (self.cost.name, self.mode[1]);
        let limit = match self.limit {
            Limit::Raw => "the raw loop",
            Limit::Libxcrypt => "libxcrypt's limit",
            Limit::Argon2C => "the C reference's limit",
            Limit::OneLane => "`--argon2-lanes 1`",
        };
        let callers = match self.callers {
            Callers::Open(times) => return format!("{name}, open loop at {times} × {limit}, {mode}"),
            Callers::Closed(callers) => format!("{callers} callers"),
            Callers::ClosedPerCore(callers) => format!("{callers} callers a core"),
        };
        format!("{name} verifies/s over HTTP, {callers}, {mode}: of {limit}")
    }

    /// Returns the kernel of the service with the lanes of a worker on each core, if the limit is
    /// another kernel.
    fn own_kernel<'a>(&self, hashes: &'a Hashes) -> Result<Option<Vec<Contender<'a>>>, &'static str> {
        let at_once = Meter::new().lanes(&hashes.admitted);
        let on_this_core = |_| match self.limit {
            Limit::Libxcrypt => warm(bcrypt_in_lanes(hashes, at_once)),
            _ => warm(argon2_in_lanes(&fastest_argon2(hashes)?, hashes, at_once)),
        };
        let is_other = matches!(self.callers, Callers::Closed(_))
            && matches!(self.limit, Limit::Libxcrypt | Limit::Argon2C);
        is_other.then(|| (0..cores()).map(on_this_core).collect()).transpose()
    }
}

impl Callers {
    /// Returns the pace beside a limit of this rate.
    fn pace(self, limit: f64) -> Pace {
        match self {
            Self::Closed(callers) => Pace::Closed { callers },
            Self::ClosedPerCore(callers) => Pace::Closed { callers: callers * cores() },
            Self::Open(times) => Pace::Open { rate: limit * times },
        }
    }
}

/// The deadline of the open loops.
const DEADLINE: Duration = Duration::from_secs(1);

const CALLERS_A_CORE: usize = 4;

/// At least the lanes of any worker.
const MOST_LANES: usize = 8;
