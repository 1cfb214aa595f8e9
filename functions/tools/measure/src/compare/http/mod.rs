//! The service over HTTP, beside other code on the same cores.
//!
//! Beside its own kernel in a bare loop, the difference is the cost of the service and of the load
//! generator, which runs on the same cores.

mod load;
mod server;

use core::{error::Error, time::Duration};
use std::{thread, time::Instant};

use crate::measure::median;

use super::{
    bounds::{Cost, FIXED_LANES, LANES_MODE, LEARNED, MOST_LANES, SERVICE, ServiceBound, TOGETHER},
    contenders::{Hashes, by_worker},
    cores,
    figure::{Bound, Figure},
    progress,
    rounds::{Contender, count},
};
use server::Server;

/// Measures all figures of the service.
pub(super) fn figures(rounds: usize) -> Result<Vec<Figure>, Box<dyn Error>> {
    let (cost, callers, must) = LEARNED;
    let beside_limits = SERVICE.iter().map(|bound| beside_limit(bound, rounds));
    let together = TOGETHER.into_iter().map(|(cost, must)| together(cost, must, rounds));
    let learned = callers.into_iter().map(|callers| learned(cost, callers, must, rounds));
    beside_limits.chain(together).chain(learned).collect()
}

/// Measures the matches of the service a second, divided by those of the limit before and
/// after.
fn beside_limit(bound: &ServiceBound, rounds: usize) -> Result<Figure, Box<dyn Error>> {
    let ServiceBound { cost, callers, mode, limit: (limit, make), must } = *bound;
    let (name, kernels) = (cost.name, mode[1]);
    let what = format!("{name} verifies/s over HTTP, {callers} callers, {kernels}: of {limit}");
    progress(&what);
    let hashes = Hashes::new(cost.params, MOST_LANES)?;
    let call = load::call(&hashes);
    let server = Server::start(mode)?;
    let mut limit = BareLoops::start(|| make(&hashes))?;
    // The bare loop of the service's own kernel separates the cost of the service from the speed
    // of the kernel.
    let mut own =
        (mode == LANES_MODE).then(|| BareLoops::start(|| Ok(by_worker("", &hashes)))).transpose()?;
    let (mut ratios, mut rates, mut limits, mut of_own) = (vec![], vec![], vec![], vec![]);
    let mut of_processor_time = vec![];
    for _ in 0..rounds {
        let before = limit.rate(WINDOW / 2)?;
        let load = load::run(&server, &call, callers, WINDOW)?;
        let rate = count(load.times_ms.len()) / WINDOW.as_secs_f64();
        let around = f64::midpoint(before, limit.rate(WINDOW / 2)?);
        ratios.push(rate / around);
        of_processor_time.extend(load.processor_time.map(|used| {
            let cores_used = used.as_secs_f64() / WINDOW.as_secs_f64();
            rate / cores_used / (around / count(cores()))
        }));
        rates.push(rate);
        limits.push(around);
        if let Some(own) = &mut own {
            of_own.push(rate / own.rate(WINDOW / 2)?);
        }
    }
    let mut note = format!("{:.0}/s of {:.0}/s", median(&rates), median(&limits));
    if !of_own.is_empty() {
        note = format!("{note}, {:.3} of its own kernel's bare loop", median(&of_own));
    }
    if !of_processor_time.is_empty() {
        note =
            format!("{note}, {:.3} × per second of the server's processor time", median(&of_processor_time));
    }
    Ok(Figure::new(what, must, &ratios, note))
}

/// Measures the median time of several callers a core, divided by the time of one caller alone.
fn together(cost: Cost, must: Bound, rounds: usize) -> Result<Figure, Box<dyn Error>> {
    let (name, cores) = (cost.name, cores());
    let callers = CALLERS_A_CORE * cores;
    let what = format!("{name}, {callers} callers on {cores} cores, lanes: median time against one alone");
    progress(&what);
    let server = Server::start(LANES_MODE)?;
    let call = load::call(&Hashes::new(cost.params, 1)?);
    let (mut ratios, mut alones, mut togethers) = (vec![], vec![], vec![]);
    for _ in 0..rounds {
        let median_ms =
            |callers| load::run(&server, &call, callers, WINDOW / 2).map(|load| median(&load.times_ms));
        let (alone, together) = (median_ms(1)?, median_ms(callers)?);
        ratios.push(together / alone);
        alones.push(alone);
        togethers.push(together);
    }
    let note = format!("{:.1} ms against {:.1} ms", median(&togethers), median(&alones));
    Ok(Figure::new(what, must, &ratios, note))
}

/// Measures the matches a second with learned lanes, divided by those with the best of the fixed.
fn learned(cost: Cost, callers: usize, must: Bound, rounds: usize) -> Result<Figure, Box<dyn Error>> {
    let what =
        format!("{} verifies/s over HTTP, {callers} callers: learned lanes of the best fixed", cost.name);
    progress(&what);
    let call = load::call(&Hashes::new(cost.params, 1)?);
    let learned = Server::start(&[])?;
    let fixed = FIXED_LANES.into_iter().map(Server::start).collect::<Result<Vec<_>, _>>()?;
    load::run(&learned, &call, callers, TO_LEARN)?;
    let window = WINDOW / 2;
    let rate = |server| {
        let load = load::run(server, &call, callers, window)?;
        Ok::<_, Box<dyn Error>>(count(load.times_ms.len()) / window.as_secs_f64())
    };
    let (mut of_learned, mut of_fixed) = (vec![], vec![vec![]; fixed.len()]);
    for _ in 0..rounds {
        of_learned.push(rate(&learned)?);
        for (server, rates) in fixed.iter().zip(&mut of_fixed) {
            rates.push(rate(server)?);
        }
    }
    let best = of_fixed.iter().max_by(|one, other| median(one).total_cmp(&median(other)));
    let best = best.ok_or("no fixed lanes")?;
    let ratios: Vec<_> = of_learned.iter().zip(best).map(|(learned, fixed)| learned / fixed).collect();
    let each = of_fixed.iter().zip(FIXED_LANES);
    let each: Vec<_> = each.map(|(rates, lanes)| format!("{:.1} with {}", median(rates), lanes[1])).collect();
    let note = format!("{:.1}/s; {}", median(&of_learned), each.join(", "));
    Ok(Figure::new(what, must, &ratios, note))
}

/// A thread for each core that only calls the kernel.
struct BareLoops<'a>(Vec<Contender<'a>>);

impl<'a> BareLoops<'a> {
    /// Computes once, so that the cost of fresh memory does not count.
    fn start(make: impl Fn() -> Result<Contender<'a>, Box<dyn Error>>) -> Result<Self, Box<dyn Error>> {
        let warm = |_| {
            let mut contender = make()?;
            contender.call().ok_or("a kernel fails")?;
            Ok(contender)
        };
        (0..cores()).map(warm).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the hashes a second.
    fn rate(&mut self, window: Duration) -> Result<f64, &'static str> {
        let rate: Option<f64> = thread::scope(|scope| {
            let threads: Vec<_> =
                self.0.iter_mut().map(|own| scope.spawn(|| loop_for(own, window))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop that ends")).sum()
        });
        rate.ok_or("a kernel fails")
    }
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

/// About 120 hashes of bcrypt-10 on two cores, one at a time: one hash more or less is below 1 %.
const WINDOW: Duration = Duration::from_secs(4);

/// The service tries each number of lanes within seconds of full load.
const TO_LEARN: Duration = Duration::from_secs(20);

const CALLERS_A_CORE: usize = 4;
