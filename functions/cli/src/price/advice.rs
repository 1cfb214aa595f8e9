//! The foolish parts of a consistent policy document.

use crate::number::grouped;
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting};
use saltern_kernels::Admitted;
use saltern_policy::{Limits, Policies, Policy, SHIPPED, Status, keep_measure};

use crate::price::{
    Attack, Guess,
    attack::{factor_in_words, work_of},
    standards,
};

/// A foolish part of a document: a sentence that says what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The stable name of the kind.
    pub code: &'static str,
    /// The policy, ceiling or threshold.
    pub subject: String,
    /// The factor between two prices or works, if there is one.
    pub factor: Option<f64>,
    /// The sentence.
    pub sentence: String,
}

impl Warning {
    fn new(code: &'static str, subject: impl Into<String>, sentence: String) -> Self {
        Self { code, subject: subject.into(), factor: None, sentence }
    }

    fn by(self, factor: f64) -> Self {
        Self { factor: Some(factor), ..self }
    }
}

/// Returns the warnings about a document: policies first, then ceilings, decoy and `keep`.
pub fn warnings(policies: &Policies) -> Vec<Warning> {
    let advice = Advice { policies, attack: Attack::published() };
    [advice.order(), advice.minima(), advice.ceilings(), advice.decoy(), advice.keep()].concat()
}

struct Advice<'a> {
    policies: &'a Policies,
    attack: &'a Attack,
}

