//! The unsalted and fast schemes that the service verifies: only those that the operator names.

use core::{fmt, str::FromStr};

use saltern_encoded::Scheme;

/// The unsalted and fast schemes that the operator accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedWeak(Vec<Scheme>);

impl AcceptedWeak {
    /// Every unsalted and fast scheme: `all`.
    #[must_use]
    pub fn all() -> Self {
        Self(weak_schemes().collect())
    }

    /// Whether hashes of this scheme are verified.
    #[must_use]
    pub fn accepts(&self, scheme: Scheme) -> bool {
        scheme.weakness().is_none() || self.0.contains(&scheme)
    }
}

/// Writes the names, separated by commas.
impl fmt::Display for AcceptedWeak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scheme) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            f.write_str(scheme.name())?;
        }
        Ok(())
    }
}

/// Parses names, separated by commas, or `all`.
impl FromStr for AcceptedWeak {
    type Err = UnknownWeakScheme;

    fn from_str(text: &str) -> Result<Self, UnknownWeakScheme> {
        if text == ALL {
            return Ok(Self::all());
        }
        let named = |name: &str| weak_schemes().find(|scheme| scheme.name() == name).ok_or(UnknownWeakScheme);
        text.split(',').map(named).collect::<Result<_, _>>().map(Self)
    }
}

pub(crate) fn weak_schemes() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.iter().copied().filter(|scheme| scheme.weakness().is_some())
}

/// A name is not that of an unsalted or fast scheme. The message lists all names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWeakScheme;

impl fmt::Display for UnknownWeakScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "use `{ALL}`, or some of these names, separated by commas:")?;
        weak_schemes().try_for_each(|scheme| write!(f, " {}", scheme.name()))
    }
}

impl core::error::Error for UnknownWeakScheme {}

const ALL: &str = "all";
