//! Right outputs without hashing: what stands in the workers' place.
//!
//! The service asks it as it would ask its workers: a setting and a password, and an output is wanted. Of a stored hash it
//! must be the stored output for the right password and another for a wrong one, so it has to be known which password is
//! right:
//!
//! - A user's of the pool: his password stands there.
//! - A hash that was made here: its output is a keyed digest of setting and password, ended by a mark that depends on the
//!   setting alone. The mark tells that it was made here; the digest is computed again.
//! - Any other is given back, and computed.

use core::time::Duration;
use std::{cell::RefCell, collections::HashMap, time::Instant};

use saltern_algorithm::{
    Done, Dropped, Output, Ticket, Work,
    load_model::{Reply, output_of},
};
use saltern_capacity::{Architecture, Durations, Parameters};
use saltern_encoded::{Encoded, Params, Setting, bcrypt};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::documents::{self, Users};

/// Passwords of the pool, by stored hash.
pub(crate) struct Kernel {
    passwords: HashMap<String, Vec<u8>>,
}

/// The hashes of one request: which stored ones it brought, and which are to be answered.
#[derive(Debug, Default)]
pub(crate) struct Hashes {
    stored: Vec<Encoded>,
    taken: RefCell<Vec<Taken>>,
}

/// A hash that takes its time before it is answered.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) parameters: Parameters,
    deadline: Instant,
    output: Output,
    reply: Reply,
}

tokio::task_local! {
    /// Those of the request that is being answered.
    pub(crate) static HASHES: Hashes;
}

impl Kernel {
    pub(crate) fn new(users: Users) -> Self {
        let passwords = users.users.into_iter().map(|user| (user.hash, user.password.into_bytes())).collect();
        Self { passwords }
    }

    /// Takes work of the request that is being answered, or gives it back to be computed.
    pub(crate) fn take(&self, durations: &Durations, work: Work) -> Result<Ticket, Work> {
        let known = HASHES.try_with(|hashes| {
            let parameters = documents::parameters(work.admitted.setting().params()?)?;
            // Of what no time is known, the real time is told.
            durations.one(parameters, Architecture::Arm64, durations.reference_memory_mb())?;
            Some((parameters, self.output(&hashes.stored, work.admitted.setting(), work.password.expose())?))
        });
        let Ok(Some((parameters, output))) = known else { return Err(work) };
        let (reply, ticket) = Reply::with_ticket();
        let taken = Taken { parameters, deadline: work.deadline, output, reply };
        HASHES.with(|hashes| hashes.taken.borrow_mut().push(taken));
        Ok(ticket)
    }

    /// The output, where it is known without hashing.
    fn output(&self, stored: &[Encoded], setting: &Setting, password: &[u8]) -> Option<Output> {
        let password = as_hashed(setting, password);
        let stored: Vec<_> = stored.iter().filter(|stored| stored.setting() == setting).collect();
        for stored in &stored {
            if let Some(right) = self.passwords.get(&stored.to_string())
                && as_hashed(setting, right) == password
            {
                return Some(output_of(stored.output()));
            }
        }
        let is_known = |stored: &&Encoded| {
            self.passwords.contains_key(&stored.to_string()) || stored.output().ends_with(&mark(setting))
        };
        // With no stored hash it is a new one's, or the decoy's.
        let is_answered = stored.is_empty() || stored.into_iter().any(|stored| is_known(&stored));
        is_answered.then(|| output_of(&made(setting, password)))
    }
}

impl Hashes {
    /// Reads from a body which stored hashes it brings. What is no request of the contract brings none: it is refused.
    pub(crate) fn of(body: &[u8]) -> Self {
        let read: Brought = serde_json::from_slice(body).unwrap_or_default();
        let all =
            read.hash.into_iter().chain(read.operations.into_iter().filter_map(|operation| operation.hash));
        Self {
            stored: all.filter_map(|hash| saltern_encoded::parse(&hash).ok()).collect(),
            ..Self::default()
        }
    }

    /// What was asked of the kernel since the last time.
    pub(crate) fn take_all(&self) -> Vec<Taken> {
        self.taken.take()
    }
}

impl Taken {
    /// Answers at once that it cannot be in time, if it cannot.
    pub(crate) fn in_time(self, ends: Instant) -> Option<Self> {
        if ends <= self.deadline {
            return Some(self);
        }
        self.reply.send(Err(Dropped::DeadlineExceeded));
        None
    }

    /// Answers, after so long.
    pub(crate) fn answer(self, hashed: Duration) {
        self.reply.send(Ok(Done { output: self.output, queued: Duration::ZERO, hashed, lanes: 1 }));
    }
}

/// The stored hashes of a request to `/verify` or `/batch`, and nothing else of it.
#[derive(Default, Deserialize)]
struct Brought {
    hash: Option<String>,
    #[serde(default)]
    operations: Vec<BroughtByOne>,
}

#[derive(Deserialize)]
struct BroughtByOne {
    hash: Option<String>,
}

/// As much of the password as the scheme reads.
fn as_hashed<'a>(setting: &Setting, password: &'a [u8]) -> &'a [u8] {
    match setting.params() {
        Some(Params::Bcrypt(_)) => &password[..password.len().min(bcrypt::MAX_PASSWORD_BYTES)],
        _ => password,
    }
}

/// The output of a hash that is made here: as long as the setting wants it, and ended by the mark.
fn made(setting: &Setting, password: &[u8]) -> Vec<u8> {
    let mark = mark(setting);
    let mut output = digest(b"output", setting, password).to_vec();
    // No scheme makes new outputs longer than a digest; an old one's may be, and then only has to be wrong.
    output.resize(setting.output_bytes().saturating_sub(mark.len()), 0);
    output.extend_from_slice(&mark);
    output
}

fn mark(setting: &Setting) -> [u8; MARK_BYTES] {
    let digest = digest(b"mark", setting, b"");
    core::array::from_fn(|index| digest[index])
}

fn digest(purpose: &[u8], setting: &Setting, password: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(b"saltern-fleet ");
    digest.update(purpose);
    let (params, salt) = (format!("{:?}", setting.params()), setting.salt());
    for part in [params.as_bytes(), salt, password] {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// A stored hash of somebody else ends so by chance once in 2^64.
const MARK_BYTES: usize = 8;
