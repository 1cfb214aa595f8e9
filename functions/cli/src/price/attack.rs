use std::{sync::LazyLock, time::Duration};

use crate::number::grouped;
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, verify_only};
use saltern_policy::keep_measure;
use serde::Deserialize;
use strum::IntoStaticStr;

/// The published rates of `attack.json`.
#[derive(Debug, Deserialize)]
pub struct Attack {
    device_hour: DeviceHour,
    rows: Vec<Row>,
    rules: Vec<Rule>,
    in_words: Vec<String>,
}

/// The default price of the attacker's device.
#[derive(Debug, Deserialize)]
pub struct DeviceHour {
    /// The device of every row that a rule uses.
    pub device: String,
    /// The price of an hour in US dollars.
    pub usd: f64,
    /// The source of the price.
    pub source: String,
}

/// A published rate.
#[derive(Debug, Deserialize)]
pub struct Row {
    /// The name in reports.
    pub name: String,
    /// The cost of the measured hash.
    pub parameters: String,
    /// The software and its mode.
    pub mode: String,
    /// The device.
    pub device: String,
    /// The rate.
    pub guesses_per_second: f64,
    /// The work of a guess, in the unit of the rules that use the row.
    pub work: f64,
    /// The date of the publication.
    pub date: String,
    /// The publication.
    pub source: String,
}

/// The way from a row to the rate of other costs.
#[derive(Debug, Deserialize)]
pub struct Rule {
    /// The names of the algorithms. A digest has the name of its function: `digest-md5`.
    pub algorithms: Vec<String>,
    row: String,
    /// The unit of work in which the rate is inversely linear.
    pub unit: String,
    /// The basis of a scaled rate.
    scaling: Basis,
}

/// How a rate follows from its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Basis {
    /// The row has these parameters.
    #[serde(skip)]
    Measured,
    /// The row is scaled by an exact rule.
    #[serde(rename = "exact")]
    Scaled,
    /// The row is scaled by a rule that errs.
    Approximate,
    /// The rate is at most this one.
    Bound,
}

impl Basis {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mark before a figure.
    fn mark(self) -> &'static str {
        match self {
            Self::Measured | Self::Scaled => "",
            Self::Approximate => "≈ ",
            Self::Bound => "≤ ",
        }
    }
}

/// The rate at which one device guesses the password of one hash.
#[derive(Clone, Copy, Debug)]
pub struct Guess<'a> {
    /// Guesses per second.
    pub per_second: f64,
    /// The published rate.
    pub row: &'a Row,
    /// How the rate follows from the row.
    pub basis: Basis,
}

impl Guess<'_> {
    /// Returns the price of 10^9 guesses, in the unit of the price of an hour.
    pub fn usd_per_billion(&self, usd_per_hour: f64) -> f64 {
        BILLION / self.per_second / SECONDS_PER_HOUR * usd_per_hour
    }

    /// Returns the accounts of which a number of devices tries 10^9 guesses each in this time. Each
    /// account has its own salt.
    pub fn accounts_in(&self, time: Duration, devices: u32) -> f64 {
        self.per_second * time.as_secs_f64() * f64::from(devices) / BILLION
    }

    /// Writes the same as a whole number.
    pub fn accounts_in_words(&self, time: Duration, devices: u32) -> String {
        let accounts = self.accounts_in(time, devices);
        if accounts < 1.0 { "< 1".to_owned() } else { figure(accounts.floor(), RATE) }
    }

    /// Returns the factor by which a guess costs more than one of another hash.
    pub fn times_the_price_of(&self, other: &Guess<'_>) -> f64 {
        other.per_second / self.per_second
    }

    /// Writes the rate, with a mark if it is approximate or a bound.
    pub fn rate_in_words(&self) -> String {
        format!("{}{}", self.basis.mark(), figure(self.per_second, RATE))
    }

    /// Writes the price of 10^9 guesses in US dollars, with a mark if it is approximate or a bound.
    pub fn price_in_words(&self, usd_per_hour: f64) -> String {
        let usd = self.usd_per_billion(usd_per_hour);
        match self.basis {
            // At most this rate is at least this price, so a small price may be a large one.
            Basis::Bound if usd < CENT => "≥ 0.00".to_owned(),
            Basis::Bound => format!("≥ {}", figure(usd, PRICE)),
            _ if usd < CENT => "< 0.01".to_owned(),
            basis => format!("{}{}", basis.mark(), figure(usd, PRICE)),
        }
    }

    /// Names the row, and says whether it was measured with these parameters or scaled.
    pub fn source_in_words(&self) -> String {
        let Row { parameters, mode, device, .. } = self.row;
        match self.basis {
            Basis::Measured => format!("measured: {mode}, {device}"),
            Basis::Scaled => format!("scaled from {parameters}: {mode}, {device}"),
            Basis::Approximate => format!("roughly scaled from {parameters}: {mode}, {device}"),
            Basis::Bound => format!("bound, from {parameters}: {mode}, {device}"),
        }
    }
}

