//! Executes tasks: admit, submit, await, judge. Matches that should be replaced then get a new
//! hash.

use core::fmt;
use std::time::Instant;

use saltern_algorithm::{Done, Dropped, Password, Pool, Refused, Ticket, Urgency, Work};
use saltern_policy::{Candidates, NewHash, Policies, Policy, Refusal, RehashReason, Stored, Verdict};
use serde::{Serialize, Serializer};
use tokio::time::timeout_at;
use zeroize::Zeroizing;

use crate::{
    Caller, Code, End, Operation, Problem, Rehash, Step, Timing,
    command::{Element, Given, Task},
    problem::Field,
};

/// A finished task: the result for the caller, and the step for the log and the metrics.
pub(crate) struct Finished {
    /// The caller's name of the operation, in a batch.
    pub(crate) id: Option<Given>,
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

/// The result of making a hash.
#[derive(Serialize)]
pub(crate) struct Made {
    #[serde(serialize_with = "wiped")]
    pub(crate) hash: Zeroizing<String>,
    pub(crate) policy: String,
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
#[derive(Clone, Copy)]
pub(crate) struct Executor<'a> {
    pub(crate) policies: &'a Policies,
    pub(crate) pool: &'a Pool,
    /// The program that waits for the answer.
    pub(crate) caller: &'a Caller,
    /// When the answer becomes useless to the caller.
    pub(crate) deadline: Instant,
}

impl Executor<'_> {
    /// Executes one task.
    pub(crate) async fn single(self, task: Task) -> Finished {
        let started = self.start(task, None);
        let judged = self.judge(started).await;
        let rehashing = self.rehash(judged);
        rehashing.finish().await
    }

    /// Executes the tasks of a batch in parallel. All are submitted before the first is awaited,
    /// and all are judged before the first rehash takes a worker.
    pub(crate) async fn batch(self, mut elements: Vec<Element>) -> Vec<Finished> {
        let ids: Vec<_> = elements.iter_mut().map(|element| element.id.take()).collect();
        let start = |(index, element): (usize, Element)| match element.task {
            _ if !self.caller.may(element.operation) => Started::failed(
                element.operation,
                Problem::forbidden().in_field(Field { operation: Some(index), name: "op" }),
            ),
            Ok(task) => self.start(task, Some(index)),
            Err(problem) => Started::failed(element.operation, problem),
        };
        let started: Vec<_> = elements.into_iter().enumerate().map(start).collect();
        let mut judged = Vec::with_capacity(started.len());
        for started in started {
            judged.push(self.judge(started).await);
        }
        let rehashing: Vec<_> = judged.into_iter().map(|judged| self.rehash(judged)).collect();
        let mut finished = Vec::with_capacity(rehashing.len());
        for (rehashing, id) in rehashing.into_iter().zip(ids) {
            finished.push(Finished { id, ..rehashing.finish().await });
        }
        finished
    }

    fn start(self, task: Task, index: Option<usize>) -> Started {
        let mut step = Step::new(task.operation());
        let pending = match task {
            Task::Hash { password, policy } => self.start_hash(password, policy.as_ref(), index, &mut step),
            Task::Verify { password, hash, rehash } => {
                self.start_verify(password, hash.as_ref(), rehash, index, &mut step)
            }
        };
        Started { pending, step }
    }

    fn start_hash(
        self,
        password: Password,
        policy: Option<&Given>,
        index: Option<usize>,
        step: &mut Step,
    ) -> Result<Pending, Problem> {
        let new = self.policies.admit_new(policy.map(Given::expose), &password);
        let new = new.map_err(|refusal| refused(refusal, index))?;
        step.policy = Some(new.policy().to_owned());
        step.algorithm = self.algorithm_of(new.policy());
        let ticket = self.submit(Work::new(new.admitted().clone(), password, self.deadline))?;
        Ok(Pending::Hash { new: Box::new(new), ticket })
    }

