//! argon2id beside the C reference and the `argon2` crate.

use saltern_algorithm::paths::Argon2;
use saltern_algorithm::{Admitted, compute};
use saltern_encoded::Setting;

use super::super::{
    arguments::KernelsArguments,
    figure::{Bound, Figure, Wanted},
    peers::argon2::Argon2C,
    rounds::{Contender, Measurement, compare, compare_on_cores},
};
use super::{super::cores, PASSWORD, admitted, argon2id, in_lanes, side_by_side};

/// Returns the figures of the fastest kernel for this machine.
pub(crate) fn figures(measurements: &[Measurement]) -> Vec<Figure> {
    let figure = |&((memory_kib, passes), baseline, wanted): &((u32, u32), Baseline, Wanted)| {
        let (title, against) = (title(memory_kib, passes), baseline.name());
        let is_this =
            |m: &&Measurement| m.title == title && m.rows.first().is_some_and(|row| row.name == against);
        let measurement = measurements.iter().find(is_this);
        let fastest = measurement.and_then(|m| m.rows.iter().find(|row| row.name.starts_with(OURS)));
        let what =
            format!("argon2id {} MiB t={passes}, one hash: time against the {against}", memory_kib >> 10);
        let samples = fastest.map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone());
        Figure::new(what, wanted, samples)
            .with_note(fastest.map_or("", |row| row.name.trim_start_matches(OURS)))
    };
    WANTED.iter().map(figure).chain(figures_of_lanes(measurements)).collect()
}

/// Returns the figures of a lone hash in the code of the lanes, and of several hashes side by side.
fn figures_of_lanes(measurements: &[Measurement]) -> impl Iterator<Item = Figure> {
    let figures = |&((memory_kib, passes), wanted): &((u32, u32), Option<Wanted>)| {
        let of = |title: String| measurements.iter().find(move |measurement| measurement.title == title);
        let lone = of(title_of_a_lone_hash(memory_kib, passes)).and_then(|m| m.row(&in_lanes(1)));
        let cost = format!("argon2id {} MiB t={passes}, all cores busy", memory_kib >> 10);
        let alone = Figure::new(
            format!("{cost}, 1 lane: time against a hash computed whole"),
            ALONE_IN_A_LANE,
            lone.map_or_else(Vec::new, |row| row.call_time_ratio_samples.clone()),
        );
        let in_lanes = of(title_of_lanes(memory_kib, passes));
        let side_by_side = wanted.map(|wanted| side_by_side(&cost, wanted, in_lanes));
        [Some(alone), side_by_side]
    };
    COSTS_IN_LANES.iter().flat_map(figures).flatten()
}

pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let mut measurements = Vec::new();
    for (memory_kib, passes) in COSTS {
        let admitted = admitted(argon2id(memory_kib, passes))?;
        let password = PASSWORD.as_bytes();
        let Setting::Argon2(setting) = admitted.setting() else { return Err("not argon2".into()) };
        let expected = [compute(&admitted, password).expect("memory for a hash").expose().to_vec()];

        let mut c = Argon2C::new(usize::try_from(admitted.memory_bytes())?)?;
        let paths = Argon2::paths(admitted.memory_bytes());
        // The first row is the baseline: each of both once.
        for first in [Baseline::Crate, Baseline::C] {
            let by_crate = Contender {
                name: Baseline::Crate.name().into(),
                at_once: 1,
                run: Box::new(|| {
                    vec![compute(&admitted, password).expect("memory for a hash").expose().to_vec()]
                }),
            };
            let by_c = Contender {
                name: Baseline::C.name().into(),
                at_once: 1,
                run: Box::new(|| vec![c.hash(setting, password).unwrap_or_default()]),
            };
            let mut contenders = match first {
                Baseline::Crate => vec![by_crate, by_c],
                Baseline::C => vec![by_c, by_crate],
            };
            for (name, kernel) in &paths {
                let run = || vec![alone(kernel, &admitted, password)];
                contenders.push(Contender { name: format!("{OURS}{name}"), at_once: 1, run: Box::new(run) });
            }
            measurements.push(compare(
                title(memory_kib, passes),
                &expected,
                &mut contenders,
                arguments.rounds.get(),
            )?);
        }
    }
    for ((memory_kib, passes), _) in COSTS_IN_LANES {
        measurements.extend(measure_lanes(memory_kib, passes, arguments)?);
    }
    Ok(measurements)
}

