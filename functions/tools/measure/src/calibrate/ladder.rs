//! The candidate parameters of an algorithm, from the weakest to the strongest. Each entry is a
//! step.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use saltern_capacity::work;
use saltern_encoded::{Algorithm, NEW_SALT_BYTES, Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use saltern_kernels::{Admitted, memory_bytes};
use saltern_policy::Policies;

use super::bound::Bound;

/// The algorithms for new hashes, in OWASP's order of preference.
pub(super) const CALIBRATED: [Algorithm; 5] = [
    Algorithm::Argon2id,
    Algorithm::Scrypt,
    Algorithm::Bcrypt,
    Algorithm::Pbkdf2Sha256,
    Algorithm::Pbkdf2Sha512,
];

/// Parses an algorithm for new hashes.
pub(super) fn calibrated() -> impl TypedValueParser<Value = Algorithm> {
    let named = |name: String| CALIBRATED.into_iter().find(|algorithm| algorithm.name() == name);
    PossibleValuesParser::new(CALIBRATED.map(Algorithm::name))
        .try_map(move |name| named(name).ok_or("no policy makes new hashes with it"))
}

/// Returns all candidate parameters, before ceilings apply.
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
        // No other algorithm is in `CALIBRATED`.
        _ => Vec::new(),
    }
}

/// Parameters that a policy document can list.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) params: Params,
    pub(super) admitted: Admitted,
}

impl Step {
    /// Returns `None` below a floor, above a ceiling or above the memory of a worker: `policies
    /// check` refuses such parameters.
    pub(super) fn admit(params: Params, policies: &Policies, bytes_per_worker: u64) -> Option<Self> {
        let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
        if policies.floor_above(&setting).is_some() {
            return None;
        }
        let admitted = Admitted::new(setting, policies.ceilings()).ok()?;
        (memory_bytes(params) <= bytes_per_worker).then_some(Self { params, admitted })
    }

    /// Returns the work in the algorithm's unit.
    #[expect(clippy::cast_precision_loss, reason = "ceilings keep it far below 2^53")]
    pub(super) fn work(&self) -> f64 {
        self.admitted.work() as f64
    }
}

/// Returns the ladder of an algorithm within the ceilings and the memory.
pub(super) fn of(algorithm: Algorithm, policies: &Policies, bytes_per_worker: u64) -> Vec<Step> {
    let candidates = candidates(algorithm).into_iter();
    let mut steps: Vec<Step> =
        candidates.filter_map(|params| Step::admit(params, policies, bytes_per_worker)).collect();
    steps.sort_by_key(|step| (step.admitted.work(), memory_bytes(step.params)));
    strongest_for_their_work(steps)
}

/// Returns the limit after the last step of the ladder. The strongest candidates take longer than
/// any target, so there is one.
pub(super) fn end(algorithm: Algorithm, last: &Step, policies: &Policies, bytes_per_worker: u64) -> Bound {
    let exceeds_a_ceiling = |params| {
        work(params) > work(last.params)
            && memory_bytes(params) <= bytes_per_worker
            && Step::admit(params, policies, bytes_per_worker).is_none()
    };
    if candidates(algorithm).into_iter().any(exceeds_a_ceiling) { Bound::Ceiling } else { Bound::Memory }
}

/// Keeps the steps that cost an attacker more than every step with less work.
///
/// For memory-hard functions the cost is the product of memory and time (RFC 9106, section 7.2:
/// time-area product). Steps that meet OWASP's minimum come after the others. So the ladder raises
/// memory first and then passes, as in RFC 9106, section 4.
fn strongest_for_their_work(steps: Vec<Step>) -> Vec<Step> {
    let strength = |step: &Step| match step.params {
        Params::Argon2(_) | Params::Scrypt(_) => (
            saltern_cli::price::standards::meets_owasp(step.params),
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
            // Of two steps with almost the same time, keep the stronger.
            if step.work() < LEAST_RATIO * last.work() {
                kept.pop();
            }
            kept.push(step);
        }
    }
    kept
}

