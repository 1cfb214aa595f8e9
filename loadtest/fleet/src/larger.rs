//! `saltern-fleet plan --page`: the needs of larger events, and the limit that each reaches first.

use core::time::Duration;
use std::{fs, path::Path};

use saltern_capacity::{
    Capacity, Demand, Durations, Figure, Limits, Prices, Usage, billed, gb_seconds, name_of,
};
use saltern_encoded::Params;
use saltern_page::{Axis, Page, Plot, Section, Series, Table, Verdict, exact, percent, usd};
use saltern_program::Failure;

use crate::{
    client::Client,
    function::Function,
    plan::{ratio, whole},
    platform::Throttle,
    shape::Shape,
    simulation::{self, Scenario},
    spread::Spread,
};

/// The event, at any rate.
pub(crate) struct Event<'a> {
    pub(crate) function: &'a Function,
    pub(crate) durations: &'a Durations,
    pub(crate) params: Params,
    /// The length of the event.
    pub(crate) evening: Duration,
    pub(crate) seed: u64,
}

/// A request of one size.
struct Request {
    logins: u64,
    /// The billed time.
    duration: Duration,
    is_extrapolated: bool,
}

/// The need of a rate.
struct Need {
    logins_per_second: u64,
    /// Pairs of an account and a region. Each has the same share of the logins.
    accounts: u64,
    /// The need of each of them.
    each: Capacity,
    /// The time in which a single function would start all environments.
    from_cold_alone: Duration,
    /// The cost of an hour, and of the evening with the time before it.
    usd_an_hour: f64,
    usd: f64,
}

/// A limit that a larger event reaches.
struct Wall {
    name: &'static str,
    consequence: &'static str,
    remedy: &'static str,
    holds: fn(&Request, u64, &Limits) -> bool,
}

