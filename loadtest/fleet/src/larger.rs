//! `saltern-fleet plan --larger`: the needs of larger events, and the limit that each reaches first.
//!
//! The tables apply the capacity formula. They simulate nothing.

use core::time::Duration;

use saltern_capacity::{Durations, Prices, Usage, billed, gb_seconds, name_of};
use saltern_cli::number::grouped;
use saltern_server::Failure;

use crate::{
    arguments::PlanArguments,
    demand::{Capacity, Demand},
    limits::Limits,
    number::ratio,
};

/// Returns the tables in Markdown.
pub(crate) fn tables(durations: &Durations, arguments: &PlanArguments) -> Result<String, Failure> {
    let event = Event { durations, arguments, evening: Duration::from_mins(arguments.minutes) };
    let (alone, in_batches) = (event.request(1)?, event.request(BATCH)?);
    let limits = Limits::documented();
    let policy = name_of(arguments.policy);
    let extrapolated = if alone.is_extrapolated || in_batches.is_extrapolated {
        format!(
            " The times of {policy} are extrapolated, not measured on Lambda: repeat this with --durations and your own."
        )
    } else {
        String::new()
    };
    Ok(format!(
        "# What larger events need

{policy} on {architecture} with {memory} MB.{extrapolated}

## Each login alone: {} ms a request

{}
## Full batches of {BATCH}: {} ms a request

{}
- The quota of concurrency belongs to an account in a region, so accounts and regions count alike. Each has the same share of the logins, and a quota of at most {raised}.
- Seconds from cold: without provisioned concurrency, a crowd that comes at once gets 429 until all environments exist.
- Backends: each client keeps at most {CLIENT_CONNECTIONS} requests under way, unless its maxConnections is raised.
- Costs are list prices, with provisioned concurrency. The evening includes the {lead} minutes before it. Logs and metrics are left out.

## What breaks first

The highest rate that one function in one account holds within each limit:

{}",
        alone.duration.as_millis(),
        event.needs(&alone)?,
        in_batches.duration.as_millis(),
        event.needs(&in_batches)?,
        walls(&alone, &in_batches),
        architecture = arguments.function.architecture.name(),
        memory = grouped(arguments.function.memory_mb),
        raised = grouped(limits.account_concurrency_raised),
        lead = limits.event_lead.as_secs() / 60,
    ))
}

/// The event, at any rate.
struct Event<'a> {
    durations: &'a Durations,
    arguments: &'a PlanArguments,
    evening: Duration,
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
}

/// A limit that a larger event reaches.
struct Wall {
    name: &'static str,
    consequence: &'static str,
    remedy: &'static str,
    holds: fn(&Request, u64, &Limits) -> bool,
}

impl Event<'_> {
    fn request(&self, logins: u64) -> Result<Request, Failure> {
        let planned = self.arguments.function.planned(self.durations, self.arguments.policy, logins)?;
        Ok(Request { logins, duration: billed(planned.duration), is_extrapolated: planned.is_extrapolated })
    }

    /// Returns a table with a column for each rate.
    fn needs(&self, request: &Request) -> Result<String, Failure> {
        let needs = RATES.into_iter().map(|rate| need(request, rate)).collect::<Result<Vec<_>, _>>()?;
        let row = |name: &str, cell: &dyn Fn(&Need) -> String| {
            format!("| {name} | {} |\n", needs.iter().map(cell).collect::<Vec<_>>().join(" | "))
        };
        let held = self.evening + Limits::documented().event_lead;
        let hour = |need: &Need| self.usd(request, need, HOUR, HOUR);
        let logins_an_hour = |need: &Need| need.logins_per_second * HOUR.as_secs();
        Ok([
            row("logins a second", &|need| grouped(need.logins_per_second)),
            format!("|---{}|\n", "|--:".repeat(needs.len())),
            row("environments, busy", &|need| grouped(need.environments())),
            row("environments, provisioned", &|need| grouped(need.provisioned())),
            row("accounts, all in one region", &|need| grouped(need.accounts)),
            row("accounts, in each of three regions", &|need| grouped(need.accounts.div_ceil(3))),
            row("quota of each account", &|need| grouped(need.quota())),
            row("seconds from cold", &|need| format!("{:.1}", need.each.from_cold.as_secs_f64())),
            row("seconds from cold, by one function", &|need| {
                format!("{:.1}", need.from_cold_alone.as_secs_f64())
            }),
            row("minutes until provisioned", &|need| {
                format!("{:.1}", ready(need.each.provisioned).as_secs_f64() / 60.0)
            }),
            row("backends, at least", &|need| grouped(need.environments().div_ceil(CLIENT_CONNECTIONS))),
            row("$ an hour", &|need| format!("{:.2}", hour(need))),
            row(&format!("$ an evening of {} minutes", self.arguments.minutes), &|need| {
                format!("{:.2}", self.usd(request, need, self.evening, held))
            }),
            row("$ a million logins", &|need| {
                format!("{:.2}", hour(need) / ratio(logins_an_hour(need), 1_000_000))
            }),
            row("breaks first", &|need| first_broken(request, need.logins_per_second).to_owned()),
        ]
        .concat())
    }

    /// Returns the cost of logins for a time, with environments that are held for a time.
    fn usd(&self, request: &Request, need: &Need, time: Duration, held: Duration) -> f64 {
        let function = &self.arguments.function;
        let requests = (need.logins_per_second * time.as_secs()).div_ceil(request.logins);
        let usage = Usage {
            requests,
            provisioned_gb_seconds: ratio(need.provisioned(), 1) * gb_seconds(function.memory_mb, held),
            provisioned_run_gb_seconds: ratio(requests, 1) * gb_seconds(function.memory_mb, request.duration),
            ..Usage::default()
        };
        Prices::listed().usd(function.architecture, &usage)
    }
}

