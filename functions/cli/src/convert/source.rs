//! How sites stored their hashes, and the form in which Saltern reads each.

use std::fmt;

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

use super::{foreign::Foreign, keycloak::keycloak};

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
    /// Another software's form that states everything.
    Foreign(Foreign),
    /// MySQL's `PASSWORD()`, perhaps without its star.
    Mysql,
    Pbkdf2(Prf),
    /// A hash of a password that the site prepared: the preparation's name.
    Prepared(&'static str),
    /// A digest of salt and password, joined as the template says.
    Salted(Hash, &'static str),
    /// The same, of the digest of the password in hexadecimal.
    SaltedTwice(Hash, &'static str),
    Scrypt,
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
    pub(crate) fn name(self) -> &'static str {
        SOURCES.iter().find(|(source, ..)| *source == self).map_or("", |(_, name, _)| name)
    }

    /// Every source, by name.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        SOURCES.iter().map(|(source, ..)| *source)
    }

    /// The names with their sentences, for help.
    pub(crate) fn help() -> String {
        let lines = SOURCES.iter().map(|(_, name, explained)| format!("  {name:<26}{explained}\n"));
        format!("Sources:\n{}", lines.collect::<String>())
    }

    /// Whether a value of this source may hold a salt before or after the hash.
    pub(crate) fn has_salt(self) -> bool {
        !matches!(
            self,
            Self::Bare(_)
                | Self::BcryptOfSha256Hex
                | Self::Firebase
                | Self::Foreign(_)
                | Self::Keycloak
                | Self::Mysql
                | Self::Prepared(_)
        )
    }

    /// Whether another field may hold the salt.
    pub(crate) fn takes_salt_column(self) -> bool {
        self.has_salt() || matches!(self, Self::Firebase | Self::Keycloak)
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
            Source::Foreign(foreign) => foreign.stored(value)?,
            Source::Hmac(hash) => {
                let (value, salt) = self.split(value, salt)?;
                let digest = digest(value, hash.output_bytes())?;
                let salt = String::from_utf8(self.salt_bytes(salt)?).map_err(|_| NOT_TEXT)?;
                format!("{}${salt}${}", hash.name(), base16ct::lower::encode_string(&digest))
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
                pbkdf2(prf, self.iterations, &self.salt_bytes(salt)?, &bytes(value)?)?
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
            Source::SaltedTwice(hash, template) => {
                let preparation =
                    if hash == Hash::Md5 { SitePreparation::Md5Hex } else { SitePreparation::Sha1Hex };
                let (value, salt) = self.split(value, salt)?;
                let digest = digest(value, hash.output_bytes())?;
                format!("{preparation}{}", of_template(hash, template, &self.salt_bytes(salt)?, &digest))
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
        });
        let misfit = "its parts make no hash of this kind: is its salt missing?";
        if parse(&stored).is_ok() { Ok(stored) } else { Err(Misfit(misfit)) }
    }

    /// Returns hash and salt.
    fn split<'v>(&self, value: &'v str, salt: Option<&'v str>) -> Result<(&'v str, &'v str), Misfit> {
        if let Some(salt) = salt {
            return Ok((value, salt));
        }
        let both = match self.order {
            Order::SaltHash => {
                value.rsplit_once(self.separator).map(|(salt, hash)| (hash, self.unnamed(salt)))
            }
            Order::HashSalt => value.split_once(self.separator),
        };
        // A third part is not of the salt, but states a version, as of Magento 2.
        both.filter(|(_, salt)| !salt.contains(self.separator)).ok_or(Misfit(
            "not one separator between salt and hash: check --separator, or name --salt-column",
        ))
    }

    /// Removes the name of the function before a salt: Django wrote `sha1$<salt>$<hash>`.
    fn unnamed<'v>(&self, salt: &'v str) -> &'v str {
        let name = match self.source {
            Source::Salted(hash, _) => hash.name(),
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
        f.write_str(match self.salt {
            SaltEncoding::Text => "",
            SaltEncoding::Hex => " --salt-encoding hex",
            SaltEncoding::Base64 => " --salt-encoding base64",
        })
    }
}

/// Writes PBKDF2 in the form of PHC, or in that of passlib.
pub(super) fn pbkdf2(prf: Prf, iterations: u32, salt: &[u8], output: &[u8]) -> Result<String, Misfit> {
    let (i, l) = (iterations, output.len());
    let id: &str = prf.into();
    if salt.len() >= MIN_SALT_BYTES {
        return Ok(format!("${id}$i={i},l={l}${}${}", phc(salt), phc(output)));
    }
    // passlib's form takes shorter salts, and outputs of one block.
    let short = |bytes: &[u8]| phc(bytes).replace('+', ".");
    if l == prf.block_bytes() {
        return Ok(format!("${id}${i}${}${}", short(salt), short(output)));
    }
    Err(Misfit("its salt is shorter than 8 bytes, and its output is not one block of the function"))
}

/// Writes a digest in Kratos' form.
pub(super) fn of_template(hash: Hash, template: &str, salt: &[u8], digest: &[u8]) -> String {
    let [template, salt, digest] =
        [template.as_bytes(), salt, digest].map(|part| BASE64_STANDARD.encode(part));
    format!("${}$pf={template}${salt}${digest}", hash.name())
}

/// Reads a digest of so many bytes, in hexadecimal of either case or in Base64.
pub(super) fn digest(text: &str, length: usize) -> Result<Zeroizing<Vec<u8>>, Misfit> {
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
pub(super) fn base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let any = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, any).decode(text).ok().map(Zeroizing::new)
}

