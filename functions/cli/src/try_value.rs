//! `saltern try`: finds out how a site made a hash, with one known password.

use std::{borrow::Cow, collections::HashSet, path::PathBuf, process::ExitCode};

use crate::number::counted;
use clap::Args;
use saltern_encoded::SitePreparation;
use saltern_kernels::Password;
use saltern_policy::{AcceptedWeak, Candidates, FirebaseProject, Policies, Refusal, Stored};
use saltern_pool::{Pool, Ticket, Work};
use saltern_seal::{Keys, is_sealed};
use saltern_server::{DocumentArguments, Failure, MISMATCH, document, process, say};
use zeroize::Zeroizing;

use crate::{
    convert::{Format, Order, SaltEncoding, ScryptCosts, Source},
    keys,
    migrate_plan::Unread,
    one_hash::{longest, pool},
    terminal::{self, Asked, read_password},
};

#[derive(Args, Debug)]
pub(crate) struct TryArguments {
    /// A value of the column; `-` for the first line of standard input, with the password on the
    /// second
    #[arg(value_name = "VALUE")]
    pub(crate) value: String,
    /// The value of the same row in the column of salts
    #[arg(long, value_name = "TEXT")]
    pub(crate) salt: Option<String>,
    /// Iterations of PBKDF2 that the site may have used, besides the usual ones
    #[arg(long, value_name = "COUNT")]
    pub(crate) iterations: Option<u32>,
    /// Also try the site keys of this file as peppers
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &TryArguments) -> Result<ExitCode, Failure> {
    process::keep_memory_private()?;
    let policies = document::of(&arguments.document)?.accepting(AcceptedWeak::all());
    let keys = arguments.seal_keys.as_deref().map(keys::read).transpose()?;
    let project = arguments.document.machine.firebase_project.as_deref().map(FirebaseProject::read);
    let project = project.transpose().map_err(|error| Failure::configuration(error.to_string()))?;
    let value = terminal::argument_or_line(&arguments.value)?;
    if is_sealed(&value) {
        return Err(Failure::data("the value is sealed: `saltern unseal` gives the hash inside"));
    }
    let password = read_password(Asked::Once)?;
    if value.as_bytes() == password.expose() {
        say("the value is the password itself: the table is in clear, and `saltern hash-clear` hashes it\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let guesses = guesses(&value, arguments, keys.as_ref(), project.as_ref());
    let trial = Trial {
        policies: &policies,
        keys: keys.as_ref(),
        password: &password,
        pool: &pool(&policies, &arguments.document.machine)?,
    };
    let tried = trial.first_fit(guesses)?;
    let Some(fit) = &tried.fit else {
        say(&format!(
            "{} tried, and none fits: {}\n",
            counted(tried.count, "way was", "ways were"),
            advice(&value, keys.is_some())
        ))?;
        return Ok(ExitCode::from(MISMATCH));
    };
    say(&match &fit.format {
        None => format!("fits as it is: {}\n", fit.scheme),
        Some(format) => {
            format!("fits: {}\nconvert the table with: saltern convert {format}{}\n", fit.scheme, fit.split)
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the next step for a value that no way fits.
fn advice(value: &str, has_keys: bool) -> Cow<'static, str> {
    match saltern_encoded::parse(value).map_err(|error| Unread::of(value, error)) {
        Err(reason @ (Unread::Invalid | Unread::NoPassword | Unread::Padded | Unread::Unsupported)) => {
            reason.in_words()
        }
        Ok(_) if !has_keys => {
            "check the password; if the site has a pepper, give it as a site key of --seal-keys".into()
        }
        _ => "check the password and the value, and look into the site's code".into(),
    }
}

/// A way in which the site may have made the value.
struct Guess {
    /// `None` for the value as it is.
    format: Option<Format>,
    /// The arguments for salt and hash in one field.
    split: String,
    stored: Zeroizing<String>,
}

/// Returns the guesses for a value, each stored hash once.
fn guesses(
    value: &str,
    arguments: &TryArguments,
    keys: Option<&Keys>,
    project: Option<&FirebaseProject>,
) -> Vec<Guess> {
    let mut guesses = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |format: Option<Format>, split: &str, stored: Zeroizing<String>| {
        if seen.insert(stored.to_string()) {
            guesses.push(Guess { format, split: split.to_owned(), stored });
        }
    };
    if saltern_encoded::parse(value).is_ok() {
        add(None, "", Zeroizing::new(value.to_owned()));
    }
    let salt = arguments.salt.as_deref();
    let of_site_keys = keys.into_iter().flat_map(Keys::site_key_ids);
    let of_site_keys: Vec<&str> = of_site_keys.collect();
    for source in Source::all() {
        for format in variants(source, &of_site_keys, arguments.iterations) {
            for (order, separator, split) in splits(value, source, salt) {
                let format = Format { order, separator, ..format.clone() };
                if let Ok(stored) = format.stored(value, salt, project) {
                    add(Some(format), &split, stored);
                }
            }
        }
    }
    guesses
}

/// Returns a source with each of its usual costs, salts and site keys.
fn variants(source: Source, site_keys: &[&str], iterations: Option<u32>) -> Vec<Format> {
    let plain = Format {
        source,
        order: Order::SaltHash,
        separator: ':',
        salt: SaltEncoding::Text,
        iterations: 0,
        scrypt: ScryptCosts::OF_NODE,
        site_key: None,
    };
    let with_costs: Vec<Format> = match source {
        Source::Pbkdf2(_) => USUAL_ITERATIONS
            .into_iter()
            .chain(iterations)
            .map(|iterations| Format { iterations, ..plain.clone() })
            .collect(),
        Source::Scrypt => USUAL_SCRYPT.map(|scrypt| Format { scrypt, ..plain.clone() }).to_vec(),
        Source::Prepared(name) if SitePreparation::named(name, None).is_none() => {
            site_keys.iter().map(|id| Format { site_key: Some((*id).to_owned()), ..plain.clone() }).collect()
        }
        _ => vec![plain],
    };
    if !source.has_salt() {
        return with_costs;
    }
    let salts = [SaltEncoding::Text, SaltEncoding::Hex, SaltEncoding::Base64];
    let with_salts = |format: Format| salts.map(|salt| Format { salt, ..format.clone() });
    with_costs.into_iter().flat_map(with_salts).collect()
}

/// Returns the ways to find the salt: its order, its separator, and the arguments for them.
fn splits(value: &str, source: Source, salt: Option<&str>) -> Vec<(Order, char, String)> {
    if salt.is_some() || !source.has_salt() {
        let is_read = source.has_salt() || matches!(source, Source::Firebase | Source::Keycloak);
        let column = if salt.is_some() && is_read { " --salt-column NUMBER" } else { "" };
        return vec![(Order::SaltHash, ':', column.to_owned())];
    }
    let present = SEPARATORS.into_iter().filter(|separator| value.contains(*separator));
    let orders = [(Order::SaltHash, "salt-hash"), (Order::HashSalt, "hash-salt")];
    present
        .flat_map(|separator| {
            orders
                .map(|(order, name)| (order, separator, format!(" --order {name} --separator '{separator}'")))
        })
        .collect()
}

/// The guesses that were computed.
struct Tried {
    count: u64,
    fit: Option<Fit>,
}

struct Fit {
    format: Option<Format>,
    split: String,
    scheme: &'static str,
}

struct Trial<'a> {
    policies: &'a Policies,
    keys: Option<&'a Keys>,
    password: &'a Password,
    pool: &'a Pool,
}

/// A guess whose hash is being computed.
struct Started {
    guess: Guess,
    stored: Stored,
    candidates: Candidates,
    ticket: Ticket,
}

impl Trial<'_> {
    /// Computes the guesses, the cheapest first, up to the first that fits.
    fn first_fit(&self, guesses: Vec<Guess>) -> Result<Tried, Failure> {
        let admit = |guess: Guess| self.admit(&guess).ok().map(|stored| (guess, stored));
        let mut admitted: Vec<(Guess, Stored)> = guesses.into_iter().filter_map(admit).collect();
        // A unit of work takes about a microsecond, except one of bcrypt, of which there are few.
        admitted.sort_by_key(|(guess, stored)| (guess.format.is_some(), stored.admitted().work()));
        let count = admitted.len() as u64;
        let mut admitted = admitted.into_iter();
        loop {
            let together: Vec<_> = admitted.by_ref().take(TOGETHER).collect();
            if together.is_empty() {
                return Ok(Tried { count, fit: None });
            }
            let started: Result<Vec<Started>, Failure> =
                together.into_iter().map(|(guess, stored)| self.start(guess, stored)).collect();
            for started in started? {
                if let Some(fit) = self.fit(started)? {
                    return Ok(Tried { count, fit: Some(fit) });
                }
            }
        }
    }

    fn admit(&self, guess: &Guess) -> Result<Stored, Refusal> {
        self.policies.admit_stored_with(&guess.stored, |id| self.keys?.site_key(id))
    }

    fn start(&self, guess: Guess, stored: Stored) -> Result<Started, Failure> {
        let candidates = stored.candidates(self.password);
        let (first, second) = (candidates.first.password.clone(), candidates.second.as_ref());
        let second = second.map(|second| second.password.clone());
        let work = Work { second, ..Work::new(stored.admitted().clone(), first, longest()) };
        let ticket = self.pool.submit(work).map_err(|_| no_result())?;
        Ok(Started { guess, stored, candidates, ticket })
    }

    fn fit(&self, started: Started) -> Result<Option<Fit>, Failure> {
        let Started { guess: Guess { format, split, .. }, stored, candidates, ticket } = started;
        let done = ticket.wait().map_err(|_| no_result())?;
        let verdict = self.policies.verdict(&stored, &candidates, &done.output, done.second.as_ref());
        Ok(verdict.matches.then(|| Fit { format, split, scheme: stored.scheme().name() }))
    }
}

fn no_result() -> Failure {
    Failure::system("a hash could not be computed: check the free memory")
}

/// Guesses that are computed at once: enough for every core, and few enough to stop soon.
const TOGETHER: usize = 64;

const SEPARATORS: [char; 8] = [':', '$', '.', '|', ',', ';', '/', '-'];

/// Iterations in tutorials, and defaults of libraries over the years.
const USUAL_ITERATIONS: [u32; 44] = [
    1, 10, 64, 100, 128, 256, 500, 512, 1_000, 1_024, 2_000, 2_048, 2_500, 4_096, 5_000, 8_192, 10_000,
    12_000, 15_000, 16_384, 20_000, 24_000, 25_000, 27_500, 30_000, 32_768, 36_000, 40_000, 50_000, 64_000,
    65_536, 80_000, 100_000, 120_000, 131_072, 150_000, 180_000, 200_000, 210_000, 216_000, 260_000, 310_000,
    390_000, 600_000,
];

/// Node's default, and those of libraries for it.
const USUAL_SCRYPT: [ScryptCosts; 6] = [
    ScryptCosts::OF_NODE,
    ScryptCosts { n: 1_024, r: 8, p: 1 },
    ScryptCosts { n: 4_096, r: 8, p: 1 },
    ScryptCosts { n: 16_384, r: 16, p: 1 },
    ScryptCosts { n: 32_768, r: 8, p: 1 },
    ScryptCosts { n: 131_072, r: 8, p: 1 },
];
