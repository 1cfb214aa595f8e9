//! Requests after parsing.

use core::fmt;

use saltern_kernels::Password;
use saltern_seal::Context;
use zeroize::Zeroizing;

use crate::{Operation, Problem};

/// A parsed request.
#[derive(Debug)]
pub(crate) enum Command {
    Batch(Vec<Element>),
    Health,
    Metrics,
    OpenApi,
    Policies,
    Single(Task),
}

/// One element of a batch: a task, or the problem of an element that is none.
#[derive(Debug)]
pub(crate) struct Element {
    /// The caller's name of the operation, for its result.
    pub(crate) id: Option<SecretText>,
    pub(crate) operation: Operation,
    pub(crate) task: Result<Task, Problem>,
}

/// One hash to make or to verify.
#[derive(Debug)]
pub(crate) enum Task {
    Hash { password: Password, policy: Option<SecretText>, context: Option<Context> },
    Verify { password: Password, hash: Option<SecretText>, rehash: bool, context: Option<Context> },
}

impl Task {
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Hash { .. } => Operation::Hash,
            Self::Verify { .. } => Operation::Verify,
        }
    }
}

/// A string of the request. Every one may be secret: a caller may confuse two fields.
pub(crate) struct SecretText(Zeroizing<String>);

impl SecretText {
    pub(crate) fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// Returns the text, for the policies and for the result of an id. The policies look it up or
    /// parse it, and keep no part of it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(..)")
    }
}
