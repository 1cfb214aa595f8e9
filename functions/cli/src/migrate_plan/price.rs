//! The attacker's side of the plan: the price of a guess on each class of hashes, now and after
//! wrapping, upgrading and sealing.

use std::time::Duration;

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
        let outer = match policies.current().params() {
            Params::Argon2(params) if weakness.is_some() => Some(params),
            _ => None,
        };
        let wrapped = outer.and_then(|outer| wrapped::Setting::fresh(outer, [0; NEW_SALT_BYTES], &encoded));
        Self {
            now: published.guess(encoded.setting()),
            wrapped: wrapped.and_then(|setting| published.guess(&Setting::Wrapped(Box::new(setting)))),
        }
    }
}

/// Returns the section of the text.
pub(super) fn text(plan: &Plan<'_>, usd_per_hour: f64) -> String {
    if plan.classes.is_empty() {
        return String::new();
    }
    let hour = Attack::published().device_hour();
    let mut out = format!(
        "\nGuesses on a stolen table: one {} at {usd_per_hour} USD an hour, and a list of 10^9 passwords for each account\n",
        hour.device
    );
    let mut rows = vec![HEAD.map(str::to_owned)];
    for class in &plan.classes {
        let name = format!("{} {}", class.scheme.name(), class.cost);
        rows.push(row(&name, class.rates.now, class, is_unsalted(class), usd_per_hour));
        if let Some(wrapped) = class.rates.wrapped {
            rows.push(row("  wrapped", Some(wrapped), class, false, usd_per_hour));
        }
        if is_replaced(class) {
            rows.push(row(
                &format!("  after upgrade to {}", plan.current),
                plan.upgraded,
                class,
                false,
                usd_per_hour,
            ));
        }
    }
    columns(&mut out, &rows, &NUMBERS);
    out.push_str(
        "≈ and ≤ mark approximate rates and bounds. A sealed hash cannot be guessed without the key. FPGAs and ASICs are not\n\
         counted: they are cheaper for bcrypt and for PBKDF2.\n",
    );
    out
}

/// Returns the cells of a row: rate, price, accounts in each time, and the published row.
fn row(
    name: &str,
    guess: Option<Guess<'_>>,
    class: &Class,
    is_unsalted: bool,
    usd_per_hour: f64,
) -> [String; 8] {
    let Some(guess) = guess else {
        return [name, "-", "-", "-", "-", "-", "-", "no figure is published"].map(str::to_owned);
    };
    let [day, week, day_of_100, week_of_100] = TIMES.map(|(_, time, devices)| {
        let tried = tried(&guess, time, devices, class.occurrences.count, is_unsalted);
        if tried == 0 { "< 1".to_owned() } else { grouped(tried) }
    });
    let (rate, price) = (guess.rate_in_words(), guess.price_in_words(usd_per_hour));
    [name.to_owned(), rate, price, day, week, day_of_100, week_of_100, guess.source_in_words()]
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

fn is_replaced(class: &Class) -> bool {
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
        "wrapped": of(class.rates.wrapped, false),
        "upgraded": of(plan.upgraded.filter(|_| is_replaced(class)), false),
    })
}

const HEAD: [&str; 8] =
    ["hash", "guesses/s", "USD", "accounts in a day", "in a week", "100 cards: a day", "a week", "figure"];

/// The columns that are right-aligned.
const NUMBERS: [usize; 6] = [1, 2, 3, 4, 5, 6];

/// The names in JSON, the times, and the numbers of devices.
const TIMES: [(&str, Duration, u32); 4] = [
    ("day_1", Duration::from_hours(24), 1),
    ("week_1", Duration::from_hours(7 * 24), 1),
    ("day_100", Duration::from_hours(24), 100),
    ("week_100", Duration::from_hours(7 * 24), 100),
];
