//! The contenders: other libraries, and each of Saltern's kernels.

use core::{error::Error, num::NonZeroU32};
use std::{ffi::CString, num::NonZeroUsize, sync::Arc};

use aws_lc_rs::pbkdf2 as aws_lc;
use saltern_encoded::{
    Encoded, NEW_SALT_BYTES, Params, Setting,
    pbkdf2::{Params as Pbkdf2Params, Prf},
};
use saltern_kernels::{
    Admitted, Ceilings, Password, compute,
    paths::{self, Argon2, Pbkdf2Path, Scrypt},
};
use saltern_pool::{OneCore, PoolSettings};

use super::{
    peers::{argon2::Argon2C, libxcrypt::Libxcrypt},
    rounds::Contender,
};
use crate::measure::{Limit, huge_pages};

/// Hashes of one setting, one for each password.
pub(crate) struct Hashes {
    pub(crate) admitted: Admitted,
    passwords: Vec<String>,
    /// The first hash as text.
    pub(crate) stored: String,
}

impl Hashes {
    /// Hashes with a new salt.
    pub(crate) fn new(params: Params, count: usize) -> Result<Self, Box<dyn Error>> {
        let admitted = Admitted::new(Setting::fresh(params, [0xa5; NEW_SALT_BYTES]), &CEILINGS)?;
        let output = compute(&admitted, password(0).as_bytes())?;
        let stored = Encoded::new(admitted.setting().clone(), output.expose()).ok_or("no text")?.to_string();
        Ok(Self { admitted, passwords: (0..count).map(password).collect(), stored })
    }

    /// The hash that libxcrypt makes by a setting of crypt(3).
    pub(crate) fn by_crypt(setting: &str) -> Result<Self, Box<dyn Error>> {
        let stored = Libxcrypt::open()?.hash(&CString::new(password(0))?, &CString::new(setting)?);
        let stored = stored.ok_or("libxcrypt refuses the setting")?;
        let admitted = Admitted::new(saltern_encoded::parse(&stored)?.setting().clone(), &CEILINGS)?;
        Ok(Self { admitted, passwords: vec![password(0)], stored })
    }

    /// Returns the outputs, by the reference crates.
    pub(crate) fn outputs(&self) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
        let output = |password: &String| Ok(compute(&self.admitted, password.as_bytes())?.expose().to_vec());
        self.passwords.iter().map(output).collect()
    }

    /// Returns the password of the first hash.
    pub(crate) fn password(&self) -> &str {
        &self.passwords[0]
    }

    /// Returns the memory of all hashes side by side.
    pub(crate) fn memory_bytes(&self) -> u64 {
        // Arenas keep memory in huge pages.
        let of_one = self.admitted.memory_bytes().next_multiple_of(HUGE_PAGE_BYTES);
        of_one * self.passwords.len() as u64
    }

    fn passwords(&self, count: usize) -> Vec<&[u8]> {
        self.passwords[..count].iter().map(String::as_bytes).collect()
    }

    fn each(&self, count: usize) -> Vec<(&Admitted, &[u8])> {
        self.passwords(count).into_iter().map(|password| (&self.admitted, password)).collect()
    }
}

fn password(index: usize) -> String {
    format!("correct horse battery {index}")
}

/// The crate that `--kernels crates` uses. It allocates fresh memory by default.
pub(crate) fn by_crate<'a>(name: &str, hashes: &'a Hashes) -> Contender<'a> {
    let password = hashes.password().as_bytes();
    Contender::peer(name, move || Some(compute(&hashes.admitted, password).ok()?.expose().to_vec()))
}

/// `crypt_r` of libxcrypt.
pub(crate) fn by_libxcrypt(hashes: &Hashes) -> Result<Contender<'_>, Box<dyn Error>> {
    let mut libxcrypt = Libxcrypt::open()?;
    // A stored hash is also a setting.
    let (password, setting) = (CString::new(hashes.password())?, CString::new(hashes.stored.as_str())?);
    Ok(Contender::peer(LIBXCRYPT, move || {
        Some(saltern_encoded::parse(&libxcrypt.hash(&password, &setting)?).ok()?.output().to_vec())
    }))
}

/// `bcrypt_many` of the crate bcrypt-rust, with its own choice of vectors.
pub(crate) fn by_bcrypt_rust(hashes: &Hashes, at_once: usize) -> Result<Contender<'_>, Box<dyn Error>> {
    let setting = hashes.admitted.setting();
    let Setting::Bcrypt(bcrypt) = setting else { return Err("not bcrypt".into()) };
    let (cost, salts) = (bcrypt.params().cost(), vec![setting.salt().try_into()?; at_once]);
    let (passwords, bytes) = (hashes.passwords(at_once), setting.output_bytes());
    let name = format!("{BCRYPT_RUST}, {at_once} at once");
    Ok(Contender::many(name, at_once, move || {
        let outputs = bcrypt_rust::bcrypt_many(cost, &passwords, &salts).ok()?;
        Some(outputs.iter().map(|output| output[..bytes].to_vec()).collect())
    }))
}

