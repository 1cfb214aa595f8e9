//! The parameters that come into question, from the weakest to the strongest. One entry is a step.

use std::ffi::OsStr;

use clap::{
    Arg, Error, ValueEnum as _,
    builder::{PossibleValue, TypedValueParser},
};
use saltern_algorithm::{Admitted, memory_bytes};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use saltern_policy::Policies;

use super::bound::Bound;
use crate::algorithm::Algorithm;

/// What new hashes are made with, in OWASP's order of preference.
pub(super) const CALIBRATED: [Algorithm; 5] = [
    Algorithm::Argon2id,
    Algorithm::Scrypt,
    Algorithm::Bcrypt,
    Algorithm::Pbkdf2Sha256,
    Algorithm::Pbkdf2Sha512,
];

/// Reads one of them; the others are only measured.
#[derive(Clone, Debug)]
pub(super) struct Calibrated;

impl TypedValueParser for Calibrated {
    type Value = Algorithm;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Algorithm, Error> {
        let read: fn(&str) -> Result<Algorithm, String> = calibrated;
        read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(CALIBRATED.iter().filter_map(Algorithm::to_possible_value)))
    }
}

fn calibrated(argument: &str) -> Result<Algorithm, String> {
    let names = CALIBRATED.map(Algorithm::name).join(", ");
    match Algorithm::from_str(argument, false) {
        Ok(algorithm) if CALIBRATED.contains(&algorithm) => Ok(algorithm),
        Ok(algorithm) => Err(format!(
            "no policy makes new hashes with {}, `saltern-numbers bench` measures it; there are: {names}",
            algorithm.name()
        )),
        Err(_) => Err(format!("no algorithm has that name; there are: {names}")),
    }
}

/// Every set of parameters in question, whatever the ceilings say, in the order of its work.
fn candidates(algorithm: Algorithm) -> Vec<Params> {
    match algorithm {
        Algorithm::Argon2id => argon2id(),
        Algorithm::Bcrypt => {
            let costs = bcrypt::MIN_COST..=MOST_BCRYPT_COST;
            costs.filter_map(bcrypt::Params::new).map(Params::Bcrypt).collect()
        }
        Algorithm::Pbkdf2Sha256 => pbkdf2(pbkdf2::Prf::Sha256),
        Algorithm::Pbkdf2Sha512 => pbkdf2(pbkdf2::Prf::Sha512),
        Algorithm::Scrypt => scrypt(),
        // Only ever verified.
        Algorithm::Pbkdf2Sha1 | Algorithm::Sha512Crypt => Vec::new(),
    }
}

/// One set of parameters that a policy document would be allowed to list.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) params: Params,
    pub(super) admitted: Admitted,
}

impl Step {
    /// `None` over a ceiling, or where the workers' memory does not hold it: `policies check` would refuse it.
    pub(super) fn admit(params: Params, policies: &Policies, bytes_per_worker: u64) -> Option<Self> {
        let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
        let admitted = Admitted::new(setting, policies.ceilings()).ok()?;
        (memory_bytes(params) <= bytes_per_worker).then_some(Self { params, admitted })
    }

    /// In the algorithm's own unit.
    #[expect(clippy::cast_precision_loss, reason = "ceilings keep it far below 2^53")]
    pub(super) fn work(&self) -> f64 {
        self.admitted.work() as f64
    }
}

/// The ladder of an algorithm, as far as the ceilings and the memory let it go.
pub(super) fn of(algorithm: Algorithm, policies: &Policies, bytes_per_worker: u64) -> Vec<Step> {
    let candidates = candidates(algorithm).into_iter();
    let mut steps: Vec<Step> =
        candidates.filter_map(|params| Step::admit(params, policies, bytes_per_worker)).collect();
    steps.sort_by_key(|step| (step.admitted.work(), memory_bytes(step.params)));
    strongest_for_their_work(steps)
}

