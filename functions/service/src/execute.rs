//! Executes tasks: admit, submit, await, judge. Matches that should be replaced then get a new
//! hash.

use core::fmt;
use std::time::Instant;

use saltern_kernels::Password;
use saltern_policy::{Candidates, NewHash, Policies, Policy, Refusal, RehashReason, Stored, Verdict};
use saltern_pool::{Done, Dropped, Refused, Ticket, Urgency, Work, Workers};
use saltern_seal::{Context, Keys};
use serde::{Serialize, Serializer};
use tokio::time::timeout_at;
use zeroize::Zeroizing;

use crate::{
    Arrival, Blocklist, Code, End, Problem, Rehash, Step, Timing,
    command::{Element, SecretText, Task},
    seal::{self, Unsealed},
    upgrades::Turns,
};

/// A finished task: the result for the caller, and the step for the log and the metrics.
pub(crate) struct Finished {
    /// The caller's name of the operation, in a batch.
    pub(crate) id: Option<SecretText>,
    pub(crate) result: Result<Success, Problem>,
    pub(crate) step: Step,
}

/// The result of a task that did not fail: the body of its response.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Success {
    Made(Made),
    Verified(Verified),
}

/// The result of making a hash, or of sealing a stored one anew.
#[derive(Serialize)]
pub(crate) struct Made {
    #[serde(serialize_with = "wiped")]
    pub(crate) hash: Zeroizing<String>,
    /// `None` only if no policy lists the params of the stored hash.
    pub(crate) policy: Option<String>,
}

/// The result of a verification.
#[derive(Serialize)]
pub(crate) struct Verified {
    #[serde(rename = "match")]
    pub(crate) matches: bool,
    pub(crate) needs_rehash: bool,
    pub(crate) rehash_reason: Option<&'static str>,
    pub(crate) policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rehashed: Option<Made>,
}

/// Executes tasks with these policies and workers.
pub(crate) struct Executor<'a, W> {
    pub(crate) policies: &'a Policies,
    pub(crate) workers: &'a W,
    /// The keys that open stored hashes and seal new ones, if there are any.
    pub(crate) keys: Option<&'a Keys>,
    pub(crate) upgrades: &'a Turns,
    /// Passwords that get no new hash, except a rehash of their own.
    pub(crate) blocklist: Option<&'a Blocklist>,
    /// When the request came, and from whom.
    pub(crate) arrival: &'a Arrival,
    /// When the answer becomes useless to the caller.
    pub(crate) deadline: Instant,
}