impl Attack {
    /// Returns the published rates.
    #[expect(clippy::expect_used, reason = "the file is part of the build; tests read it")]
    pub fn published() -> &'static Self {
        static PUBLISHED: LazyLock<Attack> = LazyLock::new(|| {
            serde_json::from_str(include_str!("attack.json")).expect("attack.json has the rates")
        });
        &PUBLISHED
    }

    /// Returns the device and its price.
    pub fn device_hour(&self) -> &DeviceHour {
        &self.device_hour
    }

    /// Returns the facts without a figure.
    pub fn in_words(&self) -> &[String] {
        &self.in_words
    }

    /// Returns the rate for a stored hash; `None` if no figure is published.
    ///
    /// A guess on a wrapped hash computes both layers.
    pub fn guess(&self, setting: &Setting) -> Option<Guess<'_>> {
        if let Setting::Wrapped(wrapped) = setting {
            let outer = self.guess(&Setting::Argon2(wrapped.outer().clone()))?;
            let seconds = self.guess(wrapped.inner().setting()).map_or(0.0, |inner| 1.0 / inner.per_second);
            let per_second = 1.0 / (1.0 / outer.per_second + seconds);
            return Some(Guess { per_second, basis: Basis::Approximate, ..outer });
        }
        let (algorithm, work) = work(setting)?;
        let guess = self.guess_of_work(&algorithm, work)?;
        let is_measured = setting.params().is_some_and(|params| parameters(params) == guess.row.parameters)
            && guess.row.name.starts_with(&format!("{algorithm}-"));
        Some(if is_measured { Guess { basis: Basis::Measured, ..guess } } else { guess })
    }

    /// Returns the rate for params.
    pub fn guess_of(&self, params: Params) -> Option<Guess<'_>> {
        self.guess(&Setting::fresh(params, [0; NEW_SALT_BYTES]))
    }

    /// Returns the rate for a work of an algorithm, in the unit of its rule.
    pub fn guess_of_work(&self, algorithm: &str, work: f64) -> Option<Guess<'_>> {
        let rule = self.rule(algorithm)?;
        Some(Guess { basis: rule.scaling, ..self.guess_from(&rule.row, work)? })
    }

    /// Returns the rate for a work, roughly scaled from a row by its name, also of another device.
    pub fn guess_from(&self, row: &str, work: f64) -> Option<Guess<'_>> {
        let row = self.rows.iter().find(|published| published.name == row)?;
        Some(Guess { per_second: row.guesses_per_second * row.work / work, row, basis: Basis::Approximate })
    }

    /// Returns the work at which a guess on this algorithm has the rate of another guess.
    pub fn work_of_rate(&self, algorithm: &str, per_second: f64) -> Option<f64> {
        Some(self.guess_of_work(algorithm, 1.0)?.per_second / per_second)
    }

    fn rule(&self, algorithm: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.algorithms.iter().any(|name| name == algorithm))
    }
}

/// Writes a factor with three digits.
pub(crate) fn factor_in_words(factor: f64) -> String {
    figure(factor, PRICE)
}

/// Returns the name of a setting's algorithm in `attack.json`, and its work in the rule's unit.
#[expect(clippy::cast_precision_loss, reason = "ceilings keep it far below 2^53")]
fn work(setting: &Setting) -> Option<(String, f64)> {
    let name = setting.algorithm().name().to_owned();
    if let Some(params) = setting.params() {
        return Some((name, work_of(params, keep_measure(params).1)));
    }
    match setting {
        Setting::VerifyOnly(verify_only::VerifyOnlySetting::Digest(digest)) => {
            Some((format!("digest-{}", digest.hash().name()), digest.passes().into()))
        }
        Setting::VerifyOnly(other) => {
            let work = match other.cost() {
                verify_only::Cost::Rounds(rounds) => rounds,
                verify_only::Cost::Memory { work, .. } => work,
            };
            Some((name, work as f64))
        }
        _ => None,
    }
}

/// Returns the work for a value in the unit of `keep`: bcrypt's cost is a logarithm.
#[expect(clippy::cast_precision_loss, reason = "ceilings keep it far below 2^53")]
pub(crate) fn work_of(params: Params, measure: u64) -> f64 {
    if matches!(params, Params::Bcrypt(_)) { (measure as f64).exp2() } else { measure as f64 }
}

/// Writes params as `attack.json` does.
pub(crate) fn parameters(params: Params) -> String {
    match params {
        Params::Argon2(p) => format!("m={} KiB, t={}, p={}", p.memory_kib(), p.passes(), p.parallelism()),
        Params::Bcrypt(p) => format!("cost {}", p.cost()),
        Params::Pbkdf2(p) => format!("{} iterations", p.iterations()),
        Params::Scrypt(p) => format!("N=2^{}, r={}, p={}", p.log_n(), p.r(), p.p()),
    }
}

/// Writes a figure with as many digits as `limit` has zeros: 9.28, 57.9, 8,984.
fn figure(value: f64, limit: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let mut unit = 1.0;
    while (value / unit).round() >= limit {
        unit *= 10.0;
    }
    if value >= LEAST_GROUPED {
        let rounded = (value / unit).round() * unit;
        return grouped(Duration::try_from_secs_f64(rounded).map_or(u64::MAX, |whole| whole.as_secs()));
    }
    let decimals = [(2, 100.0), (1, 10.0)].into_iter().find(|(_, scale)| (value * scale).round() < limit);
    let decimals = decimals.map_or(0, |(decimals, _)| decimals);
    let decimals = if value.fract() == 0.0 { 0 } else { decimals };
    format!("{value:.decimals$}")
}

const BILLION: f64 = 1e9;
const SECONDS_PER_HOUR: f64 = 3600.0;
/// Numbers from here on have their thousands apart.
const LEAST_GROUPED: f64 = 1000.0;

/// Four digits of a rate: the published rows have at least three.
const RATE: f64 = 1e4;

/// Three digits of a price or a factor.
const PRICE: f64 = 1e3;

/// The least price that is written.
const CENT: f64 = 0.01;
