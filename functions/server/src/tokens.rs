//! Bearer tokens (RFC 6750), each with a name, scopes and an expiry. Several are valid at once, so
//! that a rotation refuses no caller.

use std::{
    collections::HashSet,
    env,
    fmt::Display,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use arc_swap::ArcSwap;
use http::{HeaderMap, header::AUTHORIZATION, request::Parts};
use saltern_service::{Caller, Identity, Scope};
use sha2::{Digest as _, Sha256};
use subtle::{ConditionallySelectable as _, ConstantTimeEq as _};
use time::{Date, Month};
use zeroize::Zeroizing;

use super::{file, local::Local};
use crate::Failure;

/// The callers that may use the service.
#[derive(Debug)]
pub(super) enum Access {
    /// Every caller that reaches the port.
    Anyone,
    /// Every program of this machine, and no web page in a browser of this machine.
    Local(Local),
    /// Callers with one of these tokens.
    Tokens(Tokens),
}

#[derive(Debug)]
pub(super) struct Tokens {
    /// `None`: the tokens are from the environment.
    file: Option<PathBuf>,
    known: ArcSwap<Vec<Token>>,
}

/// The digest of a token. The token itself is not kept.
#[derive(Debug)]
struct Token {
    digest: TokenDigest,
    identity: Arc<Identity>,
    /// The first second in which the token is not valid, since 1970. `None`: it does not expire.
    expires: Option<u64>,
}

type TokenDigest = [u8; 32];

/// Tokens that were read and are not in use yet.
pub(super) struct FreshTokens(Vec<Token>);

impl Access {
    /// Reads the tokens from the file, or from the environment if no file is named. Without tokens
    /// the access is `otherwise`.
    pub(super) fn read(file: Option<&Path>, otherwise: Self) -> Result<Self, Failure> {
        let known = match file {
            Some(file) => read_file(file)?,
            None => match env::var(VARIABLE) {
                Ok(tokens) => parse(Zeroizing::new(tokens).split(['\n', ';']), "entry", VARIABLE)?,
                Err(env::VarError::NotPresent) => return Ok(otherwise),
                Err(env::VarError::NotUnicode(_)) => {
                    return Err(Failure::configuration(format!("{VARIABLE} is not UTF-8: {FORM}")));
                }
            },
        };
        Ok(Self::Tokens(Tokens { file: file.map(Path::to_owned), known: ArcSwap::from_pointee(known) }))
    }

    pub(super) fn requires_tokens(&self) -> bool {
        matches!(self, Self::Tokens(_))
    }

    /// Returns the number of callers that may have hashes computed, by the tokens that name them.
    pub(super) fn callers(&self) -> usize {
        let Self::Tokens(tokens) = self else { return 0 };
        let known = tokens.known.load();
        let hash = |token: &&Token| token.identity.scopes.iter().any(|scope| *scope != Scope::Metrics);
        known.iter().filter(hash).map(|token| token.identity.key).collect::<HashSet<_>>().len()
    }

    /// Returns the caller of a request with this head.
    pub(super) fn caller(&self, head: &Parts) -> Caller {
        match self {
            Self::Local(local) if local.is_foreign(head) => Caller::Foreign,
            Self::Anyone | Self::Local(_) => Caller::Anyone,
            Self::Tokens(tokens) => {
                bearer(&head.headers).map_or(Caller::Unknown, |token| tokens.caller(token, now()))
            }
        }
    }

    /// Reads the file again, if there is one. [`Self::install`] puts the tokens in use.
    pub(super) fn read_again(&self) -> Result<Option<FreshTokens>, Failure> {
        let Self::Tokens(Tokens { file: Some(file), .. }) = self else { return Ok(None) };
        read_file(file).map(|known| Some(FreshTokens(known)))
    }

    /// Puts these tokens in use for all later requests.
    pub(super) fn install(&self, FreshTokens(fresh): FreshTokens) {
        if let Self::Tokens(Tokens { known, .. }) = self {
            known.store(Arc::new(fresh));
        }
    }

    /// Logs what the operator should change about the tokens.
    pub(super) fn log_advice(&self) {
        let Self::Tokens(Tokens { file, known }) = self else { return };
        if file.is_none() {
            tracing::warn!(
                "{VARIABLE} stays readable in the environment of the process and of the program that starts it: \
                 use --tokens-file"
            );
        }
        for token in known.load().iter() {
            let (caller, now) = (token.identity.name.as_str(), now());
            if token.has_expired(now) {
                tracing::warn!(caller, "the token has expired: remove its line, or give it a later expiry");
            } else if token.has_expired(now + NOTICE_SECONDS) {
                tracing::warn!(caller, "the token expires within two weeks: add its successor");
            }
        }
    }
}

impl Tokens {
    /// Compares all digests in constant time: the time shows neither a token's first bytes nor its
    /// position in the file.
    fn caller(&self, token: &[u8], now: u64) -> Caller {
        let digest: TokenDigest = Sha256::digest(token).into();
        let known = self.known.load();
        let mut found = u64::MAX;
        for (index, token) in (0..).zip(known.iter()) {
            found.conditional_assign(&index, token.digest.ct_eq(&digest));
        }
        match usize::try_from(found).ok().and_then(|found| known.get(found)) {
            None => Caller::Unknown,
            Some(token) if token.has_expired(now) => Caller::Expired(Arc::clone(&token.identity)),
            Some(token) => Caller::Named(Arc::clone(&token.identity)),
        }
    }
}

impl Token {
    fn has_expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Refuses a token that another line has. Several tokens of one name are one caller.
    fn unlike(self, others: &[Self]) -> Result<Self, String> {
        if others.iter().any(|other| other.digest == self.digest) {
            return Err("an earlier line has this token: make one with `openssl rand -hex 32`".to_owned());
        }
        Ok(self)
    }

    /// Reads one line. The error is a reason without a part of the line.
    fn parse(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, scopes, expiry, token] = fields[..] else { return Err(FORM.to_owned()) };
        if !is_name(name) {
            return Err(format!("write a name of at most {MAX_NAME_BYTES} letters, digits and ._-"));
        }
        if token.len() < MIN_TOKEN_BYTES {
            return Err(format!(
                "the token is shorter than {MIN_TOKEN_BYTES} characters and could be guessed: \
                 make one with `openssl rand -hex 32`"
            ));
        }
        if !token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b)) {
            return Err("the token has a character that RFC 6750 does not allow: \
                 use letters, digits and -._~+/="
                .to_owned());
        }
        let identity = Identity { name: name.to_owned(), key: key_of(name), scopes: parse_scopes(scopes)? };
        Ok(Self {
            digest: Sha256::digest(token).into(),
            identity: Arc::new(identity),
            expires: if expiry == NEVER { None } else { Some(end_of_day(expiry).ok_or(EXPIRY)?) },
        })
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

