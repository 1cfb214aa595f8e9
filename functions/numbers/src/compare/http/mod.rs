//! The service over HTTP, beside its kernel in a bare loop on the same cores.
//!
//! The difference is the cost of the service and of the load generator, which runs on the same
//! cores.

mod callers;
mod raw;
mod server;
mod start;

use core::{error::Error, time::Duration};
use std::io;

use saltern_encoded::{Params, bcrypt};
use saltern_meter::{Others, median, process_time};

use super::{
    arguments::ServiceArguments,
    cores,
    figure::{Bound, Figure, Unit, Wanted},
    kernels::argon2id,
    summary::Progress,
};

use callers::{Call, Offered};
use raw::{Raw, argon2_c, argon2_lanes, crates, lanes, libxcrypt};
use server::Server;

/// Measures all figures of the service.
pub(super) fn figures(
    arguments: &ServiceArguments,
    progress: &Progress,
) -> Result<Vec<Figure>, Box<dyn Error>> {
    let bench = Bench { arguments, progress, window: Duration::from_secs(arguments.seconds.get()) };
    let mut figures = vec![
        bench.saturated("bcrypt-10 verifies/s over HTTP, 16 callers, crates: of the raw loop", &CRATES_10)?,
        bench.saturated("bcrypt-4 verifies/s over HTTP, 16 callers, crates: of the raw loop", &CRATES_4)?,
    ];
    figures.extend(bench.overload("open loop at 5 × raw, crates", CRATES, crates, 5.0, CRATES_IN_TIME)?);
    figures.extend(bench.overload("open loop at 10 × raw, crates", CRATES, crates, 10.0, CRATES_IN_TIME)?);
    progress.print("start and idle memory");
    figures.extend(start::server(arguments)?);
    figures.push(start::bootstrap(arguments)?);
    figures.push(start::zip(arguments));
    figures.push(
        bench.saturated(
            "bcrypt-10 verifies/s over HTTP, 64 callers, lanes: of libxcrypt's limit",
            &LANES_10,
        )?,
    );
    figures.push(bench.together("bcrypt-10", BCRYPT_10, TOGETHER)?);
    figures.extend(bench.overload(
        "open loop at 10 × libxcrypt's limit, lanes",
        LANES,
        libxcrypt,
        10.0,
        LANES_IN_TIME,
    )?);
    figures.push(bench.saturated(
        "argon2id 64 MiB t=4 verifies/s over HTTP, 64 callers, lanes: of the C reference's limit",
        &LANES_OF_ARGON2,
    )?);
    figures.push(bench.together("argon2id 64 MiB t=4", ARGON2_64, ARGON2_TOGETHER)?);
    for callers_a_core in [2, 4] {
        figures.push(bench.beside_one_lane(callers_a_core)?);
    }
    Ok(figures)
}

/// Creates the bare loop for these parameters.
type MakeRaw = fn(Params) -> Result<Raw, Box<dyn Error>>;

/// A closed loop of callers, beside a bare loop.
struct Saturation {
    params: Params,
    callers: usize,
    server: &'static [&'static str],
    raw: MakeRaw,
    /// The bare loop of the service's kernel, if `raw` has another kernel: it separates the cost of
    /// the service from the speed of the kernel.
    own: Option<MakeRaw>,
    wanted: Wanted,
}

const CRATES_10: Saturation = Saturation {
    params: BCRYPT_10,
    callers: 16,
    server: CRATES,
    raw: crates,
    own: None,
    wanted: Wanted::times(Bound::AtLeast(0.96)),
};

const CRATES_4: Saturation = Saturation {
    params: bcrypt_of(4),
    server: CRATES_BELOW_THE_FLOOR,
    wanted: Wanted::times(Bound::AtLeast(0.88)),
    ..CRATES_10
};

const LANES_10: Saturation = Saturation {
    params: BCRYPT_10,
    callers: 64,
    server: LANES,
    raw: libxcrypt,
    own: Some(lanes),
    wanted: Wanted::times(Bound::AtLeast(3.3)).with_goal(3.5),
};

const LANES_OF_ARGON2: Saturation = Saturation {
    params: ARGON2_64,
    raw: argon2_c,
    own: Some(argon2_lanes),
    wanted: Wanted::times(Bound::AtLeast(1.6)),
    ..LANES_10
};