impl Event<'_> {
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failure> {
        let unwritten = |error| Failure::system(format!("{} cannot be written ({error})", file.display()));
        fs::write(file, self.html()? + "\n").map_err(unwritten)
    }

    fn html(&self) -> Result<String, Failure> {
        let requests = [self.request(1)?, self.request(BATCH)?];
        let needs = [self.needs(&requests[0])?, self.needs(&requests[1])?];
        let page = Page::new("A larger event", Verdict::Stated(verdict(&requests, &needs)))
            .warning(self.warning(&requests))
            .contents();
        let page = match needs[1].last() {
            Some(need) => {
                let rate = whole(need.logins_per_second);
                page.facts_of(format!("{rate} logins a second, in batches of {BATCH}")).facts(facts(need))
            }
            None => page,
        };
        Ok(page
            .section(self.needed(&requests, &needs))
            .section(walls(&requests, &needs))
            .section(self.unprepared()?)
            .section(self.sources())
            .footer(format!(
                "Made by saltern-fleet plan --page FILE --policy {} --minutes {} --memory-mb {} --architecture {}.",
                name_of(self.params),
                self.evening.as_secs_f64() / SECONDS_PER_MINUTE,
                self.function.memory_mb,
                self.function.architecture.name()
            ))
            .html())
    }

    fn request(&self, logins: u64) -> Result<Request, Failure> {
        let planned = self.function.planned(self.durations, self.params, logins, 1)?;
        Ok(Request { logins, duration: billed(planned.duration), is_extrapolated: planned.is_extrapolated })
    }

    fn needs(&self, request: &Request) -> Result<Vec<Need>, Failure> {
        RATES.into_iter().map(|rate| self.need(request, rate)).collect()
    }

    fn need(&self, request: &Request, rate: u64) -> Result<Need, Failure> {
        let quota = Limits::documented().account_concurrency_raised;
        let share = |accounts: u64| request.capacity(rate.div_ceil(accounts), quota);
        let accounts = (1..=rate).find(|&accounts| share(accounts).fits_account).ok_or_else(|| {
            Failure::configuration(format!(
                "one login needs more than a quota of {quota}: choose cheaper parameters"
            ))
        })?;
        let need = Need {
            logins_per_second: rate,
            accounts,
            each: share(accounts),
            from_cold_alone: request.capacity(rate, quota).from_cold,
            usd_an_hour: 0.0,
            usd: 0.0,
        };
        let held = self.evening + Limits::documented().event_lead;
        let (usd_an_hour, usd) =
            (self.usd(request, &need, HOUR, HOUR), self.usd(request, &need, self.evening, held));
        Ok(Need { usd_an_hour, usd, ..need })
    }

    /// Returns the cost of logins for a time, with environments that are held for a time.
    fn usd(&self, request: &Request, need: &Need, time: Duration, held: Duration) -> f64 {
        let memory_mb = self.function.memory_mb;
        let requests = (need.logins_per_second * time.as_secs()).div_ceil(request.logins);
        let usage = Usage {
            requests,
            provisioned_gb_seconds: ratio(need.provisioned(), 1) * gb_seconds(memory_mb, held),
            provisioned_run_gb_seconds: ratio(requests, 1) * gb_seconds(memory_mb, request.duration),
            ..Usage::default()
        };
        Prices::listed().usd(self.function.architecture, &usage)
    }

    fn warning(&self, requests: &[Request]) -> String {
        let extrapolated = if requests.iter().any(|request| request.is_extrapolated) {
            format!(" The time of {} is extrapolated, not measured on Lambda.", name_of(self.params))
        } else {
            String::new()
        };
        format!(
            "Nothing on this page was run on AWS.{extrapolated} Measure your function, and make the page again with your own durations."
        )
    }

    fn needed(&self, requests: &[Request], needs: &[Vec<Need>]) -> Section {
        let limits = Limits::documented();
        let section = Section::new("What each rate needs").prose(format!(
            "{} on {} with {} MB. The quota of concurrency belongs to an account in a region, so accounts and regions count \
             alike: three accounts are three in one region, or one in three regions. Each has the same share of the logins, \
             and a quota of at most {}.",
            name_of(self.params),
            self.function.architecture.name(),
            whole(self.function.memory_mb),
            whole(limits.account_concurrency_raised),
        ));
        let tables = requests.iter().zip(needs).map(|(request, needs)| self.table(request, needs));
        section.tables(tables).notes([
            "Seconds from cold: without provisioned concurrency, a crowd that comes at once gets 429 until all environments \
             exist."
                .to_owned(),
            format!(
                "Backends: each client keeps at most {CLIENT_CONNECTIONS} requests under way, unless its \
                 maxConnections is raised."
            ),
            format!(
                "Costs are list prices, with provisioned concurrency. The evening includes the {} minutes before it. Logs and \
                 metrics are left out.",
                whole(limits.event_lead.as_secs() / 60)
            ),
        ])
    }

    fn table(&self, request: &Request, needs: &[Need]) -> Table {
        let caption = if request.logins == 1 {
            format!("Each login alone: {} ms a request", request.duration.as_millis())
        } else {
            format!("Full batches of {}: {} ms a request", request.logins, request.duration.as_millis())
        };
        let columns = Table::new(caption).words("logins a second");
        let columns = columns.numbers_each(needs.iter().map(|need| whole(need.logins_per_second)));
        let evening =
            format!("an evening of {} minutes", exact(self.evening.as_secs_f64() / SECONDS_PER_MINUTE, 0));
        let minutes = |time: Duration| exact(time.as_secs_f64() / SECONDS_PER_MINUTE, 1);
        let row = |name: &str, cell: &dyn Fn(&Need) -> String| {
            let cells = needs.iter().map(cell);
            core::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
        };
        columns.rows([
            row("environments, busy", &|need| whole(need.environments())),
            row("environments, provisioned", &|need| whole(need.provisioned())),
            row("accounts, all in one region", &|need| whole(need.accounts)),
            row("accounts, in each of three regions", &|need| whole(need.accounts.div_ceil(3))),
            row("quota of each account", &|need| whole(need.quota())),
            row("seconds from cold", &|need| exact(need.each.from_cold.as_secs_f64(), 1)),
            row("seconds from cold, by one function", &|need| exact(need.from_cold_alone.as_secs_f64(), 1)),
            row("minutes until provisioned", &|need| minutes(ready(need.each.provisioned))),
            row("backends, at least", &|need| whole(need.environments().div_ceil(CLIENT_CONNECTIONS))),
            row("an hour", &|need| usd(need.usd_an_hour)),
            row(&evening, &|need| usd(need.usd)),
            row("a million logins", &|need| usd(need.usd_per_million())),
            row("breaks first", &|need| first_broken(request, need.logins_per_second)),
        ])
    }

    /// Simulates a crowd that comes at once to a function without preparation.
    fn unprepared(&self) -> Result<Section, Failure> {
        let table = Table::new(format!("{CROWD_SECONDS} s of a crowd that comes at once, each login alone"))
            .numbers("logins a second")
            .numbers("throttled")
            .numbers_each(Throttle::ALL.map(|throttle| format!("by {}", throttle.in_words())));
        let rows = RATES.into_iter().map(|rate| {
            let shape = Shape::constant(ratio(rate, 1), Duration::from_secs(CROWD_SECONDS));
            let outcome = simulation::run(&Scenario {
                function: self.function,
                durations: self.durations,
                spread: Spread::measured(),
                params: self.params,
                shape: &shape,
                client: Client { backends: 1, batch: 1, wait: Duration::ZERO },
                seed: self.seed,
                at_most: SIMULATED_AT_MOST,
            })?;
            let totals = &outcome.series.totals;
            let of_all = |part: u64| percent(ratio(part, 1), ratio(totals.requested, 1));
            let reasons = Throttle::ALL
                .map(|throttle| of_all(totals.throttled.get(&throttle).copied().unwrap_or_default()));
            let cells = [whole(rate), of_all(totals.throttled.values().sum())];
            Ok(cells.into_iter().chain(reasons).collect::<Vec<_>>())
        });
        let rows = rows.collect::<Result<Vec<_>, Failure>>()?;
        Ok(Section::new("Without preparation")
            .prose(format!(
                "The model of fleet, with the default quota of {} and nothing provisioned. A throttled login is not repeated. \
                 The client hashes it locally, as far as the backend has capacity.",
                whole(self.function.account_concurrency)
            ))
            .table(table.rows(rows)))
    }

    fn sources(&self) -> Section {
        let architecture = self.function.architecture.name();
        let is_used = |figure: &Figure| {
            figure.name.starts_with(&format!("{architecture}_provisioned"))
                || figure.name == "requests_usd_per_million"
        };
        let figures = Limits::figures().into_iter().chain(Prices::figures().into_iter().filter(is_used));
        let rows = figures.map(|Figure { name, value, source }| [name.replace('_', " "), value, source]);
        let table =
            Table::new("Limits and prices").words("figure").numbers("value").words("source").rows(rows);
        Section::new("Sources").notes(self.durations.sources(self.params)).table(table)
    }
}

