//! Argon2id beside the C reference and the `argon2` crate.

use saltern_algorithm::lanes_for_bench::Argon2;
use saltern_algorithm::{Admitted, Ceilings, compute};
use saltern_encoded::argon2::{Params as Argon2Params, Variant, Version};
use saltern_encoded::{NEW_SALT_BYTES, Params, Setting};

use crate::{
    argon2_c::Argon2C,
    arguments::Arguments,
    measure::{Contender, Measurement, compare},
};

pub(crate) fn measure(arguments: &Arguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let mut measurements = Vec::new();
    for (memory_kib, passes) in COSTS {
        let params =
            Argon2Params::new(Variant::Id, Version::V19, memory_kib, passes, 1).ok_or("no such cost")?;
        let setting = Setting::fresh(Params::Argon2(params), [0xa5; NEW_SALT_BYTES]);
        let admitted = Admitted::new(setting, &CEILINGS)?;
        let Setting::Argon2(setting) = admitted.setting() else { return Err("not argon2".into()) };
        let expected = [compute(&admitted, PASSWORD).expect("memory for a hash").expose().to_vec()];

        let mut c = Argon2C::new(usize::try_from(admitted.memory_bytes())?)?;
        let mut paths = Argon2::paths(admitted.memory_bytes());
        // The first row is what the others are compared to: once each.
        for first in [Baseline::Crate, Baseline::C] {
            let by_crate = Contender {
                name: "argon2 crate, fresh memory".into(),
                at_once: 1,
                run: Box::new(|| {
                    vec![compute(&admitted, PASSWORD).expect("memory for a hash").expose().to_vec()]
                }),
            };
            let by_c = Contender {
                name: "C reference, kept memory".into(),
                at_once: 1,
                run: Box::new(|| vec![c.hash(setting, PASSWORD).unwrap_or_default()]),
            };
            let mut contenders = match first {
                Baseline::Crate => vec![by_crate, by_c],
                Baseline::C => vec![by_c, by_crate],
            };
            for (name, kernel) in &mut paths {
                let run = || {
                    kernel
                        .compute(&admitted, PASSWORD)
                        .map_or(vec![], |output| vec![output.expose().to_vec()])
                };
                contenders.push(Contender {
                    name: format!("this kernel, {name}"),
                    at_once: 1,
                    run: Box::new(run),
                });
            }
            let title = format!("argon2id, {memory_kib} KiB, {passes} passes, 1 lane");
            measurements.push(compare(title, &expected, &mut contenders, arguments.rounds)?);
        }
    }
    Ok(measurements)
}

enum Baseline {
    Crate,
    C,
}

/// The two that OWASP's Password Storage Cheat Sheet names first: KiB and passes.
const COSTS: [(u32, u32); 2] = [(19_456, 2), (47_104, 1)];

const PASSWORD: &[u8] = b"correct horse battery staple";

/// Only argon2 is measured here: what [`COSTS`] need, and nothing else.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 0,
    argon2_memory_kib: 64 << 10,
    argon2_memory_passes_kib: 64 << 10,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: 0,
    scrypt_memory_bytes: 0,
    scrypt_n_r_p: 0,
};
