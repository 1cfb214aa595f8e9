//! The ceilings that settings lower.

use core::str::FromStr;

/// Ceilings of the document that settings lower: their names and new values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoweredCeilings(pub(crate) Vec<(String, u64)>);

/// Parses `NAME=VALUE`, or several of them, separated by commas.
///
/// Only [`Policies::load`](crate::Policies::load) knows which names are ceilings.
impl FromStr for LoweredCeilings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        let malformed = "write NAME=VALUE with a whole number, and commas between several";
        text.split(',').map(pair).collect::<Option<_>>().map(Self).ok_or(malformed)
    }
}

/// Joins several settings into one.
impl FromIterator<Self> for LoweredCeilings {
    fn from_iter<I: IntoIterator<Item = Self>>(settings: I) -> Self {
        Self(settings.into_iter().flat_map(|setting| setting.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_has_a_name_and_a_whole_number() {
        let pairs = [("bcrypt_cost", 12), ("scrypt_n_r_p", 9)].map(|(name, value)| (name.to_owned(), value));
        let lowered = LoweredCeilings(pairs.to_vec());
        assert_eq!("bcrypt_cost=12,scrypt_n_r_p=9".parse(), Ok(lowered.clone()));
        assert_eq!(
            ["bcrypt_cost=12", "scrypt_n_r_p=9"]
                .map(|one| one.parse().unwrap())
                .into_iter()
                .collect::<LoweredCeilings>(),
            lowered
        );
        for wrong in
            ["", "bcrypt_cost", "bcrypt_cost=", "bcrypt_cost=-1", "bcrypt_cost=twelve", "bcrypt_cost=12,"]
        {
            assert!(wrong.parse::<LoweredCeilings>().is_err(), "{wrong}");
        }
    }
}
