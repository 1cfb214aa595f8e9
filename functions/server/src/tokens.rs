//! Bearer tokens (RFC 6750). Several are valid at once, so that a rotation refuses no caller.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use http::{HeaderMap, header::AUTHORIZATION};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};
use zeroize::Zeroizing;

use saltern_program::Failure;

/// The callers that may use the service.
#[derive(Debug)]
pub(super) enum Access {
    /// Every caller that reaches the port.
    Anyone,
    /// Callers with one of these tokens.
    Tokens(Tokens),
}

/// The digests of the tokens. The tokens themselves are not kept.
#[derive(Debug)]
pub(super) struct Tokens {
    file: Option<PathBuf>,
    digests: RwLock<Vec<TokenDigest>>,
}

type TokenDigest = [u8; 32];

/// Tokens that were read and are not in use yet.
pub(super) struct FreshTokens(Vec<TokenDigest>);

impl Access {
    /// Reads the tokens from the file, or from the environment if no file is named.
    pub(super) fn read(file: Option<&Path>) -> Result<Self, Failure> {
        let digests = match file {
            Some(file) => read_file(file)?,
            None => match env::var(VARIABLE) {
                Ok(tokens) => {
                    let tokens = Zeroizing::new(tokens);
                    digests(tokens.split([',', '\n']), VARIABLE)?
                }
                Err(env::VarError::NotPresent) => return Ok(Self::Anyone),
                Err(env::VarError::NotUnicode(_)) => {
                    return Err(Failure::configuration(format!("{VARIABLE} is not UTF-8: {FORM}")));
                }
            },
        };
        Ok(Self::Tokens(Tokens { file: file.map(Path::to_owned), digests: RwLock::new(digests) }))
    }

    pub(super) fn requires_tokens(&self) -> bool {
        matches!(self, Self::Tokens(_))
    }

    /// Whether a request with these headers is allowed.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        match self {
            Self::Anyone => true,
            Self::Tokens(tokens) => bearer(headers).is_some_and(|token| tokens.contain(token)),
        }
    }

    /// Reads the file again, if there is one. [`Self::install`] puts the tokens in use.
    pub(super) fn read_again(&self) -> Result<Option<FreshTokens>, Failure> {
        let Self::Tokens(Tokens { file: Some(file), .. }) = self else { return Ok(None) };
        read_file(file).map(|digests| Some(FreshTokens(digests)))
    }

    /// Puts these tokens in use for all later requests.
    pub(super) fn install(&self, FreshTokens(fresh): FreshTokens) {
        if let Self::Tokens(Tokens { digests, .. }) = self {
            *digests.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
    }
}

impl Tokens {
    /// Compares all digests in constant time: the time shows neither a token's first bytes nor its
    /// position in the file.
    fn contain(&self, token: &[u8]) -> bool {
        let digest: TokenDigest = Sha256::digest(token).into();
        let digests = self.digests.read().unwrap_or_else(PoisonError::into_inner);
        digests.iter().fold(Choice::from(0), |found, known| found | known.ct_eq(&digest)).into()
    }
}

/// Returns the token if there is exactly one `Authorization` header. The scheme is case-insensitive
/// (RFC 9110 §11.1).
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = value.as_bytes().split_at_checked(SCHEME.len())?;
    let token = token.strip_prefix(b" ")?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim_ascii())
}

fn read_file(file: &Path) -> Result<Vec<TokenDigest>, Failure> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).map(Zeroizing::new).map_err(|error| {
        Failure::configuration(format!("cannot read the tokens file {name} ({error}): name a readable file"))
    })?;
    digests(text.lines(), &name)
}

/// Returns the digests of all lines that are neither empty nor comments.
///
/// # Errors
/// [`Failure::Configuration`], with the number of the token and never its text.
fn digests<'a>(lines: impl Iterator<Item = &'a str>, source: &str) -> Result<Vec<TokenDigest>, Failure> {
    let mut digests = Vec::new();
    for (index, line) in lines.enumerate() {
        let token = line.trim();
        if token.is_empty() || token.starts_with('#') {
            continue;
        }
        let number = index + 1;
        if token.len() < MIN_TOKEN_BYTES {
            return Err(Failure::configuration(format!(
                "token {number} of {source} is shorter than {MIN_TOKEN_BYTES} characters and could be guessed: \
                 make one with `openssl rand -hex 32`"
            )));
        }
        if !token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b)) {
            return Err(Failure::configuration(format!(
                "token {number} of {source} has a character that RFC 6750 does not allow: {FORM}"
            )));
        }
        digests.push(Sha256::digest(token).into());
    }
    if digests.is_empty() {
        return Err(Failure::configuration(format!("{source} has no token: {FORM}")));
    }
    Ok(digests)
}

/// 128 bits in hexadecimal. At 10^5 guesses a second an attacker needs 10^26 years.
const MIN_TOKEN_BYTES: usize = 32;

const SCHEME: &[u8] = b"Bearer";

const VARIABLE: &str = "SALTERN_TOKENS";

const FORM: &str = "write one token a line, of letters, digits and -._~+/=";

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn every_listed_token_is_admitted_and_no_other() {
        let access = tokens(&format!("# old\n{OLD}\n\n  {NEW}  \n"));
        assert!(access.admits(&authorization(&format!("Bearer {OLD}"))));
        assert!(access.admits(&authorization(&format!("bEARER {NEW}"))));
        for wrong in [
            String::new(),
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            format!("Bearer {}", &OLD[1..]),
            format!("Bearer {OLD}{NEW}"),
            format!("Basic {OLD}"),
            OLD.to_owned(),
            format!("Bearer{OLD}"),
        ] {
            assert!(!access.admits(&authorization(&wrong)), "{wrong}");
        }
        assert!(!access.admits(&HeaderMap::new()));
    }

    #[test]
    fn two_headers_are_none() {
        let access = tokens(OLD);
        let mut headers = authorization(&format!("Bearer {OLD}"));
        headers.append(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {OLD}")).unwrap());
        assert!(!access.admits(&headers));
    }

    #[test]
    fn a_weak_token_is_refused_without_being_quoted() {
        for wrong in
            ["short-secret", "", "# only a comment", "with space in it and long enough to be a token"]
        {
            let Err(Failure::Configuration(sentence)) = digests(wrong.lines(), "tokens") else {
                panic!("{wrong} was accepted")
            };
            assert!(wrong.is_empty() || !sentence.contains(wrong), "{sentence}");
        }
    }

    fn tokens(text: &str) -> Access {
        Access::Tokens(Tokens { file: None, digests: RwLock::new(digests(text.lines(), "tokens").unwrap()) })
    }

    fn authorization(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).unwrap())])
    }

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const NEW: &str = "fedcba9876543210fedcba9876543210-._~+/==";
}