/// Four memory sizes in each doubling, OWASP's sizes, and up to [`MOST_PASSES`] passes. One lane: a
/// login has one core, also on Lambda.
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

/// Iterations with two significant digits: every number, every second or every fifth, so that a
/// step is 4 to 10 %.
fn pbkdf2(prf: pbkdf2::Prf) -> Vec<Params> {
    let digits = (10..20).chain((20..50).step_by(2)).chain((50..100).step_by(5));
    let iterations = (2..=6).flat_map(|power| digits.clone().map(move |digits| digits * 10_u32.pow(power)));
    iterations.filter_map(|iterations| pbkdf2::Params::new(prf, iterations)).map(Params::Pbkdf2).collect()
}

/// Powers of two for N, and several p for each N.
fn scrypt() -> Vec<Params> {
    let params = (SCRYPT_LEAST_LOG_N..=SCRYPT_MOST_LOG_N)
        .flat_map(|log_n| (1..=SCRYPT_MOST_P).filter_map(move |p| scrypt::Params::new(log_n, SCRYPT_R, p)));
    params.map(Params::Scrypt).collect()
}

/// The smallest ratio of work between two steps. It is above the noise of a measurement.
const LEAST_RATIO: f64 = 1.04;

/// From 4 MiB to 1.75 GiB.
const DOUBLINGS: u32 = 9;

/// The 19 and 46 MiB of OWASP's first two rows.
const OWASP_MEMORIES_KIB: [u32; 2] = [19_456, 47_104];

/// More passes mean so little memory that another algorithm is better.
const MOST_PASSES: u32 = 32;

/// bcrypt's range ends at 31. Cost 20 takes minutes, and ceilings are far below.
const MOST_BCRYPT_COST: u32 = 20;

/// 4 MiB at r = 8.
const SCRYPT_LEAST_LOG_N: u8 = 12;
const SCRYPT_MOST_LOG_N: u8 = 20;

/// The usual value (RFC 7914, section 2).
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
    fn a_step_adds_more_work_than_the_noise_and_at_most_doubles_it() {
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
    fn memory_grows_first_and_passes_grow_within_the_memory_limit() {
        let steps = ladder(Algorithm::Argon2id, 82);
        let described = |step: &Step| match step.params {
            Params::Argon2(params) => (params.memory_kib() >> 10, params.passes()),
            _ => panic!("{step:?}"),
        };
        let all: Vec<_> = steps.iter().map(described).collect();
        assert_eq!(all[..3], [(4, 1), (5, 1), (6, 1)]);
        // After a step that meets OWASP's minimum, every step meets it.
        assert!(all.contains(&(19, 2)) && !all.contains(&(40, 1)), "{all:?}");
        let last = all.last().unwrap();
        assert_eq!(last.0, 80, "{all:?}");
        assert!(last.1 > 10, "{all:?}");
    }

    #[test]
    fn a_ladder_begins_at_the_floors() {
        assert_eq!(ladder(Algorithm::Bcrypt, 100)[0].params, Params::Bcrypt(bcrypt::Params::new(5).unwrap()));
    }

    #[test]
    fn ceilings_and_memory_end_a_ladder() {
        let last = |algorithm, mib| ladder(algorithm, mib).pop().unwrap().params;
        assert_eq!(last(Algorithm::Bcrypt, 100), Params::Bcrypt(bcrypt::Params::new(15).unwrap()));
        assert_eq!(last(Algorithm::Scrypt, 4096), Params::Scrypt(scrypt::Params::new(17, 8, 4).unwrap()));
        // N=2^17 needs 128 MiB and the memory of its p lanes.
        assert!(matches!(last(Algorithm::Scrypt, 128), Params::Scrypt(params) if params.log_n() == 16));
    }
}
