//! What was counted, judged by the policies and timed on this machine.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use saltern_algorithm::Admitted;
use saltern_capacity::{Architecture, Durations, Prices, Scale, Size, Usage, gb_seconds};
use saltern_encoded::{NEW_SALT_BYTES, Params, Scheme, Setting, Weakness, bcrypt, pbkdf2};
use saltern_meter::{Effort, Meter};
use saltern_policy::{AcceptedWeak, Policies, Refusal, RehashReason, Stored};

use super::{
    census::{Census, Counted, Found, Unread},
    shape::{Cost, Shape},
};
use saltern_program::Failure;

/// The whole of it.
pub(super) struct Plan<'a> {
    pub(super) rows: u64,
    /// The most frequent first.
    pub(super) classes: Vec<Class<'a>>,
    /// The most frequent first.
    pub(super) unread: Vec<(Unread, &'a Found)>,
    pub(super) current: String,
    pub(super) moving: Moving,
}

/// Hashes that are computed and judged alike.
pub(super) struct Class<'a> {
    pub(super) scheme: Scheme,
    pub(super) label: Option<&'static str>,
    pub(super) cost: String,
    pub(super) count: u64,
    /// Where some of them stand.
    pub(super) found: &'a Found,
    pub(super) fate: Fate,
    /// One hash on one core here; `None` over a ceiling.
    pub(super) time: Option<Duration>,
}

/// What becomes of a hash at a login that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fate {
    /// It stays.
    Stays,
    /// It is replaced by one of the current policy.
    Replaced(RehashReason),
    /// It is not verified: unsalted or fast, and not allowed by name.
    NeedsPermission(Weakness),
    /// It is not verified: Firebase's, whose project was not named.
    NeedsProject,
    /// It is not verified: over a ceiling.
    TooDear,
}

/// What moving takes.
pub(super) struct Moving {
    /// Users whose hash would be replaced at their next login, those that need permission among them.
    pub(super) replaced: u64,
    /// One core: verifying everybody once, and making the new hashes.
    pub(super) core_time: Duration,
    /// The same on [`function`](Self::function), in US dollars.
    pub(super) lambda_usd: f64,
    /// The function that is priced.
    pub(super) function: Size,
    /// By what this machine is held against Lambda.
    pub(super) scale: Scale,
    /// Hashes that are unsalted or fast and not wrapped.
    pub(super) weak: u64,
    /// One core: wrapping these. `None` where the current policy is not argon2id.
    pub(super) wrapping: Option<Duration>,
}

impl<'a> Plan<'a> {
    pub(super) fn draw(census: &'a Census, policies: &Policies, meter: Meter) -> Result<Self, Failure> {
        let judge = Judge {
            policies,
            lenient: policies.clone().accepting(AcceptedWeak::all()),
            meter: RefCell::new(meter),
            parts: RefCell::default(),
        };
        let mut merged: HashMap<(Scheme, Option<&str>, Cost, Fate), Class<'a>> = HashMap::new();
        for (shape, counted) in &census.shapes {
            let (fate, stored) = judge.fate(shape.scheme, counted);
            let key = (shape.scheme, shape.label, shape.cost, fate);
            if let Some(class) = merged.get_mut(&key) {
                class.count += counted.found.count;
                continue;
            }
            let time = stored.map(|stored| judge.time(shape, &stored)).transpose()?;
            let (scheme, label, cost) = (shape.scheme, shape.label, shape.cost.in_words());
            let class =
                Class { scheme, label, cost, count: counted.found.count, found: &counted.found, fate, time };
            merged.insert(key, class);
        }
        let mut classes: Vec<_> = merged.into_values().collect();
        // Of as many, what one meets first is a scheme, and its dearest cost.
        classes.sort_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then(a.scheme.name().cmp(b.scheme.name()))
                .then(b.time.cmp(&a.time))
                .then(a.cost.cmp(&b.cost))
        });
        let mut unread: Vec<_> = census.unread.iter().map(|(reason, found)| (*reason, found)).collect();
        unread.sort_by(|(a, many), (b, few)| few.count.cmp(&many.count).then(a.cmp(b)));
        let moving = judge.moving(&classes)?;
        Ok(Self { rows: census.rows, classes, unread, current: policies.current().id().to_owned(), moving })
    }
}

