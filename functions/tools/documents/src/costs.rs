//! Generates the costs in LIMITS.md from the figures and prices of the tree.

use core::fmt::Write as _;

use serde_json::Value;

const LANES: &str = include_str!("../../../LANES.md");
const FIGURES: &str = include_str!("../../measure/results/amd-epyc-zen-5/figures.json");
const DURATIONS: &str = include_str!("../../../../infra/modules/password-hasher/durations.json");
const PRICES: &str = include_str!("../../../../infra/modules/password-hasher/prices.json");

/// An example: the price tables have no machine.
const USD_PER_CORE_HOUR: f64 = 0.05;

const HOURS_A_MONTH: f64 = 730.0;

const LOGINS_A_MONTH: [f64; 3] = [1e5, 1e6, 1e7];

/// A server, the pods of `packaging/kubernetes`, and the fewest environments of Managed Instances by
/// `infra/modules/password-hasher/variables.tf`.
const SERVER_CORES: f64 = 2.0;
const PODS_CORES: f64 = 4.0;
const MANAGED_CORES: f64 = 3.0;

/// The names of metrics with three policies, and the bytes of a line, as LIMITS.md states them.
const METRICS: f64 = 40.0;
const BYTES_A_LINE: f64 = 1_000.0;

/// Twelve channels of DDR5-6000 with 8 bytes each, as the vendor of Zen 5 states them.
const SOCKET_BYTES_A_SECOND: f64 = 12.0 * 8.0 * 6.0e9;
const SOCKET_CORES: [f64; 3] = [64.0, 96.0, 128.0];

/// Milliseconds of a core for a login on Zen 5 with all lanes in use.
struct OnACore {
    argon2: f64,
    argon2_alone: f64,
    bcrypt_12: f64,
}

/// Returns the table and what it assumes.
pub(crate) fn markdown() -> String {
    let prices = json(PRICES);
    let price = |name: &str| number(&prices[name]["value"]);
    let on_a_core = OnACore::published();
    let mut text = "| place | 100,000 logins a month | 1,000,000 | 10,000,000 | at most, logins a second: argon2id 64 MiB t=4 / bcrypt-12 |\n\
                    |---|--:|--:|--:|--:|\n"
        .to_owned();
    let fee = 1.0 + price("managed_instances_percent_on_top_of_ec2") / 100.0;
    for (place, cores, fee, is_measured) in [
        ("a server with two cores", SERVER_CORES, 1.0, true),
        ("Kubernetes, two pods with two cores each", PODS_CORES, 1.0, true),
        ("Managed Instances, three environments with one core each", MANAGED_CORES, fee, false),
    ] {
        let month = dollars(cores * HOURS_A_MONTH * USD_PER_CORE_HOUR * fee);
        let a_second = |milliseconds: f64| (cores * 1e3 / milliseconds).floor();
        let most = if is_measured {
            format!("{} / {}", a_second(on_a_core.argon2), a_second(on_a_core.bcrypt_12))
        } else {
            "not measured".to_owned()
        };
        let _infallible = writeln!(text, "| {place} | {month} | {month} | {month} | {most} |");
    }
    let durations = json(DURATIONS);
    let gigabytes = number(&durations["reference_memory_mb"]["value"]) / 1024.0;
    let of_a_login = |policy: &str| {
        let seconds = number(&durations["policies"][policy]["arm64_milliseconds"]) / 1e3;
        seconds * gigabytes * price("arm64_on_demand_usd_per_gb_second")
            + price("requests_usd_per_million") / 1e6
            + BYTES_A_LINE / 1e9 * price("log_ingestion_usd_per_gb")
    };
    let metrics = METRICS * price("metric_usd_per_month");
    let argon2 = of_a_login("argon2id-65536-4-1");
    for (policy, login) in [("argon2id 64 MiB t=4", argon2), ("bcrypt-12", of_a_login("bcrypt-12"))] {
        let months = LOGINS_A_MONTH.map(|logins| dollars(metrics + logins * login));
        let _infallible = writeln!(text, "| Lambda, {policy} | {} | by your quota |", months.join(" | "));
    }
    let hours = on_a_core.argon2 * 1e6 / 3.6e6;
    let server = SERVER_CORES * HOURS_A_MONTH * USD_PER_CORE_HOUR;
    let _infallible = write!(
        text,
        "\nUSD a month, rounded up to the cent. A core is assumed to cost {USD_PER_CORE_HOUR:.2} USD an hour: put your own price in proportion.\n\
         Lambda includes {:.2} USD for metrics, and {:.2} USD for the log lines of a million logins.\n\n\
         - A million logins under argon2id take {hours:.1} hours of a core, {:.2} USD, with four lanes in use ({:.1} ms each). Few callers at\n  \
         a time fill fewer lanes: a hash alone takes {:.1} ms.\n\
         - On Lambda a million cost {} USD, without metrics and lines.\n\
         - A server with two cores costs less than Lambda from {:.1} million logins a month, if its cores hold your peak.\n  \
         Ten provisioned environments cost more than it from the first login on.\n",
        metrics,
        BYTES_A_LINE / 1e3 * price("log_ingestion_usd_per_gb"),
        hours * USD_PER_CORE_HOUR,
        on_a_core.argon2,
        on_a_core.argon2_alone,
        dollars((argon2 - BYTES_A_LINE / 1e9 * price("log_ingestion_usd_per_gb")) * 1e6),
        (server - metrics) / argon2 / 1e6,
    );
    text
}

