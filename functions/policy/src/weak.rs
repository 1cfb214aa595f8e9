//! The weak hashes that the service verifies: only of schemes that the operator names.

use core::{fmt, str::FromStr};

use saltern_encoded::Scheme;

/// The schemes of which the operator accepts weak hashes: those of an unsalted or fast scheme, and
/// those below a floor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedWeak(Vec<&'static str>);

impl AcceptedWeak {
    /// Every scheme: `all`.
    pub fn all() -> Self {
        Self(scheme_names())
    }

    /// Whether weak hashes of this scheme are verified.
    pub fn names(&self, scheme: Scheme) -> bool {
        self.0.contains(&scheme.name())
    }
}

/// Writes the names, separated by commas, or `all`.
impl fmt::Display for AcceptedWeak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() { f.write_str(ALL) } else { f.write_str(&self.0.join(",")) }
    }
}

/// Parses names, separated by commas, or `all`.
impl FromStr for AcceptedWeak {
    type Err = UnknownScheme;

    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        if text == ALL {
            return Ok(Self::all());
        }
        let known = scheme_names();
        let named = |name: &str| known.iter().copied().find(|known| *known == name).ok_or(UnknownScheme);
        text.split(',').map(named).collect::<Result<_, _>>().map(Self)
    }
}

/// Returns the names of all schemes, in order. Several rows of [`Scheme::ALL`] may share one.
pub fn scheme_names() -> Vec<&'static str> {
    let mut names: Vec<_> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A name is not that of a scheme. The message lists all names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownScheme;

impl fmt::Display for UnknownScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "use `{ALL}`, or some of these names, separated by commas:")?;
        scheme_names().iter().try_for_each(|name| write!(f, " {name}"))
    }
}

impl core::error::Error for UnknownScheme {}

const ALL: &str = "all";