/// What ends the ladder behind its last step.
pub(super) fn end(algorithm: Algorithm, last: &Step, policies: &Policies, bytes_per_worker: u64) -> Bound {
    let stronger = candidates(algorithm).into_iter().filter(|&params| is_more_work(params, last.params));
    let (too_large, fitting): (Vec<_>, Vec<_>) =
        stronger.partition(|&params| memory_bytes(params) > bytes_per_worker);
    if fitting.into_iter().any(|params| Step::admit(params, policies, bytes_per_worker).is_none()) {
        Bound::Ceiling
    } else if too_large.is_empty() {
        Bound::Strongest
    } else {
        Bound::Memory
    }
}

fn is_more_work(params: Params, than: Params) -> bool {
    let work = |params| match params {
        Params::Argon2(params) => u64::from(params.memory_kib()) * u64::from(params.passes()),
        Params::Bcrypt(params) => 1 << params.cost(),
        Params::Pbkdf2(params) => u64::from(params.iterations()),
        Params::Scrypt(params) => (u64::from(params.r()) * u64::from(params.p())) << params.log_n(),
    };
    work(params) > work(than)
}

/// Of memory-hard functions: those that cost an attacker more than all that are less work.
///
/// The measure is the product of memory and time (RFC 9106, section 7.2: the time-area product), with OWASP's floor before
/// it. It says to take memory first and passes with what is left, as RFC 9106, section 4, does.
fn strongest_for_their_work(steps: Vec<Step>) -> Vec<Step> {
    let strength = |step: &Step| match step.params {
        Params::Argon2(_) | Params::Scrypt(_) => (
            super::standards::meets_owasp(step.params),
            u128::from(memory_bytes(step.params)) * u128::from(step.admitted.work()),
        ),
        Params::Bcrypt(_) | Params::Pbkdf2(_) => (false, u128::from(step.admitted.work())),
    };
    let mut kept: Vec<Step> = Vec::new();
    for step in steps {
        let Some(last) = kept.last() else {
            kept.push(step);
            continue;
        };
        if strength(last) < strength(&step) {
            // Of two that nobody could tell apart by their time, the stronger.
            if step.work() < LEAST_RATIO * last.work() {
                kept.pop();
            }
            kept.push(step);
        }
    }
    kept
}

/// Four memories in each doubling, and OWASP's own; every number of passes that is worth naming. One lane: a login has one
/// core, on Lambda too.
fn argon2id() -> Vec<Params> {
    let doublings =
        (0..DOUBLINGS).flat_map(|doubling| [4, 5, 6, 7].map(|quarter| (quarter << doubling) * 1024));
    let memories: Vec<u32> = doublings.chain(OWASP_MEMORIES_KIB).collect();
    let params = (1..=MOST_PASSES).flat_map(|passes| {
        memories.iter().filter_map(move |&memory_kib| {
            argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, memory_kib, passes, 1)
        })
    });
    params.map(Params::Argon2).collect()
}

/// Two significant digits, and of those every one, every second or every fifth, so that a step is 4 to 10 %.
fn pbkdf2(prf: pbkdf2::Prf) -> Vec<Params> {
    let digits = (10..20).chain((20..50).step_by(2)).chain((50..100).step_by(5));
    let iterations = (2..=6).flat_map(|power| digits.clone().map(move |digits| digits * 10_u32.pow(power)));
    iterations.filter_map(|iterations| pbkdf2::Params::new(prf, iterations)).map(Params::Pbkdf2).collect()
}

/// N in powers of two, as it must be; p where N may not grow.
fn scrypt() -> Vec<Params> {
    let params = (SCRYPT_LEAST_LOG_N..=SCRYPT_MOST_LOG_N)
        .flat_map(|log_n| (1..=SCRYPT_MOST_P).filter_map(move |p| scrypt::Params::new(log_n, SCRYPT_R, p)));
    params.map(Params::Scrypt).collect()
}

/// Of the work of a step to that before it: more than the noise of a measurement.
const LEAST_RATIO: f64 = 1.04;