/// Shares a rate between as few accounts as have room for it.
fn need(request: &Request, logins_per_second: u64) -> Result<Need, Failure> {
    let quota = Limits::documented().account_concurrency_raised;
    let share = |accounts: u64| request.capacity(logins_per_second.div_ceil(accounts), quota);
    let accounts = (1..=logins_per_second).find(|&accounts| share(accounts).fits_account);
    let accounts = accounts.ok_or_else(|| {
        Failure::configuration(format!(
            "one login needs more than a quota of {quota}: choose cheaper parameters"
        ))
    })?;
    Ok(Need { logins_per_second, accounts, each: share(accounts), from_cold_alone: share(1).from_cold })
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

fn walls(alone: &Request, in_batches: &Request) -> String {
    let mut walls: Vec<_> = WALLS.iter().map(|wall| (wall.reached(alone), wall)).collect();
    walls.sort_by_key(|(reached, _)| *reached);
    let head = format!(
        "| limit | logins a second, alone | in batches of {BATCH} | above it | remedy |\n|---|--:|--:|---|---|\n"
    );
    let rows = walls.into_iter().map(|(reached, wall)| {
        let (reached, in_batches) = (grouped(reached), grouped(wall.reached(in_batches)));
        format!("| {} | {reached} | {in_batches} | {} | {} |\n", wall.name, wall.consequence, wall.remedy)
    });
    head + &rows.collect::<String>()
}

fn first_broken(request: &Request, rate: u64) -> &'static str {
    let reached = WALLS.iter().map(|wall| (wall.reached(request), wall.name));
    reached.filter(|&(reached, _)| reached < rate).min().map_or("nothing", |(_, name)| name)
}

/// Returns the time until provisioned environments are usable.
fn ready(provisioned: u64) -> Duration {
    let limits = Limits::documented();
    let minutes = ratio(provisioned, limits.provisioned_environments_per_minute);
    limits.provisioned_start + Duration::from_mins(1).mul_f64(minutes)
}

const RATES: [u64; 4] = [3_000, 10_000, 100_000, 1_000_000];

/// The batch of the Scala client on Lambda (`CoalesceAtMostOfLambda`).
const BATCH: u64 = 4;

/// The Scala client's requests under way (`maxConnections`).
const CLIENT_CONNECTIONS: u64 = 128;

/// The time between two calls of an environment to CloudWatch (`distributions_seconds`).
const DISTRIBUTIONS_SECONDS: u64 = 30;

