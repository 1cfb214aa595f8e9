//! What a request asks for, in our own types.

use core::fmt;
use std::time::Instant;

use saltern_algorithm::Password;
use zeroize::Zeroizing;

use crate::{Operation, Problem};

/// What a request asks for.
#[derive(Debug)]
pub(crate) enum Command {
    Batch(Vec<Asked>, Instant),
    Health,
    Metrics,
    OpenApi,
    Policies,
    Single(Task, Instant),
}

/// One element of a batch: a task, or what is wrong with it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) operation: Operation,
    pub(crate) task: Result<Task, Problem>,
}

/// One hash to make or to verify. Its deadline stands beside it, for a batch has one for all.
#[derive(Debug)]
pub(crate) enum Task {
    Hash { password: Password, policy: Option<Given> },
    Verify { password: Password, hash: Option<Given>, rehash: bool },
}

impl Task {
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Hash { .. } => Operation::Hash,
            Self::Verify { .. } => Operation::Verify,
        }
    }
}

/// A string as it was given. Whatever stands in it may be secret: a caller may mistake one field for another.
pub(crate) struct Given(Zeroizing<String>);

impl Given {
    pub(crate) fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// For the policies, which look it up or parse it and keep none of it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Given(..)")
    }
}
