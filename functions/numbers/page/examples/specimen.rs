//! Writes a page with every element, for a look at it: `cargo run -p saltern-page --example
//! specimen -- specimen.html`. All figures are invented.

use std::{env, fs, io};

use saltern_page::{Axis, Bars, Page, Plot, Section, Series, Table, Verdict};

fn main() -> io::Result<()> {
    let file = env::args().nth(1).ok_or_else(|| io::Error::other("name the file to write"))?;
    let evening: Vec<f64> = (0..=60).map(|minute| f64::from(minute) * 60.0).collect();
    let rate = |at: f64| 900.0 + 2100.0 * (-((at - 1500.0) / 420.0).powi(2)).exp();
    let wave = |at: f64| 1.0 + 0.06 * (at / 97.0).sin() + 0.04 * (at / 41.0).cos();
    let latency = |base: f64, at: f64| base * wave(at) * (1.0 + rate(at) / 9000.0);
    let over = |of: &dyn Fn(f64) -> f64| evening.iter().map(|&at| (at, of(at))).collect::<Vec<_>>();

    let rates = Plot::new("Logins a second", Axis::clock(1_795_287_600), Axis::linear("a second"))
        .about("What was asked, and what was answered with 200.")
        .series(Series::line("asked", over(&|at| rate(at) * 1.01)))
        .series(Series::line(
            "answered",
            over(&|at| if (1380.0..1560.0).contains(&at) { f64::NAN } else { rate(at) * 0.98 }),
        ))
        .moment(1380.0, "show begins");
    let latencies = Plot::new("Answer time", Axis::clock(1_795_287_600), Axis::linear("ms"))
        .about("As the caller saw it, a minute at a time.")
        .series(Series::band(
            "p50 to p99",
            evening.iter().map(|&at| (at, latency(120.0, at), latency(260.0, at))).collect(),
        ))
        .series(Series::line("p90", over(&|at| latency(180.0, at))))
        .series(Series::line("mean", over(&|at| latency(135.0, at))))
        .limit(300.0, "p90 at most 300 ms");
    let errors = Plot::new("Refusals", Axis::elapsed(), Axis::logarithmic("a minute"))
        .about("Counted by code. Nothing is shown where there was none.")
        .series(Series::line("429 of the platform", over(&|at| (rate(at) - 1500.0) / 3.0)))
        .series(Series::line("503 overloaded", over(&|at| (rate(at) - 2200.0) / 40.0)))
        .series(Series::line("403", vec![(600.0, 2.0)]));
    let memory = |name: &str, base: f64, price: f64| {
        let at = |mib: f64| {
            (base * 1769.0_f64.max(mib) / mib, price * mib.max(1769.0) / 1769.0, format!("{mib} MB"))
        };
        Series::joined_dots(name, [512.0, 1024.0, 1769.0, 3538.0].map(at).into())
    };
    let sweep =
        Plot::new("Cost against time", Axis::logarithmic("ms, p90"), Axis::linear("USD a million logins"))
            .about("bcrypt-11 by memory: below one core less memory is slower and not cheaper.")
            .series(memory("arm64", 164.0, 3.98))
            .series(memory("x86-64", 145.0, 4.29))
            .limit_across(300.0, "300 ms");
    let bars = Bars::new("bcrypt-10 hashes a second on a core", "/s", &["lanes", "libxcrypt"])
        .about("Medians of five rounds.")
        .group("AMD EPYC, Zen 5", &[97.9, 23.4])
        .group("Graviton 2", &[41.2, 12.1])
        .group("not measured", &[f64::NAN, 10.0]);
    let table = Table::new("What the evening cost")
        .words("what")
        .numbers("how much")
        .numbers("USD")
        .row(["requests", "10,800,000", "2.16"])
        .row(["GB-seconds on demand", "3,056,400", "40.75"])
        .row(["provisioned, waiting", "800 × 1.5 h", "24.87"])
        .row(["together", "", "67.78"]);
    let page = Page::new("Live final, 21 November 2026", Verdict::Kept("All limits kept: p90 212 ms of 300 ms, 0.02 % errors.".into()))
        .facts([
            ("logins", "10,800,000"),
            ("p90", "212 ms"),
            ("p99", "431 ms"),
            ("errors", "0.02 %"),
            ("cost", "67.78 USD"),
            ("cost a million", "6.28 USD"),
        ])
        .section(
            Section::new("What the callers saw")
                .prose("A rate of arrival that rises from 900 to 3,000 logins a second within seven minutes, and falls again. Times are measured at the caller, connection included.")
                .chart(rates)
                .chart(latencies)
                .chart(errors)
                .chart(Plot::new("Throttles", Axis::elapsed(), Axis::linear("a minute")).about("None were reported.")),
        )
        .section(Section::new("What it cost").table(table).notes(["List prices, without a free tier."]).chart(sweep.clone()).chart(bars.clone()))
        .footer("Every figure of this page is made up: it shows what a page looks like.");
    fs::write(&file, page.html())?;
    fs::write(format!("{file}.plot.svg"), sweep.svg())?;
    fs::write(format!("{file}.bars.svg"), bars.svg())
}
