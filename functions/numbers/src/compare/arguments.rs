//! Arguments of `saltern-numbers compare`.

use std::{
    env,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{Args, Subcommand, ValueEnum, builder::RangedU64ValueParser};
use saltern_encoded::bcrypt;

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    #[command(subcommand)]
    pub(super) part: Part,
}

#[derive(Debug, Subcommand)]
pub(super) enum Part {
    /// Measure everything and compare each figure with its bound
    All(AllArguments),
    /// Measure the service over HTTP
    Http(HttpArguments),
    /// Measure the kernels alone
    Kernels(KernelsArguments),
}

#[derive(Args, Debug)]
pub(super) struct AllArguments {
    #[command(flatten)]
    pub(super) service: ServiceArguments,
    /// Write the figures as JSON, and the chart, to this directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(super) results: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct HttpArguments {
    #[command(flatten)]
    pub(super) service: ServiceArguments,
    /// Write the figures as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct ServiceArguments {
    /// The program `saltern`
    #[arg(long, value_name = "FILE", default_value_os_t = beside_this_program("saltern"))]
    pub(super) server: PathBuf,
    /// The program `bootstrap` of the Lambda function
    #[arg(long, value_name = "FILE", default_value_os_t = beside_this_program("bootstrap"))]
    pub(super) bootstrap: PathBuf,
    /// The zip for Lambda on arm64, from `make package`
    #[arg(long, value_name = "FILE", default_value = "dist/saltern-lambda-arm64.zip")]
    pub(super) zip: PathBuf,
    /// Seconds of each measurement over HTTP
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_SECONDS)]
    pub(super) seconds: NonZeroU64,
    /// Rounds; a figure is the median over all rounds
    #[arg(long, value_name = "ROUNDS", default_value_t = DEFAULT_ROUNDS)]
    pub(super) rounds: NonZeroUsize,
}

#[derive(Args, Debug)]
pub(super) struct KernelsArguments {
    /// Only this kernel
    #[arg(value_name = "KERNEL")]
    pub(super) kernel: Option<Kernel>,
    /// bcrypt: the cost
    #[arg(long, value_name = "COST", default_value_t = DEFAULT_COST,
        value_parser = clap::value_parser!(u32).range(i64::from(bcrypt::MIN_COST)..=i64::from(bcrypt::MAX_COST)))]
    pub(super) cost: u32,
    /// bcrypt: the numbers of lanes, with commas between
    #[arg(long, value_name = "LANES", value_delimiter = ',', default_values_t = 1..=MOST_BCRYPT_LANES,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_BCRYPT_LANES as u64))]
    pub(super) lanes: Vec<usize>,
    /// PBKDF2: the iterations
    #[arg(long, value_name = "ITERATIONS", default_value_t = DEFAULT_ITERATIONS)]
    pub(super) iterations: NonZeroU32,
    /// Rounds; a figure is the median over all rounds
    #[arg(long, value_name = "ROUNDS", default_value_t = DEFAULT_ROUNDS)]
    pub(super) rounds: NonZeroUsize,
    /// Write the figures as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
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

impl KernelsArguments {
    /// Returns the arguments that have published figures.
    pub(super) fn with_rounds(rounds: NonZeroUsize) -> Self {
        Self {
            kernel: None,
            cost: DEFAULT_COST,
            lanes: (1..=MOST_BCRYPT_LANES).collect(),
            iterations: DEFAULT_ITERATIONS,
            rounds,
            json: None,
        }
    }
}

fn beside_this_program(name: &str) -> PathBuf {
    env::current_exe().unwrap_or_default().with_file_name(name)
}

/// The cost of all published bcrypt figures.
const DEFAULT_COST: u32 = 10;

/// Lanes of the widest bcrypt kernel.
pub(super) const MOST_BCRYPT_LANES: usize = 8;

/// Enough for a stable time. Time is linear in iterations, so ratios also hold for 210,000 and
/// 600,000.
const DEFAULT_ITERATIONS: NonZeroU32 = NonZeroU32::new(50_000).unwrap();

/// The published figures are medians of five rounds.
const DEFAULT_ROUNDS: NonZeroUsize = NonZeroUsize::new(5).unwrap();

/// About 120 hashes of bcrypt-10 on two cores, one at a time: one hash more or less is below 1 %.
const DEFAULT_SECONDS: NonZeroU64 = NonZeroU64::new(4).unwrap();
