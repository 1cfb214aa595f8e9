use std::path::PathBuf;

pub(crate) const USAGE: &str = "usage: saltern-bench kernels [bcrypt|pbkdf2|argon2] [--cost N] [--lanes N,N,...] [--iterations N] [--rounds N] \
     [--json FILE]";

/// What the command line asks for.
pub(crate) struct Arguments {
    /// One kernel, or all of them.
    pub(crate) kernel: Option<String>,
    /// bcrypt: binary logarithm of the number of key expansions.
    pub(crate) bcrypt_cost: u32,
    /// bcrypt: the numbers of lanes to measure.
    pub(crate) bcrypt_lanes: Vec<usize>,
    /// PBKDF2: iterations, of each function.
    pub(crate) pbkdf2_iterations: u32,
    /// Rounds of A B C … C B A; a figure is the median over them.
    pub(crate) rounds: usize,
    /// Where the same figures go as JSON.
    pub(crate) json: Option<PathBuf>,
}

impl Arguments {
    /// Reads the command line without the program's name; `None` where it is not understood.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        if words.next()? != "kernels" {
            return None;
        }
        let mut arguments = Self {
            kernel: None,
            bcrypt_cost: DEFAULT_BCRYPT_COST,
            bcrypt_lanes: (1..=8).collect(),
            pbkdf2_iterations: DEFAULT_PBKDF2_ITERATIONS,
            rounds: DEFAULT_ROUNDS,
            json: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--cost" => arguments.bcrypt_cost = words.next()?.parse().ok()?,
                "--lanes" => {
                    let lanes = words.next()?;
                    arguments.bcrypt_lanes =
                        lanes.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
                }
                "--iterations" => arguments.pbkdf2_iterations = words.next()?.parse().ok()?,
                "--rounds" => arguments.rounds = words.next()?.parse().ok().filter(|rounds| *rounds > 0)?,
                "--json" => arguments.json = Some(words.next()?.into()),
                kernel if !kernel.starts_with('-') && arguments.kernel.is_none() => {
                    arguments.kernel = Some(kernel.to_owned());
                }
                _ => return None,
            }
        }
        Some(arguments)
    }
}

/// The cost that every published bcrypt figure is about.
const DEFAULT_BCRYPT_COST: u32 = 10;

/// Long enough to measure; time is linear in it, so that ratios hold for 210,000 and for 600,000.
const DEFAULT_PBKDF2_ITERATIONS: u32 = 50_000;

/// Issue 3 wants the median of five.
const DEFAULT_ROUNDS: usize = 5;
