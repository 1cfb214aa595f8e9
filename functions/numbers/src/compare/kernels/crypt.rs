//! The other schemes of crypt(3), beside libxcrypt.

use std::{ffi::CString, num::NonZeroUsize};

use saltern_algorithm::{Admitted, MAX_PASSWORD_BYTES, OneCore, Password, PoolSettings, compute};

use super::super::{
    arguments::KernelsArguments,
    figure::{Bound, Figure, Wanted},
    peers::libxcrypt::Libxcrypt,
    rounds::{Contender, Measurement, compare},
};
use super::{CEILINGS, PASSWORD};

/// Returns the figures of the schemes that are only verified.
pub(crate) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    let figure = |&(title, wanted): &(&str, Wanted)| {
        let row = measurements.iter().find(|m| m.title == title).and_then(|m| m.row(OURS));
        let samples = row.map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone());
        Figure::new(format!("{title}: time against libxcrypt"), wanted, samples)
    };
    WANTED.iter().map(figure).collect()
}

pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let beside = SETTINGS.iter().map(|(title, setting)| beside_libxcrypt(title, setting, arguments));
    let longest = AT_CEILING.iter().map(|(title, stored)| by_password_length(title, stored, arguments));
    beside.chain(longest).collect()
}

fn beside_libxcrypt(
    title: &str,
    setting: &str,
    arguments: &KernelsArguments,
) -> Result<Measurement, Box<dyn core::error::Error>> {
    let mut libxcrypt = Libxcrypt::open()?;
    let (password, setting) = (CString::new(PASSWORD)?, CString::new(setting)?);
    let stored = libxcrypt.hash(&password, &setting).ok_or("libxcrypt refuses the setting")?;
    let encoded = saltern_encoded::parse(&stored)?;
    let admitted = Admitted::new(encoded.setting().clone(), &CEILINGS)?;
    let by_libxcrypt = || {
        let stored = libxcrypt.hash(&password, &setting).unwrap_or_default();
        vec![saltern_encoded::parse(&stored).map_or_else(|_| vec![], |encoded| encoded.output().to_vec())]
    };
    let mut contenders = [
        Contender { name: LIBXCRYPT.into(), at_once: 1, run: Box::new(by_libxcrypt) },
        Contender {
            name: OURS.into(),
            at_once: 1,
            run: Box::new(|| vec![ours(&admitted, PASSWORD.as_bytes())]),
        },
        Contender { name: CRATES.into(), at_once: 1, run: Box::new(|| vec![by_crates(&admitted)]) },
    ];
    Ok(compare(title.to_owned(), &[encoded.output().to_vec()], &mut contenders, arguments.rounds.get())?)
}

/// Measures the most expensive hash below the ceiling, with a short password and with the longest.
fn by_password_length(
    title: &str,
    stored: &str,
    arguments: &KernelsArguments,
) -> Result<Measurement, Box<dyn core::error::Error>> {
    let admitted = Admitted::new(saltern_encoded::parse(stored)?.setting().clone(), &CEILINGS)?;
    let longest = [b'a'; MAX_PASSWORD_BYTES];
    let mut contenders = [PASSWORD.as_bytes(), &longest].map(|password| {
        let admitted = &admitted;
        let run = move || {
            ours(admitted, password);
            vec![IGNORED]
        };
        Contender { name: format!("{} bytes of password", password.len()), at_once: 1, run: Box::new(run) }
    });
    Ok(compare(title.to_owned(), &[IGNORED], &mut contenders, arguments.rounds.get().min(ROUNDS_OF_SECONDS))?)
}

fn ours(admitted: &Admitted, password: &[u8]) -> Vec<u8> {
    let password = Password::new(password).expect("a password within the limit");
    let outputs = OneCore::new(&PoolSettings::new(NonZeroUsize::MIN)).compute(admitted, &[password]);
    outputs.expect("memory for a hash")[0].expose().to_vec()
}

fn by_crates(admitted: &Admitted) -> Vec<u8> {
    compute(admitted, PASSWORD.as_bytes()).expect("memory for a hash").expose().to_vec()
}

const WANTED: [(&str, Wanted); 2] = [
    ("sha256-crypt, 5,000 rounds", Wanted::times(Bound::AtMost(1.0))),
    ("sha512-crypt, 5,000 rounds", Wanted::times(Bound::AtMost(1.0))),
];

/// The usual cost of each.
const SETTINGS: [(&str, &str); 9] = [
    ("BSDi's DES, 725 encryptions", "_J9..salt"),
    ("DES", "sa"),
    ("md5-crypt", "$1$saltsalt"),
    ("scrypt in modular crypt format, N=2^14, r=8, p=1", "$7$C6..../....saltsaltsaltsalt"),
    ("sha1-crypt, 20,000 rounds", "$sha1$20000$saltsalt"),
    ("sha256-crypt, 5,000 rounds", "$5$saltsaltsaltsalt"),
    ("sha512-crypt, 5,000 rounds", "$6$saltsaltsaltsalt"),
    ("Sun's MD5", "$md5$saltsalt$"),
    ("yescrypt, N=2^12, r=32", "$y$j9T$saltsaltsaltsaltsalts."),
];

/// The most rounds below the shipped ceiling. The output is arbitrary.
const AT_CEILING: [(&str, &str); 5] = [
    ("drupal7 at the ceiling", "$S$Hsaltsalt..........................................."),
    ("phpass at the ceiling", "$P$Hsaltsalt......................"),
    ("sha256-crypt at the ceiling", "$5$rounds=1000000$saltsalt$..........................................."),
    (
        "sha512-crypt at the ceiling",
        "$6$rounds=1000000$saltsalt$......................................................................................",
    ),
    ("Sun's MD5 at the ceiling", "$md5,rounds=995904$saltsalt$$......................"),
];

/// The two contenders hash different passwords, so their outputs differ.
const IGNORED: Vec<u8> = vec![];

const LIBXCRYPT: &str = "libxcrypt crypt_r";
const OURS: &str = "saltern";
const CRATES: &str = "--kernels crates";

/// Enough for hashes that take seconds.
const ROUNDS_OF_SECONDS: usize = 2;
