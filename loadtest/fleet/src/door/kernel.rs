//! Returns right outputs without hashing, in place of the workers.
//!
//! The service passes a setting and a password, as to its workers. For a stored hash the output
//! must be the stored output if the password is right, and another output if it is wrong. So the
//! model must know the right password:
//!
//! - For a user of the pool, the password is in the pool.
//! - For a hash of fleet, the output is a digest of setting and password. It ends with a mark,
//!   which depends on the setting only. The mark identifies the hash, and fleet computes the digest
//!   again.
//! - The pool computes all other hashes.

use core::time::Duration;
use std::{collections::HashMap, time::Instant};

use saltern_algorithm::{Done, Dropped, Output, Pool, Refused, Reply, Ticket, Work, Workers};
use saltern_encoded::{Encoded, Params, Setting, bcrypt};
use saltern_price::lambda::{Architecture, Durations};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::documents::Users;

/// The workers of the model.
#[derive(Debug)]
pub(super) struct Kernel {
    /// The passwords of the users, by stored hash.
    passwords: HashMap<String, Vec<u8>>,
    /// Computes the hashes that the model does not know.
    pool: Pool,
}

/// The hashes of one request: the stored hashes in its body, and the way of the hashes that wait for
/// an answer.
#[derive(Debug)]
pub(super) struct Hashes {
    stored: Vec<Encoded>,
    taken: UnboundedSender<Taken>,
}

/// A hash whose modelled time has not passed.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) params: Params,
    deadline: Instant,
    output: Output,
    reply: Reply,
}

tokio::task_local! {
    /// The hashes of the current request.
    pub(super) static HASHES: Hashes;
}

impl Kernel {
    pub(super) fn new(users: Users, pool: Pool) -> Self {
        let passwords = users.users.into_iter().map(|user| (user.hash, user.password.into_bytes())).collect();
        Self { passwords, pool }
    }

    /// Takes work of the current request, or returns it for the pool.
    fn take(&self, work: Work) -> Result<Ticket, Work> {
        let known = HASHES.try_with(|hashes| {
            let params = work.admitted.setting().params()?;
            // Without a known time the pool computes the hash, and its real time counts.
            let durations = Durations::documented();
            durations.one(params, Architecture::Arm64, durations.reference_memory_mb())?;
            Some((params, self.output(&hashes.stored, work.admitted.setting(), work.password.expose())?))
        });
        let Ok(Some((params, output))) = known else { return Err(work) };
        let (ticket, reply) = Ticket::with_reply();
        let taken = Taken { params, deadline: work.deadline, output, reply };
        // The receiver lives until the answer of the service.
        HASHES.with(|hashes| hashes.taken.send(taken).ok());
        Ok(ticket)
    }

    /// Returns the output if it is known without hashing.
    fn output(&self, stored: &[Encoded], setting: &Setting, password: &[u8]) -> Option<Output> {
        let password = as_hashed(setting, password);
        let stored: Vec<_> = stored.iter().filter(|stored| stored.setting() == setting).collect();
        for stored in &stored {
            if let Some(right) = self.passwords.get(&stored.to_string())
                && as_hashed(setting, right) == password
            {
                return Some(Output::of_model(stored.output()));
            }
        }
        let is_known = |stored: &&Encoded| {
            self.passwords.contains_key(&stored.to_string()) || stored.output().ends_with(&mark(setting))
        };
        // Without a stored hash the output is for a new hash or for the decoy.
        let is_answered = stored.is_empty() || stored.into_iter().any(|stored| is_known(&stored));
        is_answered.then(|| Output::of_model(&made(setting, password)))
    }
}

impl Workers for Kernel {
    fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        self.take(work).or_else(|work| self.pool.submit(work))
    }

    fn arena_bytes(&self) -> u64 {
        self.pool.arena_bytes()
    }
}

impl Hashes {
    /// Reads the stored hashes of a body. The service rejects a body that is not of the contract,
    /// so it has none. The receiver gets the hashes that wait for an answer.
    pub(super) fn of(body: &[u8]) -> (Self, UnboundedReceiver<Taken>) {
        let read: Stored = serde_json::from_slice(body).unwrap_or_default();
        let all =
            read.hash.into_iter().chain(read.operations.into_iter().filter_map(|operation| operation.hash));
        let stored = all.filter_map(|hash| saltern_encoded::parse(&hash).ok()).collect();
        let (taken, receiver) = unbounded_channel();
        (Self { stored, taken }, receiver)
    }
}

impl Taken {
    /// Returns the hash if it ends before its deadline. Otherwise rejects it at once.
    pub(super) fn in_time(self, ends: Instant) -> Option<Self> {
        if ends <= self.deadline {
            return Some(self);
        }
        self.reply.send(Err(Dropped::DeadlineExceeded));
        None
    }

    /// Answers with the output and its modelled time.
    pub(super) fn answer(self, hashed: Duration) {
        self.reply.send(Ok(Done {
            output: self.output,
            second: None,
            queued: Duration::ZERO,
            hashed,
            lanes: 1,
        }));
    }
}

/// The stored hashes of a request to `/verify` or `/batch`, or of an operation of a batch.
#[derive(Default, Deserialize)]
struct Stored {
    hash: Option<String>,
    #[serde(default)]
    operations: Vec<Self>,
}

/// Returns the part of the password that the scheme uses.
fn as_hashed<'a>(setting: &Setting, password: &'a [u8]) -> &'a [u8] {
    match setting.params() {
        Some(Params::Bcrypt(_)) => &password[..password.len().min(bcrypt::MAX_PASSWORD_BYTES)],
        _ => password,
    }
}

/// Returns the output of a hash of fleet, with the length of the setting. It ends with the mark.
fn made(setting: &Setting, password: &[u8]) -> Vec<u8> {
    let mark = mark(setting);
    let mut output = digest(b"output", setting, password).to_vec();
    // New outputs are never longer than the digest. A longer stored output is only compared, so
    // zeros suffice.
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

/// Another stored hash ends with the mark by chance once in 2^64.
const MARK_BYTES: usize = 8;
