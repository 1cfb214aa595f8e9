//! argon2id beside the C reference and the `argon2` crate.

use saltern_algorithm::kernels_for_bench::Argon2;
use saltern_algorithm::{Admitted, compute};
use saltern_encoded::argon2::{Params as Argon2Params, Variant, Version};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting};

use super::super::{
    arguments::KernelsArguments,
    figure::{Bound, Figure, Wanted},
    peers::argon2::Argon2C,
    rounds::{Contender, Measurement, compare},
};
use super::CEILINGS;

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
    WANTED.iter().map(figure).collect()
}

pub(crate) fn measure(arguments: &KernelsArguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let mut measurements = Vec::new();
    for (memory_kib, passes) in COSTS {
        let params =
            Argon2Params::new(Variant::Id, Version::V19, memory_kib, passes, 1).ok_or("no such cost")?;
        let setting = Setting::fresh(Params::Argon2(params), [0xa5; NEW_SALT_BYTES]);
        let admitted = Admitted::new(setting, &CEILINGS)?;
        let Setting::Argon2(setting) = admitted.setting() else { return Err("not argon2".into()) };
        let expected = [compute(&admitted, PASSWORD).expect("memory for a hash").expose().to_vec()];

        let mut c = Argon2C::new(usize::try_from(admitted.memory_bytes())?)?;
        let paths = Argon2::paths(admitted.memory_bytes());
        // The first row is the baseline: each of both once.
        for first in [Baseline::Crate, Baseline::C] {
            let by_crate = Contender {
                name: Baseline::Crate.name().into(),
                at_once: 1,
                run: Box::new(|| {
                    vec![compute(&admitted, PASSWORD).expect("memory for a hash").expose().to_vec()]
                }),
            };
            let by_c = Contender {
                name: Baseline::C.name().into(),
                at_once: 1,
                run: Box::new(|| vec![c.hash(setting, PASSWORD).unwrap_or_default()]),
            };
            let mut contenders = match first {
                Baseline::Crate => vec![by_crate, by_c],
                Baseline::C => vec![by_c, by_crate],
            };
            for (name, kernel) in &paths {
                let run = || {
                    kernel
                        .compute(&admitted, PASSWORD)
                        .map_or(vec![], |output| vec![output.expose().to_vec()])
                };
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
    for (memory_kib, passes) in COSTS_IN_LANES {
        measurements.push(measure_lanes(memory_kib, passes, arguments)?);
    }
    Ok(measurements)
}

/// Measures several hashes side by side against one after the other, by the fastest kernel for this
/// machine.
fn measure_lanes(
    memory_kib: u32,
    passes: u32,
    arguments: &KernelsArguments,
) -> Result<Measurement, Box<dyn core::error::Error>> {
    let params = Argon2Params::new(Variant::Id, Version::V19, memory_kib, passes, 1).ok_or("no such cost")?;
    let setting = Setting::fresh(Params::Argon2(params), [0xa5; NEW_SALT_BYTES]);
    let admitted = Admitted::new(setting, &CEILINGS)?;
    let passwords: Vec<_> = (0..MOST_LANES).map(|index| format!("correct horse battery {index}")).collect();
    let passwords: Vec<&[u8]> = passwords.iter().map(String::as_bytes).collect();
    let paths = Argon2::paths(admitted.memory_bytes() * u64::from(MOST_LANES));
    let (_, kernel) = paths.first().ok_or("no kernel")?;
    let exposed = |output: saltern_algorithm::Output| output.expose().to_vec();
    let alone = |password| kernel.compute(&admitted, password).map_or(vec![], exposed);
    let expected: Vec<_> = passwords.iter().map(|password| alone(password)).collect();
    let mut contenders =
        vec![Contender { name: ALONE.into(), at_once: 1, run: Box::new(|| vec![alone(passwords[0])]) }];
    for at_once in 1..=passwords.len() {
        let (admitted, passwords) = (&admitted, &passwords[..at_once]);
        let run = move || {
            let outputs = kernel.compute_in_lanes(admitted, passwords).unwrap_or_default();
            outputs.into_iter().map(exposed).collect()
        };
        contenders.push(Contender { name: in_lanes(at_once), at_once, run: Box::new(run) });
    }
    let title = format!("argon2id, {memory_kib} KiB, {passes} passes, hashes side by side");
    Ok(compare(title, &expected, &mut contenders, arguments.rounds.get())?)
}

/// Returns the name of the contender with this many hashes side by side.
fn in_lanes(at_once: usize) -> String {
    format!("lanes x{at_once}")
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

/// The baseline of the lanes.
const ALONE: &str = "one after the other";

/// The most lanes that are measured. A worker has four.
const MOST_LANES: u32 = 5;

/// KiB and passes of the hashes in lanes: the two of OWASP above, the memory of RFC 9106's second
/// recommendation, and four times that.
const COSTS_IN_LANES: [(u32, u32); 5] = [MIB_19, MIB_46, MIB_64, (65_536, 4), (262_144, 1)];
const MIB_64: (u32, u32) = (65_536, 3);

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

const PASSWORD: &[u8] = b"correct horse battery staple";
