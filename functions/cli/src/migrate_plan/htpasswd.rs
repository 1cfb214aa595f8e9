//! What an htpasswd file means for whoever waits for pages.

use std::{fmt::Write as _, time::Duration};

use super::plan::{Class, Fate, Plan};
use saltern_program::number::{counted, grouped, in_words};

/// Which entries make every page slow, by how much here, and what to do.
pub(super) fn explain(plan: &Plan<'_>) -> String {
    let mut out = String::from(
        "\nThis is an htpasswd file. The web server checks the password again for every request: every page, image and\nscript. ",
    );
    let mut slow: Vec<&Class<'_>> =
        plan.classes.iter().filter(|class| class.time.is_some_and(|time| time > FELT)).collect();
    slow.sort_by_key(|class| std::cmp::Reverse(class.time));
    if slow.is_empty() {
        out.push_str("None of these hashes is slow enough to be felt.\n");
    } else {
        let _infallible = writeln!(out, "These entries make each of them slow on a machine like this one:");
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
            who(class),
        );
    }
    let weak: u64 = plan
        .classes
        .iter()
        .filter(|class| matches!(class.fate, Fate::NeedsPermission(_)) || OLD.contains(&class.scheme.name()))
        .map(|class| class.count)
        .sum();
    if weak > 0 {
        let _infallible = writeln!(
            out,
            "The opposite, too fast: {} of SHA, MD5 (apr1) or DES. A stolen file gives these passwords away.\n\
             `saltern wrap` is for when logins go through Saltern: no web server reads what it writes.",
            counted(weak, "entry", "entries")
        );
    }
    let _infallible = write!(
        out,
        "A hash cannot be made cheaper or safer without its password. Two ways out:\n  \
         - Let users log in once and carry a session cookie: then the cost of a hash is paid once, and 10 to 12 is right.\n  \
         - Stay with Basic authentication and give every entry one cost that each request can bear: when its owner next\n    \
         sets a password, `htpasswd -B -C {BEARABLE_COST} FILE USER`.\n",
    );
    out
}

fn who(class: &Class<'_>) -> String {
    let named = class.found.first_users.join(", ");
    let more = class.count.saturating_sub(class.found.first_users.len() as u64);
    if more == 0 { named } else { format!("{named} and {} more", grouped(more)) }
}

/// From here on a page feels slower (Nielsen, Usability Engineering, 1993, §5.5: 0.1 s), with a few requests in a row.
const FELT: Duration = Duration::from_millis(25);

/// Requests that follow each other for one page; browsers ask for some at a time.
const REQUESTS_OF_A_PAGE: u32 = 20;

/// Some milliseconds each.
const BEARABLE_COST: u32 = 6;

/// Old forms that htpasswd wrote and that are verified without permission.
const OLD: [&str; 2] = ["apr1", "md5-crypt"];
