//! How sites stored their hashes, and the form in which Saltern reads each.

use std::{borrow::Cow, fmt};

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
    prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD},
};
use clap::ValueEnum;
use saltern_encoded::{
    MIN_SALT_BYTES, Preparation, SitePreparation, parse, pbkdf2::Prf, verify_only::digest::Hash,
};
use saltern_kernels::{Password, prepare};
use saltern_policy::FirebaseProject;
use zeroize::Zeroizing;

use super::keycloak::keycloak;

/// How a site stored its hashes.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) source: Source,
    /// The places of salt and hash in one field.
    pub(crate) order: Order,
    pub(crate) separator: char,
    pub(crate) salt: SaltEncoding,
    pub(crate) iterations: u32,
    pub(crate) scrypt: ScryptCosts,
    pub(crate) site_key: Option<String>,
}

/// The computation of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A digest of the password alone.
    Bare(Hash),
    /// Firebase's export: salt and hash.
    Firebase,
    /// HMAC of the password, keyed with the salt.
    Hmac(Hash),
    /// bcrypt of the SHA-256 of the password in hexadecimal, as Django's `bcrypt_sha256`.
    BcryptOfSha256Hex,
    /// `md5(md5(salt) ‖ md5(password))`, hexadecimal inside.
    Ipb,
    /// Two columns of JSON.
    Keycloak,
    /// MySQL's `PASSWORD()`, perhaps without its star.
    Mysql,
    Pbkdf2(Prf),
    /// A hash of a password that the site prepared: the preparation's name.
    Prepared(&'static str),
    /// A digest of salt and password, joined as the template says.
    Salted(Hash, &'static str),
    /// `md5(salt ‖ md5(password))`, hexadecimal inside.
    SaltMd5,
    Scrypt,
    /// `md5(md5(password) ‖ salt)`, hexadecimal inside.
    VBulletin,
}

/// The places of salt and hash in one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    SaltHash,
    HashSalt,
}

/// The bytes that a site took from the text of a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SaltEncoding {
    /// The text itself.
    Text,
    /// The bytes that it writes in hexadecimal.
    Hex,
    /// The bytes that it writes in Base64.
    Base64,
}

/// The costs of scrypt, which no hash of Node states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScryptCosts {
    pub(crate) n: u32,
    pub(crate) r: u32,
    pub(crate) p: u32,
}

impl ScryptCosts {
    /// The defaults of `crypto.scrypt` of Node.
    pub(crate) const OF_NODE: Self = Self { n: 16_384, r: 8, p: 1 };
}

/// Why a value is not of a format. It holds no part of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit(pub(crate) &'static str);

