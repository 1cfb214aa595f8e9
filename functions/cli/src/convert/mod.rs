//! `saltern convert`: writes hashes that sites made themselves in the form that Saltern reads.

mod foreign;
mod keycloak;
mod source;

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use saltern_encoded::{Encoded, Preparation, SitePreparation, parse};
use saltern_policy::FirebaseProject;
use saltern_server::{Failure, document, process};

pub(crate) use self::source::{Format, Misfit, Order, SaltEncoding, ScryptCosts, Source};
use crate::{
    keys,
    migrate_plan::Unread,
    table::{ConfirmedArguments, Kept, Outcome, Row, field_number, rewrite_confirmed},
};

#[derive(Args, Debug)]
#[command(after_help = Source::help())]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    confirmed: ConfirmedArguments,
    /// How the site made its hashes: a name of the list below. `saltern try` finds it out. A
    /// password in clear of as many hexadecimal digits as a digest is taken for a digest, and its
    /// user then cannot log in
    #[arg(long, value_name = "SOURCE", value_parser = sources(), hide_possible_values = true)]
    from: Source,
    /// The number of the field with the salt, from 1, if it is not in the field of the hash
    #[arg(long, value_name = "NUMBER", requires = "delimiter", value_parser = field_number)]
    salt_column: Option<NonZeroUsize>,
    /// The order of salt and hash in one field
    #[arg(long, default_value = "salt-hash")]
    order: Order,
    /// The character between salt and hash in one field
    #[arg(long, value_name = "CHARACTER", default_value = ":")]
    separator: char,
    /// The bytes of a salt: its text, or what the text writes in hexadecimal or Base64
    #[arg(long, default_value = "text")]
    salt_encoding: SaltEncoding,
    /// Iterations of PBKDF2
    #[arg(long, value_name = "COUNT", required_if_eq_any = pbkdf2_names())]
    iterations: Option<u32>,
    /// scrypt's N
    #[arg(long, value_name = "N", default_value_t = ScryptCosts::OF_NODE.n)]
    scrypt_n: u32,
    /// scrypt's r
    #[arg(long, value_name = "R", default_value_t = ScryptCosts::OF_NODE.r)]
    scrypt_r: u32,
    /// scrypt's p
    #[arg(long, value_name = "P", default_value_t = ScryptCosts::OF_NODE.p)]
    scrypt_p: u32,
    /// The id of the pepper among the site keys of --seal-keys of `saltern serve`
    #[arg(long, value_name = "ID")]
    site_key: Option<String>,
    /// The site keys, to verify known logins; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    seal_keys: Option<PathBuf>,
}

/// Writes the rows again with their hashes converted. Computes no hash.
pub(crate) fn run(arguments: &ConvertArguments) -> Result<(), Failure> {
    process::keep_memory_private()?;
    let project = document::limits(&arguments.confirmed.document.machine)?.firebase_project;
    let format = arguments.format()?;
    let keys = arguments.seal_keys.as_deref().map(keys::read).transpose()?;
    if let (Some(id), Some(keys)) = (&arguments.site_key, &keys)
        && keys.site_key(id).is_none()
    {
        return Err(Failure::configuration(format!(
            "--seal-keys has no site key {id}: `saltern keys check` shows the ids that it has"
        )));
    }
    rewrite_confirmed(&arguments.confirmed, keys.as_ref(), None, |_| false, &mut |row| {
        Ok(convert(row, arguments, &format, project.as_ref()))
    })
}

fn convert<'a>(
    row: &Row,
    arguments: &ConvertArguments,
    format: &Format,
    project: Option<&FirebaseProject>,
) -> Outcome<'a> {
    let value = row.hash();
    if let Some(kept) = kept(&value, format.source) {
        return Outcome::Kept(kept);
    }
    let salt = arguments.salt_column.map(|number| row.field(number));
    // With another salt the converted hash would never match.
    let Ok(salt) = salt.map(|salt| salt.ok_or(())).transpose() else {
        return Outcome::Kept(Kept::skipped("its salt is NULL, is not UTF-8, or is the column of the hash"));
    };
    match format.stored(&value, salt.as_deref(), project) {
        Ok(stored) => Outcome::Changed(stored),
        Err(Misfit(reason)) => Outcome::Kept(Kept::skipped(reason)),
    }
}

/// Returns why a value is not converted, if that is known before its conversion.
fn kept(value: &str, source: Source) -> Option<Kept> {
    // These sources add a preparation to a hash. Others make a hash of something else.
    let is_prepared: Option<fn(&Encoded) -> bool> = match source {
        Source::BcryptOfSha256Hex => {
            Some(|encoded| encoded.scheme().reading().preparation == Preparation::Sha256Hex)
        }
        Source::Prepared(_) => Some(|encoded| encoded.preparation().is_some()),
        _ => None,
    };
    match (parse(value), is_prepared) {
        // web2py writes a digest of password and salt in the form of Werkzeug's and Django's.
        (Ok(encoded), None)
            if matches!(source, Source::Salted(..))
                && ["django-md5", "werkzeug-hmac"].contains(&encoded.scheme().name()) =>
        {
            None
        }
        (Ok(_), None) => Some(Kept::as_wanted("in a form that is read already")),
        (Ok(encoded), Some(is_prepared)) => {
            is_prepared(&encoded).then(|| Kept::as_wanted("converted already"))
        }
        (Err(error), is_prepared) => {
            let reason = Unread::of(value, error);
            let is_kept = is_prepared.is_some() || matches!(reason, Unread::NoPassword | Unread::Sealed);
            is_kept.then(|| reason.kept())
        }
    }
}

impl ConvertArguments {
    fn format(&self) -> Result<Format, Failure> {
        let fits = match self.from {
            Source::Prepared(name) => SitePreparation::named(name, self.site_key.as_deref()).is_some(),
            _ => self.site_key.is_none(),
        };
        if !fits {
            return Err(Failure::configuration(
                "a pepper wants --site-key with the id of a site key, and no other source takes it",
            ));
        }
        if self.salt_column.is_some() && !self.from.takes_salt_column() {
            return Err(Failure::configuration(
                "this source takes no --salt-column: its hashes have no other salt",
            ));
        }
        Ok(Format {
            source: self.from,
            order: self.order,
            separator: self.separator,
            salt: self.salt_encoding,
            iterations: self.iterations.unwrap_or_default(),
            scrypt: ScryptCosts { n: self.scrypt_n, r: self.scrypt_r, p: self.scrypt_p },
            site_key: self.site_key.clone(),
        })
    }
}

/// Shells complete the names.
fn sources() -> impl TypedValueParser<Value = Source> {
    let named = |name: String| Source::all().find(|source| source.name() == name).ok_or("no source");
    PossibleValuesParser::new(Source::all().map(Source::name)).try_map(named)
}

fn pbkdf2_names() -> [(&'static str, &'static str); 3] {
    ["pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"].map(|name| ("from", name))
}