impl<W: Workers> Executor<'_, W> {
    /// Executes one task.
    pub(crate) async fn single(&self, task: Task) -> Finished {
        let started = self.start(task);
        let judged = self.judge(started).await;
        let rehashing = self.rehash(judged);
        self.finish(rehashing).await
    }

    /// Executes the tasks of a batch in parallel. All are submitted before the first is awaited,
    /// and all are judged before the first rehash takes a worker.
    pub(crate) async fn batch(&self, mut elements: Vec<Element>) -> Vec<Finished> {
        let ids: Vec<_> = elements.iter_mut().map(|element| element.id.take()).collect();
        let start = |(index, Element { operation, task, .. }): (usize, Element)| {
            let allowed = self.arrival.caller.may(operation).map_err(|problem| problem.in_member("op"));
            let started = match allowed.and(task) {
                Ok(task) => self.start(task),
                Err(problem) => Started { pending: Err(problem), step: Step::new(operation) },
            };
            let pending = started.pending.map_err(|problem| problem.in_operation(index));
            Started { pending, ..started }
        };
        let started: Vec<_> = elements.into_iter().enumerate().map(start).collect();
        let mut judged = Vec::with_capacity(started.len());
        for started in started {
            judged.push(self.judge(started).await);
        }
        let rehashing: Vec<_> = judged.into_iter().map(|judged| self.rehash(judged)).collect();
        let mut finished = Vec::with_capacity(rehashing.len());
        for (rehashing, id) in rehashing.into_iter().zip(ids) {
            finished.push(Finished { id, ..self.finish(rehashing).await });
        }
        finished
    }

    fn start(&self, task: Task) -> Started {
        let mut step = Step::new(task.operation());
        let pending = match task {
            Task::Hash { password, policy, context } => {
                self.start_hash(password, policy.as_ref(), context, &mut step)
            }
            Task::Verify { password, hash, rehash, context } => {
                let wanted = rehash.then(|| Wanted { password: password.clone(), context: context.clone() });
                self.start_verify(&password, hash.as_ref(), context.as_ref(), wanted, &mut step)
            }
        };
        Started { pending, step }
    }

    fn start_hash(
        &self,
        password: Password,
        policy: Option<&SecretText>,
        context: Option<Context>,
        step: &mut Step,
    ) -> Result<Pending, Problem> {
        if !seal::can_seal(self.keys, context.as_ref()) {
            return Err(Problem::context_missing().in_member("context"));
        }
        let new = self.policies.admit_new(policy.map(SecretText::expose), &password).map_err(refused)?;
        step.policy = Some(new.policy().to_owned());
        step.algorithm = self.algorithm_of(new.policy());
        if self.is_breached(&password)? {
            return Err(Problem::new(Code::PasswordBreached).in_member("password"));
        }
        let ticket = self.submit(Work::new(new.admitted().clone(), password, self.deadline))?;
        Ok(Pending::Hash { new: Box::new(new), context, ticket })
    }

    fn is_breached(&self, password: &Password) -> Result<bool, Problem> {
        let listed = self.blocklist.map(|list| list.has(password.expose())).transpose();
        listed.map(Option::unwrap_or_default).map_err(|error| {
            tracing::error!(%error, "the block list cannot be read");
            Problem::new(Code::Internal)
        })
    }

    fn start_verify(
        &self,
        password: &Password,
        hash: Option<&SecretText>,
        context: Option<&Context>,
        wanted: Option<Wanted>,
        step: &mut Step,
    ) -> Result<Pending, Problem> {
        let unsealed = hash.map(|hash| seal::open(self.keys, hash.expose(), context)).transpose()?;
        let stored = match &unsealed {
            Some(unsealed) => self.policies.admit_stored_with(&unsealed.text, |id| self.keys?.site_key(id)),
            None => self.policies.admit_decoy(),
        };
        step.stored_key = unsealed.as_ref().and_then(|unsealed| unsealed.key.clone());
        let stored = stored.map_err(|refusal| match refusal {
            Refusal::SiteKeyUnavailable if self.keys.is_none() => Problem::no_seal_keys().in_member("hash"),
            refusal => refused(refusal),
        })?;
        step.algorithm = Some(stored.algorithm());
        step.is_decoy = hash.is_none();
        step.policy = self.policies.id_of(&stored).map(str::to_owned);
        let candidates = stored.candidates(password);
        // Both readings of a NUL are one work, with one cost.
        let first = candidates.first.password.clone();
        let second = candidates.second.as_ref().map(|second| second.password.clone());
        let ticket =
            self.submit(Work { second, ..Work::new(stored.admitted().clone(), first, self.deadline) })?;
        Ok(Pending::Verify { stored: Box::new(stored), unsealed, candidates, ticket, wanted })
    }

    async fn judge(&self, started: Started) -> Judged {
        let Started { pending, mut step } = started;
        let (result, wanted) = match pending {
            Err(problem) => (Err(problem), None),
            Ok(Pending::Hash { new, context, ticket }) => {
                (self.finish_hash(&new, context.as_ref(), ticket, &mut step).await, None)
            }
            Ok(Pending::Verify { stored, unsealed, candidates, ticket, wanted }) => {
                match self.timed(ticket, &mut step).await {
                    Err(problem) => (Err(problem), None),
                    Ok(Done { output, second, .. }) => {
                        let verdict = self.policies.verdict(&stored, &candidates, &output, second.as_ref());
                        let (verified, wanted) = self.verified(verdict, unsealed, wanted, &mut step);
                        (Ok(Success::Verified(verified)), wanted)
                    }
                }
            }
        };
        Judged { result, step, wanted }
    }

    async fn finish_hash(
        &self,
        new: &NewHash,
        context: Option<&Context>,
        ticket: Ticket,
        step: &mut Step,
    ) -> Result<Success, Problem> {
        let done = self.timed(ticket, step).await?;
        step.end = End::Hashed;
        self.made(new, &done, context, step).map(Success::Made).ok_or_else(|| Problem::new(Code::Internal))
    }

    fn made(&self, new: &NewHash, done: &Done, context: Option<&Context>, step: &mut Step) -> Option<Made> {
        let hash = self.sealed(new.encode(&done.output)?.into(), context, step)?;
        Some(Made { hash, policy: Some(new.policy().to_owned()) })
    }

    /// Seals a string under the current key, if there are keys. `None` if it cannot be sealed: the
    /// system gives no random bytes, or the key wants a context.
    fn sealed(
        &self,
        text: Zeroizing<String>,
        context: Option<&Context>,
        step: &mut Step,
    ) -> Option<Zeroizing<String>> {
        let Some(keys) = self.keys else { return Some(text) };
        let sealed = keys.seal(&text, context).ok()?;
        step.sealed_under = Some(keys.current().id().to_owned());
        Some(sealed.into())
    }

    /// Returns the result of a verification, and what is wanted if a new hash is due. If only the
    /// seal is out of date, the same string is sealed anew here, without hashing.
    fn verified(
        &self,
        verdict: Verdict,
        unsealed: Option<Unsealed>,
        wanted: Option<Wanted>,
        step: &mut Step,
    ) -> (Verified, Option<Wanted>) {
        let Verdict { matches, rehash, policy } = verdict;
        let stale = unsealed.filter(|unsealed| matches && rehash.is_none() && unsealed.due.is_some());
        step.end = if matches { End::Match } else { End::Mismatch };
        step.rehash_reason =
            rehash.map(RehashReason::name).or_else(|| stale.as_ref().and_then(|unsealed| unsealed.due));
        let wanted = wanted.filter(|_| step.rehash_reason.is_some() && self.upgrades.take());
        let anew = stale.zip(wanted.as_ref()).and_then(|(unsealed, wanted)| {
            let hash = self.sealed(unsealed.text, wanted.context.as_ref(), step)?;
            step.rehashed = Some(Rehash { policy: policy.clone(), algorithm: step.algorithm, timing: None });
            Some(Made { hash, policy: policy.clone() })
        });
        let verified = Verified {
            matches,
            needs_rehash: step.rehash_reason.is_some(),
            rehash_reason: step.rehash_reason,
            policy,
            rehashed: anew,
        };
        (verified, wanted.filter(|_| rehash.is_some()))
    }

    /// Awaits the work, at most until the deadline, and notes its times. A hash without slices may
    /// still be running then.
    async fn timed(&self, ticket: Ticket, step: &mut Step) -> Result<Done, Problem> {
        let in_time = timeout_at(self.deadline.into(), ticket).await;
        let done = in_time.unwrap_or(Err(Dropped::DeadlineExceeded)).map_err(dropped)?;
        step.timing = Some(Timing::of(&done));
        Ok(done)
    }

    /// Starts the rehash if the caller wants it and the hash needs it. If the rehash fails, the
    /// verdict is returned without it.
    fn rehash(&self, judged: Judged) -> Rehashing {
        let Judged { result, step, wanted } = judged;
        let not_after = self.rehash_deadline();
        let wanted = wanted.filter(|wanted| seal::can_seal(self.keys, wanted.context.as_ref()));
        let rehash = wanted.and_then(|Wanted { password, context }| {
            let new = self.policies.admit_new(None, &password).ok()?;
            let work = Work::new(new.admitted().clone(), password, not_after);
            let ticket = self.submit(Work { urgency: Urgency::Optional, ..work }).ok()?;
            let algorithm = self.algorithm_of(new.policy());
            Some(StartedRehash { new: Box::new(new), algorithm, context, ticket })
        });
        Rehashing { result, step, rehash, not_after }
    }

    /// When the verdict is returned without the rehash: a quarter of the remaining time is kept
    /// for the response, since a late verdict is useless.
    fn rehash_deadline(&self) -> Instant {
        let now = Instant::now();
        now + self.deadline.saturating_duration_since(now) / 4 * 3
    }

    async fn finish(&self, rehashing: Rehashing) -> Finished {
        let Rehashing { mut result, mut step, rehash, not_after } = rehashing;
        if let Some(StartedRehash { new, algorithm, context, ticket }) = rehash
            && let Ok(Ok(done)) = timeout_at(not_after.into(), ticket).await
            && let Some(made) = self.made(&new, &done, context.as_ref(), &mut step)
            && let Ok(Success::Verified(verified)) = &mut result
        {
            let timing = Some(Timing::of(&done));
            step.rehashed = Some(Rehash { policy: made.policy.clone(), algorithm, timing });
            verified.rehashed = Some(made);
        }
        if let Err(problem) = &result {
            step.end = End::Problem(problem.code());
        }
        Finished { id: None, result, step }
    }

    fn submit(&self, work: Work) -> Result<Ticket, Problem> {
        let work = Work { caller: self.arrival.share(), ..work };
        self.workers.submit(work).map_err(|refused| match refused {
            Refused::DeadlineExceeded => Problem::new(Code::DeadlineExceeded),
            Refused::Overloaded { retry_after } => Problem::overloaded(retry_after),
        })
    }

    fn algorithm_of(&self, policy: &str) -> Option<&'static str> {
        self.policies.list().iter().find(|listed| listed.id() == policy).map(Policy::algorithm)
    }
}

