//! PBKDF2 beside the fastest libraries, which compute one hash at a time.

use core::num::NonZeroU32;

use aws_lc_rs::pbkdf2 as aws_lc;
use saltern_algorithm::{
    Admitted, compute,
    paths::{self, Pbkdf2Path},
};
use saltern_encoded::{
    Params, Setting,
    pbkdf2::{self, Prf},
};
use saltern_meter::Meter;

use super::super::{
    arguments::KernelsArguments,
    figure::{Bound, Figure, Wanted},
    rounds::{Contender, Measurement, compare},
};
use super::CEILINGS;

/// Returns the figures of the PBKDF2 kernels.
pub(crate) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    let figure = |&(function, path, at_once, wanted): &(&str, &str, usize, Wanted)| {
        let what =
            format!("PBKDF2-{function}, {at_once} at once by {path}: hashes per core against one by one");
        let measurement = measurements.iter().find(|m| m.title.starts_with(&format!("PBKDF2-{function},")));
        let row = measurement.and_then(|m| Some((m.rows.first()?, m.row(&contender_name(path, at_once))?)));
        match row {
            None => Figure::not_measured(what, wanted, &format!("this machine has no {path}")),
            Some((library, row)) => Figure::new(what, wanted, row.hashes_per_core_ratio_samples.clone())
                .with_note(format!("against {}", library.name)),
        }
    };
    WANTED.iter().map(figure).collect()
}

pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    PRFS.iter().map(|(prf, name)| measure_prf(*prf, name, arguments)).collect()
}

fn measure_prf(
    prf: Prf,
    name: &str,
    arguments: &KernelsArguments,
) -> Result<Measurement, Box<dyn core::error::Error>> {
    let iterations = arguments.iterations.get();
    let params = pbkdf2::Params::new(prf, iterations).ok_or("PBKDF2 does not have so many iterations")?;
    let work = (0..MOST_AT_ONCE).map(|index| Work::new(params, index)).collect::<Result<Vec<_>, _>>()?;
    let expected: Vec<Vec<u8>> = work.iter().map(Work::by_crate).collect();

    let mut contenders = fastest_first(&expected, libraries(&work[0]))?;
    let width = Meter::new().lanes(&work[0].admitted);
    for at_once in AT_ONCE {
        contenders.push(lanes("lanes", None, &work[..at_once]));
    }
    for (path, streams) in paths::pbkdf2_paths(prf) {
        let wanted = WANTED.iter().filter(|(function, by, ..)| *function == name && *by == path.to_string());
        let mut at_once: Vec<_> =
            streams.into_iter().chain(wanted.map(|(_, _, at_once, _)| *at_once)).collect();
        at_once.sort_unstable();
        at_once.dedup();
        for at_once in at_once {
            contenders.push(lanes(&path.to_string(), Some(path), &work[..at_once]));
        }
    }
    let title = format!("PBKDF2-{name}, {iterations} iterations (a worker here has {width} lanes)");
    Ok(compare(title, &expected, &mut contenders, arguments.rounds.get())?)
}

fn libraries(work: &Work) -> Vec<Contender<'_>> {
    let by_crate = || vec![work.by_crate()];
    let by_aws_lc = || vec![work.by_aws_lc()];
    vec![
        Contender { name: "pbkdf2 crate".into(), at_once: 1, run: Box::new(by_crate) },
        Contender { name: "aws-lc-rs".into(), at_once: 1, run: Box::new(by_aws_lc) },
    ]
}

/// Sorts the libraries, so that the fastest becomes the baseline.
fn fastest_first<'a>(
    expected: &[Vec<u8>],
    mut libraries: Vec<Contender<'a>>,
) -> Result<Vec<Contender<'a>>, Box<dyn core::error::Error>> {
    let measured = compare(String::new(), expected, &mut libraries, ROUNDS_TO_SORT)?;
    let mut sorted: Vec<_> = libraries.into_iter().zip(measured.rows).collect();
    sorted.sort_by(|(_, one), (_, other)| one.call_ms.total_cmp(&other.call_ms));
    Ok(sorted.into_iter().map(|(library, _)| library).collect())
}

fn lanes<'a>(path_name: &str, path: Option<Pbkdf2Path>, work: &'a [Work]) -> Contender<'a> {
    let run = move || {
        let hashes: Vec<_> = work.iter().map(|work| (&work.admitted, work.password.as_bytes())).collect();
        paths::pbkdf2(path, &hashes).iter().map(|output| output.expose().to_vec()).collect()
    };
    let at_once = work.len();
    Contender { name: contender_name(path_name, at_once), at_once, run: Box::new(run) }
}

fn contender_name(path: &str, at_once: usize) -> String {
    format!("{path} x{at_once}")
}

/// A hash to compute, in the form that each contender needs.
struct Work {
    admitted: Admitted,
    params: pbkdf2::Params,
    password: String,
}

impl Work {
    fn new(params: pbkdf2::Params, index: u8) -> Result<Self, Box<dyn core::error::Error>> {
        let setting = Setting::fresh(Params::Pbkdf2(params), [index; 16]);
        let admitted = Admitted::new(setting, &CEILINGS)?;
        Ok(Self { admitted, params, password: format!("correct horse battery {index}") })
    }

    fn by_crate(&self) -> Vec<u8> {
        compute(&self.admitted, self.password.as_bytes()).expect("memory for a hash").expose().to_vec()
    }

    fn by_aws_lc(&self) -> Vec<u8> {
        let setting = self.admitted.setting();
        let algorithm = match self.params.prf() {
            Prf::Sha1 => aws_lc::PBKDF2_HMAC_SHA1,
            Prf::Sha256 => aws_lc::PBKDF2_HMAC_SHA256,
            Prf::Sha512 => aws_lc::PBKDF2_HMAC_SHA512,
        };
        let iterations = NonZeroU32::new(self.params.iterations()).unwrap_or(NonZeroU32::MIN);
        let mut output = vec![0; setting.output_bytes()];
        aws_lc::derive(algorithm, iterations, setting.salt(), self.password.as_bytes(), &mut output);
        output
    }
}

const PRFS: [(Prf, &str); 3] = [(Prf::Sha512, "SHA512"), (Prf::Sha256, "SHA256"), (Prf::Sha1, "SHA1")];

/// Function, code path, hashes at once.
const WANTED: [(&str, &str, usize, Wanted); 4] = [
    ("SHA512", "Avx2", 8, Wanted::times(Bound::AtLeast(1.7)).with_goal(1.9)),
    ("SHA512", "Avx512", 8, Wanted::times(Bound::AtLeast(3.5)).with_goal(4.7)),
    ("SHA256", "ShaNi", 2, Wanted::times(Bound::AtLeast(1.4)).with_goal(1.7)),
    ("SHA256", "Avx512", 16, Wanted::times(Bound::AtLeast(2.4)).with_goal(3.2)),
];

/// Numbers of lanes for the fastest kernels. Each code path is also measured with all its kernels.
const AT_ONCE: [usize; 8] = [1, 2, 3, 4, 6, 8, 16, 32];

/// Lanes of the widest kernel.
const MOST_AT_ONCE: u8 = 32;

/// Enough to find the fastest library.
const ROUNDS_TO_SORT: usize = 3;