impl Request {
    fn capacity(&self, logins_per_second: u64, account_concurrency: u64) -> Capacity {
        let demand =
            Demand { logins_per_second, per_request: self.duration, batch: self.logins, account_concurrency };
        demand.capacity(Limits::documented())
    }
}

impl Need {
    fn environments(&self) -> u64 {
        self.accounts * self.each.environments
    }

    fn provisioned(&self) -> u64 {
        self.accounts * self.each.provisioned
    }

    fn quota(&self) -> u64 {
        let limits = Limits::documented();
        (self.each.concurrency + limits.concurrency_left_unreserved).max(limits.account_concurrency_default)
    }

    fn usd_per_million(&self) -> f64 {
        self.usd_an_hour / (ratio(self.logins_per_second * HOUR.as_secs(), 1_000_000))
    }
}

impl Wall {
    /// Returns the highest rate within the limit.
    fn reached(&self, request: &Request) -> u64 {
        let (mut holds, mut breaks) = (0, HIGHEST_RATE);
        while breaks - holds > 1 {
            let rate = u64::midpoint(holds, breaks);
            if (self.holds)(request, rate, Limits::documented()) {
                holds = rate;
            } else {
                breaks = rate;
            }
        }
        holds
    }
}

fn walls(requests: &[Request; 2], needs: &[Vec<Need>; 2]) -> Section {
    let mut walls: Vec<_> = WALLS.iter().map(|wall| (wall, wall.reached(&requests[0]))).collect();
    walls.sort_by_key(|&(_, reached)| reached);
    let rows = walls.iter().map(|(wall, alone)| {
        let in_batches = wall.reached(&requests[1]);
        [
            wall.name.to_owned(),
            whole(*alone),
            whole(in_batches),
            wall.consequence.to_owned(),
            wall.remedy.to_owned(),
        ]
    });
    let table = Table::new("The highest rate that one function in one account holds within each limit")
        .words("limit")
        .numbers("logins a second, alone")
        .numbers(format!("in batches of {BATCH}"))
        .words("above it")
        .words("remedy")
        .rows(rows);
    Section::new("What breaks first").table(table).chart(chart(needs))
}