fn read_file(file: &Path) -> Result<Vec<Token>, Failure> {
    let name = file.display().to_string();
    let refused = |reason: &dyn Display| {
        Failure::configuration(format!("cannot read the tokens file {name} ({reason}): name a readable file"))
    };
    let text = file::read(file).map_err(|error| refused(&error))?;
    let text = str::from_utf8(&text).map_err(|_| refused(&"it is not UTF-8"))?;
    parse(text.lines(), "line", &name)
}

/// Returns the tokens of all lines that are neither empty nor comments.
///
/// # Errors
/// [`Failure::Configuration`], with the number of the line and never its text.
fn parse<'a>(lines: impl Iterator<Item = &'a str>, unit: &str, source: &str) -> Result<Vec<Token>, Failure> {
    let mut tokens: Vec<Token> = Vec::new();
    for (number, line) in (1_u32..).zip(lines) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let token = Token::parse(line).and_then(|token| token.unlike(&tokens));
        let refused = |reason| Failure::configuration(format!("{unit} {number} of {source}: {reason}"));
        tokens.push(token.map_err(refused)?);
    }
    if tokens.is_empty() {
        return Err(Failure::configuration(format!("{source} has no token: {FORM}")));
    }
    Ok(tokens)
}

/// Reads scopes separated by commas. Each may be there once.
fn parse_scopes(text: &str) -> Result<Vec<Scope>, String> {
    let mut scopes = Vec::new();
    for name in text.split(',') {
        match name.parse() {
            Ok(scope) if !scopes.contains(&scope) => scopes.push(scope),
            _ => {
                return Err(
                    "write the scopes hash, verify and metrics, or some of them, each once".to_owned()
                );
            }
        }
    }
    Ok(scopes)
}

/// Returns the first second after a day such as 2027-12-31 in UTC, since 1970.
fn end_of_day(text: &str) -> Option<u64> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return None };
    let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
    let date = Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()?;
    // Numbers have other spellings, such as `+2027` and `1`.
    let start = (date.to_string() == text).then(|| date.midnight().assume_utc().unix_timestamp())?;
    u64::try_from(start).ok().map(|start| start + SECONDS_PER_DAY)
}