const BCRYPT_10: Params = bcrypt_of(10);
const ARGON2_64: Params = argon2id(65_536, 4);
const ARGON2_19: Params = argon2id(19_456, 2);

#[expect(clippy::unwrap_used, reason = "a constant that is wrong does not compile")]
const fn bcrypt_of(cost: u32) -> Params {
    Params::Bcrypt(bcrypt::Params::new(cost).unwrap())
}

/// Arguments of `saltern serve`.
const CRATES: &[&str] = &["--kernels", "crates"];
const CRATES_BELOW_THE_FLOOR: &[&str] = &["--kernels", "crates", "--accept-weak", "bcrypt"];
const LANES: &[&str] = &["--kernels", "lanes"];
const ONE_LANE_OF_ARGON2: &[&str] = &["--kernels", "lanes", "--argon2-lanes", "1"];

const CRATES_IN_TIME: Wanted = Wanted::times(Bound::AtLeast(0.95));
const LANES_IN_TIME: Wanted = Wanted::times(Bound::AtLeast(3.1));
const REFUSAL: Wanted = Wanted::of(Unit::Ms, Bound::Below(5.0));
const TOGETHER: Wanted = Wanted::times(Bound::AtMost(1.4)).with_goal(1.3);
const ARGON2_TOGETHER: Wanted = Wanted::times(Bound::AtMost(2.6));
const NO_SLOWER: Wanted = Wanted::times(Bound::AtLeast(0.98));

struct Bench<'a> {
    arguments: &'a ServiceArguments,
    progress: &'a Progress,
    window: Duration,
}