struct Judge<'a> {
    policies: &'a Policies,
    /// The same, and every weak scheme allowed: what is refused is counted and timed too.
    lenient: Policies,
    meter: RefCell<Meter>,
    /// Parts that were measured: once each, so that costs of one scheme compare.
    parts: RefCell<HashMap<Params, Duration>>,
}

impl Judge<'_> {
    /// What becomes of it, and what would be computed.
    fn fate(&self, scheme: Scheme, counted: &Counted) -> (Fate, Option<Stored>) {
        let stored = match self.lenient.admit_stored(&counted.example) {
            Ok(stored) => stored,
            Err(Refusal::UnsupportedHash) => return (Fate::NeedsProject, None),
            Err(_) => return (Fate::TooDear, None),
        };
        let fate = match self.policies.admit_stored(&counted.example) {
            Ok(stored) => self.policies.rehash_reason(&stored).map_or(Fate::Stays, Fate::Replaced),
            // Nothing else that the lenient policies admit is refused.
            Err(_) => scheme.weakness().map_or(Fate::TooDear, Fate::NeedsPermission),
        };
        (fate, Some(stored))
    }

    /// bcrypt and PBKDF2 are linear in their cost, so that a part is measured and the rest is multiplied.
    fn time(&self, shape: &Shape, stored: &Stored) -> Result<Duration, Failure> {
        let part = match shape.cost {
            Cost::Params(params) => part_of(params),
            Cost::DrawnRounds(..) | Cost::VerifyOnly(..) | Cost::Wrapped(..) => None,
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

    /// On one core, alone.
    fn measure(&self, admitted: &Admitted) -> Result<Duration, Failure> {
        let measured = self.meter.borrow_mut().one(admitted, &Effort::BRIEF)?;
        Ok(Duration::try_from_secs_f64(measured.hash_cpu_ms() / 1e3).unwrap_or(Duration::MAX))
    }

    fn moving(&self, classes: &[Class<'_>]) -> Result<Moving, Failure> {
        let new = self.new_hash()?;
        let is_replaced =
            |class: &&Class<'_>| matches!(class.fate, Fate::Replaced(_) | Fate::NeedsPermission(_));
        let replaced: u64 = classes.iter().filter(is_replaced).map(|class| class.count).sum();
        let verifying = classes
            .iter()
            .map(|class| times(class.time.unwrap_or_default(), class.count, 1))
            .sum::<Duration>();
        let core_time = verifying + times(new, replaced, 1);
        let weak =
            classes.iter().filter(|class| class.scheme.weakness().is_some()).map(|class| class.count).sum();
        let is_argon2id = matches!(self.policies.current().params(), Params::Argon2(_));
        let function = Size {
            memory_mb: Durations::documented().reference_memory_mb(),
            architecture: Architecture::X86_64,
        };
        let scale = Scale::measured(&mut self.meter.borrow_mut(), function)?.ok_or_else(|| {
            Failure::system("the table of durations has no bcrypt that was measured on Lambda")
        })?;
        let there = Duration::try_from_secs_f64(core_time.as_secs_f64() * scale.times);
        let usage = Usage {
            requests: classes.iter().map(|class| class.count).sum(),
            on_demand_gb_seconds: gb_seconds(function.memory_mb, there.unwrap_or(Duration::MAX)),
            ..Usage::default()
        };
        let lambda_usd = Prices::listed().usd(function.architecture, &usage);
        Ok(Moving {
            replaced,
            core_time,
            lambda_usd,
            function,
            scale,
            weak,
            wrapping: is_argon2id.then(|| times(new, weak, 1)),
        })
    }

    /// A new hash of the current policy.
    fn new_hash(&self) -> Result<Duration, Failure> {
        let setting = Setting::fresh(self.policies.current().params(), [0; NEW_SALT_BYTES]);
        let admitted = Admitted::new(setting, self.policies.ceilings())
            .map_err(|_| Failure::configuration("the current policy is over a ceiling"))?;
        self.measure(&admitted)
    }
}

/// The same algorithm with less to do, where time is known to be linear in it.
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

#[allow(clippy::cast_precision_loss, reason = "an estimate: 2^53 of anything is more than there are")]
fn times(time: Duration, count: u64, parts: u64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * count as f64 / parts as f64).unwrap_or(Duration::MAX)
}

const BCRYPT_PART: u32 = 7;
const PBKDF2_PART: u32 = 20_000;