impl Advice<'_> {
    fn current(&self) -> Option<Guess<'_>> {
        self.attack.guess_of(self.policies.current().params())
    }

    /// Compares each policy with its replacement.
    fn order(&self) -> Vec<Warning> {
        let (list, current) = (self.policies.list(), self.policies.current());
        let Some(now) = self.current() else { return Vec::new() };
        let at = list.iter().position(|policy| policy.id() == current.id()).unwrap_or(0);
        let compared = list.iter().enumerate().filter_map(|(place, policy)| {
            let own = self.attack.guess_of(policy.params())?;
            // From the policy that is replaced to the one that replaces it.
            let (from, to) = if place < at { (own, now) } else { (now, own) };
            let factor = from.times_the_price_of(&to);
            (place != at && factor >= PRECISION).then_some((place, policy, from, to, factor))
        });
        let warning = |(place, policy, from, to, factor): (usize, &Policy, Guess<'_>, Guess<'_>, f64)| {
            let (id, current, times) = (policy.id(), current.id(), factor_in_words(factor));
            let rates = format!(
                "{} guesses a second instead of {} on an {}",
                to.rate_in_words(),
                from.rate_in_words(),
                to.row.device
            );
            let (code, sentence) = if place < at {
                let sentence = format!(
                    "policy `{id}` is replaced by `{current}`, which makes a guess {times} times cheaper ({rates}): choose a \
                     stronger `current`, or list `{id}` after it"
                );
                ("weaker_replacement", sentence)
            } else {
                let sentence = format!(
                    "policy `{id}` stands after `{current}`, and makes a guess {times} times cheaper ({rates}): raise its cost \
                     before it becomes `current`, or list it before"
                );
                ("weaker_successor", sentence)
            };
            Warning::new(code, id, sentence).by(factor)
        };
        compared.map(warning).collect()
    }

    /// Compares the policies that make hashes with the minima of OWASP and NIST.
    fn minima(&self) -> Vec<Warning> {
        let current = self.policies.current().id();
        let mut warnings = Vec::new();
        for policy in self.policies.list().iter().filter(|policy| policy.status() == Status::Active) {
            let (id, params) = (policy.id(), policy.params());
            let remedy = if id == current { "raise its cost" } else { "make it verify-only" };
            if !standards::meets_owasp(params) {
                let minimum = standards::owasp_in_words(params);
                let sentence =
                    format!("policy `{id}` makes hashes below OWASP's minimum ({minimum}): {remedy}");
                warnings.push(Warning::new("below_owasp", id, sentence));
            }
            if standards::meets_nist(params) == Some(false) {
                let sentence = format!(
                    "policy `{id}` makes hashes below the 10,000 iterations of {}: {remedy}",
                    standards::NIST
                );
                warnings.push(Warning::new("below_nist", id, sentence));
            }
        }
        warnings
    }

    fn ceilings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let values = self.policies.ceiling_values();
        let value = |name: &str| values.get(name).copied().unwrap_or(u64::MAX);
        for name in CEILINGS_OF_TIME {
            let factor = times_the_shipped(name, value(name));
            if factor > LONGEST {
                let sentence = format!(
                    "the ceiling `{name}` of {} admits {} times the work of the shipped ceiling, which takes 1 to 3 s: no \
                     deadline allows it, so lower it",
                    grouped(value(name)),
                    factor_in_words(factor)
                );
                warnings.push(Warning::new("ceiling_too_high", name, sentence).by(factor));
            }
        }
        for (name, bound, unit) in NEVER_REACHED {
            if value(name) / unit > value(bound) {
                let sentence = format!(
                    "the ceiling `{name}` of {} is never reached, because `{bound}` is lower: lower the one or raise the other",
                    grouped(value(name))
                );
                warnings.push(Warning::new("ceiling_never_reached", name, sentence));
            }
        }
        for (floor, ceiling) in CEILING_OF_FLOOR {
            let least = self.policies.floor_values().get(floor).copied().unwrap_or(0);
            if value(ceiling) < least {
                let sentence = format!(
                    "the ceiling `{ceiling}` of {} is below the floor `{floor}` of {}, so no hash is verified: raise the ceiling",
                    grouped(value(ceiling)),
                    grouped(least)
                );
                warnings.push(Warning::new("ceiling_below_floor", ceiling, sentence));
            }
        }
        for params in standards::owasp_least_memory() {
            let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
            if Admitted::new(setting, self.policies.ceilings()).is_err() {
                let (name, minimum) = (params.algorithm().name(), standards::owasp_in_words(params));
                let sentence = format!(
                    "the ceilings refuse {name} at OWASP's minimum ({minimum}): raise the ceiling of its cost or the memory"
                );
                warnings.push(Warning::new("ceiling_below_owasp", name, sentence));
            }
        }
        warnings
    }

    fn decoy(&self) -> Vec<Warning> {
        let (list, decoy) = (self.policies.list(), self.policies.decoy().id());
        let place = |id: &str| list.iter().position(|policy| policy.id() == id);
        if place(decoy) <= place(self.policies.current().id()) {
            return Vec::new();
        }
        let sentence = format!(
            "`decoy` names `{decoy}`, which stands after `current`: few or no users have its hashes, so name the policy of \
             most users"
        );
        vec![Warning::new("decoy_of_no_user", decoy, sentence)]
    }

    /// Compares the thresholds with the current policy. For each algorithm the right threshold is
    /// the least value at which a guess costs what it costs under the current policy.
    fn keep(&self) -> Vec<Warning> {
        let Some(now) = self.current() else { return Vec::new() };
        let mut warnings = Vec::new();
        let mut missing = Vec::new();
        for params in standards::owasp_least_memory() {
            let (name, _) = keep_measure(params);
            let algorithm = params.algorithm().name();
            let Some(work) = self.attack.work_of_rate(algorithm, now.per_second) else { continue };
            let right = threshold(params, work);
            match self.policies.keep_values().get(name) {
                None if self.most_work(params) > work * PRECISION => {
                    missing.push(format!("`{name}` from {}", grouped(right)));
                }
                None => (),
                Some(&least) => warnings.extend(compared(name, params, least, work, right)),
            }
        }
        if !missing.is_empty() {
            let sentence = format!(
                "`keep` has no threshold for some algorithms, so hashes that no policy lists are replaced although a guess on \
                 them costs more than under `{}`: add {}",
                self.policies.current().id(),
                missing.join(", ")
            );
            warnings.push(Warning::new("keep_missing", "keep", sentence));
        }
        warnings
    }

    /// Returns the most work of an algorithm that the ceilings admit.
    fn most_work(&self, params: Params) -> f64 {
        let ceilings = self.policies.ceilings();
        match params {
            // Passes over the memory transfer at most three times as much as they write.
            Params::Argon2(_) => work_of(params, ceilings.argon2_memory_passes_kib.saturating_mul(3)),
            Params::Bcrypt(_) => work_of(params, ceilings.bcrypt_cost.into()),
            Params::Pbkdf2(_) => work_of(params, ceilings.pbkdf2_iterations_blocks),
            Params::Scrypt(_) => work_of(params, ceilings.scrypt_n_r_p),
        }
    }
}

/// Compares a threshold with the work of the current policy.
fn compared(name: &str, params: Params, least: u64, work: f64, right: u64) -> Option<Warning> {
    let own = work_of(params, least);
    let step = if matches!(params, Params::Bcrypt(_)) { DOUBLING } else { SLACK };
    let (written, right) = (grouped(least), grouped(right));
    if work / own >= PRECISION {
        let times = factor_in_words(work / own);
        let sentence = format!(
            "`keep` of `{name}` at {written} keeps hashes on which a guess is {times} times cheaper than under `current`: raise \
             it to {right}"
        );
        Some(Warning::new("keep_too_low", name, sentence).by(work / own))
    } else if own / work >= step * PRECISION {
        let times = factor_in_words(own / work);
        let sentence = format!(
            "`keep` of `{name}` at {written} replaces hashes on which a guess is up to {times} times dearer than under \
             `current`: lower it to {right}"
        );
        Some(Warning::new("keep_too_high", name, sentence).by(own / work))
    } else {
        None
    }
}

