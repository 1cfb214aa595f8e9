//! The times of probes: which of them tell a scheme from another one.

use std::time::Instant;

use crate::{
    figure::{Attack, Field, Figure, Found},
    hashes::{ARGON2ID_CURRENT, BCRYPT_10, BCRYPT_12, MD5_CRYPT, SHA512_CRYPT, UNREADABLE},
    honest::percentile,
    http1::{Http1, deadline_ms, verify},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "accounts",
    asks: "probes that tell which scheme an account has",
    stated: || {
        vec![
            "That takes as long as a login of a user *under that policy*.".into(),
            "**A refusal** (422) takes less than a millisecond".into(),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let server = Server::start(&field, &Setup::default()).await?;
    let long = "x".repeat(LONGEST_PASSWORD);
    let mut connection = Http1::new(server.door.connect().await?);
    let mut figures = Vec::new();
    let mut unexpected = 0;
    for &(account, hash) in ACCOUNTS {
        for (probe, password) in [("8 bytes", "password"), ("1,024 bytes", &long), ("a NUL", "pass\0word")] {
            let request = verify(&deadline_ms(60_000), password, hash);
            let mut times = Vec::new();
            // The first one warms up.
            for _ in 0..=field.pick(2, 20) {
                let begun = Instant::now();
                let answer = connection.ask(&request).await?;
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
                unexpected += usize::from((answer.status == 200) == (hash == Some(UNREADABLE)));
            }
            let median = percentile(times.split_off(1), 0.5);
            let figure = Figure::new(format!("{account}, password of {probe}"), median, "ms").timed();
            figures.push(if hash == Some(UNREADABLE) { figure.at_most(REFUSED_MS) } else { figure });
        }
    }
    // In turns, because the time of a hash in memory drifts by more than the bound.
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..field.pick(2, 40) {
        for (times, &(_, hash)) in times.iter_mut().zip(ACCOUNTS) {
            let begun = Instant::now();
            connection.ask(&verify(&deadline_ms(60_000), "password", hash)).await?;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let [decoy, user] = times.map(|times| percentile(times, 0.5));
    let apart = (decoy / user).max(user / decoy);
    figures.push(Figure::new("decoy and a user of its policy, times", apart, "").at_most(SAME).timed());
    figures.push(Figure::never("unexpected answers", unexpected));
    Ok(figures)
}

/// The first is the decoy, the second an account under the decoy's policy.
const ACCOUNTS: &[(&str, Option<&str>)] = &[
    ("no account", None),
    ("argon2id, the current policy", Some(ARGON2ID_CURRENT)),
    ("bcrypt-10", Some(BCRYPT_10)),
    ("bcrypt-12", Some(BCRYPT_12)),
    ("sha512-crypt", Some(SHA512_CRYPT)),
    ("md5-crypt", Some(MD5_CRYPT)),
    ("an unreadable hash (422)", Some(UNREADABLE)),
];

/// The decoy does the same work as a hash of its policy. The rest is noise.
const SAME: f64 = 1.2;

/// Nothing is computed.
const REFUSED_MS: f64 = 1.0;

const LONGEST_PASSWORD: usize = 1024;
