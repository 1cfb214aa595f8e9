//! `saltern inspect`: explains a stored hash field by field.

use std::fmt::Write as _;

use clap::Args;
use saltern_encoded::{Encoded, ParseError, Preparation, Setting, SitePreparation};
use saltern_policy::{AcceptedWeak, OverCeiling, Policies, Refusal, RehashReason, WeakHash};
use saltern_pool::OneCore;
use saltern_seal::{Keys, Sealed, is_sealed};
use serde_json::{Value, json};

use crate::number::grouped;
use crate::{
    keys::OneHashArguments,
    migrate_plan::cost_in_words,
    one_hash::{not_opened, refused},
    terminal,
    time_of_one::time_of_one,
};
use saltern_server::{DocumentArguments, Failure, document, say};

#[derive(Args, Debug)]
pub(crate) struct InspectArguments {
    /// The stored hash; `-` for the first line of standard input
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) seal: OneHashArguments,
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
}

pub(crate) fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let limits = document::limits(&arguments.document.machine)?;
    let policies = document::named_or_shipped(arguments.document.policies.as_deref(), &limits)?;
    let stored = terminal::argument_or_line(&arguments.hash)?;
    let (keys, context) = arguments.seal.read()?;
    let sealed = is_sealed(&stored).then(|| Sealed::parse(&stored)).transpose();
    let sealed = sealed.map_err(|_| Failure::data("the seal is not in its canonical form"))?;
    let seal = sealed.map(|sealed| sealed.key().to_owned());
    let stored = match (&keys, &seal) {
        (_, None) => stored,
        (Some(keys), Some(_)) => keys.open(&stored, context.as_ref()).map_err(not_opened)?.text,
        (None, Some(seal)) => {
            let text = format!("{:<12}{seal}\n{:<12}closed: give the key by --seal-keys\n", "seal", "hash");
            let json = json!({"seal": {"key": seal}});
            return say(&if arguments.json { format!("{json}\n") } else { text });
        }
    };
    let encoded = saltern_encoded::parse(&stored).map_err(|error| unread(&stored, error))?;
    let mut core = OneCore::new(&document::worker(&limits));
    let explained = Explained::of(&encoded, &policies, keys.as_ref(), &mut core)?;
    if arguments.json {
        let mut json = explained.json();
        if let Some(key) = seal {
            json["seal"] = json!({ "key": key });
        }
        return say(&format!("{json}\n"));
    }
    let seal = seal.map_or(String::new(), |seal| format!("{:<12}{seal}\n", "seal"));
    say(&format!("{seal}{}", explained.text()))
}

/// The fields of a hash, without the bytes of its salt and output.
struct Explained<'a> {
    encoded: &'a Encoded,
    current: String,
    policy: Option<String>,
    weakness: Option<WeakHash>,
    over_ceiling: Option<OverCeiling>,
    milliseconds: Option<f64>,
    /// The effect of a login that matches: a new hash with this reason, no change, or a refusal.
    at_login: Result<Option<RehashReason>, Refusal>,
}

impl<'a> Explained<'a> {
    fn of(
        encoded: &'a Encoded,
        policies: &Policies,
        keys: Option<&Keys>,
        core: &mut OneCore,
    ) -> Result<Self, Failure> {
        let text = encoded.to_string();
        let site_key = |id: &str| keys?.site_key(id);
        let lenient = policies.clone().accepting(AcceptedWeak::all());
        let admitted = lenient.admit_stored_with(&text, site_key).ok();
        let time = admitted.as_ref().map(|stored| time_of_one(core, stored.admitted())).transpose()?;
        let at_login = policies.admit_stored_with(&text, site_key);
        let at_login = at_login.map(|stored| policies.rehash_reason(&stored));
        Ok(Self {
            encoded,
            current: policies.current().id().to_owned(),
            policy: admitted.and_then(|stored| policies.id_of(&stored).map(str::to_owned)),
            weakness: policies.weakness(encoded),
            over_ceiling: policies.over_ceiling(encoded.setting()),
            milliseconds: time.map(|time| 1e3 * time.as_secs_f64()),
            at_login,
        })
    }

