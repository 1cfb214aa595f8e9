//! Groups of arguments that several commands take, and how their values are read. It knows no command; those of `serve` stand
//! in a module of their own.

mod serve;

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{Args, ValueEnum, builder::RangedU64ValueParser};
use saltern_algorithm::{Kernels, MOST_BCRYPT_LANES};
use saltern_capacity::{Architecture, FUNCTION_MEMORY_MB};
use saltern_policy::AcceptedWeak;

pub(crate) use self::serve::{
    AccessArguments, BoundsArguments, CloudWatchArguments, LogFormat, ServeArguments,
};

/// Which policies hold, and on what machine.
#[derive(Args, Debug)]
pub(crate) struct DocumentArguments {
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, env = "SALTERN_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// What the machine gives, and how far the operator lowers what a document allows.
#[derive(Args, Debug)]
pub(crate) struct MachineArguments {
    /// Hashing threads [default: the cores that this process may use]
    #[arg(long, env = "SALTERN_WORKERS", value_name = "COUNT")]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Memory that all hashes together may take [default: half of what this process may use]
    #[arg(long, env = "SALTERN_MEMORY_BUDGET_MIB", value_name = "MIB")]
    pub(crate) memory_budget_mib: Option<NonZeroU64>,
    /// Lower a ceiling of the policy document; may be repeated
    #[arg(
        long = "ceiling",
        env = "SALTERN_CEILINGS",
        value_name = "NAME=VALUE",
        value_delimiter = ',',
        value_parser = ceiling
    )]
    pub(crate) ceilings: Vec<(String, u64)>,
    /// Verify hashes of these unsalted or fast schemes too: names with commas between, or `all`
    #[arg(long = "accept-weak", env = "SALTERN_ACCEPT_WEAK", value_name = "SCHEMES")]
    pub(crate) accepted_weak: Option<AcceptedWeak>,
    /// The password hash parameters of the Firebase project whose hashes to verify, as its console shows them
    #[arg(long, env = "SALTERN_FIREBASE_PROJECT", value_name = "FILE")]
    pub(crate) firebase_project: Option<PathBuf>,
}

/// Which code computes, and how wide.
#[derive(Args, Debug)]
pub(crate) struct KernelArguments {
    /// Whose code computes
    #[arg(long, env = "SALTERN_KERNELS", value_name = "KERNELS", default_value = "lanes")]
    pub(crate) kernels: KernelsArgument,
    /// bcrypt hashes at once on each core, 1 to 8 [default: as many as the L1 data cache holds]
    #[arg(long, env = "SALTERN_BCRYPT_LANES", value_name = "COUNT", value_parser = bcrypt_lanes)]
    pub(crate) bcrypt_lanes: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArchitectureArgument {
    /// Graviton
    Arm64,
    /// Intel or AMD
    #[value(name = "x86_64")]
    X86_64,
}

impl From<ArchitectureArgument> for Architecture {
    fn from(argument: ArchitectureArgument) -> Self {
        match argument {
            ArchitectureArgument::Arm64 => Self::Arm64,
            ArchitectureArgument::X86_64 => Self::X86_64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelsArgument {
    /// Our own: many hashes at once on each core
    Lanes,
    /// The crates bcrypt, argon2, pbkdf2 and scrypt, one hash at a time
    Crates,
}

impl From<KernelsArgument> for Kernels {
    fn from(argument: KernelsArgument) -> Self {
        match argument {
            KernelsArgument::Lanes => Self::Own,
            KernelsArgument::Crates => Self::Crates,
        }
    }
}

/// Reads a function's memory.
pub(crate) fn function_memory_mb() -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(FUNCTION_MEMORY_MB)
}

/// What Lambda takes for the name of a function or an alias. None of it means anything in a search of CloudWatch.
pub(crate) fn aws_name(argument: &str) -> Result<String, String> {
    let is_one = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=128).contains(&argument.len()) && argument.chars().all(is_one) {
        Ok(argument.to_owned())
    } else {
        Err("give a name, of letters, digits, - and _, and no ARN".into())
    }
}

fn bcrypt_lanes(argument: &str) -> Result<NonZeroUsize, String> {
    let lanes: Option<NonZeroUsize> = argument.parse().ok();
    lanes
        .filter(|lanes| lanes.get() <= MOST_BCRYPT_LANES)
        .ok_or_else(|| format!("give a whole number from 1 to {MOST_BCRYPT_LANES}"))
}

fn ceiling(argument: &str) -> Result<(String, u64), String> {
    let (name, value) = argument.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| "the value of a ceiling is a whole number")?;
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_named_without_quotes() {
        assert_eq!(aws_name("logins-2_b"), Ok("logins-2_b".to_owned()));
        for wrong in ["", "a\"b", "a'b", "arn:aws:lambda:eu-north-1:1:function:logins", "a b", "ä"] {
            assert!(aws_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ceiling_has_a_name_and_a_number() {
        assert_eq!(ceiling("bcrypt_cost=12"), Ok(("bcrypt_cost".to_owned(), 12)));
        for wrong in ["bcrypt_cost", "bcrypt_cost=", "bcrypt_cost=-1", "bcrypt_cost=twelve"] {
            assert!(ceiling(wrong).is_err(), "{wrong}");
        }
    }
}
