//! scrypt beside the `scrypt` crate, and several hashes side by side.

use saltern_algorithm::paths::Scrypt;
use saltern_algorithm::{Admitted, compute};
use saltern_encoded::{Params, scrypt};

use super::super::{
    arguments::KernelsArguments,
    figure::{Bound, Figure, Wanted},
    rounds::{Contender, Measurement, compare_on_cores},
};
use super::{super::cores, PASSWORD, admitted, in_lanes, side_by_side};

/// Returns the figures of the fastest kernel for this machine.
pub(crate) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    let figures = |&(log_n, against_the_crate, in_lanes): &(u8, Wanted, Wanted)| {
        let of = |title: String| measurements.iter().find(move |m| m.title == title);
        let fastest = of(title(log_n)).and_then(|m| m.rows.iter().find(|row| row.name.starts_with(OURS)));
        let cost = format!("scrypt N=2^{log_n} r=8, all cores busy");
        let alone = Figure::new(
            format!("{cost}, one hash: time against the {CRATE}"),
            against_the_crate,
            fastest.map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone()),
        );
        [
            alone.with_note(fastest.map_or("", |row| row.name.trim_start_matches(OURS))),
            side_by_side(&cost, in_lanes, of(title_of_lanes(log_n))),
        ]
    };
    WANTED.iter().flat_map(figures).collect()
}

/// Measures each set of instructions against the crate, and the fastest one by its number of lanes.
/// All cores do the same, so that they share the way to the memory.
pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let mut measurements = Vec::new();
    for (log_n, ..) in WANTED {
        let params = scrypt::Params::new(log_n, R, 1).ok_or("scrypt's range")?;
        let admitted = admitted(Params::Scrypt(params))?;
        let passwords = [0, 1, 2, 3].map(|number| format!("{PASSWORD} {number}"));
        let passwords = passwords.each_ref().map(String::as_bytes);
        let expected: Vec<_> = passwords.iter().map(|password| by_crate(&admitted, password)).collect();
        let keep_bytes = MOST_LANES as u64 * admitted.memory_bytes().next_multiple_of(HUGE_PAGE_BYTES);
        let kernels: Vec<_> = (0..cores()).map(|_| Scrypt::paths(keep_bytes)).collect();

        let mut by_instructions: Vec<_> =
            kernels.iter().map(|kernels| beside_the_crate(kernels, &admitted, &passwords)).collect();
        let mut by_lanes: Vec<_> = kernels
            .iter()
            .map(|kernels| in_any_number_of_lanes(&kernels[0].1, &admitted, &passwords))
            .collect();
        for (title, contenders) in
            [(title(log_n), &mut by_instructions), (title_of_lanes(log_n), &mut by_lanes)]
        {
            let mut cores: Vec<_> = contenders.iter_mut().map(Vec::as_mut_slice).collect();
            measurements.push(compare_on_cores(title, &expected, &mut cores, arguments.rounds.get())?);
        }
    }
    Ok(measurements)
}

/// Returns the crate, and each set of instructions with one lane and with all.
fn beside_the_crate<'a>(
    kernels: &'a [(&'static str, Scrypt)],
    admitted: &'a Admitted,
    passwords: &'a [&[u8]],
) -> Vec<Contender<'a>> {
    let run = move || vec![by_crate(admitted, passwords[0])];
    let mut contenders = vec![Contender { name: CRATE.into(), at_once: 1, run: Box::new(run) }];
    for (name, kernel) in kernels {
        contenders.push(contender(format!("{OURS}{name}"), 1, kernel, admitted, passwords));
        let name = format!("{OURS}{name}, {}", in_lanes(MOST_LANES));
        contenders.push(contender(name, MOST_LANES, kernel, admitted, passwords));
    }
    contenders
}

/// Returns one hash, and then two to all of the hashes side by side.
fn in_any_number_of_lanes<'a>(
    kernel: &'a Scrypt,
    admitted: &'a Admitted,
    passwords: &'a [&[u8]],
) -> Vec<Contender<'a>> {
    (1..=MOST_LANES)
        .map(|at_once| contender(in_lanes(at_once), at_once, kernel, admitted, passwords))
        .collect()
}

fn contender<'a>(
    name: String,
    at_once: usize,
    kernel: &'a Scrypt,
    admitted: &'a Admitted,
    passwords: &'a [&[u8]],
) -> Contender<'a> {
    let run = move || {
        let outputs = kernel.compute_in_lanes(admitted, &passwords[..at_once]).unwrap_or_default();
        outputs.iter().map(|output| output.expose().to_vec()).collect()
    };
    Contender { name, at_once, run: Box::new(run) }
}

fn by_crate(admitted: &Admitted, password: &[u8]) -> Vec<u8> {
    compute(admitted, password).expect("memory for a hash").expose().to_vec()
}

fn title(log_n: u8) -> String {
    format!("scrypt, N=2^{log_n} r={R}, all cores busy")
}

fn title_of_lanes(log_n: u8) -> String {
    format!("scrypt, N=2^{log_n} r={R}, hashes side by side, all cores busy")
}

/// The baseline of one hash.
const CRATE: &str = "scrypt crate, fresh memory";

/// The prefix of the names of Saltern's kernels.
const OURS: &str = "this kernel, ";

/// The lanes of a worker.
const MOST_LANES: usize = 4;

/// Arenas keep memory in huge pages.
const HUGE_PAGE_BYTES: u64 = 2 << 20;

/// The r of all recommendations.
const R: u32 = 8;

/// The costs: log N of Node's default and of OWASP's first recommendation. For each, the bound of
/// one hash and of several side by side.
const WANTED: [(u8, Wanted, Wanted); 2] = [
    (14, Wanted::times(Bound::AtMost(1.0)), Wanted::times(Bound::AtLeast(1.5)).with_goal(2.5)),
    (17, Wanted::times(Bound::AtMost(1.0)), Wanted::times(Bound::AtLeast(1.5)).with_goal(2.5)),
];