/// The limits of one function in one account.
const WALLS: [Wall; 5] = [
    Wall {
        name: "default quota",
        consequence: "Lambda answers 429. The clients hash locally.",
        remedy: "Raise the quota, days before.",
        holds: |request, rate, limits| {
            request.capacity(rate, limits.account_concurrency_default).fits_account
        },
    },
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

const HOUR: Duration = Duration::from_hours(1);

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{arguments::plan, function::MOST_ENVIRONMENTS, simulation::BATCH_WAIT};

    fn printed(flags: &str) -> Result<String, Failure> {
        tables(Durations::documented(), &plan(flags).unwrap())
    }

    /// Computed apart from this program: from `limits.json`, `prices.json` and `durations.json`,
    /// in exact integers, each account alone.
    const ROWS: [&str; 27] = [
        "logins a second | 3,000 | 10,000 | 100,000 | 1,000,000",
        "environments, busy | 492 | 1,640 | 16,401 | 164,016",
        "environments, provisioned | 703 | 2,343 | 23,430 | 234,312",
        "accounts, all in one region | 1 | 1 | 3 | 24",
        "accounts, in each of three regions | 1 | 1 | 1 | 8",
        "quota of each account | 1,000 | 2,443 | 7,910 | 9,863",
        "seconds from cold | 0.0 | 6.4 | 44.7 | 58.3",
        "seconds from cold, by one function | 0.0 | 6.4 | 154.0 | 1630.0",
        "minutes until provisioned | 2.1 | 2.4 | 3.3 | 3.6",
        "backends, at least | 4 | 13 | 129 | 1,282",
        "$ an hour | 40.53 | 135.10 | 1351.01 | 13510.38",
        "$ an evening of 60 minutes | 44.18 | 147.24 | 1472.44 | 14724.75",
        "$ a million logins | 3.75 | 3.75 | 3.75 | 3.75",
        "breaks first | nothing | default quota | default quota | default quota",
        // In batches.
        "environments, busy | 144 | 480 | 4,800 | 48,006",
        "environments, provisioned | 206 | 686 | 6,858 | 68,586",
        "accounts, all in one region | 1 | 1 | 1 | 7",
        "accounts, in each of three regions | 1 | 1 | 1 | 3",
        "quota of each account | 1,000 | 1,000 | 6,958 | 9,898",
        "seconds from cold | 0.0 | 0.0 | 38.0 | 58.6",
        "seconds from cold, by one function | 0.0 | 0.0 | 38.0 | 470.0",
        "minutes until provisioned | 2.0 | 2.1 | 3.1 | 3.6",
        "backends, at least | 2 | 4 | 38 | 376",
        "$ an hour | 11.78 | 39.24 | 392.35 | 3923.67",
        "$ an evening of 60 minutes | 12.84 | 42.79 | 427.90 | 4279.13",
        "$ a million logins | 1.09 | 1.09 | 1.09 | 1.09",
        "breaks first | nothing | nothing | default quota | default quota",
    ];

    #[test]
    fn the_tables_have_the_figures_of_the_files() {
        let printed = printed("--larger").unwrap();
        for row in ROWS {
            assert!(printed.contains(&format!("| {row} |\n")), "{row}\n\n{printed}");
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
        let printed = printed("--larger").unwrap();
        for (name, environments) in REACHED {
            let [alone, in_fours] = [(164, 1), (192, 4)].map(|(ms, batch)| environments * 1000 * batch / ms);
            let row = format!("| {name} | {} | {} |", grouped(alone), grouped(in_fours));
            assert!(printed.contains(&row), "{row}\n\n{printed}");
        }
    }

    #[test]
    fn the_constants_of_the_client_and_of_the_function_are_theirs() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let client = "client-scala/core/src/main/scala/saltern/client/ClientConfig.scala";
        let function = "functions/lambda/src/settings.rs";
        for (file, text) in [
            (client, format!("maxConnections: Int = {CLIENT_CONNECTIONS},")),
            (client, format!("val CoalesceAtMostOfLambda = {BATCH}\n")),
            (client, format!("coalesceWindow: FiniteDuration = {}.millis,", BATCH_WAIT.as_millis())),
            (function, format!("const DEFAULT_INTERVAL_SECONDS: u64 = {DISTRIBUTIONS_SECONDS};")),
        ] {
            assert!(fs::read_to_string(format!("{root}/{file}")).unwrap().contains(&text), "{file}: {text}");
        }
    }

    #[test]
    fn all_provisioned_environments_of_a_model_are_ready_at_its_start() {
        assert!(ready(MOST_ENVIRONMENTS) <= Limits::documented().event_lead);
        assert!(Prices::listed().provisioned_billed_at_least() <= Limits::documented().event_lead);
    }

    #[test]
    fn parameters_that_no_account_has_room_for_are_refused() {
        assert!(printed("--larger --policy=bcrypt-31").is_err());
    }
}
