//! Writes the plan as text and as JSON.

use std::{borrow::Cow, collections::BTreeSet, fmt::Write as _, time::Duration};

use saltern_seal::NotOpened;
use serde_json::{Value, json};

use super::{
    census::Unread,
    foreign,
    plan::{AtLogin, Class, Plan},
    price,
};
use crate::number::{counted, grouped, in_words};
use crate::table::Occurrences;
use crate::terminal::shell_quoted;

/// Returns the table and its summary.
pub(super) fn text(plan: &Plan<'_>) -> String {
    let read: u64 = plan.classes.iter().map(|class| class.occurrences.count).sum();
    let is_sealed = |reason: &Unread| match reason {
        Unread::NotOpened(defect) => *defect != NotOpened::SealRequired,
        reason => *reason == Unread::Sealed,
    };
    let unread_seals = plan.unread.iter().filter(|(reason, _)| is_sealed(reason));
    let not_opened: u64 = unread_seals.map(|(_, occurrences)| occurrences.count).sum();
    let mut out = format!(
        "{}: {}, {}{} without\n",
        counted(plan.rows, "row", "rows"),
        hashes(read),
        if not_opened == 0 { String::new() } else { format!("{} sealed, ", grouped(not_opened)) },
        grouped(plan.rows - read - not_opened)
    );
    table(&mut out, plan, read);
    sealed(&mut out, plan, not_opened);
    unread(&mut out, plan);
    moving(&mut out, plan);
    out
}

fn table(out: &mut String, plan: &Plan<'_>, read: u64) {
    if plan.classes.is_empty() {
        return;
    }
    let head = ["scheme", "cost", "hashes", "share", "here", "at a login"].map(str::to_owned);
    let rows = plan.classes.iter().map(|class| cells(class, read));
    out.push('\n');
    columns(out, &[head].into_iter().chain(rows).collect::<Vec<_>>(), &NUMBERS);
    if plan.classes.iter().any(|class| matches!(class.at_login, AtLogin::NeedsPermission(_))) {
        out.push_str(
            "Weak hashes are refused until --accept-weak names their scheme, or they are wrapped.\n",
        );
    }
}

/// Writes rows in columns of equal width, of which the numbers are right-aligned.
pub(super) fn columns<const N: usize>(out: &mut String, rows: &[[String; N]], numbers: &[usize]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if numbers.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let _infallible = writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Breaks the lines that are wider than [`WIDTH`] at a space, and indents what follows.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::new();
    for mut line in text.lines() {
        let indent = " ".repeat(line.len() - line.trim_start().len() + 4);
        let mut before = "";
        while before.len() + line.chars().count() > WIDTH {
            let fitting = line.char_indices().take(WIDTH + 1 - before.len());
            let is_break = |(at, c): &(usize, char)| *c == ' ' && !line[..*at].trim().is_empty();
            let Some((at, _)) = fitting.filter(is_break).last() else { break };
            let _infallible = writeln!(out, "{before}{}", line[..at].trim_end());
            (line, before) = (line[at..].trim_start(), &indent);
        }
        let _infallible = writeln!(out, "{before}{line}");
    }
    out
}

fn cells(class: &Class, read: u64) -> [String; 6] {
    [
        [class.preparation, class.label, Some(class.scheme.name())]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        class.cost.clone(),
        grouped(class.occurrences.count),
        share(class.occurrences.count, read),
        class.time.map_or_else(|| "-".to_owned(), milliseconds),
        match class.at_login {
            AtLogin::Stays => "stays".to_owned(),
            AtLogin::Replaced(reason) => format!("replaced ({})", reason.name()),
            AtLogin::NeedsPermission(weakness) => format!("refused ({weakness})"),
            AtLogin::NeedsProject => "refused: name the project with --firebase-project".to_owned(),
            AtLogin::OtherProject => "refused: of another project than --firebase-project names".to_owned(),
            AtLogin::NeedsSiteKey => {
                "verified by a server with --seal-keys that has its site key, if that leaves \
                                      8 bytes of the password"
                    .to_owned()
            }
            AtLogin::OverCeiling(Some(over)) => format!("refused: {over}"),
            AtLogin::OverCeiling(None) => "refused: over a fixed ceiling, or all layers together".to_owned(),
        },
    ]
}