/// As many steps as one hash has, each as short as the machine allows.
pub(crate) fn by_limit(hashes: &Hashes) -> Result<Contender<'_>, Box<dyn Error>> {
    let limit = Limit::of(hashes.admitted.setting()).ok_or("an algorithm without a limit")?;
    let output = compute(&hashes.admitted, hashes.password().as_bytes())?.expose().to_vec();
    let memory = match limit {
        Limit::Bytes(_) => huge_pages(usize::try_from(hashes.admitted.memory_bytes())?)?,
        Limit::Cycles { .. } => huge_pages(1)?,
    };
    // The output is the expected one, as a contender needs one.
    Ok(Contender::peer(limit.contender(), move || {
        limit.reach(&memory);
        Some(output.clone())
    }))
}

/// PBKDF2 of AWS-LC.
pub(crate) fn by_aws_lc<'a>(name: &str, params: Pbkdf2Params, hashes: &'a Hashes) -> Contender<'a> {
    let algorithm = match params.prf() {
        Prf::Sha1 => aws_lc::PBKDF2_HMAC_SHA1,
        Prf::Sha256 => aws_lc::PBKDF2_HMAC_SHA256,
        Prf::Sha512 => aws_lc::PBKDF2_HMAC_SHA512,
    };
    let (setting, password) = (hashes.admitted.setting(), hashes.password().as_bytes());
    Contender::peer(name, move || {
        let mut output = vec![0; setting.output_bytes()];
        let iterations = NonZeroU32::new(params.iterations())?;
        aws_lc::derive(algorithm, iterations, setting.salt(), password, &mut output);
        Some(output)
    })
}

/// The C reference of Argon2, built for the vectors of this machine.
pub(crate) fn by_argon2_c(hashes: &Hashes) -> Result<Contender<'_>, Box<dyn Error>> {
    let Setting::Argon2(setting) = hashes.admitted.setting() else { return Err("not argon2".into()) };
    let mut c = Argon2C::new(usize::try_from(hashes.admitted.memory_bytes())?)?;
    Ok(Contender::peer(ARGON2_C, move || c.hash(setting, hashes.password().as_bytes())))
}

/// Saltern's worker, by the fastest code of this machine and with as many hashes as it has lanes.
pub(crate) fn by_worker<'a>(name: &str, hashes: &'a Hashes) -> Contender<'a> {
    let kept_bytes = hashes.memory_bytes();
    let mut core = OneCore::new(&PoolSettings { kept_bytes, ..PoolSettings::new(NonZeroUsize::MIN) });
    let at_once = core.lanes(hashes.admitted.setting()).min(hashes.passwords.len());
    Contender::own(name, at_once, move || {
        let passwords = hashes.passwords(at_once).into_iter().map(|password| Password::new(password).ok());
        core.compute(&hashes.admitted, &passwords.collect::<Option<Vec<_>>>()?).ok()
    })
}

pub(crate) fn bcrypt_in_lanes(hashes: &Hashes, at_once: usize) -> Contender<'_> {
    Contender::own(lanes(at_once), at_once, move || Some(paths::bcrypt(&hashes.each(at_once))))
}

pub(crate) fn pbkdf2_at_once(hashes: &Hashes, at_once: usize, path: Pbkdf2Path) -> Contender<'_> {
    let compute = move || Some(paths::pbkdf2(path, &hashes.each(at_once)));
    Contender::own(format!("{at_once} at once by {path}"), at_once, compute)
}

/// A hash of Argon2 that is computed whole.
pub(crate) fn argon2_whole<'a>(name: &str, kernel: &Arc<Argon2>, hashes: &'a Hashes) -> Contender<'a> {
    let (kernel, password) = (Arc::clone(kernel), hashes.password().as_bytes());
    Contender::own(name, 1, move || Some(vec![kernel.compute(&hashes.admitted, password)?]))
}

pub(crate) fn argon2_in_lanes<'a>(kernel: &Arc<Argon2>, hashes: &'a Hashes, at_once: usize) -> Contender<'a> {
    let (kernel, passwords) = (Arc::clone(kernel), hashes.passwords(at_once));
    Contender::own(lanes(at_once), at_once, move || kernel.compute_in_lanes(&hashes.admitted, &passwords))
}

pub(crate) fn scrypt_in_lanes<'a>(kernel: &Arc<Scrypt>, hashes: &'a Hashes, at_once: usize) -> Contender<'a> {
    let (kernel, passwords) = (Arc::clone(kernel), hashes.passwords(at_once));
    Contender::own(lanes(at_once), at_once, move || kernel.compute_in_lanes(&hashes.admitted, &passwords))
}

/// Returns the name of the contender with this many lanes.
pub(crate) fn lanes(at_once: usize) -> String {
    format!("{at_once} lane{}", if at_once == 1 { "" } else { "s" })
}

pub(crate) const LIBXCRYPT: &str = "libxcrypt";

pub(crate) const BCRYPT_RUST: &str = "bcrypt-rust";

/// The hashes that bcrypt-rust computes best at once, with its widest vectors.
pub(crate) const MOST_OF_BCRYPT_RUST: usize = 16;

/// It uses kept memory: with its own `malloc`, page faults would count.
pub(crate) const ARGON2_C: &str = "the C reference on kept memory";

/// A huge page of x86-64.
const HUGE_PAGE_BYTES: u64 = 2 << 20;

/// The ceilings that the settings of all contenders need.
const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 10,
    argon2_memory_kib: 256 << 10,
    argon2_memory_passes_kib: 256 << 10,
    argon2_parallelism: 1,
    pbkdf2_iterations_blocks: u64::MAX,
    sha_crypt_rounds: u64::MAX,
    scrypt_memory_bytes: 128 << 20,
    scrypt_n_r_p: 1 << 20,
};