impl Bench<'_> {
    /// Measures verifications a second, divided by hashes a second of the bare loop before and
    /// after.
    fn saturated(&self, what: &str, saturation: &Saturation) -> Result<Figure, Box<dyn Error>> {
        let &Saturation { params, callers, server, raw, own, wanted } = saturation;
        self.progress.print(what);
        let raw = raw(params)?;
        let own = own.map(|own| own(params)).transpose()?;
        let server = Server::start(&self.arguments.server, server)?;
        let call = Call::verify(params)?;
        let others = Others::until_now(own_time(&server)?)?;
        let (mut ratios, mut by_cpu_time, mut of_own) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rates, mut raw_rates, mut refused) = (Vec::new(), Vec::new(), 0);
        for _ in 0..self.arguments.rounds.get() {
            let before = raw.run(self.window / 2)?;
            let seen = callers::closed_loop(&server, &call, callers, self.window)?;
            let after = raw.run(self.window / 2)?;
            let around = before.mean(after);
            ratios.push(seen.rate / around.rate);
            by_cpu_time.push(around.cpu_seconds_each / seen.cpu_seconds_each);
            rates.push(seen.rate);
            refused += seen.refused;
            raw_rates.push(around.rate);
            if let Some(own) = &own {
                of_own.push(seen.rate / own.run(self.window / 2)?.rate);
            }
        }
        let others = others.share_since(own_time(&server)?)?;
        let mut note = format!("{:.0}/s of {:.0}/s", median(&rates), median(&raw_rates));
        if refused > 0 {
            note = format!("{note}, {refused} refused");
        }
        if own.is_some() {
            note = format!("{note}, {:.3} of its own kernel's bare loop", median(&of_own));
        }
        Ok(Figure::new(what, wanted, ratios).by_cpu_time(by_cpu_time).with_note(note).beside(others))
    }

    /// Measures the median time of four callers a core, divided by the time of one caller alone.
    fn together(&self, name: &str, params: Params, wanted: Wanted) -> Result<Figure, Box<dyn Error>> {
        let callers = usize::from(CALLERS_A_CORE) * cores();
        let what =
            format!("{name}, {callers} callers on {} cores, lanes: median time against one alone", cores());
        self.progress.print(&what);
        let server = Server::start(&self.arguments.server, LANES)?;
        let call = Call::verify(params)?;
        let others = Others::until_now(own_time(&server)?)?;
        let (mut ratios, mut by_cpu_time) = (Vec::new(), Vec::new());
        let (mut alones, mut togethers) = (Vec::new(), Vec::new());
        for _ in 0..self.arguments.rounds.get() {
            let alone = callers::closed_loop(&server, &call, 1, self.window / 2)?;
            let together = callers::closed_loop(&server, &call, callers, self.window / 2)?;
            ratios.push(together.median_ms / alone.median_ms);
            // The core's time for the hashes of all its callers, divided by its time for one hash.
            by_cpu_time.push(together.cpu_seconds_each * f64::from(CALLERS_A_CORE) / alone.cpu_seconds_each);
            alones.push(alone.median_ms);
            togethers.push(together.median_ms);
        }
        let others = others.share_since(own_time(&server)?)?;
        let note = format!("{:.1} ms against {:.1} ms", median(&togethers), median(&alones));
        Ok(Figure::new(what, wanted, ratios).by_cpu_time(by_cpu_time).with_note(note).beside(others))
    }

    /// Measures verifications a second of a small argon2id, divided by those of a server without
    /// lanes for it.
    fn beside_one_lane(&self, callers_a_core: usize) -> Result<Figure, Box<dyn Error>> {
        let what = format!(
            "argon2id 19 MiB t=2 verifies/s over HTTP, {callers_a_core} callers a core, lanes: of `--argon2-lanes 1`"
        );
        self.progress.print(&what);
        let call = Call::verify(ARGON2_19)?;
        let start = |arguments| Server::start(&self.arguments.server, arguments);
        let (lanes, one_lane) = (start(LANES)?, start(ONE_LANE_OF_ARGON2)?);
        let own_time = || Ok::<_, io::Error>(own_time(&lanes)? + one_lane.cpu_time()?);
        let others = Others::until_now(own_time()?)?;
        let (mut ratios, mut by_cpu_time) = (Vec::new(), Vec::new());
        for _ in 0..self.arguments.rounds.get() {
            let run = |server| callers::closed_loop(server, &call, callers_a_core * cores(), self.window / 2);
            let (before, seen, after) = (run(&one_lane)?, run(&lanes)?, run(&one_lane)?);
            ratios.push(seen.rate / f64::midpoint(before.rate, after.rate));
            let cpu_seconds_each = f64::midpoint(before.cpu_seconds_each, after.cpu_seconds_each);
            by_cpu_time.push(cpu_seconds_each / seen.cpu_seconds_each);
        }
        let others = others.share_since(own_time()?)?;
        Ok(Figure::new(what, NO_SLOWER, ratios).by_cpu_time(by_cpu_time).beside(others))
    }

    /// Measures an open loop that sends more requests than the service can answer.
    fn overload(
        &self,
        what: &str,
        server: &[&str],
        raw: MakeRaw,
        times: f64,
        wanted: Wanted,
    ) -> Result<[Figure; 2], Box<dyn Error>> {
        self.progress.print(what);
        let raw = raw(BCRYPT_10)?;
        let server = Server::start(&self.arguments.server, server)?;
        let call = Call::verify_within(BCRYPT_10, DEADLINE)?;
        let others = Others::until_now(own_time(&server)?)?;
        let (mut goodput, mut by_cpu_time, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
        let mut late = 0;
        for _ in 0..self.arguments.rounds.get() {
            let limit = raw.run(self.window / 2)?;
            let offered = Offered { rate: limit.rate * times, deadline: DEADLINE, seconds: self.window };
            let seen = callers::open_loop(&server, &call, offered)
                .map_err(|error| format!("{what}, {:.0} a second: {error}", offered.rate))?;
            goodput.push(seen.goodput / limit.rate);
            by_cpu_time.push(limit.cpu_seconds_each / seen.cpu_seconds_each);
            refusals.extend(seen.median_refusal_ms);
            late += seen.late;
        }
        let in_time = Figure::new(format!("{what}, deadline 1 s: answers in time"), wanted, goodput)
            .by_cpu_time(by_cpu_time)
            .with_note(format!("{late} answers late"))
            .beside(others.share_since(own_time(&server)?)?);
        let refusal = Figure::new(format!("{what}: median time to refuse"), REFUSAL, refusals);
        Ok([in_time, refusal])
    }
}

/// Returns the time that is not the time of other programs.
fn own_time(server: &Server) -> io::Result<Duration> {
    Ok(process_time() + server.cpu_time()?)
}

/// The deadline of the open loops.
const DEADLINE: Duration = Duration::from_secs(1);

const CALLERS_A_CORE: u8 = 4;