impl Source {
    /// The name in arguments.
    pub(crate) fn name(self) -> Cow<'static, str> {
        match self {
            Self::Bare(hash) => hash_name(hash).into(),
            Self::BcryptOfSha256Hex => "sha256-hex".into(),
            Self::Firebase => "firebase".into(),
            Self::Hmac(hash) => format!("hmac-{}", hash_name(hash)).into(),
            Self::Ipb => "ipb".into(),
            Self::Keycloak => "keycloak".into(),
            Self::Mysql => "mysql".into(),
            Self::Pbkdf2(Prf::Sha1) => "pbkdf2-sha1".into(),
            Self::Pbkdf2(Prf::Sha256) => "pbkdf2-sha256".into(),
            Self::Pbkdf2(Prf::Sha512) => "pbkdf2-sha512".into(),
            Self::Prepared(name) => name.into(),
            Self::SaltMd5 => "md5-salt-md5".into(),
            Self::Salted(_, RESTFUL_AUTHENTICATION) => "restful-authentication".into(),
            Self::Salted(hash, template) => {
                let joined = TEMPLATES.iter().find(|(_, text)| *text == template);
                format!("{}-{}", hash_name(hash), joined.map_or("", |(name, _)| name)).into()
            }
            Self::Scrypt => "scrypt".into(),
            Self::VBulletin => "vbulletin".into(),
        }
    }

    /// Every source, by name.
    pub(crate) fn all() -> Vec<Self> {
        let salted = [Hash::Md5, Hash::Sha1, Hash::Sha256, Hash::Sha512]
            .into_iter()
            .flat_map(|hash| TEMPLATES.map(|(_, template)| Self::Salted(hash, template)));
        let mut all: Vec<Self> = [Hash::Md5, Hash::Sha1, Hash::Sha256, Hash::Sha384, Hash::Sha512]
            .map(Self::Bare)
            .into_iter()
            .chain(salted)
            .chain([Prf::Sha1, Prf::Sha256, Prf::Sha512].map(Self::Pbkdf2))
            .chain([Hash::Sha256, Hash::Sha512].map(Self::Hmac))
            .chain(SitePreparation::NAMES.map(Self::Prepared))
            .chain([Self::BcryptOfSha256Hex, Self::Firebase, Self::Ipb, Self::Keycloak, Self::Mysql])
            .chain([Self::Salted(Hash::Sha1, RESTFUL_AUTHENTICATION)])
            .chain([Self::SaltMd5, Self::Scrypt, Self::VBulletin])
            .collect();
        all.sort_by_key(|source| source.name());
        all
    }

    /// The sentence in help.
    fn explained(self) -> Cow<'static, str> {
        match self {
            Self::Bare(_) => "digest of the password alone, in hexadecimal or Base64".into(),
            Self::BcryptOfSha256Hex => "bcrypt of the sha256 of the password, in hexadecimal".into(),
            Self::Firebase => "passwordHash, and salt in --salt-column; with --firebase-project".into(),
            Self::Hmac(_) => "HMAC of the password, keyed with the salt".into(),
            Self::Ipb => "md5(md5(salt) + md5(password)): Invision Power Board, MyBB".into(),
            Self::Keycloak => "secret_data, and credential_data in --salt-column".into(),
            Self::Mysql => {
                "PASSWORD() of MySQL and MariaDB, sha1(sha1(password)); the star may be missing".into()
            }
            Self::Pbkdf2(_) => "PBKDF2 with --iterations, as of Node".into(),
            Self::Prepared("pepper-append") => "slow hash of password + --site-key: Devise".into(),
            Self::Prepared("pepper-prepend") => "slow hash of --site-key + password".into(),
            Self::Prepared(name) => format!("slow hash of the {name} of the password").into(),
            Self::SaltMd5 => "md5(salt + md5(password))".into(),
            Self::Salted(_, RESTFUL_AUTHENTICATION) => {
                "sha1(--salt--password--): restful_authentication of Rails".into()
            }
            Self::Salted(_, template) => {
                let filled = template.replace("}{", " + ").replace(['{', '}'], "").to_lowercase();
                format!("digest of {filled}").into()
            }
            Self::Scrypt => "scrypt with --scrypt-n, as of Node".into(),
            Self::VBulletin => "md5(md5(password) + salt): vBulletin".into(),
        }
    }

    /// The names with their sentences, for help.
    pub(crate) fn help() -> String {
        let sources = Self::all().into_iter();
        let lines = sources.map(|source| format!("  {:<26}{}\n", source.name(), source.explained()));
        format!("Sources:\n{}", lines.collect::<String>())
    }
}

