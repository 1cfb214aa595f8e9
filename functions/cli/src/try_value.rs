//! `saltern try`: finds out how a site made a hash, with one known password.

use std::{borrow::Cow, collections::HashSet, path::PathBuf, process::ExitCode};

use crate::number::counted;
use clap::Args;
use saltern_encoded::SitePreparation;
use saltern_kernels::Password;
use saltern_policy::{AcceptedWeak, FirebaseProject, Policies, Refusal, Stored};
use saltern_pool::Pool;
use saltern_seal::{Keys, is_sealed};
use saltern_server::{DocumentArguments, Failure, MISMATCH, document, process, say};
use zeroize::Zeroizing;

use crate::{
    convert::{Format, Order, SaltEncoding, ScryptCosts, Source},
    keys,
    migrate_plan::{Unread, shape_of},
    one_hash::{Comparison, pool},
    terminal::{self, Asked, read_password, shell_quoted},
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
    let project = document::limits(&arguments.document.machine)?.firebase_project;
    let value = terminal::argument_or_line(&arguments.value)?;
    if is_sealed(&value) {
        return Err(Failure::data("the value is sealed: `saltern unseal` gives the hash inside"));
    }
    let password = read_password(Asked::Once)?;
    if value.as_bytes() == password.expose() {
        let shape = shape_of(&value);
        say(&if shape == Unread::NoHash.shape() {
            format!(
                "the value is the password itself: the table is in clear\n\
                 hash the table with: saltern hash-clear --shape {shape}\n"
            )
        } else {
            format!(
                "the value is the password itself, but looks like a hash ({shape}). If no user can log in with this \n\
                 text, it is a hash: never use `saltern hash-clear` for it\n"
            )
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let guesses = guesses(&value, arguments, keys.as_ref(), project.as_ref());
    let trial = Trial {
        policies: &policies,
        keys: keys.as_ref(),
        password: &password,
        pool: &pool(&policies, &arguments.document.machine)?,
    };
    let (count, fit) = trial.first_fit(guesses)?;
    let Some(guess) = fit else {
        say(&format!(
            "{} tried, and none fits: {}\n",
            counted(count, "way was", "ways were"),
            advice(&value, arguments.salt.is_some(), keys.is_some())
        ))?;
        return Ok(ExitCode::from(MISMATCH));
    };
    let scheme = saltern_encoded::parse(&guess.stored).map_or("", |encoded| encoded.scheme().name());
    say(&match &guess.format {
        None if scheme == "bcrypt" => format!(
            "fits as it is: {scheme}\n\
             Bcrypt of a digest looks the same, and older users may have it: try one login of each age of the site.\n"
        ),
        None => format!("fits as it is: {scheme}\n"),
        Some(format) => format!(
            "fits: {scheme}\n\
             {}: give --known with one login of each age of the site.\n\
             convert the table with: saltern convert {format}{}\n",
            others(format.source),
            more_arguments(format, &value, arguments)
        ),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Tells what other rows of the same shape can be.
fn others(source: Source) -> &'static str {
    match source {
        Source::Prepared(_) | Source::BcryptOfSha256Hex => {
            "A hash of the password alone looks the same, and later users may have it"
        }
        Source::Foreign(_) | Source::Keycloak | Source::Firebase => "Other rows can be of another kind",
        _ => "Other functions make digests of this length, and a password in clear can look like one",
    }
}

/// Returns the arguments of `saltern convert` that are not of the format alone.
fn more_arguments(format: &Format, value: &str, arguments: &TryArguments) -> String {
    let mut out = format!(" --shape {}", shell_quoted(&shape_of(value)));
    let mut add = |name: &str, text: &str| out.extend([" --", name, " ", text]);
    if format.source.has_salt() && arguments.salt.is_none() {
        add("order", if format.order == Order::SaltHash { "salt-hash" } else { "hash-salt" });
        add("separator", &shell_quoted(&format.separator.to_string()));
    } else if format.source.takes_salt_column() {
        add("salt-column", "NUMBER");
    }
    let project = arguments.document.machine.firebase_project.as_deref();
    let of_source = [
        ("firebase-project", project.filter(|_| format.source == Source::Firebase)),
        ("seal-keys", arguments.seal_keys.as_deref().filter(|_| format.site_key.is_some())),
    ];
    for (name, file) in of_source {
        if let Some(file) = file {
            add(name, &shell_quoted(&file.display().to_string()));
        }
    }
    out
}

/// Returns the next step for a value that no way fits.
fn advice(value: &str, has_salt: bool, has_keys: bool) -> Cow<'static, str> {
    match saltern_encoded::parse(value).map_err(|error| Unread::of(value, error)) {
        // A source may have read it, with another password.
        Err(reason @ Unread::Foreign(_)) => format!("check the password; {}", reason.in_words()).into(),
        Err(reason @ (Unread::Invalid | Unread::NoPassword | Unread::Padded | Unread::Unsupported)) => {
            reason.in_words()
        }
        Err(Unread::BareDigest(_) | Unread::Encoded) if !has_salt => {
            "check the password; if another column has a salt, give it by --salt".into()
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
    let mut add = |format: Option<Format>, stored: Zeroizing<String>| {
        if seen.insert(stored.to_string()) {
            guesses.push(Guess { format, stored });
        }
    };
    if saltern_encoded::parse(value).is_ok() {
        add(None, Zeroizing::new(value.to_owned()));
    }
    let salt = arguments.salt.as_deref();
    let of_site_keys = keys.into_iter().flat_map(Keys::site_key_ids);
    let of_site_keys: Vec<&str> = of_site_keys.collect();
    for source in Source::all() {
        for format in variants(source, &of_site_keys, arguments.iterations) {
            for (order, separator) in splits(value, source, salt) {
                let format = Format { order, separator, ..format.clone() };
                if let Ok(stored) = format.stored(value, salt, project) {
                    add(Some(format), stored);
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

/// Returns the ways to find the salt: its order and its separator.
fn splits(value: &str, source: Source, salt: Option<&str>) -> Vec<(Order, char)> {
    if salt.is_some() || !source.has_salt() {
        return vec![(Order::SaltHash, ':')];
    }
    let present = SEPARATORS.into_iter().filter(|separator| value.contains(*separator));
    present.flat_map(|separator| [Order::SaltHash, Order::HashSalt].map(|order| (order, separator))).collect()
}

struct Trial<'a> {
    policies: &'a Policies,
    keys: Option<&'a Keys>,
    password: &'a Password,
    pool: &'a Pool,
}

impl Trial<'_> {
    /// Computes the guesses, the cheapest first, up to the first that fits. Returns their number,
    /// and the one that fits.
    fn first_fit(&self, guesses: Vec<Guess>) -> Result<(u64, Option<Guess>), Failure> {
        let admit = |guess: Guess| self.admit(&guess).ok().map(|stored| (guess, stored));
        let mut admitted: Vec<(Guess, Stored)> = guesses.into_iter().filter_map(admit).collect();
        // A unit of work takes about a microsecond, except one of bcrypt, of which there are few.
        admitted.sort_by_key(|(guess, stored)| (guess.format.is_some(), stored.admitted().work()));
        let count = admitted.len() as u64;
        let mut admitted = admitted.into_iter();
        loop {
            let together = admitted.by_ref().take(TOGETHER);
            let start = |(guess, stored)| (guess, Comparison::start(self.pool, stored, self.password));
            let started: Vec<_> = together.map(start).collect();
            if started.is_empty() {
                return Ok((count, None));
            }
            for (guess, comparison) in started {
                if comparison.verdict(self.policies)?.matches {
                    return Ok((count, Some(guess)));
                }
            }
        }
    }

    fn admit(&self, guess: &Guess) -> Result<Stored, Refusal> {
        self.policies.admit_stored_with(&guess.stored, |id| self.keys?.site_key(id))
    }
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
