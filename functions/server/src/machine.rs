//! Groups of arguments that several commands take.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use saltern_kernels::{Kernels, lanes::MOST_BCRYPT_LANES};
use saltern_policy::{AcceptedWeak, LoweredCeilings};
use saltern_pool::Argon2Lanes;

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
    /// Cores that compute hashes [default: the cores that this process may use]
    #[arg(long, env = "SALTERN_WORKERS", value_name = "COUNT")]
    pub workers: Option<NonZeroUsize>,
    /// Memory for all hashes together [default: half of the memory that this process may use]
    #[arg(long, env = "SALTERN_MEMORY_BUDGET_MIB", value_name = "MIB")]
    pub memory_budget_mib: Option<NonZeroU64>,
    /// Lower a ceiling of the policy document; may be repeated
    #[arg(long = "ceiling", env = "SALTERN_CEILINGS", value_name = "NAME=VALUE")]
    pub lowered_ceilings: Vec<LoweredCeilings>,
    /// Also verify weak hashes of these schemes: names separated by commas, or `all`
    #[arg(long = "accept-weak", env = "SALTERN_ACCEPT_WEAK", value_name = "SCHEMES")]
    pub accepted_weak: Option<AcceptedWeak>,
    /// Also verify hashes of this Firebase project: a file with the password hash parameters of its
    /// console; only the owner of the file may read it
    #[arg(long, env = "SALTERN_FIREBASE_PROJECT", value_name = "FILE")]
    pub firebase_project: Option<PathBuf>,
}

/// The kernels that compute hashes.
#[derive(Args, Debug)]
pub struct KernelArguments {
    /// The code that computes hashes: `lanes` for many hashes at once on each core, or the crates
    /// bcrypt, argon2, pbkdf2 and scrypt
    #[arg(
        long,
        env = "SALTERN_KERNELS",
        value_name = "KERNELS",
        default_value = Kernels::default().name(),
        value_parser = PossibleValuesParser::new(Kernels::ALL.map(Kernels::name)).try_map(|name| name.parse::<Kernels>())
    )]
    pub kernels: Kernels,
    /// bcrypt hashes at once on each core, 1 to 8 [default: as many as the L1 data cache holds]
    #[arg(long, env = "SALTERN_BCRYPT_LANES", value_name = "COUNT", value_parser = bcrypt_lanes)]
    pub bcrypt_lanes: Option<NonZeroUsize>,
    /// Large Argon2 hashes at once on each core, 1 to 8, if the memory holds them [default:
    /// learned from served work, 1 at first]
    #[arg(long, env = "SALTERN_ARGON2_LANES", value_name = "COUNT")]
    pub argon2_lanes: Option<Argon2Lanes>,
}

fn bcrypt_lanes(argument: &str) -> Result<NonZeroUsize, String> {
    let lanes: Option<NonZeroUsize> = argument.parse().ok();
    lanes
        .filter(|lanes| lanes.get() <= MOST_BCRYPT_LANES)
        .ok_or_else(|| format!("give a whole number from 1 to {MOST_BCRYPT_LANES}"))
}