/// The number of a name, for the workers. It stays the same when the file is read again.
fn key_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// The seconds since 1970.
fn now() -> u64 {
    // A clock before 1970 is wrong. No token counts as expired then.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// 128 bits in hexadecimal. At 10^5 guesses a second an attacker needs 10^26 years.
const MIN_TOKEN_BYTES: usize = 32;

/// Shorter than every token: a token in the place of the name is refused, and never logged.
const MAX_NAME_BYTES: usize = MIN_TOKEN_BYTES - 1;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Two weeks: time to give every caller its new token.
const NOTICE_SECONDS: u64 = 14 * SECONDS_PER_DAY;

const SCHEME: &[u8] = b"Bearer";

const VARIABLE: &str = "SALTERN_TOKENS";

/// The expiry of a token that does not expire.
const NEVER: &str = "never";

const FORM: &str = "write NAME SCOPES EXPIRY TOKEN, such as `shop hash,verify 2027-12-31` and a token of `openssl rand -hex 32`";

const EXPIRY: &str =
    "write the expiry as the last day in UTC on which the token is valid, such as 2027-12-31, or `never`";

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Request};
    use proptest::{collection::vec, prelude::*, sample::select};
    use saltern_constant_time::{hidden, reports, revealed, runs_under_valgrind};

    use super::*;

    /// The others share memory and time with nobody.
    #[test]
    fn a_token_for_metrics_alone_is_no_caller_of_hashes() {
        let with = |scopes| tokens(&format!("shop hash never {OLD}\nother {scopes} never {NEW}")).callers();
        assert_eq!((with("metrics"), with("verify,metrics")), (1, 2));
    }

    #[test]
    fn every_listed_token_names_its_caller_and_no_other_does() {
        let tokens =
            tokens(&format!("# old\nold hash never {OLD}\n\n  new\tverify,metrics  2027-01-01 {NEW}  \n"));
        let name = |headers: HeaderMap| match tokens.caller(&head(headers)) {
            Caller::Named(identity) => Some((identity.name.clone(), identity.scopes.clone())),
            _ => None,
        };
        let old = Some(("old".to_owned(), vec![Scope::Hash]));
        assert_eq!(name(authorization(&format!("Bearer {OLD}"))), old);
        let new = Some(("new".to_owned(), vec![Scope::Verify, Scope::Metrics]));
        assert_eq!(name(authorization(&format!("bEARER {NEW}"))), new);
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
            assert!(matches!(tokens.caller(&head(authorization(&wrong))), Caller::Unknown), "{wrong}");
        }
        assert!(matches!(tokens.caller(&head(HeaderMap::new())), Caller::Unknown));
    }

    #[test]
    fn the_tokens_of_one_name_are_one_caller() {
        let text = format!("shop hash never {OLD}\nshop verify never {NEW}\nother hash never {OLD}x\n");
        let tokens = tokens(&text);
        let key = |token: &str| match tokens.caller(&head(authorization(&format!("Bearer {token}")))) {
            Caller::Named(identity) => identity.key,
            _ => panic!("{token}"),
        };
        assert_eq!(key(OLD), key(NEW));
        assert_ne!(key(OLD), key(&format!("{OLD}x")));
    }

    #[test]
    fn two_headers_are_none() {
        let tokens = tokens(&format!("old hash never {OLD}"));
        let mut headers = authorization(&format!("Bearer {OLD}"));
        headers.append(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {OLD}")).unwrap());
        assert!(matches!(tokens.caller(&head(headers)), Caller::Unknown));
    }

    #[test]
    fn a_token_expires_at_the_end_of_its_day() {
        let Access::Tokens(tokens) = tokens(&format!("old hash 2026-11-22 {OLD}\nnew hash never {NEW}"))
        else {
            panic!("no tokens")
        };
        // `date -u -d 2026-11-23 +%s`
        let end = 1_795_392_000;
        assert!(matches!(tokens.caller(OLD.as_bytes(), end - 1), Caller::Named(_)));
        assert!(matches!(tokens.caller(OLD.as_bytes(), end), Caller::Expired(_)));
        assert!(matches!(tokens.caller(NEW.as_bytes(), u64::MAX), Caller::Named(_)));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        // `date -u -d DAY +%s`, a day later
        for (day, end) in [
            ("1970-01-01", 86_400),
            ("2000-02-29", 951_868_800),
            ("2024-12-31", 1_735_689_600),
            ("2100-02-28", 4_107_542_400),
            ("9999-12-31", 253_402_300_800),
        ] {
            assert_eq!(end_of_day(day), Some(end), "{day}");
        }
        for wrong in [
            "2100-02-29",
            "2027-04-31",
            "2027-13-01",
            "2027-00-01",
            "2027-01-00",
            "1969-12-31",
            "2027-1-01",
            "2027/01/01",
            "27-01-01",
            "+2027-01-01",
            "2027-+1-01",
            "2027-01-001",
            "12027-01-01",
            "2027-01-01T00:00:00Z",
            "+027-01-01",
            "",
            "tomorrow",
            "2027-01-0é",
        ] {
            assert_eq!(end_of_day(wrong), None, "{wrong}");
        }
    }

    /// Under valgrind (`cargo xtask test constant-time`) the verdict leaves some reports, because the
    /// caller learns it. Neither the number of tokens nor the position of the right one adds to them.
    #[test]
    fn tokens_are_compared_in_constant_time() {
        let reports_of = |count: usize, right: usize| {
            let token = |number: usize| format!("{number:032}");
            let lines: Vec<_> =
                (0..count).map(|number| format!("shop hash never {}", token(number))).collect();
            let Access::Tokens(tokens) = tokens(&lines.join("\n")) else { panic!("no tokens") };
            let token = hidden(token(right).as_bytes());
            let mut is_named = false;
            let reported = reports(|| is_named = matches!(tokens.caller(&token, 0), Caller::Named(_)));
            assert_eq!(revealed(is_named), right < count);
            reported
        };
        let (named, unknown) = (reports_of(1, 0), reports_of(1, 1));
        for count in [2, 30] {
            assert_eq!([reports_of(count, 0), reports_of(count, count - 1)], [named; 2], "{count} tokens");
            assert_eq!(reports_of(count, count), unknown, "{count} tokens");
        }
        assert_eq!(named > 0, runs_under_valgrind());
        assert!(named < 10, "{named}");
    }

    #[test]
    fn a_wrong_line_is_refused_with_its_number_and_without_its_text() {
        let good = format!("good hash never {OLD}");
        for (wrong, reason) in [
            (NEW.to_owned(), "NAME SCOPES EXPIRY TOKEN"),
            (format!("shop hash never {NEW} more"), "NAME SCOPES EXPIRY TOKEN"),
            (format!("sh/op hash never {NEW}"), "a name of"),
            (format!("{OLD} hash never {NEW}"), "a name of"),
            (format!("shop hash,verfy never {NEW}"), "the scopes"),
            (format!("shop hash,hash never {NEW}"), "the scopes"),
            (format!("shop , never {NEW}"), "the scopes"),
            (format!("shop hash 2027-02-29 {NEW}"), "the last day"),
            (format!("shop hash never {}", &OLD[1..]), "shorter than 32 characters"),
            (format!("shop hash never {NEW}é"), "RFC 6750"),
            (format!("shop verify never {OLD}"), "this token"),
            // A token in the place of another field.
            (format!("{NEW} shop hash never"), "a name of"),
        ] {
            let text = format!("# comment\n{good}\n{wrong}");
            let Err(Failure::Configuration(sentence)) = parse(text.lines(), "line", "the file") else {
                panic!("{wrong} was accepted")
            };
            assert!(sentence.starts_with("line 3 of the file: ") && sentence.contains(reason), "{sentence}");
            for secret in [&OLD[1..], NEW] {
                assert!(!sentence.contains(secret), "{sentence}");
            }
        }
        for empty in ["", "# only a comment"] {
            assert!(parse(empty.lines(), "line", "the file").is_err());
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_tokens_or_refused_without_their_text(
            fields in vec(prop_oneof![select(FIELDS).prop_map(str::to_owned), "[ -~é]{1,40}"], 1..12), between in vec(select(&[" ", "\t", "\n", ""][..]), 12),
        ) {
            let text: String = fields.iter().zip(between).map(|(field, between)| field.clone() + between).collect();
            match parse(text.lines(), "line", "the file") {
                Ok(tokens) => for token in tokens {
                    let identity = &token.identity;
                    prop_assert!(is_name(&identity.name) && !identity.scopes.is_empty(), "{}", text);
                },
                Err(Failure::Configuration(sentence)) => for field in fields {
                    prop_assert!(field.len() < MIN_TOKEN_BYTES || !sentence.contains(&field), "{}", sentence);
                },
                Err(other) => prop_assert!(false, "{:?}", other),
            }
        }
    }

    fn tokens(text: &str) -> Access {
        let known = ArcSwap::from_pointee(parse(text.lines(), "line", "tokens").unwrap());
        Access::Tokens(Tokens { file: None, known })
    }

    fn head(headers: HeaderMap) -> Parts {
        let mut request = Request::new(());
        *request.headers_mut() = headers;
        request.into_parts().0
    }

    fn authorization(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).unwrap())])
    }

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const FIELDS: &[&str] =
        &["#", "shop", "hash", "hash,verify", "verify,verify", "never", "2027-12-31", "+2027-1-31", OLD, NEW];
    const NEW: &str = "fedcba9876543210fedcba9876543210-._~+/==";
}
