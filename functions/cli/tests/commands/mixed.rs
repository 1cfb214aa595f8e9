//! A property of random tables with several kinds of values: no command that is run as the guide says
//! locks a user out, or makes a password of a hash.

use std::{collections::HashMap, fs, path::PathBuf};

use super::{BCRYPT, LDAP_SHA, PASSWORD, convert, saltern, shell};

/// Kinds of values whose password is known, and values of software that is not known.
struct Values {
    /// Each is of another kind. Two neighbours can look alike.
    known: Vec<String>,
    unknown: Vec<String>,
    keys: String,
}

impl Values {
    fn new() -> Self {
        let current = saltern(&["hash"], "saltern\n").out.trim_end().to_owned();
        let wrapped = saltern(&["wrap", "--unverified", "1"], LDAP_SHA).out.trim_end().to_owned();
        let converted = saltern(
            &["convert", "--from", "md5-hex", "--shape", "bcrypt", "--unverified", "1"],
            BCRYPT_OF_MD5,
        );
        let texts =
            [BCRYPT, BCRYPT_OF_MD5, MD5, MD5_OF_MD5, LDAP_SHA, SALTED, PASSWORD, converted.out.trim_end()];
        let known = texts.map(str::to_owned).into_iter().chain([current, wrapped]).collect();
        let unknown = [
            "3|$argon2id$v=19$m=65536,t=4,p=1$c2FsdHNhbHQ$AAAA",
            "S:0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789AB",
            "!locked",
            "",
            "$2b$10$cut",
        ];
        Self { known, unknown: unknown.map(str::to_owned).to_vec(), keys: convert::site_keys("mixed") }
    }

    fn matches(&self, stored: &str, password: &str) -> bool {
        let verify = ["verify", "--accept-weak", "all", "--seal-keys", &self.keys, "-"];
        saltern(&verify, &format!("{stored}\n{password}\n")).code == 0
    }
}

#[test]
fn no_command_of_the_guide_locks_out_a_mixed_table() {
    let values = Values::new();
    let verified: HashMap<&str, bool> =
        values.known.iter().map(|value| (value.as_str(), values.matches(value, PASSWORD))).collect();
    let printed: HashMap<&str, String> =
        values.known.iter().map(|value| (value.as_str(), printed(value))).collect();
    let (mut changed, mut stopped) = (0, 0);
    for seed in 1..=TABLES {
        let mut random = Random(seed);
        // A table has the sample, what looks like it, and others.
        let place = random.below(values.known.len());
        let sample = &values.known[place];
        let alike = values.known.get(place ^ 1).unwrap_or(sample);
        let all: Vec<&str> = values.known.iter().chain(&values.unknown).map(String::as_str).collect();
        let others = [(); 2].map(|()| all[random.below(all.len())]);
        let kinds = [sample, alike, others[0], others[1]];
        let rows: Vec<&str> = (0..ROWS).map(|_| kinds[random.below(kinds.len())]).collect();
        // The operator knows a login of each kind, and confirms no number.
        let mut logins = Vec::new();
        for value in &values.known {
            if let Some(at) = rows.iter().position(|row| row == value) {
                logins.push(format!("{}\t{PASSWORD}\n", at + 1));
            }
        }
        let known = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mixed-known");
        fs::write(&known, logins.concat()).unwrap();
        let proven = |command: &str| format!("{command} --known '{}'", known.display());
        let seal = format!("saltern seal --seal-keys '{}'", values.keys);
        let convert = proven(&printed[&**sample]);
        let commands = [&convert, &convert, &proven("saltern wrap"), &proven("saltern hash-clear"), &seal];
        let line = format!("{} --allow-skipped --delimiter '\\t'", commands[random.below(commands.len())]);
        let ended = shell(&line, &(rows.join("\n") + "\n"));
        if ended.code != 0 {
            assert!(
                ended.out.is_empty() && ended.err.contains("nothing was written"),
                "{seed}: {line} {}",
                ended.err
            );
            stopped += 1;
            continue;
        }
        for (row, stored) in rows.iter().zip(ended.out.lines()).filter(|(row, stored)| *row != stored) {
            changed += 1;
            if verified.get(row).copied().unwrap_or_default() {
                assert!(values.matches(stored, PASSWORD), "{seed}: {line}: {row} became {stored}");
            }
            let is_hash = *row != PASSWORD && verified.contains_key(row);
            assert!(!is_hash || !values.matches(stored, row), "{seed}: {line}: {row} is a password now");
            assert!(
                !values.unknown.iter().any(|value| value == row),
                "{seed}: {line}: {row} became {stored}"
            );
        }
    }
    assert!(changed > 20 && stopped > 5, "{changed} rows changed, {stopped} runs stopped");
}

/// Returns the command that `try` prints for a value, or that wraps its shape.
fn printed(value: &str) -> String {
    let told = saltern(&["try", "-"], &format!("{value}\n{PASSWORD}\n")).out;
    let command =
        told.lines().find_map(|line| line.split_once("table with: ").map(|(_, command)| command.to_owned()));
    let scheme = told.lines().next().and_then(|line| line.strip_prefix("fits as it is: "));
    command
        .or_else(|| scheme.map(|scheme| format!("saltern wrap --shape '{scheme}'")))
        .unwrap_or_else(|| "saltern wrap".to_owned())
}

/// Knuth's generator of MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

const TABLES: u64 = 40;
const ROWS: usize = 8;

/// libxcrypt's hash of the MD5 of `saltern`, with the cost of [`BCRYPT`].
const BCRYPT_OF_MD5: &str = "$2b$05$abcdefghijklmnopqrstuukwmtBCisHk0zb6Hu53ELq3z.q5OLjDi";

/// `printf saltern | md5sum`, and the same of its result.
const MD5: &str = "d88474d6d9eee923ae63121f1f1411fe";
const MD5_OF_MD5: &str = "90bf2fa00b24650dea8c1bb3253200af";

/// `printf saltsaltern | md5sum`, behind its salt.
const SALTED: &str = "salt:d7e9d164a89a8e3191b721632e18cdd7";