/// Returns the least value in the unit of `keep` with at least this work, in three digits.
fn threshold(params: Params, work: f64) -> u64 {
    let value = if matches!(params, Params::Bcrypt(_)) { work.log2() } else { work };
    let mut unit = 1.0;
    while value / unit >= 1000.0 {
        unit *= 10.0;
    }
    let rounded = (value / unit).ceil() * unit;
    std::time::Duration::try_from_secs_f64(rounded).map_or(u64::MAX, |whole| whole.as_secs())
}

/// Returns the work at a ceiling as a multiple of the work at the shipped one.
fn times_the_shipped(name: &str, value: u64) -> f64 {
    let limits = Limits { workers: 1, memory_budget_bytes: u64::MAX, ..Limits::default() };
    let shipped = Policies::load(SHIPPED, &limits).ok();
    let Some(shipped) = shipped.and_then(|policies| policies.ceiling_values().get(name).copied()) else {
        return 1.0;
    };
    #[expect(clippy::cast_precision_loss, reason = "a ratio that is only compared")]
    let (value, shipped) = (value as f64, shipped as f64);
    if name == "bcrypt_cost" { (value - shipped).exp2() } else { value / shipped }
}

/// Two prices nearer than this are equal: the published rates are no more precise.
pub const PRECISION: f64 = 1.05;

/// A threshold may be rounded up by a tenth.
const SLACK: f64 = 1.1;

/// bcrypt's cost has steps of a doubling.
const DOUBLING: f64 = 2.0;

/// A hash at a shipped ceiling takes 1 to 3 s, and the longest deadline is 60 s.
const LONGEST: f64 = 30.0;

/// The ceilings that bound time.
const CEILINGS_OF_TIME: [&str; 5] = [
    "argon2_memory_passes_kib",
    "bcrypt_cost",
    "pbkdf2_iterations_blocks",
    "scrypt_n_r_p",
    "sha_crypt_rounds",
];

/// A ceiling of memory, the ceiling of the product that it is a factor of, and the ratio of their
/// units.
const NEVER_REACHED: [(&str, &str, u64); 2] = [
    ("argon2_memory_kib", "argon2_memory_passes_kib", 1),
    ("scrypt_memory_bytes", "scrypt_n_r_p", saltern_kernels::SCRYPT_BLOCK_BYTES),
];

/// Each floor of a cost, and the ceiling that bounds the same cost.
const CEILING_OF_FLOOR: [(&str, &str); 11] = [
    ("argon2_memory_kib", "argon2_memory_kib"),
    ("argon2_memory_passes_kib", "argon2_memory_passes_kib"),
    ("bcrypt_cost", "bcrypt_cost"),
    ("bsdi_crypt_rounds", "sha_crypt_rounds"),
    ("pbkdf2_iterations", "pbkdf2_iterations_blocks"),
    ("phpass_rounds", "sha_crypt_rounds"),
    ("scrypt_memory_bytes", "scrypt_memory_bytes"),
    ("scrypt_n_r_p", "scrypt_n_r_p"),
    ("sha1_crypt_rounds", "sha_crypt_rounds"),
    ("sha_crypt_rounds", "sha_crypt_rounds"),
    ("sun_md5_rounds", "sha_crypt_rounds"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use saltern_policy::KEEP_NAMES;

    use super::*;

    #[test]
    fn every_floor_of_a_cost_is_compared_with_a_ceiling() {
        let limits = Limits { workers: 1, memory_budget_bytes: u64::MAX, ..Limits::default() };
        let shipped = Policies::load(SHIPPED, &limits).unwrap();
        // A length costs no time and no memory, so it has no ceiling.
        let lengths = ["output_bytes", "salt_bytes"];
        let compared: BTreeSet<_> =
            CEILING_OF_FLOOR.map(|(floor, _)| floor).into_iter().chain(lengths).collect();
        assert_eq!(shipped.floor_values().keys().map(String::as_str).collect::<BTreeSet<_>>(), compared);
        for (floor, ceiling) in CEILING_OF_FLOOR {
            assert!(shipped.ceiling_values().contains_key(ceiling), "{floor}: {ceiling}");
        }
    }

    #[test]
    fn every_threshold_is_compared() {
        let names: Vec<_> =
            standards::owasp_least_memory().into_iter().map(|params| keep_measure(params).0).collect();
        assert!(KEEP_NAMES.iter().all(|name| names.contains(name)), "{names:?}");
    }
}
