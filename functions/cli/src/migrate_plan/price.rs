//! The attacker's side of the plan: the price of a guess on each class of hashes, now and after
//! wrapping, upgrading and sealing.

use std::{fmt::Write as _, time::Duration};

use crate::number::grouped;
use crate::price::{Attack, Guess};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, Weakness, parse, wrapped};
use saltern_policy::{Policies, WeakHash};
use serde_json::{Value, json};

use super::{
    plan::{AtLogin, Class, Plan},
    print::columns,
};

/// The rates for a class of hashes.
#[derive(Clone, Copy)]
pub(super) struct Rates {
    /// `None` if no figure is published.
    pub(super) now: Option<Guess<'static>>,
    /// After `saltern wrap` under the current policy; `None` for hashes that it does not wrap.
    wrapped: Option<Guess<'static>>,
}

impl Rates {
    /// Returns the rates for hashes like this one.
    pub(super) fn of(example: &str, weakness: Option<WeakHash>, policies: &Policies) -> Self {
        let Ok(encoded) = parse(example) else { return Self { now: None, wrapped: None } };
        let published = Attack::published();
        let now = published.guess(encoded.setting());
        let Params::Argon2(outer) = policies.current().params() else { return Self { now, wrapped: None } };
        let wrapped = wrapped::Setting::fresh(outer, [0; NEW_SALT_BYTES], &encoded)
            .and_then(|setting| published.guess(&Setting::Wrapped(Box::new(setting))))
            .filter(|wrapped| {
                weakness.is_some()
                    || now.is_some_and(|now| wrapped.times_the_price_of(&now) >= WORTH_WRAPPING)
            });
        Self { now, wrapped }
    }
}

/// Whether the hashes should be wrapped: they are weak, or one device tries all of them in a day.
pub(super) fn is_weak(class: &Class) -> bool {
    let (_, day, devices) = TIMES[0];
    let count = class.occurrences.count;
    let falls = |now: Guess<'_>| tried(&now, day, devices, count, is_unsalted(class)) == count;
    class.weakness.is_some() || class.rates.wrapped.is_some() && class.rates.now.is_some_and(falls)
}

/// Returns the section of the text.
pub(super) fn text(plan: &Plan<'_>, usd_per_hour: f64) -> String {
    if plan.classes.is_empty() {
        return String::new();
    }
    let hour = Attack::published().device_hour();
    let mut out = format!(
        "\nGuesses on a stolen table: one {} at {usd_per_hour} USD an hour, and 10^9 passwords for each account\n",
        hour.device
    );
    let (mut rows, mut figures) = (vec![HEAD.map(str::to_owned)], Vec::new());
    let mut add = |name: String, guess: Option<Guess<'_>>, count: u64, is_unsalted: bool| {
        let source =
            guess.map_or_else(|| "no figure is published".to_owned(), |guess| guess.source_in_words());
        let place = figures.iter().position(|known| *known == source).unwrap_or(figures.len());
        if place == figures.len() {
            figures.push(source);
        }
        let cells = guess.map_or_else(
            || ["-"; 4].map(str::to_owned),
            |guess| {
                let [day, day_of_100] = [TIMES[0], TIMES[2]].map(|(_, time, devices)| {
                    let tried = tried(&guess, time, devices, count, is_unsalted);
                    if tried == 0 { "< 1".to_owned() } else { grouped(tried) }
                });
                [guess.rate_in_words(), guess.price_in_words(usd_per_hour), day, day_of_100]
            },
        );
        let [rate, price, day, day_of_100] = cells;
        rows.push([name, rate, price, day, day_of_100, (place + 1).to_string()]);
    };
    for class in &plan.classes {
        let name = format!("{} {}", class.scheme.name(), class.cost);
        add(name, class.rates.now, class.occurrences.count, is_unsalted(class));
    }
    let by_rate = |a: &Guess<'_>, b: &Guess<'_>| a.per_second.total_cmp(&b.per_second);
    let wrapped = plan.classes.iter().filter(|class| is_weak(class)).filter_map(|class| class.rates.wrapped);
    if let Some(wrapped) = wrapped.max_by(by_rate) {
        add("the weak ones, wrapped".to_owned(), Some(wrapped), plan.moving.weak, false);
    }
    if plan.moving.replaced > 0 {
        add(format!("after a login: {}", plan.current), plan.upgraded, plan.moving.replaced, false);
    }
    columns(&mut out, &rows, &NUMBERS);
    for (place, source) in figures.iter().enumerate() {
        let _infallible = writeln!(out, "{:>4}  {source}", place + 1);
    }
    out.push_str(
        "≈ and ≤ mark approximate rates and bounds. A sealed hash cannot be guessed without the key. FPGAs and ASICs are not \
         counted: they are cheaper for bcrypt and for PBKDF2.\n",
    );
    out
}

/// Returns the accounts that are tried against the whole list. Without a salt, one pass over the
/// list is for all accounts.
fn tried(guess: &Guess<'_>, time: Duration, devices: u32, count: u64, is_unsalted: bool) -> u64 {
    let accounts = guess.accounts_in(time, devices);
    let whole = Duration::try_from_secs_f64(accounts).map_or(u64::MAX, |accounts| accounts.as_secs());
    if is_unsalted && whole > 0 { count } else { whole.min(count) }
}

fn is_unsalted(class: &Class) -> bool {
    matches!(class.weakness, Some(WeakHash::Scheme(Weakness::Unsalted)))
}

pub(super) fn is_replaced(class: &Class) -> bool {
    matches!(class.at_login, AtLogin::Replaced(_) | AtLogin::NeedsPermission(_))
}

/// Returns the figures of a class as JSON.
pub(super) fn json(class: &Class, plan: &Plan<'_>, usd_per_hour: f64) -> Value {
    let of = |guess: Option<Guess<'_>>, is_unsalted: bool| {
        guess.map(|guess| {
            let tried = TIMES.map(|(name, time, devices)| {
                (name.to_owned(), json!(tried(&guess, time, devices, class.occurrences.count, is_unsalted)))
            });
            json!({
                "guesses_per_second": guess.per_second,
                "usd_per_billion": guess.usd_per_billion(usd_per_hour),
                "row": guess.row.name,
                "basis": guess.basis.name(),
                "accounts_tried": serde_json::Map::from_iter(tried),
            })
        })
    };
    json!({
        "now": of(class.rates.now, is_unsalted(class)),
        "wrapped": of(class.rates.wrapped.filter(|_| is_weak(class)), false),
        "upgraded": of(plan.upgraded.filter(|_| is_replaced(class)), false),
    })
}

const HEAD: [&str; 6] = ["hash", "guesses/s", "USD", "accounts a day", "100 cards", "figure"];

/// The columns that are right-aligned.
const NUMBERS: [usize; 5] = [1, 2, 3, 4, 5];

/// A layer that makes a guess only a few times dearer is not worth its work.
const WORTH_WRAPPING: f64 = 10.0;

/// The names in JSON, the times, and the numbers of devices.
const TIMES: [(&str, Duration, u32); 4] = [
    ("day_1", Duration::from_hours(24), 1),
    ("week_1", Duration::from_hours(7 * 24), 1),
    ("day_100", Duration::from_hours(24), 100),
    ("week_100", Duration::from_hours(7 * 24), 100),
];