/// Returns the logins a second of a socket in which every core computes, as cores and memory allow.
pub(crate) fn socket() -> String {
    let on_a_core = OnACore::published();
    // A worker computes hashes of less than 32 MiB one after the other.
    let (small, _gain) = of_lanes("19 MiB, t=2");
    let policies = [
        ("bcrypt-12", on_a_core.bcrypt_12, 0.0),
        ("argon2id 19 MiB t=2", small, argon2_bytes(19.0, 2.0)),
        ("argon2id 64 MiB t=4", on_a_core.argon2, argon2_bytes(64.0, 4.0)),
    ];
    let mut text =
        "| policy | a hash moves | a core, logins a second | 64 cores | 96 | 128 | memory suffices for |\n\
                    |---|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for (policy, milliseconds, bytes) in policies {
        let a_core = 1e3 / milliseconds;
        let of_memory = SOCKET_BYTES_A_SECOND / bytes;
        let sockets = SOCKET_CORES.map(|cores| format!("{:.0}", (cores * a_core).min(of_memory)));
        let suffices =
            if bytes > 0.0 { format!("{:.0} cores", of_memory / a_core) } else { "all".to_owned() };
        let _infallible = writeln!(
            text,
            "| {policy} | {:.0} MB | {a_core:.1} | {} | {suffices} |",
            bytes / 1e6,
            sockets.join(" | ")
        );
    }
    let _infallible = write!(
        text,
        "\nThe core is one of the two of Zen 5 above, with its lanes full. The memory of the socket is assumed to move {:.0} GB/s: twelve channels of DDR5-6000.\n",
        SOCKET_BYTES_A_SECOND / 1e9
    );
    text
}

/// The bytes that a hash moves: its memory (3t − 1) times.
fn argon2_bytes(mebibytes: f64, passes: f64) -> f64 {
    mebibytes * 1024.0 * 1024.0 * (3.0 * passes - 1.0)
}

impl OnACore {
    /// # Panics
    /// If a figure is missing: the table would be wrong.
    fn published() -> Self {
        let (argon2_alone, ratio) = of_lanes("64 MiB, t=4");
        let lanes = &json(FIGURES)["run"]["bcrypt_10_lanes"];
        let bcrypt_10 = number(&lanes["libxcrypt_ms"]) / number(&lanes["ratios"][7]);
        Self { argon2: argon2_alone / ratio, argon2_alone, bcrypt_12: 4.0 * bcrypt_10 }
    }
}

/// Returns the milliseconds of one hash on Zen 5, and the gain of four lanes.
fn of_lanes(argon2id: &str) -> (f64, f64) {
    let row = LANES.lines().find(|line| line.starts_with(&format!("| {argon2id} |")));
    let cells: Vec<_> =
        row.unwrap_or_else(|| panic!("LANES.md has no row of {argon2id}")).split('|').collect();
    (first_number(cells[2]), first_number(cells[5]))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn first_number(cell: &str) -> f64 {
    let word = cell.split_whitespace().next().and_then(|word| word.parse().ok());
    word.unwrap_or_else(|| panic!("{cell} has no number"))
}

/// Rounds up to the cent, as Terraform does.
fn dollars(usd: f64) -> String {
    // Less than a cent's thousandth is an error of the representation.
    format!("{:.2}", (usd * 100.0 - 1e-3).ceil() / 100.0)
}
