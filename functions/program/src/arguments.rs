//! Groups of arguments that several commands take.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{Args, ValueEnum};
use saltern_algorithm::{Kernels, MOST_BCRYPT_LANES};
use saltern_policy::AcceptedWeak;

/// The policy document and the machine.
#[derive(Args, Debug)]
pub struct DocumentArguments {
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, env = "SALTERN_POLICIES", value_name = "FILE")]
    pub policies: Option<PathBuf>,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
}

/// The resources that hashes may use, and the settings that narrow or widen a policy document.
#[derive(Args, Debug)]
pub struct MachineArguments {
    /// Hashing threads [default: the cores that this process may use]
    #[arg(long, env = "SALTERN_WORKERS", value_name = "COUNT")]
    pub workers: Option<NonZeroUsize>,
    /// Memory for all hashes together [default: half of the memory that this process may use]
    #[arg(long, env = "SALTERN_MEMORY_BUDGET_MIB", value_name = "MIB")]
    pub memory_budget_mib: Option<NonZeroU64>,
    /// Lower a ceiling of the policy document; may be repeated
    #[arg(
        long = "ceiling",
        env = "SALTERN_CEILINGS",
        value_name = "NAME=VALUE",
        value_delimiter = ',',
        value_parser = ceiling
    )]
    pub ceilings: Vec<(String, u64)>,
    /// Also verify hashes of these unsalted or fast schemes: names separated by commas, or `all`
    #[arg(long = "accept-weak", env = "SALTERN_ACCEPT_WEAK", value_name = "SCHEMES")]
    pub accepted_weak: Option<AcceptedWeak>,
    /// Also verify hashes of this Firebase project: a file with the password hash parameters of its console
    #[arg(long, env = "SALTERN_FIREBASE_PROJECT", value_name = "FILE")]
    pub firebase_project: Option<PathBuf>,
}

/// The kernels that compute hashes.
#[derive(Args, Debug)]
pub struct KernelArguments {
    /// The code that computes hashes
    #[arg(long, env = "SALTERN_KERNELS", value_name = "KERNELS", default_value = "lanes")]
    pub kernels: KernelsArgument,
    /// bcrypt hashes at once on each core, 1 to 8 [default: as many as the L1 data cache holds]
    #[arg(long, env = "SALTERN_BCRYPT_LANES", value_name = "COUNT", value_parser = bcrypt_lanes)]
    pub bcrypt_lanes: Option<NonZeroUsize>,
}

/// The values of `--kernels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelsArgument {
    /// Kernels of Saltern: many hashes at once on each core
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
    fn a_ceiling_has_a_name_and_a_number() {
        assert_eq!(ceiling("bcrypt_cost=12"), Ok(("bcrypt_cost".to_owned(), 12)));
        for wrong in ["bcrypt_cost", "bcrypt_cost=", "bcrypt_cost=-1", "bcrypt_cost=twelve"] {
            assert!(ceiling(wrong).is_err(), "{wrong}");
        }
    }
}