fn first_broken(request: &Request, rate: u64) -> String {
    let reached = WALLS.iter().map(|wall| (wall.reached(request), wall.name));
    let first = reached.filter(|&(reached, _)| reached < rate).min();
    first.map_or_else(|| "nothing".to_owned(), |(_, name)| name.to_owned())
}

/// Returns the time until provisioned environments are usable.
fn ready(provisioned: u64) -> Duration {
    let limits = Limits::documented();
    let seconds = ratio(SECONDS_IN_A_MINUTE * provisioned, limits.provisioned_environments_per_minute);
    limits.provisioned_start + Duration::from_secs_f64(seconds)
}

fn verdict(requests: &[Request; 2], needs: &[Vec<Need>; 2]) -> String {
    let [alone, in_batches] = requests.each_ref().map(|request| whole(DEFAULT_QUOTA.reached(request)));
    let default = whole(Limits::documented().account_concurrency_default);
    let of = |needs: &[Need]| needs.last().map(|need| (whole(need.accounts), usd(need.usd_an_hour)));
    let largest = of(&needs[0]).zip(of(&needs[1])).map(|((accounts, usd), (accounts_in_batches, usd_in_batches))| {
        format!(
            " {} a second need {accounts} accounts and {usd} an hour, or {accounts_in_batches} accounts and {usd_in_batches} in batches.",
            whole(RATES[RATES.len() - 1])
        )
    });
    format!(
        "An account with the default quota of {default} holds {alone} logins a second, or {in_batches} in batches of {BATCH}.{}",
        largest.unwrap_or_default()
    )
}