pub(super) fn phc(bytes: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(bytes)
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

/// Each source with its name and the sentence of help, by name.
const SOURCES: &[(Source, &str, &str)] = &[
    (Source::Firebase, "firebase", "passwordHash, and salt in --salt-column; with --firebase-project"),
    (Source::Hmac(Hash::Sha256), "hmac-sha256", "HMAC of the password, keyed with the salt"),
    (Source::Hmac(Hash::Sha512), "hmac-sha512", "HMAC of the password, keyed with the salt"),
    (Source::Ipb, "ipb", "md5(md5(salt) + md5(password)): Invision Power Board, MyBB"),
    (Source::Keycloak, "keycloak", "secret_data, and credential_data in --salt-column"),
    (Source::Foreign(Foreign::Liferay), "liferay", "PBKDF2 of Liferay, with a label or without"),
    (Source::Foreign(Foreign::Magento), "magento2", "hash:salt:version of Magento 2"),
    (Source::Bare(Hash::Md5), "md5", "digest of the password alone, in hexadecimal or Base64"),
    (Source::Prepared("md5-hex"), "md5-hex", "slow hash of the md5-hex of the password"),
    (Source::Salted(Hash::Md5, PASSWORD_SALT), "md5-password-salt", "digest of password + salt"),
    (Source::SaltedTwice(Hash::Md5, SALT_PASSWORD), "md5-salt-md5", "md5(salt + md5(password))"),
    (Source::Salted(Hash::Md5, SALT_PASSWORD), "md5-salt-password", "digest of salt + password"),
    (Source::Salted(Hash::Md5, BOTH_SIDES), "md5-salt-password-salt", "digest, salt on both sides"),
    (Source::Foreign(Foreign::Mosquitto), "mosquitto", "$6$ and $7$ of Mosquitto's password file"),
    (Source::Mysql, "mysql", "PASSWORD() of MySQL, sha1(sha1(password)); the star may be missing"),
    (Source::Foreign(Foreign::Nextcloud), "nextcloud", "1|, 2| or 3| before a hash: Nextcloud, ownCloud"),
    (Source::Pbkdf2(Prf::Sha1), "pbkdf2-sha1", "PBKDF2 with --iterations, as of Node"),
    (Source::Pbkdf2(Prf::Sha256), "pbkdf2-sha256", "PBKDF2 with --iterations, as of Node"),
    (Source::Pbkdf2(Prf::Sha512), "pbkdf2-sha512", "PBKDF2 with --iterations, as of Node"),
    (Source::Prepared("pepper-append"), "pepper-append", "slow hash of password + --site-key: Devise"),
    (Source::Prepared("pepper-prepend"), "pepper-prepend", "slow hash of --site-key + password"),
    (Source::SaltedTwice(Hash::Sha1, SALT_PASSWORD), "redmine", "sha1(salt + sha1(password)): Redmine"),
    (Source::Salted(Hash::Sha1, RAILS), "restful-authentication", "sha1(--salt--password--): Rails"),
    (Source::Scrypt, "scrypt", "scrypt with --scrypt-n, as of Node"),
    (Source::Bare(Hash::Sha1), "sha1", "digest of the password alone, in hexadecimal or Base64"),
    (Source::Prepared("sha1-hex"), "sha1-hex", "slow hash of the sha1-hex of the password"),
    (Source::Salted(Hash::Sha1, PASSWORD_SALT), "sha1-password-salt", "digest of password + salt"),
    (Source::Salted(Hash::Sha1, SALT_PASSWORD), "sha1-salt-password", "digest of salt + password"),
    (Source::Salted(Hash::Sha1, BOTH_SIDES), "sha1-salt-password-salt", "digest, salt on both sides"),
    (Source::Bare(Hash::Sha256), "sha256", "digest of the password alone, in hexadecimal or Base64"),
    (Source::Prepared("sha256-base64"), "sha256-base64", "slow hash of the sha256-base64 of the password"),
    (Source::BcryptOfSha256Hex, "sha256-hex", "bcrypt of the sha256 of the password, in hexadecimal"),
    (Source::Salted(Hash::Sha256, PASSWORD_SALT), "sha256-password-salt", "digest of password + salt"),
    (Source::Salted(Hash::Sha256, SALT_PASSWORD), "sha256-salt-password", "digest of salt + password"),
    (Source::Salted(Hash::Sha256, BOTH_SIDES), "sha256-salt-password-salt", "digest, salt on both sides"),
    (Source::Bare(Hash::Sha384), "sha384", "digest of the password alone, in hexadecimal or Base64"),
    (Source::Bare(Hash::Sha512), "sha512", "digest of the password alone, in hexadecimal or Base64"),
    (Source::Salted(Hash::Sha512, PASSWORD_SALT), "sha512-password-salt", "digest of password + salt"),
    (Source::Salted(Hash::Sha512, SALT_PASSWORD), "sha512-salt-password", "digest of salt + password"),
    (Source::Salted(Hash::Sha512, BOTH_SIDES), "sha512-salt-password-salt", "digest, salt on both sides"),
    (Source::SaltedTwice(Hash::Md5, PASSWORD_SALT), "vbulletin", "md5(md5(password) + salt): vBulletin"),
];

pub(super) const SALT_PASSWORD: &str = "{SALT}{PASSWORD}";
pub(super) const PASSWORD_SALT: &str = "{PASSWORD}{SALT}";
const BOTH_SIDES: &str = "{SALT}{PASSWORD}{SALT}";
const RAILS: &str = "--{SALT}--{PASSWORD}--";

const NOT_TEXT: Misfit = Misfit("its salt is not text");
const TOO_LONG: Misfit = Misfit("its salt is too long");