    fn start_verify(
        self,
        password: Password,
        hash: Option<&Given>,
        rehash: bool,
        index: Option<usize>,
        step: &mut Step,
    ) -> Result<Pending, Problem> {
        let stored = match hash {
            Some(hash) => self.policies.admit_stored(hash.expose()),
            None => self.policies.admit_decoy(),
        };
        let stored = stored.map_err(|refusal| refused(refusal, index))?;
        step.algorithm = Some(stored.algorithm());
        step.is_decoy = hash.is_none();
        step.policy = self.policies.id_of(&stored).map(str::to_owned);
        let candidates = stored.candidates(&password);
        // Both readings of a NUL are one work, with one cost.
        let first = candidates.first.password.clone();
        let second = candidates.second.as_ref().map(|second| second.password.clone());
        let ticket =
            self.submit(Work { second, ..Work::new(stored.admitted().clone(), first, self.deadline) })?;
        let wanted = rehash.then_some(password);
        Ok(Pending::Verify { stored: Box::new(stored), candidates, ticket, wanted })
    }

    async fn judge(self, started: Started) -> Judged {
        let Started { pending, mut step } = started;
        let (result, wanted) = match pending {
            Err(problem) => (Err(problem), None),
            Ok(Pending::Hash { new, ticket }) => (self.finish_hash(&new, ticket, &mut step).await, None),
            Ok(Pending::Verify { stored, candidates, ticket, wanted }) => {
                let done = self.timed(ticket, &mut step).await;
                let verdict = done.map(|Done { output, second, .. }| {
                    self.policies.verdict(&stored, &candidates, &output, second.as_ref())
                });
                let wanted =
                    wanted.filter(|_| verdict.as_ref().is_ok_and(|verdict| verdict.rehash.is_some()));
                (verdict.map(|verdict| verified(verdict, &mut step)), wanted)
            }
        };
        Judged { result, step, wanted }
    }

    async fn finish_hash(self, new: &NewHash, ticket: Ticket, step: &mut Step) -> Result<Success, Problem> {
        let done = self.timed(ticket, step).await?;
        step.end = End::Hashed;
        made(new, &done).map(Success::Made).ok_or_else(Problem::internal)
    }

    /// Awaits the work, at most until the deadline, and notes its times. A hash without slices may
    /// still be running then.
    async fn timed(self, ticket: Ticket, step: &mut Step) -> Result<Done, Problem> {
        let in_time = timeout_at(self.deadline.into(), ticket).await;
        let done = in_time.unwrap_or(Err(Dropped::DeadlineExceeded)).map_err(dropped)?;
        step.timing = Some(Timing::of(&done));
        Ok(done)
    }

    /// Starts the rehash if the caller wants it and the hash needs it. If the rehash fails, the
    /// verdict is returned without it.
    fn rehash(self, judged: Judged) -> Rehashing {
        let Judged { result, step, wanted } = judged;
        let not_after = self.rehash_deadline();
        let rehash = wanted.and_then(|password| {
            let new = self.policies.admit_new(None, &password).ok()?;
            let work = Work::new(new.admitted().clone(), password, not_after);
            let ticket = self.submit(Work { urgency: Urgency::Optional, ..work }).ok()?;
            let algorithm = self.algorithm_of(new.policy());
            Some((Box::new(new), algorithm, ticket))
        });
        Rehashing { result, step, rehash, not_after }
    }

    /// When the verdict is returned without the rehash: a quarter of the remaining time is kept
    /// for the response, since a late verdict is useless.
    fn rehash_deadline(self) -> Instant {
        let now = Instant::now();
        now + self.deadline.saturating_duration_since(now) / 4 * 3
    }

    fn submit(self, work: Work) -> Result<Ticket, Problem> {
        let work = Work { caller: self.caller.share(), ..work };
        self.pool.submit(work).map_err(|refused| match refused {
            Refused::DeadlineExceeded => Problem::deadline_exceeded(),
            Refused::Overloaded { retry_after } => Problem::overloaded(retry_after),
        })
    }