/// From 4 MiB to 1.75 GiB.
const DOUBLINGS: u32 = 9;

/// 19 and 46 MiB: what OWASP's first two rows ask for.
const OWASP_MEMORIES_KIB: [u32; 2] = [19_456, 47_104];

/// Beyond, memory is so scarce that another algorithm is the better choice.
const MOST_PASSES: u32 = 32;

/// bcrypt's own range ends at 31; 20 takes minutes, and every document's ceiling is far below.
const MOST_BCRYPT_COST: u32 = 20;

/// 4 MiB at r = 8.
const SCRYPT_LEAST_LOG_N: u8 = 12;
const SCRYPT_MOST_LOG_N: u8 = 20;

/// What everybody takes (RFC 7914, section 2).
const SCRYPT_R: u32 = 8;
const SCRYPT_MOST_P: u32 = 16;

#[cfg(test)]
mod tests {
    use saltern_policy::{Limits, SHIPPED};

    use super::*;

    fn ladder(algorithm: Algorithm, mib: u64) -> Vec<Step> {
        let limits = Limits { workers: 1, memory_budget_bytes: mib << 20, ..Limits::default() };
        let policies = Policies::load(SHIPPED, &limits).unwrap();
        of(algorithm, &policies, limits.bytes_per_worker())
    }

    #[test]
    fn a_step_is_more_work_than_the_noise_and_less_than_three_times() {
        for algorithm in CALIBRATED {
            let steps = ladder(algorithm, 4096);
            assert!(steps.len() > 8, "{algorithm:?} {}", steps.len());
            for pair in steps.windows(2) {
                let ratio = pair[1].work() / pair[0].work();
                assert!((LEAST_RATIO..=2.0).contains(&ratio), "{:?} to {:?}", pair[0].params, pair[1].params);
            }
        }
    }

    #[test]
    fn memory_comes_first_and_passes_with_what_is_left() {
        let steps = ladder(Algorithm::Argon2id, 82);
        let described = |step: &Step| match step.params {
            Params::Argon2(params) => (params.memory_kib() >> 10, params.passes()),
            _ => panic!("{step:?}"),
        };
        let all: Vec<_> = steps.iter().map(described).collect();
        assert_eq!(all[..3], [(4, 1), (5, 1), (6, 1)]);
        // Nothing that is less than OWASP's minimum behind something that is not.
        assert!(all.contains(&(19, 2)) && !all.contains(&(40, 1)), "{all:?}");
        let last = all.last().unwrap();
        assert_eq!(last.0, 80, "{all:?}");
        assert!(last.1 > 10, "{all:?}");
    }

    #[test]
    fn what_ends_a_ladder_is_told_by_its_name() {
        let end_of = |algorithm, mib: u64| {
            let limits = Limits { workers: 1, memory_budget_bytes: mib << 20, ..Limits::default() };
            let policies = Policies::load(SHIPPED, &limits).unwrap();
            let last = of(algorithm, &policies, limits.bytes_per_worker()).pop().unwrap();
            end(algorithm, &last, &policies, limits.bytes_per_worker())
        };
        assert_eq!(end_of(Algorithm::Bcrypt, 100), Bound::Ceiling);
        assert_eq!(end_of(Algorithm::Argon2id, 4096), Bound::Ceiling);
        assert_eq!(end_of(Algorithm::Argon2id, 20), Bound::Memory);
    }

    #[test]
    fn ceilings_and_memory_end_a_ladder() {
        let last = |algorithm, mib| ladder(algorithm, mib).pop().unwrap().params;
        assert_eq!(last(Algorithm::Bcrypt, 100), Params::Bcrypt(bcrypt::Params::new(15).unwrap()));
        assert_eq!(last(Algorithm::Scrypt, 4096), Params::Scrypt(scrypt::Params::new(17, 8, 4).unwrap()));
        // 128 MiB do not fit beside its own p lanes.
        assert!(matches!(last(Algorithm::Scrypt, 128), Params::Scrypt(params) if params.log_n() == 16));
    }
}