fn sealed(out: &mut String, plan: &Plan<'_>, not_opened: u64) {
    if plan.sealed.is_empty() {
        return;
    }
    out.push_str(if not_opened == 0 { SEALED } else { SEALED_NOT_OPENED });
    for (key, rows) in plan.sealed {
        let _infallible = writeln!(out, "{:>12}  {key}", grouped(*rows));
    }
}

fn unread(out: &mut String, plan: &Plan<'_>) {
    if plan.unread.is_empty() {
        return;
    }
    out.push_str("\nNot planned, and why\n");
    for (reason, occurrences) in &plan.unread {
        let _infallible = writeln!(
            out,
            "{:>12}  {}: {} ({})",
            grouped(occurrences.count),
            reason.shape(),
            reason.in_words(),
            occurrences.places()
        );
    }
}

fn moving(out: &mut String, plan: &Plan<'_>) {
    let moving = &plan.moving;
    if plan.classes.is_empty() {
        return;
    }
    let _infallible = writeln!(
        out,
        "\nMoving\n  One login of every user replaces {} by {}: {} of one core here.",
        hashes(moving.replaced),
        plan.current,
        in_words(moving.core_time),
    );
    let weak: Vec<_> = plan.classes.iter().filter(|class| price::is_weak(class)).collect();
    if weak.is_empty() {
        return;
    }
    let _infallible = writeln!(
        out,
        "  Weak, or all tried within a day: {}. An attacker finds most of these passwords.",
        hashes(moving.weak)
    );
    let _infallible = match moving.wrapping {
        Some(time) => writeln!(
            out,
            "  `saltern wrap` puts argon2id over them now, without a login. That takes {} of one core.",
            in_words(time),
        ),
        None => writeln!(
            out,
            "  `saltern wrap --policy ID`, with an argon2id policy, puts argon2id over them now, without a login.",
        ),
    };
    // Without names, `wrap` takes only those that are weak by themselves.
    if weak.iter().any(|class| class.weakness.is_none()) {
        out.push_str("  saltern wrap");
        for shape in weak.iter().map(|class| shell_quoted(&class.shape)).collect::<BTreeSet<_>>() {
            let _infallible = write!(out, " \\\n    --shape {shape}");
        }
        out.push('\n');
    }
}

impl Unread {
    pub(crate) fn in_words(self) -> Cow<'static, str> {
        match self {
            Self::NoPassword => {
                "no password is set: an empty field, a locked account or a comment. Send null for such an account"
                    .into()
            }
            Self::Sealed => "sealed: only its key opens it; `saltern unseal` gives the hashes".into(),
            Self::NotOpened(NotOpened::ContextMissing) => {
                "its key wants a context: name the field by --context-column".into()
            }
            Self::NotOpened(defect) => defect.to_string().into(),
            Self::BareDigest(digits) => format!(
                "{digits} hexadecimal digits, {}: `saltern try` tells with one password",
                probably(digits)
            )
            .into(),
            Self::SaltAndDigest(digits) => format!(
                "a salt and {digits} hexadecimal digits, {}: `saltern try` tells with one password",
                probably_salted(digits)
            )
            .into(),
            Self::DigestAndSalt(digits) => format!(
                "{digits} hexadecimal digits and a salt, {}: `saltern try` tells with one password",
                probably_salted(digits)
            )
            .into(),
            Self::Padded => {
                "a hash with white space around it, as a column of type char(n) pads it: make the type text, or trim it".into()
            }
            Self::Invalid => "a known scheme, but cut off or changed: look at the width of the column".into(),
            Self::Unsupported => "an unsupported scheme, or an unsupported variant of one".into(),
            Self::Encoded => {
                "a long text that may be a hash without the name of its scheme: `saltern try` tells with one password"
                    .into()
            }
            Self::Foreign(software) => foreign::in_words(software).into(),
            Self::MayBeHash(_) => "no known form, but it may be a hash: `saltern try` tells with one password".into(),
            Self::NoHash => "no known form of a hash: `saltern try` tells with one password".into(),
            Self::FurtherShape => "a hash with yet another cost: plan a part of the table to see it".into(),
        }
    }

    /// Returns the shape of such a value.
    pub(crate) fn shape(self) -> String {
        match self {
            Self::BareDigest(digits) | Self::SaltAndDigest(digits) | Self::DigestAndSalt(digits) => {
                format!("{}:{digits}", self.name())
            }
            Self::Foreign(of) | Self::MayBeHash(of) => format!("{}:{of}", self.name()),
            _ => self.name().to_owned(),
        }
    }

    fn name(self) -> &'static str {
        self.into()
    }
}

