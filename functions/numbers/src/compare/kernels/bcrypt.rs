//! bcrypt beside libxcrypt and the `bcrypt` crate.

use std::ffi::CString;

use saltern_algorithm::{Admitted, compute, paths};
use saltern_encoded::{Encoded, Params, Setting, bcrypt};
use saltern_meter::Meter;

use super::super::{
    arguments::{KernelsArguments, MOST_BCRYPT_LANES},
    figure::{Bound, Figure, Wanted},
    peers::libxcrypt::Libxcrypt,
    rounds::{Contender, Measurement, compare},
};
use super::CEILINGS;

/// Returns the figures of the bcrypt kernel.
pub(crate) fn figures(measurement: &Measurement) -> Vec<Figure> {
    let crate_time = measurement.row(CRATE).map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone());
    let lane_time =
        measurement.row(&lanes(1)).map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone());
    let mut figures = vec![
        Figure::new(
            "bcrypt-10 by `--kernels crates`, one hash: time against libxcrypt",
            SINGLE_CRATE,
            crate_time,
        ),
        Figure::new("bcrypt-10, 1 lane: time against libxcrypt", SINGLE_LANE, lane_time),
    ];
    figures.extend(GAINS.map(|(at_once, wanted)| {
        let row = measurement.row(&lanes(at_once));
        let gain = row.map_or_else(Vec::new, |row| row.hashes_per_core_ratio_samples.clone());
        let what = format!("bcrypt-10, {at_once} lanes: hashes per core against libxcrypt");
        let note =
            row.map(|row| format!("all {at_once} done in {:.2} × the time of one", row.call_time_ratio));
        Figure::new(what, wanted, gain).with_note(note.unwrap_or_default())
    }));
    figures
}

pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let cost = arguments.cost;
    let params = bcrypt::Params::new(cost).ok_or("--cost must be 4 to 31")?;
    let indices = 0..u8::try_from(MOST_BCRYPT_LANES)?;
    let work = indices.map(|index| Work::new(params, index)).collect::<Result<Vec<_>, _>>()?;
    let expected: Vec<Vec<u8>> = work.iter().map(Work::by_crate).collect();

    let mut libxcrypt = Libxcrypt::open()?;
    let by_libxcrypt = || vec![work[0].by_libxcrypt(&mut libxcrypt).unwrap_or_default()];
    let mut contenders = vec![
        Contender { name: LIBXCRYPT.into(), at_once: 1, run: Box::new(by_libxcrypt) },
        Contender { name: CRATE.into(), at_once: 1, run: Box::new(|| vec![work[0].by_crate()]) },
    ];
    for &at_once in &arguments.lanes {
        let work = work.get(..at_once).filter(|work| !work.is_empty()).ok_or("--lanes must be 1 to 8")?;
        let run = || by_lanes(work);
        contenders.push(Contender { name: lanes(at_once), at_once, run: Box::new(run) });
    }
    let title =
        format!("bcrypt, cost {cost} (a worker here has {} lanes)", Meter::new().lanes(&work[0].admitted));
    Ok(vec![compare(title, &expected, &mut contenders, arguments.rounds.get())?])
}

/// A hash to compute, in the form that each contender needs.
pub(crate) struct Work {
    pub(crate) admitted: Admitted,
    pub(crate) password: CString,
    setting_text: CString,
}

impl Work {
    /// Each lane has its own password and salt, so that lanes do not read the same table entries.
    pub(crate) fn new(params: bcrypt::Params, index: u8) -> Result<Self, Box<dyn core::error::Error>> {
        let setting =
            Setting::fresh(Params::Bcrypt(params), [index.wrapping_mul(SPREAD).wrapping_add(1); 16]);
        let text = Encoded::new(setting.clone(), &[0; bcrypt::OUTPUT_BYTES]).ok_or("no text")?.to_string();
        Ok(Self {
            admitted: Admitted::new(setting, &CEILINGS)?,
            password: CString::new(format!("correct horse battery {index}"))?,
            setting_text: CString::new(text)?,
        })
    }

    pub(crate) fn by_crate(&self) -> Vec<u8> {
        compute(&self.admitted, self.password.as_bytes()).expect("memory for a hash").expose().to_vec()
    }

    /// Returns `None` if libxcrypt refuses the setting or prints a scheme that Saltern does not
    /// parse.
    pub(crate) fn by_libxcrypt(&self, libxcrypt: &mut Libxcrypt) -> Option<Vec<u8>> {
        let text = libxcrypt.hash(&self.password, &self.setting_text)?;
        Some(saltern_encoded::parse(&text).ok()?.output().to_vec())
    }
}

pub(crate) fn by_lanes(work: &[Work]) -> Vec<Vec<u8>> {
    let hashes: Vec<_> = work.iter().map(|work| (&work.admitted, work.password.as_bytes())).collect();
    paths::bcrypt(&hashes).iter().map(|output| output.expose().to_vec()).collect()
}

/// Returns the name of the contender with this many lanes.
pub(crate) fn lanes(at_once: usize) -> String {
    format!("lanes x{at_once}")
}

/// The name of the baseline.
pub(crate) const LIBXCRYPT: &str = "libxcrypt crypt_r";

const CRATE: &str = "bcrypt crate";

const SINGLE_CRATE: Wanted = Wanted::times(Bound::AtMost(1.08));
const SINGLE_LANE: Wanted = Wanted::times(Bound::AtMost(1.02)).with_goal(1.0);
const GAINS: [(usize, Wanted); 3] = [
    (2, Wanted::times(Bound::AtLeast(1.8)).with_goal(1.87)),
    (4, Wanted::times(Bound::AtLeast(3.1)).with_goal(3.25)),
    (8, Wanted::times(Bound::AtLeast(3.6)).with_goal(3.86)),
];

/// An odd factor, so that the bytes of the salts differ in most bits.
const SPREAD: u8 = 0x9d;