impl Format {
    /// Returns the stored hash for a value of this format. `salt` is the text of another field.
    pub(crate) fn stored(
        &self,
        value: &str,
        salt: Option<&str>,
        project: Option<&FirebaseProject>,
    ) -> Result<Zeroizing<String>, Misfit> {
        let stored = Zeroizing::new(match self.source {
            Source::Bare(hash) => {
                let label = format!("{{{}}}", ldap_label(hash));
                let digest = digest(value.strip_prefix(&label).unwrap_or(value), hash.output_bytes())?;
                format!("{label}{}", BASE64_STANDARD.encode(&*digest))
            }
            Source::BcryptOfSha256Hex => format!("bcrypt_sha256${value}"),
            Source::Firebase => {
                let salt = salt.ok_or(Misfit("its salt is missing: name its field by --salt-column"))?;
                let project = project.ok_or(Misfit("its costs are missing: give --firebase-project"))?;
                project.stored(salt, value)
            }
            Source::Hmac(hash) => {
                let (value, salt) = self.split(value, salt)?;
                let digest = digest(value, hash.output_bytes())?;
                let salt = String::from_utf8(self.salt_bytes(salt)?).map_err(|_| NOT_TEXT)?;
                format!("{}${salt}${}", hash_name(hash), base16ct::lower::encode_string(&digest))
            }
            Source::Ipb => {
                let (value, salt) = self.split(value, salt)?;
                let salt = Password::new(&self.salt_bytes(salt)?).map_err(|_| TOO_LONG)?;
                let salt = prepare(Preparation::Md5Hex, &[], &salt);
                let digest = digest(value, Hash::Md5.output_bytes())?;
                let inner = of_template(Hash::Md5, SALT_PASSWORD, salt.expose(), &digest);
                format!("{}{inner}", SitePreparation::Md5Hex)
            }
            Source::Keycloak => {
                let data =
                    salt.ok_or(Misfit("its credential_data is missing: name its field by --salt-column"))?;
                keycloak(data, value).map_err(|_| Misfit("no secret_data with its credential_data"))?
            }
            Source::Mysql => {
                let digits = value.strip_prefix('*').unwrap_or(value);
                let digest = digest(digits, Hash::Sha1.output_bytes())?;
                format!("*{}", base16ct::upper::encode_string(&digest))
            }
            Source::Pbkdf2(prf) => {
                let (value, salt) = self.split(value, salt)?;
                self.pbkdf2(prf, &self.salt_bytes(salt)?, &bytes(value)?)?
            }
            Source::Prepared(name) => {
                let preparation = SitePreparation::named(name, self.site_key.as_deref());
                format!("{}{value}", preparation.ok_or(Misfit("its site key is missing: give --site-key"))?)
            }
            Source::Salted(hash, template) => {
                let (value, salt) = self.split(value, salt)?;
                let digest = digest(value, hash.output_bytes())?;
                of_template(hash, template, &self.salt_bytes(salt)?, &digest)
            }
            Source::Scrypt => {
                let (value, salt) = self.split(value, salt)?;
                let ScryptCosts { n, r, p } = self.scrypt;
                let ln = n.checked_ilog2().filter(|_| n.is_power_of_two());
                let ln = ln.ok_or(Misfit("--scrypt-n is not a power of two"))?;
                let [salt, output] =
                    [self.salt_bytes(salt)?, bytes(value)?.to_vec()].map(|bytes| phc(&bytes));
                format!("$scrypt$ln={ln},r={r},p={p}${salt}${output}")
            }
            Source::SaltMd5 | Source::VBulletin => {
                let template = if self.source == Source::SaltMd5 { SALT_PASSWORD } else { PASSWORD_SALT };
                let (value, salt) = self.split(value, salt)?;
                let digest = digest(value, Hash::Md5.output_bytes())?;
                let inner = of_template(Hash::Md5, template, &self.salt_bytes(salt)?, &digest);
                format!("{}{inner}", SitePreparation::Md5Hex)
            }
        });
        if parse(&stored).is_ok() { Ok(stored) } else { Err(Misfit("its parts make no hash of this kind")) }
    }

    fn pbkdf2(&self, prf: Prf, salt: &[u8], output: &[u8]) -> Result<String, Misfit> {
        let (i, l) = (self.iterations, output.len());
        let function = match prf {
            Prf::Sha1 => "",
            Prf::Sha256 => "-sha256",
            Prf::Sha512 => "-sha512",
        };
        if salt.len() >= MIN_SALT_BYTES {
            return Ok(format!("$pbkdf2{function}$i={i},l={l}${}${}", phc(salt), phc(output)));
        }
        // passlib's form takes shorter salts, and outputs of one block.
        let short = |bytes: &[u8]| phc(bytes).replace('+', ".");
        if l == prf.block_bytes() {
            return Ok(format!("$pbkdf2{function}${i}${}${}", short(salt), short(output)));
        }
        Err(Misfit("its salt is shorter than 8 bytes, and its output is not one block of the function"))
    }

    /// Returns hash and salt.
    fn split<'v>(&self, value: &'v str, salt: Option<&'v str>) -> Result<(&'v str, &'v str), Misfit> {
        if let Some(salt) = salt {
            return Ok((value, salt));
        }
        let both = match self.order {
            // The salt may hold the separator.
            Order::SaltHash => {
                value.rsplit_once(self.separator).map(|(salt, hash)| (hash, self.unnamed(salt)))
            }
            Order::HashSalt => value.split_once(self.separator),
        };
        both.ok_or(Misfit("no separator between salt and hash: check --separator, or name --salt-column"))
    }

    /// Removes the name of the function before a salt: Django wrote `sha1$<salt>$<hash>`.
    fn unnamed<'v>(&self, salt: &'v str) -> &'v str {
        let name = match self.source {
            Source::Salted(hash, _) => hash_name(hash),
            _ => return salt,
        };
        salt.strip_prefix(name).and_then(|rest| rest.strip_prefix(self.separator)).unwrap_or(salt)
    }

    fn salt_bytes(&self, salt: &str) -> Result<Vec<u8>, Misfit> {
        match self.salt {
            SaltEncoding::Text => Ok(salt.as_bytes().to_vec()),
            SaltEncoding::Hex => {
                base16ct::mixed::decode_vec(salt).map_err(|_| Misfit("its salt is not hexadecimal"))
            }
            SaltEncoding::Base64 => {
                base64(salt).ok_or(Misfit("its salt is not Base64")).map(|bytes| bytes.to_vec())
            }
        }
    }
}

