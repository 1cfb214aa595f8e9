//! The plan: the counted hashes with the decision of the policies and their time on this machine.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use crate::price::{Attack, Guess};
use saltern_encoded::{Algorithm, NEW_SALT_BYTES, Params, Scheme, Setting, bcrypt, pbkdf2};
use saltern_kernels::Admitted;
use saltern_policy::{AcceptedWeak, OverCeiling, Policies, Refusal, RehashReason, Stored, WeakHash};
use saltern_pool::OneCore;
use saltern_seal::Keys;

use super::{
    census::{Census, Counted, Unread},
    price::{Rates, is_replaced, is_weak},
    shape::{self, Cost, Shape},
};
use crate::{table::Occurrences, time_of_one::time_of_one};
use saltern_server::Failure;

/// The plan.
pub(super) struct Plan<'a> {
    pub(super) rows: u64,
    /// The most frequent first.
    pub(super) classes: Vec<Class>,
    /// The most frequent first.
    pub(super) unread: Vec<(Unread, &'a Occurrences)>,
    /// The number of sealed rows of each key.
    pub(super) sealed: &'a BTreeMap<String, u64>,
    pub(super) current: String,
    /// The attacker's rate for new hashes.
    pub(super) upgraded: Option<Guess<'static>>,
    pub(super) moving: Moving,
}

/// Hashes with the same cost and the same effect of a login.
pub(super) struct Class {
    pub(super) scheme: Scheme,
    pub(super) label: Option<&'static str>,
    pub(super) preparation: Option<&'static str>,
    pub(super) cost: String,
    /// Its name for `--shape`.
    pub(super) shape: String,
    pub(super) weakness: Option<WeakHash>,
    pub(super) occurrences: Occurrences,
    pub(super) at_login: AtLogin,
    /// The time of one hash on one core of this machine; `None` over a ceiling.
    pub(super) time: Option<Duration>,
    /// The attacker's rates.
    pub(super) rates: Rates,
}

/// The effect of a login that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AtLogin {
    /// The hash stays.
    Stays,
    /// A hash of the current policy replaces it.
    Replaced(RehashReason),
    /// The hash is refused: it is weak, and its scheme is not accepted by name.
    NeedsPermission(WeakHash),
    /// The hash is refused: it is of Firebase, and no project is set.
    NeedsProject,
    /// The hash is refused: it is of another Firebase project than the one that is set.
    OtherProject,
    /// The hash is refused without the site key that its preparation names.
    NeedsSiteKey,
    /// The hash is refused: its cost exceeds a ceiling. `None` if that is fixed, or if only several costs
    /// together do.
    OverCeiling(Option<OverCeiling>),
}

/// The cost of moving all hashes.
pub(super) struct Moving {
    /// Users whose hash is replaced at their next login, including schemes that need permission.
    pub(super) replaced: u64,
    /// Time on one core: one verification for each user, and the new hashes.
    pub(super) core_time: Duration,
    /// Hashes that should be wrapped.
    pub(super) weak: u64,
    /// Time on one core to wrap these. `None` if the current policy is not argon2id.
    pub(super) wrapping: Option<Duration>,
}

impl<'a> Plan<'a> {
    pub(super) fn draw(
        census: &'a Census,
        policies: &Policies,
        keys: Option<&Keys>,
        core: OneCore,
    ) -> Result<Self, Failure> {
        let judge = Judge {
            policies,
            keys,
            lenient: policies.clone().accepting(AcceptedWeak::all()),
            core: RefCell::new(core),
            parts: RefCell::default(),
        };
        let mut shapes: Vec<_> = census.shapes.iter().collect();
        // In the order of their rows, so that each run over a table prints the same.
        shapes.sort_by_key(|(_, counted)| counted.occurrences.first_rows());
        let mut classes: Vec<Class> = Vec::new();
        let mut places = HashMap::new();
        for (shape, counted) in shapes {
            let (at_login, stored) = judge.at_login(shape, counted);
            let key = (shape.scheme, shape.label, shape.preparation, shape.cost, shape.weakness, at_login);
            let place = *places.entry(key).or_insert(classes.len());
            if let Some(class) = classes.get_mut(place) {
                class.occurrences.merge(&counted.occurrences);
                continue;
            }
            let time = stored.map(|stored| judge.time(shape, &stored)).transpose()?;
            let weakness = shape.weakness;
            classes.push(Class {
                scheme: shape.scheme,
                label: shape.label,
                preparation: shape.preparation,
                cost: shape.cost.in_words(),
                shape: shape::named(shape.preparation, shape.scheme, shape.cost),
                weakness,
                occurrences: counted.occurrences.clone(),
                at_login,
                time,
                rates: Rates::of(&counted.example, weakness, policies),
            });
        }
        // For equal counts, by scheme, and then the slowest first.
        classes.sort_by(|a, b| {
            b.occurrences
                .count
                .cmp(&a.occurrences.count)
                .then(a.scheme.name().cmp(b.scheme.name()))
                .then(b.time.cmp(&a.time))
                .then(a.cost.cmp(&b.cost))
        });
        let mut unread: Vec<_> =
            census.unread.iter().map(|(reason, occurrences)| (*reason, occurrences)).collect();
        unread.sort_by(|(a, many), (b, few)| few.count.cmp(&many.count).then(a.cmp(b)));
        let moving = judge.moving(&classes)?;
        let current = policies.current();
        let upgraded = Attack::published().guess_of(current.params());
        Ok(Self {
            rows: census.rows,
            classes,
            unread,
            sealed: &census.sealed,
            current: current.id().to_owned(),
            upgraded,
            moving,
        })
    }
}

