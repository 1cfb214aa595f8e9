//! Returns right outputs without hashing, in place of the workers.
//!
//! The service passes a setting and a password, as to its workers. For a stored hash the output
//! must be the stored output if the password is right, and another output if it is wrong:
//!
//! - The salt of a user of the pool belongs to no other hash. With it the right password gives the
//!   stored output.
//! - Every other output is a digest of setting and password. So a hash of fleet verifies in fleet,
//!   and a hash of other software is a mismatch for every password.

use core::time::Duration;
use std::{collections::HashMap, time::Instant};

use saltern_capacity::{Architecture, Durations};
use saltern_encoded::{Encoded, Params, Setting, bcrypt};
use saltern_kernels::Output;
use saltern_pool::{Done, Dropped, Refused, Reply, Ticket, Work, Workers};
use saltern_server::Failure;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::UnboundedSender;

use crate::documents::Users;

/// The workers of the model.
#[derive(Debug)]
pub(super) struct Kernel {
    /// The stored hashes of the users with their passwords, by salt.
    users: HashMap<Vec<u8>, (Encoded, String)>,
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
    /// The way of the current request's hashes that wait for an answer.
    pub(super) static TAKEN: UnboundedSender<Taken>;
}

impl Kernel {
    pub(super) fn new(users: Users) -> Result<Self, Failure> {
        let users = users.users.into_iter().map(|user| {
            let hash = saltern_encoded::parse(&user.hash).map_err(|error| {
                Failure::configuration(format!("{} is not a hash of a user: {error}", user.hash))
            })?;
            Ok((hash.setting().salt().to_vec(), (hash, user.password)))
        });
        Ok(Self { users: users.collect::<Result<_, Failure>>()? })
    }

    fn output(&self, setting: &Setting, password: &[u8]) -> Output {
        let password = as_hashed(setting, password);
        let user = self.users.get(setting.salt()).filter(|(stored, right)| {
            stored.setting() == setting && as_hashed(setting, right.as_bytes()) == password
        });
        match user {
            Some((stored, _)) => Output::of_model(stored.output()),
            None => Output::of_model(&digest(setting, password)),
        }
    }
}

impl Workers for Kernel {
    /// Takes work of the current request. Refuses an algorithm whose time on Lambda is not known.
    fn submit(&self, work: Work) -> Result<Ticket, Refused> {
        let setting = work.admitted.setting();
        let durations = Durations::documented();
        let is_known = |params: &Params| {
            durations.one(*params, Architecture::Arm64, durations.reference_memory_mb()).is_some()
        };
        let params = setting.params().filter(is_known).ok_or(Refused::DeadlineExceeded)?;
        let (ticket, reply) = Ticket::with_reply();
        let output = self.output(setting, work.password.expose());
        let taken = Taken { params, deadline: work.deadline, output, reply };
        // The receiver lives until the answer of the service.
        TAKEN.with(|waiting| waiting.send(taken).ok());
        Ok(ticket)
    }

    fn arena_bytes(&self) -> u64 {
        0
    }

    fn argon2_lanes(&self) -> usize {
        1
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

/// Returns the part of the password that the scheme uses.
fn as_hashed<'a>(setting: &Setting, password: &'a [u8]) -> &'a [u8] {
    match setting.params() {
        Some(Params::Bcrypt(_)) => &password[..password.len().min(bcrypt::MAX_PASSWORD_BYTES)],
        _ => password,
    }
}

/// Returns a digest with the length of the setting's outputs. New outputs are never longer than the
/// digest. A longer stored output is only compared, so zeros suffice.
fn digest(setting: &Setting, password: &[u8]) -> Vec<u8> {
    let mut digest = Sha256::new();
    digest.update(b"saltern-fleet ");
    let (params, salt) = (format!("{:?}", setting.params()), setting.salt());
    for part in [params.as_bytes(), salt, password] {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    let mut output = digest.finalize().to_vec();
    output.resize(setting.output_bytes(), 0);
    output
}