    fn text(&self) -> String {
        let setting = self.encoded.setting();
        let mut out = String::new();
        let mut line = |name: &str, value: &str| {
            let _infallible = writeln!(out, "{name:<12}{value}");
        };
        line("scheme", self.encoded.scheme().name());
        if let Some(label) = self.encoded.label() {
            line("label", label);
        }
        if let Some(preparation) = self.encoded.preparation() {
            let key = preparation.site_key().map_or_else(String::new, |id| format!(", site key {id}"));
            line("prepared", &format!("{}{key}", preparation.name()));
        }
        line("algorithm", setting.algorithm().name());
        line("cost", &cost_in_words(self.encoded));
        if let Setting::Wrapped(wrapped) = setting {
            line(
                "wraps",
                &format!("{}, {}", wrapped.inner().scheme().name(), cost_in_words(wrapped.inner())),
            );
        }
        line("salt", &bytes(setting.salt().len()));
        line("output", &bytes(setting.output_bytes()));
        line("reads", &self.reading());
        line(
            "here",
            &self.milliseconds.map_or_else(
                || "not computed: see the verdict".to_owned(),
                |ms| format!("{ms:.3} ms on one core, one hash at a time"),
            ),
        );
        line("policy", self.policy.as_deref().unwrap_or("no policy lists these parameters"));
        line("verdict", &self.verdict_in_words());
        out
    }

    fn reading(&self) -> String {
        let inner = self.encoded.innermost();
        let reading = inner.scheme().reading();
        let mut said = match reading.most_bytes {
            Some(most) => format!("the first {most} bytes of a password"),
            None => "the whole password".to_owned(),
        };
        if reading.seven_bits {
            said.push_str(", seven bits of each");
        }
        if reading.may_stop_at_nul {
            said.push_str(", perhaps only up to a NUL");
        }
        if inner.preparation().is_some() {
            said.push_str(" that the site prepared first");
        }
        if reading.preparation != Preparation::None {
            said.push_str(", hashed once first");
        }
        said
    }

    fn verdict_in_words(&self) -> String {
        match self.at_login {
            Ok(None) => format!("verified; stays, at least as good as {}", self.current),
            Ok(Some(reason)) => {
                format!("verified; a login that matches replaces it by {} ({})", self.current, reason.name())
            }
            Err(Refusal::WeakScheme) => {
                let weakness = self.weakness.map_or_else(String::new, |weakness| weakness.to_string());
                let scheme = self.encoded.scheme().name();
                format!("refused: {weakness}; accept it with --accept-weak {scheme}, or wrap it")
            }
            Err(refusal) => match self.over_ceiling {
                Some(over) => format!("refused: {over}"),
                None => format!("refused: {}", refused(refusal)),
            },
        }
    }

    fn json(&self) -> Value {
        let setting = self.encoded.setting();
        let (verdict, reason) = match self.at_login {
            Ok(None) => ("stays", None),
            Ok(Some(reason)) => ("replaced", Some(reason.name())),
            Err(Refusal::CostOutOfBounds) => ("cost_out_of_bounds", None),
            Err(Refusal::SiteKeyUnavailable) => ("key_unavailable", None),
            Err(_) => ("unsupported_hash", None),
        };
        json!({
            "scheme": self.encoded.scheme().name(),
            "label": self.encoded.label(),
            "preparation": self.encoded.preparation().map(SitePreparation::name),
            "algorithm": setting.algorithm().name(),
            "cost": cost_in_words(self.encoded),
            "salt_bytes": setting.salt().len(),
            "output_bytes": setting.output_bytes(),
            "reads": self.reading(),
            "weakness": self.weakness.map(WeakHash::name),
            "floor": self.weakness.and_then(WeakHash::floor),
            "milliseconds": self.milliseconds,
            "policy": self.policy,
            "verdict": verdict,
            "rehash_reason": reason,
        })
    }
}

fn bytes(length: usize) -> String {
    if length == 0 { "none".to_owned() } else { format!("{} bytes", grouped(length as u64)) }
}

/// Returns the message for a string that does not parse.
fn unread(stored: &str, error: ParseError) -> Failure {
    let is_hex = stored.len() >= 32 && stored.bytes().all(|byte| byte.is_ascii_hexdigit());
    Failure::data(match error {
        _ if is_hex => {
            "a bare digest names no scheme: `saltern try` finds it out with one password, and `saltern convert` writes it"
        }
        ParseError::Invalid => {
            "the string is malformed for its scheme: check that it is complete, and quote it, because the shell expands dollar signs"
        }
        ParseError::Unsupported => {
            "no supported scheme begins like this: quote the string, because the shell expands dollar signs"
        }
    })
}
