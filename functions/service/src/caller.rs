//! The caller of a request, and the operations that its token allows.

use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Code, Operation, Problem};

/// The caller of a request, as the front door knows it.
#[derive(Clone, Debug)]
pub enum Caller {
    /// The front door asks for no token. Every operation is allowed.
    Anyone,
    /// A web page in a browser, or a program that calls by a foreign host name, at a front door that
    /// asks for no token. It gets no answer, not even of `/health`.
    Foreign,
    /// The token of this caller has expired.
    Expired(Arc<Identity>),
    /// The caller with a valid token, or the one that AWS names.
    Named(Arc<Identity>),
    /// No known token came with the request, or the request was refused before its token was read.
    Unknown,
}

/// The name and the rights of a caller.
#[derive(Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name, for the log line.
    pub name: String,
    /// The number under which the workers give this caller its share.
    pub key: u64,
    /// The allowed operations.
    pub scopes: Vec<Scope>,
}

/// A kind of operation that a token may allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// `POST /hash`, and such operations of a batch.
    Hash,
    /// `GET /metrics`.
    Metrics,
    /// `POST /verify` with its rehash, and such operations of a batch.
    Verify,
}

impl Scope {
    /// All scopes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in the contract.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The scopes of which a token needs one for the operation. Any token allows an operation that
    /// has none. The operations of a batch are asked one by one, too.
    fn of(operation: Operation) -> &'static [Self] {
        match operation {
            Operation::Batch => &[Self::Hash, Self::Verify],
            Operation::Hash => &[Self::Hash],
            Operation::Metrics => &[Self::Metrics],
            Operation::Verify => &[Self::Verify],
            Operation::Health | Operation::None | Operation::OpenApi | Operation::Policies => &[],
        }
    }
}

impl Caller {
    /// The name of the token, for the log line.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Expired(identity) | Self::Named(identity) => Some(&identity.name),
            Self::Anyone | Self::Foreign | Self::Unknown => None,
        }
    }

    /// Whether the caller is known, or need not be.
    #[must_use]
    pub fn is_authenticated(&self) -> bool {
        matches!(self, Self::Anyone | Self::Named(_))
    }

    /// Checks that the caller may ask for the operation. `/health` needs no token: load balancers
    /// have none, and the response holds no secret.
    ///
    /// # Errors
    /// [`Code::Unauthorized`], the same code with the remark that the token has expired,
    /// [`Code::Forbidden`], or the same code with the remark that browsers get no answer.
    pub(crate) fn may(&self, operation: Operation) -> Result<(), Problem> {
        match self {
            Self::Foreign => Err(Problem::foreign()),
            _ if operation == Operation::Health => Ok(()),
            Self::Anyone => Ok(()),
            Self::Expired(_) => Err(Problem::expired_token()),
            Self::Unknown => Err(Problem::new(Code::Unauthorized)),
            Self::Named(identity) => {
                let any_of = Scope::of(operation);
                let allowed = any_of.is_empty() || any_of.iter().any(|scope| identity.scopes.contains(scope));
                if allowed { Ok(()) } else { Err(Problem::new(Code::Forbidden)) }
            }
        }
    }
}
