//! Arguments that describe a function on Lambda.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use saltern_capacity::{Architecture, FUNCTION_MEMORY_MB};

/// Parses the architecture of a function.
pub(crate) fn architecture() -> impl TypedValueParser<Value = Architecture> {
    PossibleValuesParser::new(Architecture::ALL.map(Architecture::name))
        .try_map(|name| name.parse::<Architecture>())
}

/// Parses the memory of a function.
pub(crate) fn function_memory_mb() -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(FUNCTION_MEMORY_MB)
}

/// Parses the name of a function or an alias. Its characters have no meaning in a search of
/// CloudWatch.
pub(crate) fn aws_name(argument: &str) -> Result<String, String> {
    let is_one = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=128).contains(&argument.len()) && argument.chars().all(is_one) {
        Ok(argument.to_owned())
    } else {
        Err("give a name of letters, digits, - and _, not an ARN".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_function_has_no_quotes() {
        assert_eq!(aws_name("logins-2_b"), Ok("logins-2_b".to_owned()));
        for wrong in ["", "a\"b", "a'b", "arn:aws:lambda:eu-north-1:1:function:logins", "a b", "ä"] {
            assert!(aws_name(wrong).is_err(), "{wrong}");
        }
    }
}