/// Writes the arguments of `saltern convert` for this format.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--from {}", self.source.name())?;
        match self.source {
            Source::Pbkdf2(_) => write!(f, " --iterations {}", self.iterations)?,
            Source::Scrypt => {
                let ScryptCosts { n, r, p } = self.scrypt;
                write!(f, " --scrypt-n {n} --scrypt-r {r} --scrypt-p {p}")?;
            }
            _ => {}
        }
        if let Some(id) = &self.site_key {
            write!(f, " --site-key {id}")?;
        }
        if !self.source.has_salt() {
            return Ok(());
        }
        match self.salt {
            SaltEncoding::Text => {}
            SaltEncoding::Hex => f.write_str(" --salt-encoding hex")?,
            SaltEncoding::Base64 => f.write_str(" --salt-encoding base64")?,
        }
        Ok(())
    }
}

impl Source {
    /// Whether a value of this source may hold a salt before or after the hash.
    pub(crate) fn has_salt(self) -> bool {
        match self {
            Self::Hmac(_)
            | Self::Ipb
            | Self::Pbkdf2(_)
            | Self::SaltMd5
            | Self::Salted(..)
            | Self::Scrypt
            | Self::VBulletin => true,
            Self::Bare(_)
            | Self::BcryptOfSha256Hex
            | Self::Firebase
            | Self::Keycloak
            | Self::Mysql
            | Self::Prepared(_) => false,
        }
    }
}

/// Writes a digest in Kratos' form.
fn of_template(hash: Hash, template: &str, salt: &[u8], digest: &[u8]) -> String {
    let [template, salt, digest] =
        [template.as_bytes(), salt, digest].map(|part| BASE64_STANDARD.encode(part));
    format!("${}$pf={template}${salt}${digest}", hash_name(hash))
}

/// Reads a digest of so many bytes, in hexadecimal of either case or in Base64.
fn digest(text: &str, length: usize) -> Result<Zeroizing<Vec<u8>>, Misfit> {
    let digest = bytes(text)?;
    if digest.len() == length { Ok(digest) } else { Err(Misfit("its digest has another length")) }
}

/// Reads bytes in hexadecimal, perhaps behind `0x` or `\x`, or else in Base64.
fn bytes(text: &str) -> Result<Zeroizing<Vec<u8>>, Misfit> {
    let digits = ["0x", "\\x"].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    let read = match base16ct::mixed::decode_vec(digits) {
        Ok(bytes) => Some(Zeroizing::new(bytes)),
        Err(_) => base64(text),
    };
    read.filter(|bytes| !bytes.is_empty()).ok_or(Misfit("its hash is neither hexadecimal nor Base64"))
}

/// Reads Base64 of either alphabet, with padding or without.
fn base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let any = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, any).decode(text).ok().map(Zeroizing::new)
}

fn phc(bytes: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(bytes)
}

const fn hash_name(hash: Hash) -> &'static str {
    match hash {
        Hash::Md5 => "md5",
        Hash::Sha1 => "sha1",
        Hash::Sha256 => "sha256",
        Hash::Sha384 => "sha384",
        Hash::Sha512 => "sha512",
    }
}

const fn ldap_label(hash: Hash) -> &'static str {
    match hash {
        Hash::Md5 => "MD5",
        Hash::Sha1 => "SHA",
        Hash::Sha256 => "SHA256",
        Hash::Sha384 => "SHA384",
        Hash::Sha512 => "SHA512",
    }
}

/// The orders of salt and password: names in arguments, and Kratos' templates.
const TEMPLATES: [(&str, &str); 3] = [
    ("salt-password", SALT_PASSWORD),
    ("password-salt", PASSWORD_SALT),
    ("salt-password-salt", "{SALT}{PASSWORD}{SALT}"),
];

const SALT_PASSWORD: &str = "{SALT}{PASSWORD}";
const PASSWORD_SALT: &str = "{PASSWORD}{SALT}";
const RESTFUL_AUTHENTICATION: &str = "--{SALT}--{PASSWORD}--";

const NOT_TEXT: Misfit = Misfit("its salt is not text");
const TOO_LONG: Misfit = Misfit("its salt is too long");