/// A task whose work is submitted.
struct Started {
    pending: Result<Pending, Problem>,
    step: Step,
}

enum Pending {
    Hash {
        new: Box<NewHash>,
        context: Option<Context>,
        ticket: Ticket,
    },
    Verify {
        stored: Box<Stored>,
        /// `None` if the request names no stored hash.
        unsealed: Option<Unsealed>,
        candidates: Candidates,
        ticket: Ticket,
        wanted: Option<Wanted>,
    },
}

/// The input of a rehash, if the caller wants one.
struct Wanted {
    password: Password,
    context: Option<Context>,
}

/// A task with its result, and the input of a rehash if the caller wants it and the hash needs it.
struct Judged {
    result: Result<Success, Problem>,
    step: Step,
    wanted: Option<Wanted>,
}

/// A task with its result, and the work of its rehash.
struct Rehashing {
    result: Result<Success, Problem>,
    step: Step,
    rehash: Option<StartedRehash>,
    /// When the result is returned without it.
    not_after: Instant,
}

struct StartedRehash {
    new: Box<NewHash>,
    algorithm: Option<&'static str>,
    context: Option<Context>,
    ticket: Ticket,
}

fn wiped<S: Serializer>(text: &Zeroizing<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn refused(refusal: Refusal) -> Problem {
    let (code, name) = match refusal {
        Refusal::CostOutOfBounds => (Code::CostOutOfBounds, "hash"),
        Refusal::InvalidHash => (Code::InvalidHash, "hash"),
        Refusal::NoRandomness => return Problem::new(Code::Internal),
        Refusal::PasswordHasNul => (Code::PasswordHasNul, "password"),
        Refusal::PasswordTooLong => (Code::PasswordTooLong, "password"),
        Refusal::PolicyNotForHashing => (Code::PolicyNotForHashing, "policy"),
        Refusal::SiteKeyUnavailable => (Code::KeyUnavailable, "hash"),
        Refusal::UnknownPolicy => (Code::UnknownPolicy, "policy"),
        Refusal::UnsupportedHash => (Code::UnsupportedHash, "hash"),
        Refusal::WeakScheme => return Problem::weak_scheme().in_member("hash"),
    };
    Problem::new(code).in_member(name)
}

fn dropped(dropped: Dropped) -> Problem {
    match dropped {
        Dropped::DeadlineExceeded => Problem::new(Code::DeadlineExceeded),
        Dropped::Fault | Dropped::NoMemory => Problem::new(Code::Internal),
        Dropped::Overloaded { retry_after } => Problem::overloaded(retry_after),
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").field("step", &self.step).finish_non_exhaustive()
    }
}

impl fmt::Debug for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Success(..)")
    }
}
