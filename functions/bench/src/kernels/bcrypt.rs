//! bcrypt beside libxcrypt and the `bcrypt` crate.

use std::ffi::CString;

use saltern_algorithm::{Admitted, Ceilings, compute, lanes_for_bench};
use saltern_encoded::{Encoded, Params, Setting, bcrypt};

use crate::{
    arguments::Arguments,
    libxcrypt::Libxcrypt,
    measure::{Contender, Measurement, compare},
};

pub(crate) fn measure(arguments: &Arguments) -> Result<Vec<Measurement>, Box<dyn core::error::Error>> {
    let cost = arguments.bcrypt_cost;
    let params = bcrypt::Params::new(cost).ok_or("--cost must be 4 to 31")?;
    let work = (0..MOST_AT_ONCE).map(|index| Work::new(params, index)).collect::<Result<Vec<_>, _>>()?;
    let expected: Vec<Vec<u8>> = work.iter().map(Work::by_crate).collect();

    let mut libxcrypt = Libxcrypt::open()?;
    let by_libxcrypt = || vec![work[0].by_libxcrypt(&mut libxcrypt).unwrap_or_default()];
    let mut contenders = vec![
        Contender { name: "libxcrypt crypt_r".into(), at_once: 1, run: Box::new(by_libxcrypt) },
        Contender { name: "bcrypt crate".into(), at_once: 1, run: Box::new(|| vec![work[0].by_crate()]) },
    ];
    for &lanes in &arguments.bcrypt_lanes {
        let work = work.get(..lanes).filter(|work| !work.is_empty()).ok_or("--lanes must be 1 to 8")?;
        let run = || by_lanes(work);
        contenders.push(Contender { name: format!("lanes x{lanes}"), at_once: lanes, run: Box::new(run) });
    }
    let title = format!(
        "bcrypt, cost {cost} (a worker here keeps {} lanes)",
        lanes_for_bench::bcrypt_lanes_that_fit_l1()
    );
    Ok(vec![compare(title, &expected, &mut contenders, arguments.rounds)?])
}

/// One hash to compute, in the form that each contender wants.
struct Work {
    admitted: Admitted,
    password: CString,
    setting_text: CString,
}

impl Work {
    /// Each lane gets its own password and salt: equal ones would share cache lines' contents and prefetches.
    fn new(params: bcrypt::Params, index: u8) -> Result<Self, Box<dyn core::error::Error>> {
        let setting =
            Setting::fresh(Params::Bcrypt(params), [index.wrapping_mul(SPREAD).wrapping_add(1); 16]);
        let text = Encoded::new(setting.clone(), &[0; bcrypt::OUTPUT_BYTES]).ok_or("no text")?.to_string();
        Ok(Self {
            admitted: Admitted::new(setting, &CEILINGS)?,
            password: CString::new(format!("correct horse battery {index}"))?,
            setting_text: CString::new(text)?,
        })
    }

    fn by_crate(&self) -> Vec<u8> {
        compute(&self.admitted, self.password.as_bytes()).expect("memory for a hash").expose().to_vec()
    }

    /// `None` where libxcrypt refuses the setting or prints another form than ours.
    fn by_libxcrypt(&self, libxcrypt: &mut Libxcrypt) -> Option<Vec<u8>> {
        let text = libxcrypt.hash(&self.password, &self.setting_text)?;
        Some(saltern_encoded::parse(&text).ok()?.output().to_vec())
    }
}

fn by_lanes(work: &[Work]) -> Vec<Vec<u8>> {
    let hashes: Vec<_> = work.iter().map(|work| (&work.admitted, work.password.as_bytes())).collect();
    lanes_for_bench::bcrypt(&hashes).iter().map(|output| output.expose().to_vec()).collect()
}

/// Lanes of the widest kernel.
const MOST_AT_ONCE: u8 = 8;

/// An odd number that makes the salts' bytes differ in most bits.
const SPREAD: u8 = 0x9d;

/// Only bcrypt is measured here: its format's own highest cost, and nothing else.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: bcrypt::MAX_COST,
    argon2_memory_kib: 0,
    argon2_memory_passes_kib: 0,
    argon2_parallelism: 0,
    pbkdf2_iterations_blocks: 0,
    scrypt_memory_bytes: 0,
    scrypt_n_r_p: 0,
};
