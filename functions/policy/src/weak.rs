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

/// Parses names, separated by commas, or `all`. The error lists all names.
impl FromStr for AcceptedWeak {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == ALL {
            return Ok(Self::all());
        }
        let known = scheme_names();
        let named = |name: &str| known.iter().copied().find(|known| *known == name);
        text.split(',').map(named).collect::<Option<_>>().map(Self).ok_or_else(|| {
            format!("use `{ALL}`, or some of these names, separated by commas: {}", known.join(" "))
        })
    }
}

/// Returns the names of all schemes, in order. Several rows of [`Scheme::ALL`] may share one.
pub fn scheme_names() -> Vec<&'static str> {
    let mut names: Vec<_> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

const ALL: &str = "all";
