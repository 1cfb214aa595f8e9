//! Arguments of `saltern-numbers compare`.

use std::{
    env,
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    #[command(subcommand)]
    pub(super) part: Part,
    /// Rounds; a figure is the median over all rounds
    #[arg(long, global = true, value_name = "ROUNDS", default_value_t = DEFAULT_ROUNDS)]
    pub(super) rounds: NonZeroUsize,
}

#[derive(Debug, Subcommand)]
pub(super) enum Part {
    /// Measure everything and compare each figure with its bound
    All {
        #[command(flatten)]
        service: ServiceArguments,
        /// Write the figures as JSON to this directory
        #[arg(long, value_name = "DIRECTORY")]
        results: Option<PathBuf>,
    },
    /// Measure the service over HTTP
    Http(ServiceArguments),
    /// Measure the kernels alone
    Kernels {
        /// Only this kernel
        #[arg(value_name = "KERNEL")]
        kernel: Option<Kernel>,
    },
}

#[derive(Args, Debug)]
pub(super) struct ServiceArguments {
    /// The program `saltern`
    #[arg(long, value_name = "FILE", default_value_os_t = beside_this_program())]
    pub(super) server: PathBuf,
    /// Seconds of each measurement over HTTP
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_SECONDS)]
    pub(super) seconds: NonZeroU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kernel {
    Argon2,
    Bcrypt,
    /// The schemes of crypt(3) that are only verified
    Crypt,
    Pbkdf2,
    Scrypt,
}

fn beside_this_program() -> PathBuf {
    env::current_exe().unwrap_or_default().with_file_name("saltern")
}

/// The published figures are medians of five rounds.
const DEFAULT_ROUNDS: NonZeroUsize = NonZeroUsize::new(5).unwrap();

/// About 120 hashes of bcrypt-10 on two cores, one at a time: one hash more or less is below 1 %.
const DEFAULT_SECONDS: NonZeroU64 = NonZeroU64::new(4).unwrap();
