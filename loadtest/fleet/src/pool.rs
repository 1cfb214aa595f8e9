//! `saltern-fleet pool`: makes users with real hashes, with the real kernels.

use std::time::{Duration, Instant};

use saltern_algorithm::{Password, Pool, PoolSettings, Ticket, Work};
use saltern_policy::{NewHash, Policies, Status};

use crate::{
    arguments::PoolArguments,
    documents::{self, User, Users},
};
use saltern_program::{Failure, say};

pub(crate) fn make(arguments: &PoolArguments) -> Result<(), Failure> {
    let policies = documents::policies(Some(&arguments.policies))?;
    let pool = Pool::start(&PoolSettings { queue: None, ..PoolSettings::new(documents::cores()) })
        .map_err(|error| Failure::system(format!("the system gives no thread to hash on ({error})")))?;
    let active = policies.list().iter().filter(|policy| policy.status() == Status::Active);
    // All work is submitted before the first wait, so that the lanes fill.
    let started = active
        .flat_map(|policy| (0..arguments.users).map(|index| start(&policies, &pool, policy.id(), index)))
        .collect::<Result<Vec<_>, _>>()?;
    let users = started.into_iter().map(Started::end).collect::<Result<_, _>>()?;
    let text =
        serde_json::to_string_pretty(&Users { users }).map_err(|error| Failure::system(error.to_string()))?;
    say(&format!("{text}\n"))
}

/// A user whose hash is still being computed.
struct Started {
    password: String,
    new: NewHash,
    ticket: Ticket,
}

fn start(policies: &Policies, pool: &Pool, policy: &str, index: u32) -> Result<Started, Failure> {
    // Letters beyond ASCII reveal a path that does not preserve UTF-8.
    let password = format!("{policy} user {index} sälä-sana");
    let given = Password::new(password.as_bytes()).map_err(|error| Failure::system(error.to_string()))?;
    let new = policies.admit_new(Some(policy), &given).map_err(|refusal| {
        Failure::configuration(format!("no hash can be made under {policy} ({refusal:?})"))
    })?;
    let deadline = Instant::now() + LONGEST;
    let work = Work::new(new.admitted().clone(), given, deadline);
    let ticket = pool.submit(work).map_err(|_| {
        Failure::configuration(format!("{policy} would take longer than an hour: lower --users"))
    })?;
    Ok(Started { password, new, ticket })
}

impl Started {
    fn end(self) -> Result<User, Failure> {
        let not_computed = || Failure::system("a hash was not computed");
        let done = self.ticket.wait().map_err(|_| not_computed())?;
        let hash = self.new.encode(&done.output).ok_or_else(not_computed)?;
        Ok(User { policy: self.new.policy().to_owned(), password: self.password, hash })
    }
}

const LONGEST: Duration = Duration::from_hours(1);
