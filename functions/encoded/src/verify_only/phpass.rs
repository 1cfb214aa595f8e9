//! phpass's portable hashes: `$P$<cost><8 characters of salt><22 characters>`, with `$H$` where phpBB 3 made them; and
//! Drupal 7's variant with SHA-512, `$S$<cost><salt><43 characters>`. Drupal writes a `U` in front of either where it had but
//! the MD5 digest that Drupal 6 had kept, and hashed that digest's text.
//! Source: Openwall phpass `PasswordHash.php` 0.5; Drupal 7 `includes/password.inc`.

use core::fmt;

use zeroize::Zeroizing;

use crate::{Encoded, ParseError, Scheme, crypt, verify_only};

/// Lowest binary logarithm of the rounds.
pub const MIN_LOG_ROUNDS: u32 = 7;

/// Highest binary logarithm of the rounds. Admission stops far below it.
pub const MAX_LOG_ROUNDS: u32 = 30;

/// Length of the salt, in characters.
pub const SALT_BYTES: usize = 8;

/// Who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `$S$`, with SHA-512
    Drupal,
    /// `$P$`, with MD5
    Phpass,
    /// `$H$`, with MD5
    PhpBb,
}

impl Variant {
    /// Length of the output, in bytes. Drupal cuts its text after 55 characters, and keeps two bits of the last byte.
    #[must_use]
    pub const fn output_bytes(self) -> usize {
        match self {
            Self::Drupal => 33,
            Self::Phpass | Self::PhpBb => 16,
        }
    }

    /// The bits of the output's last byte that are kept.
    #[must_use]
    pub const fn last_byte_mask(self) -> u8 {
        match self {
            Self::Drupal => 0b11,
            Self::Phpass | Self::PhpBb => u8::MAX,
        }
    }

    /// The variant that a stored string begins as.
    fn of(stored: &str) -> Option<Self> {
        [Self::Drupal, Self::Phpass, Self::PhpBb].into_iter().find(|it| stored.starts_with(it.prefix()))
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Drupal => "$S$",
            Self::Phpass => "$P$",
            Self::PhpBb => "$H$",
        }
    }

    const fn output_characters(self) -> usize {
        match self {
            Self::Drupal => 43,
            Self::Phpass | Self::PhpBb => 22,
        }
    }
}

/// A setting of phpass.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    variant: Variant,
    log_rounds: u32,
    salt: String,
}

impl Setting {
    /// Who made it.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Rounds to compute beside the first pass.
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        1 << self.log_rounds
    }

    /// The salt, as its text.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        self.salt.as_bytes()
    }

    pub(crate) fn print(&self, scheme: Scheme, output: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if scheme == Scheme::DrupalUpdated {
            f.write_str(UPDATED)?;
        }
        let cost = crypt::character(self.log_rounds);
        let output = Zeroizing::new(crypt::encode(output));
        let kept = &output[..self.variant.output_characters()];
        write!(f, "{}{cost}{}{kept}", self.variant.prefix(), self.salt)
    }
}

/// Reads a hash in modular crypt format, with Drupal's mark before it where `scheme` has one.
pub(crate) fn parse(scheme: Scheme, stored: &str) -> Result<Encoded, ParseError> {
    let mark = if scheme == Scheme::DrupalUpdated { UPDATED } else { "" };
    let modular = stored.strip_prefix(mark).ok_or(ParseError::Invalid)?;
    let variant = Variant::of(modular).ok_or(ParseError::Invalid)?;
    let rest = modular.strip_prefix(variant.prefix()).ok_or(ParseError::Invalid)?;
    let (cost, rest) = rest.split_at_checked(1).ok_or(ParseError::Invalid)?;
    let (salt, output) = rest.split_at_checked(SALT_BYTES).ok_or(ParseError::Invalid)?;
    let log_rounds = crypt::number(cost)?;
    let in_range = (MIN_LOG_ROUNDS..=MAX_LOG_ROUNDS).contains(&log_rounds);
    if !in_range || !crypt::is_in_alphabet(salt) || output.len() != variant.output_characters() {
        return Err(ParseError::Invalid);
    }
    let output = match variant {
        // What was cut off were zeros, had the last byte only the bits that are kept.
        Variant::Drupal => crypt::decode(&format!("{output}{}", crypt::character(0)))?,
        Variant::Phpass | Variant::PhpBb => crypt::decode(output)?,
    };
    let setting = verify_only::Setting::Phpass(Setting { variant, log_rounds, salt: salt.to_owned() });
    Encoded::written_as(scheme, crate::Setting::VerifyOnly(setting), &output).ok_or(ParseError::Invalid)
}

/// Drupal's mark: the password's digest was hashed.
const UPDATED: &str = "U";
