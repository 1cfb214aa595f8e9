//! Explains the effect of an htpasswd file on the time of web pages.

use std::{fmt::Write as _, time::Duration};

use super::plan::{AtLogin, Class, Plan};
use crate::number::{counted, grouped, in_words};

/// Returns the entries that make each page slow, their times on this machine, and advice.
pub(super) fn explain(plan: &Plan<'_>) -> String {
    let mut out = String::from(
        "\nThis is an htpasswd file. The web server checks the password for every request: for each page, image and\nscript. ",
    );
    let mut slow: Vec<&Class> =
        plan.classes.iter().filter(|class| class.time.is_some_and(|time| time > NOTICEABLE)).collect();
    slow.sort_by_key(|class| std::cmp::Reverse(class.time));
    if slow.is_empty() {
        out.push_str("None of these hashes is slow enough to be noticed.\n");
    } else {
        let _infallible = writeln!(out, "These entries make each request slow on this machine:");
    }
    for class in slow {
        let time = class.time.unwrap_or_default();
        let _infallible = writeln!(
            out,
            "  {} {}: {} for each request, {} of computing for a page of {REQUESTS_OF_A_PAGE} ({})",
            class.scheme.name(),
            class.cost,
            in_words(time),
            in_words(time * REQUESTS_OF_A_PAGE),
            users(class),
        );
    }
    let weak: u64 = plan
        .classes
        .iter()
        .filter(|class| {
            matches!(class.at_login, AtLogin::NeedsPermission(_)) || OLD.contains(&class.scheme.name())
        })
        .map(|class| class.occurrences.count)
        .sum();
    if weak > 0 {
        let _infallible = writeln!(
            out,
            "Too fast: {} of SHA, MD5 (apr1) or DES. An attacker with the file finds these passwords.\n\
             Web servers cannot read the result of `saltern wrap`: use it only if logins go through Saltern.",
            counted(weak, "entry", "entries")
        );
    }
    let _infallible = write!(
        out,
        "The cost of a hash cannot be changed without its password. There are two solutions:\n  \
         - Use sessions with a cookie: then a login computes one hash, and cost 10 to 12 is right.\n  \
         - Stay with Basic authentication and set a cost that is acceptable for each request. When a user sets a\n    \
         new password, use `htpasswd -B -C {ACCEPTABLE_COST} FILE USER`.\n",
    );
    out
}

fn users(class: &Class) -> String {
    let named = class.occurrences.first_users();
    let more = class.occurrences.count.saturating_sub(named.len() as u64);
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {} more", grouped(more)) }
}

/// A quarter of the 0.1 s at which users notice a delay (Nielsen, Usability Engineering, 1993,
/// §5.5), because a page makes several requests.
const NOTICEABLE: Duration = Duration::from_millis(25);

/// Requests for one page.
const REQUESTS_OF_A_PAGE: u32 = 20;

/// A bcrypt cost of some milliseconds.
const ACCEPTABLE_COST: u32 = 6;

/// Old schemes of htpasswd that are verified without --accept-weak.
const OLD: [&str; 2] = ["apr1", "md5-crypt"];
