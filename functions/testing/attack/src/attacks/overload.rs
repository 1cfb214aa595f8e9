//! More honest work than the machine can do. Loads are multiples of the capacity that the same run
//! measures.

use std::time::Duration;

use tokio::time::sleep;

use crate::{
    figure::{Attack, Field, Figure, Found, count},
    honest::{Calls, Connections, Request, closed_loop, open_loop},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "overload",
    asks: "more honest work than the machine can do",
    stated: || {
        vec![format!(
            "Up to five times the capacity, nine of ten served callers wait at most {P90_MS} ms from the fifth second on"
        )]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut load = Load { server: Server::start(&field, &Setup::default()).await?, wrong: 0 };
    let request = Request::bcrypt(DEADLINE_MS);
    let mut figures = Vec::new();
    let measured = field.pick(Duration::from_secs(1), Duration::from_secs(8));
    let _warm = load.of_callers(CALLERS, measured / 4).await;
    let calls = load.of_callers(CALLERS, measured).await;
    if calls.right() == 0 {
        if load.wrong > 0 || !field.smoke {
            return Err("no hash was right within its deadline".into());
        }
        let reason = "the machine is too busy to do a hash within its deadline";
        return Ok(vec![Figure::not_run("capacity", &reason)]);
    }
    let capacity = count(calls.right()) / measured.as_secs_f64();
    figures.push(Figure::new("capacity", capacity, "hashes/s").timed());

    for times in field.pick(&[3.0][..], &[1.5, 3.0, 5.0, 10.0]) {
        let (warm, judged) = field.pick((1, 1), (5, 15));
        let (warm, judged) = (Duration::from_secs(warm), Duration::from_secs(judged));
        let calls = load.at_rate(&request, capacity * times, warm + judged).await.since(warm);
        let in_time = calls.right_within(Duration::from_millis(u64::from(DEADLINE_MS)));
        let goodput = count(in_time) / judged.as_secs_f64();
        let of = format!("{times} x capacity");
        let waits = Figure::new(format!("{of}: p90 of the served"), calls.percentile_ms(0.9), "ms").timed();
        let served = Figure::new(format!("{of}: goodput"), goodput, "hashes/s").timed();
        // Ten times the capacity is printed and not bounded.
        let is_bounded = *times <= 5.0;
        figures.push(Figure::new(format!("{of}: p50 of the served"), calls.percentile_ms(0.5), "ms").timed());
        figures.push(if is_bounded { waits.at_most(P90_MS) } else { waits });
        figures.push(if is_bounded { served.at_least(capacity * SERVED) } else { served });
    }

    let patient = Request::bcrypt(BURST_DEADLINE_MS);
    let calls = load.at_rate(&patient, capacity * BURST, BURST_LASTING).await;
    let refused = calls.0.len() - calls.right();
    figures.push(Figure::never("a burst of 2 s: not served", refused).timed());

    let (mut alone, mut beside) = (Calls(Vec::new()), Calls(Vec::new()));
    for _ in 0..field.pick(1, ROUNDS) {
        alone.0.extend(load.of_callers(1, measured / 2).await.0);
        beside.0.extend(load.of_callers(2, measured / 2).await.0);
    }
    let ratio = beside.percentile_ms(0.99) / alone.percentile_ms(0.99);
    let unserved = beside.0.len() - beside.right();
    figures.push(Figure::new("two callers on two cores: p99 over alone", ratio, "").at_most(BESIDE).timed());
    figures.push(Figure::never("two callers on two cores: not served", unserved).timed());
    figures.push(Figure::never("wrong answers", load.wrong));
    Ok(figures)
}

/// Honest callers of one server, one load after the other.
struct Load {
    server: Server,
    /// Wrong answers so far.
    wrong: usize,
}

impl Load {
    /// Callers that wait for their answers.
    async fn of_callers(&mut self, callers: usize, lasting: Duration) -> Calls {
        sleep(PAUSE).await;
        let calls = closed_loop(&self.server.door, &Request::bcrypt(DEADLINE_MS), callers, lasting).await;
        self.wrong += calls.wrong();
        calls
    }

    /// Callers that come at a fixed rate.
    async fn at_rate(&mut self, request: &Request, per_second: f64, lasting: Duration) -> Calls {
        sleep(PAUSE).await;
        let calls = open_loop(&self.server.door, request, Connections::Kept, per_second, lasting).await;
        self.wrong += calls.wrong();
        calls
    }
}

/// The bound from the fifth second on. The callers here compute on the server's cores, which adds to
/// the 250 ms of the schedule's model: on two cores of Zen 3 it is 263 to 304 ms.
const P90_MS: f64 = 320.0;

/// The least part of the capacity. Without it, a server that refuses all would keep the bound on waits.
const SERVED: f64 = 0.5;

/// The p99 of two callers over that of one.
const BESIDE: f64 = 1.3;

/// One and two callers take turns, so that a slow second of the machine counts for both.
const ROUNDS: usize = 6;

const DEADLINE_MS: u32 = 1000;

/// Callers that fill all lanes of two cores, and wait less than the deadline.
const CALLERS: usize = 32;

/// A burst whose backlog of half a second fits its deadline.
const BURST: f64 = 1.25;
const BURST_LASTING: Duration = Duration::from_secs(2);
const BURST_DEADLINE_MS: u32 = 2000;

/// The queue is empty after it.
const PAUSE: Duration = Duration::from_secs(2);