/// The likely origins of a digest alone, the likeliest first.
fn probably(digits: usize) -> &'static str {
    match digits {
        32 => "probably MD5, with or without a salt of another column, or NTLM",
        40 => "probably SHA-1, or PASSWORD() of MySQL",
        56 => "probably SHA-224",
        64 => "probably SHA-256, or PBKDF2 or scrypt with a salt of another column",
        96 => "probably SHA-384",
        _ => "probably SHA-512, or PBKDF2 or scrypt with a salt of another column",
    }
}

/// The likely origins of a digest beside its salt.
fn probably_salted(digits: usize) -> &'static str {
    match digits {
        32 => "probably MD5 of both, as of old forums and shops",
        40 => "probably SHA-1 of both, or PBKDF2",
        128 => "probably PBKDF2 or scrypt of Node, or SHA-512 of both",
        _ => "probably a digest of both, or PBKDF2 or scrypt of Node",
    }
}

/// Returns the plan as JSON.
pub(super) fn json(plan: &Plan<'_>, usd_per_hour: f64, mistake: Option<&str>) -> Value {
    let class = |class: &Class| {
        let (at_login, reason) = match class.at_login {
            AtLogin::Stays => ("stays", None),
            AtLogin::Replaced(reason) => ("replaced", Some(reason.name())),
            AtLogin::NeedsPermission(weakness) => ("needs_permission", Some(weakness.name())),
            AtLogin::NeedsProject | AtLogin::OtherProject => ("unsupported_hash", None),
            AtLogin::NeedsSiteKey => ("key_unavailable", None),
            AtLogin::OverCeiling(_) => ("cost_out_of_bounds", None),
        };
        json!({
            "scheme": class.scheme.name(),
            "label": class.label,
            "preparation": class.preparation,
            "cost": class.cost,
            "hashes": class.occurrences.count,
            "milliseconds": class.time.map(|time| time.as_secs_f64() * 1e3),
            "at_login": at_login,
            "reason": reason,
            "first_rows": class.occurrences.first_rows(),
            "attack": price::json(class, plan, usd_per_hour),
        })
    };
    let unread = |(reason, occurrences): &(Unread, &Occurrences)| json!({ "reason": reason.name(), "rows": occurrences.count, "first_rows": occurrences.first_rows() });
    json!({
        "rows": plan.rows,
        "mistake": mistake,
        "current": plan.current,
        "attacker_usd_per_hour": usd_per_hour,
        "classes": plan.classes.iter().map(class).collect::<Vec<_>>(),
        "sealed": plan.sealed,
        "not_verified": plan.unread.iter().map(unread).collect::<Vec<_>>(),
        "moving": {
            "replaced": plan.moving.replaced,
            "core_seconds": plan.moving.core_time.as_secs_f64(),
            "weak": plan.moving.weak,
            "wrapping_core_seconds": plan.moving.wrapping.map(|time| time.as_secs_f64()),
        },
    })
}

fn hashes(number: u64) -> String {
    counted(number, "hash", "hashes")
}

#[allow(clippy::cast_precision_loss, reason = "a share in tenths of a percent")]
fn share(count: u64, of: u64) -> String {
    format!("{:.1} %", 100.0 * count as f64 / of.max(1) as f64)
}

fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    if ms < 10.0 { format!("{ms:.3} ms") } else { format!("{ms:.0} ms") }
}

const SEALED: &str = "\nSealed, by key\n";
const SEALED_NOT_OPENED: &str = "\nSealed, by key: --seal-keys and --context-column open the rows\n";

/// The columns that are right-aligned.
const NUMBERS: [usize; 3] = [2, 3, 4];

/// The columns of a usual terminal, or of a ticket.
const WIDTH: usize = 100;
