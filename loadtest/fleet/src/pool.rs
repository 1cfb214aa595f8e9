//! `saltern-fleet pool`: users with real hashes, made by the real kernels.

use std::time::{Duration, Instant};

use saltern_algorithm::{Password, Pool, PoolSettings, Ticket, Urgency, Work};
use saltern_policy::{NewHash, Policies, Status};

use crate::{
    arguments::PoolArguments,
    documents::{self, User, Users},
    failure::Failure,
    say::print,
};

pub(crate) fn make(arguments: &PoolArguments) -> Result<(), Failure> {
    let policies = documents::policies(Some(&arguments.policies))?;
    let pool = Pool::start(&PoolSettings { queue: None, ..PoolSettings::new(documents::cores()) })
        .map_err(|error| Failure::system(format!("the system gives no thread to hash on ({error})")))?;
    let active = policies.list().iter().filter(|policy| policy.status() == Status::Active);
    // All are submitted before the first is awaited: the lanes fill.
    let begun = active
        .flat_map(|policy| (0..arguments.users).map(|index| begin(&policies, &pool, policy.id(), index)))
        .collect::<Result<Vec<_>, _>>()?;
    let users = begun.into_iter().map(Begun::end).collect::<Result<_, _>>()?;
    let text =
        serde_json::to_string_pretty(&Users { users }).map_err(|error| Failure::system(error.to_string()))?;
    print(&text);
    Ok(())
}

/// A user whose hash is being computed.
struct Begun {
    password: String,
    new: NewHash,
    ticket: Ticket,
}

fn begin(policies: &Policies, pool: &Pool, policy: &str, index: u32) -> Result<Begun, Failure> {
    // With letters beyond ASCII: what is not UTF-8 on its way would not match.
    let password = format!("{policy} user {index} sälä-sana");
    let given = Password::new(password.as_bytes()).map_err(|error| Failure::system(error.to_string()))?;
    let new = policies.admit_new(Some(policy), &given).map_err(|refusal| {
        Failure::configuration(format!("no hash can be made under {policy} ({refusal:?})"))
    })?;
    let deadline = Instant::now() + LONGEST;
    let work =
        Work { admitted: new.admitted().clone(), password: given, deadline, urgency: Urgency::Required };
    let ticket = pool.submit(work).map_err(|_| {
        Failure::configuration(format!("--users is so many that {policy} would take longer than an hour"))
    })?;
    Ok(Begun { password, new, ticket })
}

impl Begun {
    fn end(self) -> Result<User, Failure> {
        let not_computed = || Failure::system("a hash was not computed");
        let done = self.ticket.wait().map_err(|_| not_computed())?;
        let hash = self.new.encode(&done.output).ok_or_else(not_computed)?;
        Ok(User { policy: self.new.policy().to_owned(), password: self.password, hash })
    }
}

const LONGEST: Duration = Duration::from_hours(1);
