//! Computes one hash with the kernels of the server.

use std::{
    io::{self, Write as _},
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use saltern_kernels::{Admitted, OutOfMemory, Password};
use saltern_policy::{Candidates, Policies, Refusal, Stored, Verdict};
use saltern_pool::{Done, Dropped, Pool, PoolSettings, Refused, Ticket, Work};
use saltern_seal::{NotOpened, NotSealed};

use saltern_server::{Failure, MachineArguments, document};

/// Starts a worker without a queue.
pub(crate) fn one_worker() -> Result<Pool, Failure> {
    started(NonZeroUsize::MIN, NonZeroUsize::MIN)
}

/// A stored hash, and a password whose hash a worker computes.
pub(crate) struct Comparison<'a> {
    stored: Stored,
    candidates: Candidates,
    job: Job<'a>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn start(pool: &'a Pool, stored: Stored, password: &Password) -> Self {
        let candidates = stored.candidates(password);
        let first = candidates.first.password.clone();
        let second = candidates.second.as_ref().map(|second| second.password.clone());
        let mut job = Job { second, ..Job::new(pool, stored.admitted().clone(), first) };
        job.start();
        Self { stored, candidates, job }
    }

    pub(crate) fn verdict(self, policies: &Policies) -> Result<Verdict, Failure> {
        let done = self.job.wait()?;
        Ok(policies.verdict(&self.stored, &self.candidates, &done.output, done.second.as_ref()))
    }
}

/// A hash that a worker computes while its caller does something else.
pub(crate) struct Job<'a> {
    pool: &'a Pool,
    admitted: Admitted,
    password: Password,
    /// The second reading of a password with a NUL.
    second: Option<Password>,
    ticket: Option<Result<Ticket, Refused>>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(pool: &'a Pool, admitted: Admitted, password: Password) -> Self {
        Self { pool, admitted, password, second: None, ticket: None }
    }

    /// Gives the hash to the workers. Without it, [`wait`](Self::wait) does so.
    pub(crate) fn start(&mut self) {
        self.ticket = Some(self.submit());
    }

    fn submit(&self) -> Result<Ticket, Refused> {
        let work = Work::new(self.admitted.clone(), self.password.clone(), Instant::now() + LONGEST);
        self.pool.submit(Work { second: self.second.clone(), ..work })
    }

    /// Waits for the hash.
    pub(crate) fn wait(self) -> Result<Done, Failure> {
        self.wait_again(0)
    }

    /// Waits for the hash. If the system has no memory for it, waits for that too, for a minute.
    pub(crate) fn wait_for_memory(self) -> Result<Done, Failure> {
        self.wait_again(TRIES)
    }

    fn wait_again(mut self, mut more: u32) -> Result<Done, Failure> {
        loop {
            let ticket = self.ticket.take().unwrap_or_else(|| self.submit());
            let cause = match ticket.map_err(|_| Dropped::DeadlineExceeded).and_then(Ticket::wait) {
                Ok(done) => return Ok(done),
                Err(Dropped::NoMemory) if more == 0 => return Err(OutOfMemory.into()),
                Err(Dropped::NoMemory) => {
                    if more == TRIES {
                        let _unwritten = io::stderr().write_all(WAITS);
                    }
                    more -= 1;
                    thread::sleep(PAUSE);
                    continue;
                }
                Err(Dropped::Fault) => "a worker failed at a hash",
                Err(Dropped::DeadlineExceeded | Dropped::Overloaded { .. }) => {
                    "the workers refused a hash as too slow"
                }
            };
            return Err(Failure::system(format!("{cause}: report it, please")));
        }
    }
}

/// Starts workers without a queue, one for each core. The memory budget bounds how many of them
/// hold a hash at the same time.
pub(crate) fn pool(policies: &Policies, machine: &MachineArguments) -> Result<Pool, Failure> {
    let workers = NonZeroUsize::new(document::limits(machine)?.workers);
    started(workers.unwrap_or(NonZeroUsize::MIN), policies.holders())
}

fn started(workers: NonZeroUsize, holders: NonZeroUsize) -> Result<Pool, Failure> {
    let settings = PoolSettings { queue: None, holders, ..PoolSettings::new(workers) };
    Pool::start(&settings)
        .map_err(|error| Failure::system(format!("cannot start a hashing thread ({error})")))
}

/// Returns the message for a stored hash that is refused.
pub(crate) fn refused_stored(refusal: Refusal, stored: &str, policies: &Policies) -> Failure {
    let over_ceiling = || policies.over_ceiling(saltern_encoded::parse(stored).ok()?.setting());
    match (refusal, over_ceiling()) {
        (Refusal::CostOutOfBounds, Some(over)) => Failure::data(format!("the hash is too expensive: {over}")),
        (refusal, _) => refused(refusal),
    }
}

/// Returns the message for a refusal.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::data(match refusal {
        Refusal::CostOutOfBounds => {
            "it is over a fixed ceiling, of hashes that cannot be stopped, or its layers together are over those of the policy document: raise these if you accept the cost"
        }
        Refusal::InvalidHash => "the hash is malformed for its scheme: check that it is complete",
        Refusal::NoRandomness => return Failure::system("the system returned no random bytes"),
        Refusal::PasswordHasNul => "a new bcrypt hash cannot cover a password with a NUL: use another policy",
        Refusal::PasswordTooLong => "a new bcrypt hash covers 72 bytes of a password: use another policy",
        Refusal::PolicyNotForHashing => {
            return Failure::configuration("the policy is verify-only: name an active one");
        }
        Refusal::SiteKeyUnavailable => "the site prepared the password with a key: give it by --seal-keys",
        Refusal::UnknownPolicy => {
            return Failure::configuration(
                "no policy has this id: `saltern policies check --json` lists the ids of a document",
            );
        }
        Refusal::UnsupportedHash => {
            "the scheme of the hash is not supported, its Firebase project wants --firebase-project, or the site key leaves too little of the password"
        }
        Refusal::WeakScheme => {
            "the hash is unsalted, fast or below a floor: accept its scheme by name with --accept-weak, or wrap the hash"
        }
    })
}

/// Returns the message for a stored hash that does not open.
pub(crate) fn not_opened(defect: NotOpened) -> Failure {
    Failure::data(match defect {
        NotOpened::Broken | NotOpened::ContextMissing | NotOpened::KeyUnavailable => {
            format!("{defect}: check --seal-keys and --context")
        }
        NotOpened::Malformed | NotOpened::Unsupported => format!("{defect}: check that it is complete"),
        NotOpened::SealRequired => format!("{defect}: give the sealed hash"),
    })
}

/// Returns the message for a new hash that is not sealed.
pub(crate) fn not_sealed(defect: NotSealed) -> Failure {
    match defect {
        NotSealed::ContextMissing => {
            Failure::configuration(format!("{defect}: give the user's id by --context"))
        }
        NotSealed::NotAHash | NotSealed::NoRandomness => Failure::system(defect.to_string()),
    }
}

/// Nobody waits for an answer in time: a busy machine must not end a run of many hours.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// Other programs may need the memory for a while.
const TRIES: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);
const WAITS: &[u8] = b"the system gives no memory for a hash: waiting for it\n";
