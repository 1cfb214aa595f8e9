use std::path::PathBuf;

pub(crate) const USAGE: &str = "usage: saltern-bench all [--results DIRECTORY] [--server FILE] [--bootstrap FILE] [--zip FILE] [--seconds N] [--rounds N]
       saltern-bench kernels [bcrypt|pbkdf2|argon2|crypt] [--cost N] [--lanes N,N,...] [--iterations N] [--rounds N] \
     [--json FILE]
       saltern-bench http [--server FILE] [--bootstrap FILE] [--zip FILE] [--seconds N] [--rounds N] [--json FILE]";

/// What is to be measured.
pub(crate) enum Command {
    /// Everything that was asked for, with one verdict each.
    All(AllArguments),
    /// The service, over HTTP.
    Http(HttpArguments),
    /// The kernels, by themselves.
    Kernels(Arguments),
}

impl Command {
    /// Reads the command line without the program's name; `None` where it is not understood.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        match words.next()?.as_str() {
            "all" => AllArguments::parse(words).map(Self::All),
            "http" => HttpArguments::parse(words).map(Self::Http),
            "kernels" => Arguments::parse(words).map(Self::Kernels),
            _ => None,
        }
    }
}

/// How everything is to be measured.
pub(crate) struct AllArguments {
    pub(crate) http: HttpArguments,
    /// The directory for the figures as JSON and Markdown, and the chart.
    pub(crate) results: Option<PathBuf>,
}

impl AllArguments {
    fn parse(words: impl Iterator<Item = String>) -> Option<Self> {
        let mut words: Vec<String> = words.collect();
        let results = match words.iter().position(|word| word == "--results") {
            Some(position) if position + 1 < words.len() => {
                words.drain(position..=position + 1).next_back().map(PathBuf::from)
            }
            Some(_) => return None,
            None => None,
        };
        let http = HttpArguments::parse(words.into_iter()).filter(|http| http.json.is_none())?;
        Some(Self { http, results })
    }
}

/// How the service is to be measured.
pub(crate) struct HttpArguments {
    /// The binary `saltern`.
    pub(crate) server: PathBuf,
    /// The Lambda's binary.
    pub(crate) bootstrap: PathBuf,
    /// The Lambda's zip for arm64.
    pub(crate) zip: PathBuf,
    /// Length of one measurement.
    pub(crate) seconds: u64,
    /// Rounds of A B B A; a figure is the median over them.
    pub(crate) rounds: usize,
    /// Where the same figures go as JSON.
    pub(crate) json: Option<PathBuf>,
}

impl HttpArguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut arguments = Self {
            server: beside_this_program("saltern")?,
            bootstrap: beside_this_program("bootstrap")?,
            zip: DEFAULT_ZIP.into(),
            seconds: DEFAULT_SECONDS,
            rounds: DEFAULT_ROUNDS,
            json: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bootstrap" => arguments.bootstrap = words.next()?.into(),
                "--zip" => arguments.zip = words.next()?.into(),
                "--server" => arguments.server = words.next()?.into(),
                "--seconds" => {
                    arguments.seconds = words.next()?.parse().ok().filter(|seconds| *seconds > 0)?;
                }
                "--rounds" => arguments.rounds = words.next()?.parse().ok().filter(|rounds| *rounds > 0)?,
                "--json" => arguments.json = Some(words.next()?.into()),
                _ => return None,
            }
        }
        Some(arguments)
    }
}

fn beside_this_program(name: &str) -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.with_file_name(name))
}

/// How the kernels are to be measured.
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

impl Default for Arguments {
    fn default() -> Self {
        Self {
            kernel: None,
            bcrypt_cost: DEFAULT_BCRYPT_COST,
            bcrypt_lanes: (1..=8).collect(),
            pbkdf2_iterations: DEFAULT_PBKDF2_ITERATIONS,
            rounds: DEFAULT_ROUNDS,
            json: None,
        }
    }
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut arguments = Self::default();
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

/// Where `make package` puts it.
const DEFAULT_ZIP: &str = "dist/saltern-lambda-arm64.zip";

/// About 120 hashes of bcrypt-10 on two cores, one at a time: one more or less is under 1 %.
const DEFAULT_SECONDS: u64 = 4;