struct Judge<'a> {
    policies: &'a Policies,
    /// They have the site keys.
    keys: Option<&'a Keys>,
    /// The same with every weak scheme accepted: refused hashes are timed too.
    lenient: Policies,
    core: RefCell<OneCore>,
    /// Measured parts. Each is measured once, so that costs of one scheme are comparable.
    parts: RefCell<HashMap<Params, Duration>>,
}

impl Judge<'_> {
    /// Returns the effect of a login, and the hash to compute.
    fn at_login(&self, shape: &Shape, counted: &Counted) -> (AtLogin, Option<Stored>) {
        let site_key = |id: &str| self.keys?.site_key(id);
        let stored = match self.lenient.admit_stored_with(&counted.example, site_key) {
            Ok(stored) => stored,
            // The site key leaves too little of the password.
            Err(Refusal::UnsupportedHash)
                if !matches!(shape.cost, Cost::VerifyOnly(Algorithm::Firebase, _)) =>
            {
                return (AtLogin::NeedsSiteKey, None);
            }
            Err(Refusal::UnsupportedHash) if self.policies.has_firebase_project() => {
                return (AtLogin::OtherProject, None);
            }
            Err(Refusal::UnsupportedHash) => return (AtLogin::NeedsProject, None),
            Err(Refusal::SiteKeyUnavailable) => return (AtLogin::NeedsSiteKey, None),
            Err(_) => return (self.over_ceiling(counted), None),
        };
        let at_login = match self.policies.admit_stored_with(&counted.example, site_key) {
            Ok(stored) => self.policies.rehash_reason(&stored).map_or(AtLogin::Stays, AtLogin::Replaced),
            // The policies refuse nothing else that the lenient ones admit.
            Err(_) => shape.weakness.map_or_else(|| self.over_ceiling(counted), AtLogin::NeedsPermission),
        };
        (at_login, Some(stored))
    }

    fn over_ceiling(&self, counted: &Counted) -> AtLogin {
        let encoded = saltern_encoded::parse(&counted.example).ok();
        AtLogin::OverCeiling(encoded.and_then(|encoded| self.policies.over_ceiling(encoded.setting())))
    }

    /// Returns the time of a hash. bcrypt and PBKDF2 are linear in their cost: a part is measured
    /// and multiplied.
    fn time(&self, shape: &Shape, stored: &Stored) -> Result<Duration, Failure> {
        let part = match shape.cost {
            Cost::Params(params) => part_of(params),
            Cost::RandomRounds(..) | Cost::VerifyOnly(..) | Cost::Wrapped(..) => None,
        };
        let small = part.and_then(|params| {
            let setting = Setting::fresh(params, [0; NEW_SALT_BYTES]);
            Some((params, Admitted::new(setting, self.policies.ceilings()).ok()?))
        });
        let Some((params, small)) = small else { return self.measure(stored.admitted()) };
        let known = self.parts.borrow().get(&params).copied();
        let measured = known.map_or_else(|| self.measure(&small), Ok)?;
        self.parts.borrow_mut().insert(params, measured);
        Ok(times(measured, stored.admitted().work(), small.work()))
    }

    /// Measures one hash on one core.
    fn measure(&self, admitted: &Admitted) -> Result<Duration, Failure> {
        Ok(time_of_one(&mut self.core.borrow_mut(), admitted)?)
    }

    fn moving(&self, classes: &[Class]) -> Result<Moving, Failure> {
        let new = self.new_hash()?;
        let count = |is_of: fn(&Class) -> bool| -> u64 {
            classes.iter().filter(|class| is_of(class)).map(|class| class.occurrences.count).sum()
        };
        let (replaced, weak) = (count(is_replaced), count(is_weak));
        let verifying = classes
            .iter()
            .map(|class| times(class.time.unwrap_or_default(), class.occurrences.count, 1))
            .sum::<Duration>();
        let core_time = verifying + times(new, replaced, 1);
        let is_argon2id = matches!(self.policies.current().params(), Params::Argon2(_));
        Ok(Moving { replaced, core_time, weak, wrapping: is_argon2id.then(|| times(new, weak, 1)) })
    }

    /// Returns the time of a new hash of the current policy.
    fn new_hash(&self) -> Result<Duration, Failure> {
        let setting = Setting::fresh(self.policies.current().params(), [0; NEW_SALT_BYTES]);
        let admitted = Admitted::new(setting, self.policies.ceilings()).map_err(|_| {
            Failure::configuration("the current policy exceeds a ceiling: raise the ceiling in the document")
        })?;
        self.measure(&admitted)
    }
}

/// Returns the same algorithm with a lower cost, if its time is linear in the cost.
fn part_of(params: Params) -> Option<Params> {
    match params {
        Params::Bcrypt(params) if params.cost() > BCRYPT_PART => {
            bcrypt::Params::new(BCRYPT_PART).map(Params::Bcrypt)
        }
        Params::Pbkdf2(params) if params.iterations() > PBKDF2_PART => {
            pbkdf2::Params::new(params.prf(), PBKDF2_PART).map(Params::Pbkdf2)
        }
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "an estimate, and counts are below 2^53")]
fn times(time: Duration, count: u64, parts: u64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * count as f64 / parts as f64).unwrap_or(Duration::MAX)
}

const BCRYPT_PART: u32 = 7;
const PBKDF2_PART: u32 = 20_000;