    fn algorithm_of(self, policy: &str) -> Option<&'static str> {
        self.policies.list().iter().find(|listed| listed.id() == policy).map(Policy::algorithm)
    }
}

/// A task whose work is submitted.
struct Started {
    pending: Result<Pending, Problem>,
    step: Step,
}

impl Started {
    fn failed(operation: Operation, problem: Problem) -> Self {
        Self { pending: Err(problem), step: Step::new(operation) }
    }
}

enum Pending {
    Hash { new: Box<NewHash>, ticket: Ticket },
    Verify { stored: Box<Stored>, candidates: Candidates, ticket: Ticket, wanted: Option<Password> },
}

/// A task with its result, and the password if the caller wants a rehash and the hash needs it.
struct Judged {
    result: Result<Success, Problem>,
    step: Step,
    wanted: Option<Password>,
}

/// A task with its result, and the work of its rehash.
struct Rehashing {
    result: Result<Success, Problem>,
    step: Step,
    rehash: Option<(Box<NewHash>, Option<&'static str>, Ticket)>,
    /// When the result is returned without it.
    not_after: Instant,
}

impl Rehashing {
    async fn finish(self) -> Finished {
        let Self { mut result, mut step, rehash, not_after } = self;
        if let Some((new, algorithm, ticket)) = rehash
            && let Ok(Ok(done)) = timeout_at(not_after.into(), ticket).await
            && let Some(made) = made(&new, &done)
            && let Ok(Success::Verified(verified)) = &mut result
        {
            let policy = made.policy.clone();
            step.rehashed = Some(Rehash { policy, algorithm, timing: Timing::of(&done) });
            verified.rehashed = Some(made);
        }
        if let Err(problem) = &result {
            step.end = End::Problem(problem.code());
        }
        Finished { id: None, result, step }
    }
}

fn verified(verdict: Verdict, step: &mut Step) -> Success {
    step.end = if verdict.matches { End::Match } else { End::Mismatch };
    step.rehash_reason = verdict.rehash.map(RehashReason::name);
    Success::Verified(Verified {
        matches: verdict.matches,
        needs_rehash: verdict.rehash.is_some(),
        rehash_reason: step.rehash_reason,
        policy: verdict.policy,
        rehashed: None,
    })
}

fn made(new: &NewHash, done: &Done) -> Option<Made> {
    let hash = new.encode(&done.output)?;
    Some(Made { hash: hash.into(), policy: new.policy().to_owned() })
}

fn wiped<S: Serializer>(text: &Zeroizing<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn refused(refusal: Refusal, index: Option<usize>) -> Problem {
    let (code, name) = match refusal {
        Refusal::CostOutOfBounds => (Code::CostOutOfBounds, "hash"),
        Refusal::InvalidHash => (Code::InvalidHash, "hash"),
        Refusal::NoRandomness => return Problem::internal(),
        Refusal::PasswordHasNul => (Code::PasswordHasNul, "password"),
        Refusal::PasswordTooLong => (Code::PasswordTooLong, "password"),
        Refusal::PolicyNotForHashing => (Code::PolicyNotForHashing, "policy"),
        Refusal::UnknownPolicy => (Code::UnknownPolicy, "policy"),
        Refusal::UnsupportedHash => (Code::UnsupportedHash, "hash"),
        Refusal::WeakScheme => {
            return Problem::weak_scheme().in_field(Field { operation: index, name: "hash" });
        }
    };
    Problem::new(code).in_field(Field { operation: index, name })
}

fn dropped(dropped: Dropped) -> Problem {
    match dropped {
        Dropped::DeadlineExceeded => Problem::deadline_exceeded(),
        Dropped::Fault | Dropped::NoMemory => Problem::internal(),
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
