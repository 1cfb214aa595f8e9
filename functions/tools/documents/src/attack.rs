//! Generates the table of prices in SECURITY.md.

use core::fmt::Write as _;
use std::time::Duration;

use saltern_cli::price::{Attack, Guess};
use saltern_encoded::parse;

/// Returns the table of the price of a guess.
pub(crate) fn markdown() -> String {
    let hour = Attack::published().device_hour();
    let mut text = "| stored hash | guesses per second | USD for 10^9 guesses | accounts a day, 1 card | 100 cards | figure |\n\
                    |---|---:|---:|---:|---:|---|\n"
        .to_owned();
    for (name, stored) in rows() {
        let Some(guess) = guess(&stored) else { continue };
        let _infallible = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} |",
            guess.rate_in_words(),
            guess.price_in_words(hour.usd),
            guess.accounts_in_words(DAY, 1),
            guess.accounts_in_words(DAY, 100),
            guess.source_in_words(),
        );
    }
    if let Some(guess) = on_the_second_card() {
        let _infallible = writeln!(
            text,
            "| argon2id, 64 MiB, t=3 | {} | | {} | {} | {} |",
            guess.rate_in_words(),
            guess.accounts_in_words(DAY, 1),
            guess.accounts_in_words(DAY, 100),
            guess.source_in_words(),
        );
    }
    let _infallible = write!(
        text,
        "| any of these, sealed | none without the key | | | | |\n\n\
         The prices assume {:.2} USD for an hour of the {}. Each account is tried against a list of 10^9 passwords. Without a salt, one\n\
         pass over the list serves all accounts. [attack.json](functions/cli/src/price/attack.json) has the sources and the rules of scaling.\n",
        hour.usd, hour.device
    );
    text
}

fn guess(stored: &str) -> Option<Guess<'static>> {
    Attack::published().guess(parse(stored).ok()?.setting())
}

/// The only published rate of an RTX 5090 is of argon2d with 16 MiB.
fn on_the_second_card() -> Option<Guess<'static>> {
    let stored = format!("$argon2id$v=19$m=65536,t=3,p=1${}${}", "A".repeat(22), "A".repeat(43));
    let first = guess(&stored)?;
    Attack::published().guess_from("argon2d-16384-3-1-rtx-5090", first.row.work)
}

/// The hashes of the table, with zeros for salt and output.
fn rows() -> Vec<(&'static str, String)> {
    let phc = |head: &str| format!("{head}${}${}", "A".repeat(22), "A".repeat(43));
    let bcrypt = |cost: u32| format!("$2b${cost}${}", ".".repeat(53));
    let argon2id = |params: &str| phc(&format!("$argon2id$v=19${params}"));
    vec![
        ("MD5 with a salt", format!("{{SMD5}}{}", "A".repeat(32))),
        ("sha512-crypt, 5,000 rounds", format!("$6$rounds=5000$saltsalt${}", ".".repeat(86))),
        ("PBKDF2-SHA256, 600,000 iterations", phc("$pbkdf2-sha256$i=600000,l=32")),
        ("PBKDF2-SHA512, 220,000 iterations", phc("$pbkdf2-sha512$i=220000,l=32")),
        ("bcrypt-10", bcrypt(10)),
        ("bcrypt-12", bcrypt(12)),
        ("bcrypt-14", bcrypt(14)),
        ("scrypt, N=2^17, r=8, p=1", phc("$scrypt$ln=17,r=8,p=1")),
        ("argon2id, 19 MiB, t=2", argon2id("m=19456,t=2,p=1")),
        ("argon2id, 64 MiB, t=3", argon2id("m=65536,t=3,p=1")),
        ("argon2id, 64 MiB, t=4", argon2id("m=65536,t=4,p=1")),
        (
            "MD5, wrapped in argon2id, 19 MiB, t=2",
            format!("$saltern-wrap{}${{SMD5}}{}", argon2id("m=19456,t=2,p=1"), "A".repeat(32)),
        ),
    ]
}

const DAY: Duration = Duration::from_hours(24);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_of_the_table_has_a_figure() {
        for (name, stored) in rows() {
            assert!(guess(&stored).is_some(), "{name}");
        }
        assert_eq!(on_the_second_card().map(|guess| guess.rate_in_words()), Some("≈ 2,859".to_owned()));
    }
}