/// Measures a lone hash in a lane, and several hashes side by side, against hashes that are
/// computed whole. All run on the fastest kernel of this machine. All cores do the same, so that
/// they share the way to the memory.
///
/// A lone hash is measured apart: after several hashes its memory is in no cache.
fn measure_lanes(
    memory_kib: u32,
    passes: u32,
    arguments: &KernelsArguments,
) -> Result<[Measurement; 2], Box<dyn core::error::Error>> {
    let admitted = admitted(argon2id(memory_kib, passes))?;
    let passwords: Vec<_> = (0..MOST_LANES).map(|index| format!("{PASSWORD} {index}")).collect();
    let passwords: Vec<&[u8]> = passwords.iter().map(String::as_bytes).collect();
    let fastest = || Argon2::paths(admitted.memory_bytes() * u64::from(MOST_LANES)).into_iter().next();
    let kernels: Vec<_> = (0..cores())
        .map(|_| fastest().map(|(_, kernel)| kernel))
        .collect::<Option<_>>()
        .ok_or("no kernel")?;
    let expected: Vec<_> = passwords.iter().map(|password| alone(&kernels[0], &admitted, password)).collect();
    let measure = |title, passwords: &[&[u8]], rounds| {
        let mut contenders: Vec<_> =
            kernels.iter().map(|kernel| contenders_in_lanes(kernel, &admitted, passwords)).collect();
        let mut cores: Vec<_> = contenders.iter_mut().map(Vec::as_mut_slice).collect();
        compare_on_cores(title, &expected, &mut cores, rounds)
    };
    let rounds = arguments.rounds.get();
    let lone_rounds = rounds * ROUNDS_OF_A_LONE_HASH;
    let lone = measure(title_of_a_lone_hash(memory_kib, passes), &passwords[..1], lone_rounds)?;
    Ok([lone, measure(title_of_lanes(memory_kib, passes), &passwords, rounds)?])
}

/// Returns one hash after the other, and then one to all of the hashes side by side.
fn contenders_in_lanes<'a>(
    kernel: &'a Argon2,
    admitted: &'a Admitted,
    passwords: &'a [&[u8]],
) -> Vec<Contender<'a>> {
    let one = move || vec![alone(kernel, admitted, passwords[0])];
    let mut contenders = vec![Contender { name: ALONE.into(), at_once: 1, run: Box::new(one) }];
    contenders.extend((1..=passwords.len()).map(|at_once| {
        let run = move || {
            let outputs = kernel.compute_in_lanes(admitted, &passwords[..at_once]).unwrap_or_default();
            outputs.iter().map(|output| output.expose().to_vec()).collect()
        };
        Contender { name: in_lanes(at_once), at_once, run: Box::new(run) }
    }));
    contenders
}

fn alone(kernel: &Argon2, admitted: &Admitted, password: &[u8]) -> Vec<u8> {
    kernel.compute(admitted, password).map_or(vec![], |output| output.expose().to_vec())
}

fn title_of_lanes(memory_kib: u32, passes: u32) -> String {
    format!("argon2id, {memory_kib} KiB, {passes} passes, hashes side by side, all cores busy")
}

fn title_of_a_lone_hash(memory_kib: u32, passes: u32) -> String {
    format!("argon2id, {memory_kib} KiB, {passes} passes, a lone hash, all cores busy")
}

fn title(memory_kib: u32, passes: u32) -> String {
    format!("argon2id, {memory_kib} KiB, {passes} passes, 1 lane")
}

#[derive(Clone, Copy)]
enum Baseline {
    Crate,
    C,
}

impl Baseline {
    /// The crate allocates fresh memory by default. The C code is built for the vectors of this
    /// machine.
    fn name(self) -> &'static str {
        match self {
            Self::Crate => "argon2 crate, fresh memory",
            Self::C => "C reference, kept memory",
        }
    }
}

/// A lone hash gets so many times the rounds, because its result is near its bound.
const ROUNDS_OF_A_LONE_HASH: usize = 5;

/// The baseline of the lanes.
const ALONE: &str = "one after the other";

/// The most lanes that are measured. A worker has four.
const MOST_LANES: u32 = 5;

/// KiB and passes of the hashes in lanes: the two of OWASP above, the memory of RFC 9106's second
/// recommendation, and four times that. 19 MiB gain nothing that is sure.
const COSTS_IN_LANES: [((u32, u32), Option<Wanted>); 5] = [
    (MIB_19, None),
    (MIB_46, Some(Wanted::times(Bound::AtLeast(1.15)))),
    ((65_536, 3), Some(Wanted::times(Bound::AtLeast(1.6)))),
    ((65_536, 4), Some(Wanted::times(Bound::AtLeast(1.6)))),
    ((262_144, 1), Some(Wanted::times(Bound::AtLeast(1.35)))),
];
const ALONE_IN_A_LANE: Wanted = Wanted::times(Bound::AtMost(1.02));

/// The prefix of the names of Saltern's kernels.
const OURS: &str = "this kernel, ";

/// The first two of OWASP's Password Storage Cheat Sheet: KiB and passes.
const COSTS: [(u32, u32); 2] = [MIB_19, MIB_46];
const MIB_19: (u32, u32) = (19_456, 2);
const MIB_46: (u32, u32) = (47_104, 1);

const WANTED: [((u32, u32), Baseline, Wanted); 4] = [
    (MIB_19, Baseline::Crate, Wanted::times(Bound::AtMost(0.50)).with_goal(0.43)),
    (MIB_19, Baseline::C, Wanted::times(Bound::AtMost(1.00)).with_goal(0.87)),
    (MIB_46, Baseline::Crate, Wanted::times(Bound::AtMost(0.33)).with_goal(0.26)),
    (MIB_46, Baseline::C, Wanted::times(Bound::AtMost(1.00)).with_goal(0.80)),
];