fn facts(need: &Need) -> [(&'static str, String); 5] {
    [
        ("environments provisioned", whole(need.provisioned())),
        ("accounts or regions", whole(need.accounts)),
        ("seconds from cold", exact(need.each.from_cold.as_secs_f64(), 1)),
        ("an hour", usd(need.usd_an_hour)),
        ("a million logins", usd(need.usd_per_million())),
    ]
}

fn chart(needs: &[Vec<Need>; 2]) -> Plot {
    let limits = Limits::documented();
    let plot = Plot::new(
        "Environments to provision",
        Axis::logarithmic("logins a second"),
        Axis::logarithmic("environments"),
    )
    .about("The lines are the needs of all accounts together. The limits are those of one account.")
    .limit(ratio(limits.account_concurrency_default, 1), "default quota")
    .limit(ratio(limits.account_concurrency_raised, 1), "raised quota");
    let names = ["alone".to_owned(), format!("batches of {BATCH}")];
    names.into_iter().zip(needs).fold(plot, |plot, (name, needs)| {
        let dot = |need: &Need| {
            (ratio(need.logins_per_second, 1), ratio(need.provisioned(), 1), whole(need.provisioned()))
        };
        plot.series(Series::joined_dots(name, needs.iter().map(dot).collect()))
    })
}

const RATES: [u64; 4] = [3_000, 10_000, 100_000, 1_000_000];

/// The batch of the Scala client on Lambda (`DefaultCoalesceAtMost`).
const BATCH: u64 = 4;

/// The Scala client's requests under way (`DefaultMaxConnections`).
const CLIENT_CONNECTIONS: u64 = 128;

/// The time between two calls of an environment to CloudWatch (`distributions_seconds`).
const DISTRIBUTIONS_SECONDS: u64 = 30;

const DEFAULT_QUOTA: Wall = Wall {
    name: "default quota",
    consequence: "Lambda answers 429. The clients hash locally.",
    remedy: "Raise the quota, days before.",
    holds: |request, rate, limits| request.capacity(rate, limits.account_concurrency_default).fits_account,
};

/// The limits of one function in one account.
const WALLS: [Wall; 5] = [
    DEFAULT_QUOTA,
    Wall {
        name: "pace from cold",
        consequence: "A crowd that comes at once gets 429 until all environments exist.",
        remedy: "Provision concurrency before the event.",
        holds: |request, rate, limits| {
            request.capacity(rate, limits.account_concurrency_raised).from_cold.is_zero()
        },
    },
    Wall {
        name: "raised quota",
        consequence: "AWS documents no higher quota.",
        remedy: "Share the logins between accounts or regions: each backend calls one of them.",
        holds: |request, rate, limits| request.capacity(rate, limits.account_concurrency_raised).fits_account,
    },
    Wall {
        name: "calls of PutMetricData",
        consequence: "CloudWatch refuses distributions, and the function prints them. No login fails.",
        remedy: "Set distributions_seconds to 120.",
        holds: |request, rate, limits| {
            let environments = request.capacity(rate, limits.account_concurrency_raised).environments;
            environments <= limits.put_metric_data_per_second * DISTRIBUTIONS_SECONDS
        },
    },
    Wall {
        name: "provisioned in time",
        consequence: "The environments are not ready at the start. None is usable before all are.",
        remedy: "Share the logins between functions, each with its own pace.",
        holds: |request, rate, limits| {
            ready(request.capacity(rate, limits.account_concurrency_raised).provisioned) <= limits.event_lead
        },
    },
];

/// Above the rate that any limit allows.
const HIGHEST_RATE: u64 = 1_000_000_000;

const CROWD_SECONDS: u64 = 30;

/// At the highest rate each simulated login stands for 15, and a quota of 1,000 still for 66
/// environments.
const SIMULATED_AT_MOST: u64 = 2_000_000;

const HOUR: Duration = Duration::from_hours(1);
const SECONDS_IN_A_MINUTE: u64 = 60;
const SECONDS_PER_MINUTE: f64 = 60.0;

#[cfg(test)]
mod tests {
    use saltern_capacity::params_named;
    use serde_json::Value;

    use super::*;

    const COMMITTED: &str = include_str!("../results/larger-event.html");

    fn page(policy: &str) -> String {
        let event = Event {
            function: &Function::unprepared(),
            durations: Durations::documented(),
            params: params_named(policy).unwrap(),
            evening: HOUR,
            seed: 1,
        };
        event.html().unwrap() + "\n"
    }

    #[test]
    fn the_committed_page_is_up_to_date() {
        // `assert_eq` would print both pages.
        assert!(
            page("bcrypt-11") == COMMITTED,
            "run: cargo run --package saltern-fleet -- plan --page loadtest/fleet/results/larger-event.html"
        );
    }

    fn read(file: &str) -> Value {
        let path = format!("{}/../../infra/modules/password-hasher/{file}", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    fn integer(file: &Value, name: &str) -> u64 {
        file[name]["value"].as_u64().unwrap()
    }

    /// Returns the cells of a row in the committed page, in each table that has it.
    fn rows(name: &str) -> Vec<Vec<String>> {
        let rows = COMMITTED.split("<tr>").filter(|row| row.starts_with(&format!("<td>{name}</td>")));
        let cells = |row: &str| {
            let cells = row.split("</td>").skip(1).take(RATES.len());
            cells.map(|cell| cell.rsplit('>').next().unwrap().to_owned()).collect()
        };
        rows.map(cells).collect()
    }

    /// Computes the figures from the files and in another way than the page: in exact integers, and
    /// each account alone.
    #[test]
    fn every_figure_of_the_committed_page_follows_from_the_files() {
        let (limits, prices, durations) = (read("limits.json"), read("prices.json"), read("durations.json"));
        let limit = |name: &str| integer(&limits, name);
        let price = |name: &str| prices[name]["value"].as_f64().unwrap();
        let alone_ms = durations["policies"]["bcrypt-11"]["arm64_milliseconds"].as_u64().unwrap();
        let percent = durations["batch_percent_of_one"]["bcrypt"]["percent"]["4"].as_u64().unwrap();
        let gb = 1769.0 / 1024.0;
        for (table, (ms, batch)) in
            [(alone_ms, 1), ((alone_ms * percent).div_ceil(100), 4)].into_iter().enumerate()
        {
            let cell = |name: &str, column: usize| rows(name)[table][column].clone();
            for (column, rate) in RATES.into_iter().enumerate() {
                let environments = |rate: u64| (rate * ms).div_ceil(1000 * batch);
                let provisioned =
                    |rate: u64| (environments(rate) * 100).div_ceil(limit("target_utilisation_percent"));
                let concurrency = |rate: u64| {
                    provisioned(rate).max(rate.div_ceil(batch * limit("requests_per_second_per_concurrency")))
                };
                let spare = limit("concurrency_left_unreserved");
                let mut accounts = 1;
                while concurrency(rate.div_ceil(accounts)) + spare > limit("account_concurrency_raised") {
                    accounts += 1;
                }
                let each = rate.div_ceil(accounts);
                let held = accounts * provisioned(each);
                let quota = (concurrency(each) + spare).max(limit("account_concurrency_default"));
                for (name, expected) in [
                    ("environments, busy", accounts * environments(each)),
                    ("environments, provisioned", held),
                    ("accounts, all in one region", accounts),
                    ("accounts, in each of three regions", accounts.div_ceil(3)),
                    ("quota of each account", quota),
                    ("backends, at least", (accounts * environments(each)).div_ceil(128)),
                ] {
                    assert_eq!(cell(name, column), exact(ratio(expected, 1), 0), "{name} at {rate}");
                }
                let pace = limit("environments_per_ten_seconds");
                let from_cold = |rate: u64| ratio(10 * environments(rate).saturating_sub(pace), pace);
                let minutes = ratio(limit("provisioned_start_minutes"), 1)
                    + ratio(provisioned(each), limit("provisioned_environments_per_minute"));
                for (name, expected) in [
                    ("seconds from cold", from_cold(each)),
                    ("seconds from cold, by one function", from_cold(rate)),
                    ("minutes until provisioned", minutes),
                ] {
                    assert_eq!(cell(name, column), exact(expected, 1), "{name} at {rate}");
                }
                let requests = ratio(rate * 3600, batch);
                let load = requests * price("requests_usd_per_million") / 1e6
                    + requests * gb * ratio(ms, 1000) * price("arm64_provisioned_run_usd_per_gb_second");
                let idle = ratio(held, 1) * gb * price("arm64_provisioned_idle_usd_per_gb_second");
                let before = ratio(60 * limit("event_lead_minutes"), 1);
                for (name, expected) in [
                    ("an hour", load + 3600.0 * idle),
                    ("an evening of 60 minutes", load + (3600.0 + before) * idle),
                    ("a million logins", (load + 3600.0 * idle) / ratio(rate * 3600, 1_000_000)),
                ] {
                    assert_eq!(cell(name, column), usd(expected), "{name} at {rate}");
                }
            }
        }
    }

    /// The busy environments at each limit, computed by hand. 630 are 70 % of 900, and 6,930 of
    /// 9,900. 1,000 start at once. 15,000 make 500 calls a second. 54,600 are 70 % of 78,000, which
    /// start in 13 minutes.
    const REACHED: [(&str, u64); 5] = [
        ("default quota", 630),
        ("pace from cold", 1000),
        ("raised quota", 6930),
        ("calls of PutMetricData", 15_000),
        ("provisioned in time", 54_600),
    ];

    #[test]
    fn the_limits_are_reached_at_rates_computed_by_hand() {
        for (wall, (name, environments)) in WALLS.iter().zip(REACHED) {
            assert_eq!(wall.name, name);
            let [alone, in_fours] = [(164, 1), (192, 4)].map(|(ms, batch)| environments * 1000 * batch / ms);
            let row = &rows(name)[0];
            assert_eq!(row[..2], [whole(alone), whole(in_fours)], "{name}");
        }
        let first = rows("breaks first");
        assert_eq!(first[0], ["nothing", "default quota", "default quota", "default quota"]);
        assert_eq!(first[1], ["nothing", "nothing", "default quota", "default quota"]);
    }

    #[test]
    fn the_constants_of_the_client_and_of_the_function_are_theirs() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for (file, text) in [
            (
                "client-scala/core/src/main/scala/saltern/client/ClientConfig.scala",
                format!("val DefaultMaxConnections: Int = {CLIENT_CONNECTIONS}"),
            ),
            (
                "client-scala/core/src/main/scala/saltern/client/ClientConfig.scala",
                format!("val DefaultCoalesceAtMost: Int = {BATCH}"),
            ),
            (
                "functions/lambda/src/settings.rs",
                format!("const DEFAULT_INTERVAL_SECONDS: u64 = {DISTRIBUTIONS_SECONDS};"),
            ),
        ] {
            assert!(fs::read_to_string(format!("{root}/{file}")).unwrap().contains(&text), "{file}: {text}");
        }
    }

    #[test]
    fn parameters_that_no_account_has_room_for_are_refused() {
        let event = Event {
            function: &Function::unprepared(),
            durations: Durations::documented(),
            params: params_named("bcrypt-31").unwrap(),
            evening: HOUR,
            seed: 1,
        };
        assert!(event.html().is_err());
    }
}
