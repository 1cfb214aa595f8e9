//! Many hashes at once in one thread, of any algorithm that has lanes.
//!
//! A [`Lane`] is one hash in progress; [`advance`] computes a slice of several.

use core::fmt;

use saltern_encoded::{Algorithm, Setting, pbkdf2::Prf};

use crate::{Admitted, OutOfMemory, Output, arena::Arena, argon2, bcrypt, pbkdf2, scrypt, verify_only};

/// A hash that is computed in slices. Wiped when dropped; `Debug` does not show it.
pub struct Lane(Kind);

enum Kind {
    Argon2(Box<argon2::lanes::Lane>),
    Bcrypt(Box<bcrypt::lanes::Lane>),
    Pbkdf2(Box<pbkdf2::lanes::Lane>),
    Scrypt(Box<scrypt::lanes::Lane>),
    VerifyOnly(verify_only::Lane),
}

impl Lane {
    /// Starts a hash; `None` if its algorithm has no lanes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory that the hash needs.
    pub fn start(admitted: &Admitted, password: &[u8], arena: &Arena) -> Result<Option<Self>, OutOfMemory> {
        let kind = match admitted.setting() {
            Setting::Argon2(setting) => {
                Kind::Argon2(Box::new(argon2::lanes::Lane::start(setting, password, arena)?))
            }
            Setting::Bcrypt(setting) => Kind::Bcrypt(bcrypt::lanes::Lane::start(setting, password)),
            Setting::Pbkdf2(setting) => Kind::Pbkdf2(pbkdf2::lanes::Lane::start(setting, password)),
            Setting::Scrypt(setting) => {
                Kind::Scrypt(Box::new(scrypt::lanes::Lane::start(setting, password, arena)?))
            }
            Setting::VerifyOnly(setting) => {
                return Ok(
                    verify_only::Lane::start(setting, password).map(|lane| Self(Kind::VerifyOnly(lane)))
                );
            }
            Setting::Wrapped(_) => return Ok(None),
        };
        Ok(Some(Self(kind)))
    }

    /// Returns the remaining work, in the unit of [`work`](crate::work).
    #[must_use]
    pub fn remaining(&self) -> u64 {
        match &self.0 {
            Kind::Argon2(lane) => lane.remaining(),
            Kind::Bcrypt(lane) => lane.remaining(),
            Kind::Pbkdf2(lane) => lane.remaining(),
            Kind::Scrypt(lane) => lane.remaining(),
            Kind::VerifyOnly(lane) => lane.remaining(),
        }
    }

    /// Returns the output of a hash without remaining work. `admitted` is the one that it started
    /// with.
    #[must_use]
    pub fn finish(self, admitted: &Admitted) -> Output {
        let mut output = Output::zeroed(admitted.setting().output_bytes());
        match self.0 {
            Kind::Argon2(lane) => lane.finish(output.as_mut()),
            Kind::Bcrypt(lane) => lane.finish(output.as_mut()),
            Kind::Pbkdf2(lane) => lane.finish(output.as_mut()),
            Kind::Scrypt(lane) => lane.finish(output.as_mut()),
            Kind::VerifyOnly(lane) => lane.finish(output.as_mut()),
        }
        output
    }

    fn as_argon2(&mut self) -> Option<&mut argon2::lanes::Lane> {
        if let Kind::Argon2(lane) = &mut self.0 { Some(lane) } else { None }
    }

    fn as_bcrypt(&mut self) -> Option<&mut bcrypt::lanes::Lane> {
        if let Kind::Bcrypt(lane) = &mut self.0 { Some(lane) } else { None }
    }

    fn as_pbkdf2(&mut self) -> Option<&mut pbkdf2::lanes::Lane> {
        if let Kind::Pbkdf2(lane) = &mut self.0 { Some(lane) } else { None }
    }

    fn as_scrypt(&mut self) -> Option<&mut scrypt::lanes::Lane> {
        if let Kind::Scrypt(lane) = &mut self.0 { Some(lane) } else { None }
    }

    fn as_verify_only(&mut self) -> Option<&mut verify_only::Lane> {
        if let Kind::VerifyOnly(lane) = &mut self.0 { Some(lane) } else { None }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lane(..)")
    }
}

/// Does `work` units on each of the lanes, which must all be of one algorithm.
pub fn advance<'a>(algorithm: Algorithm, lanes: impl Iterator<Item = &'a mut Lane>, work: u64) {
    match algorithm {
        Algorithm::Argon2d | Algorithm::Argon2i | Algorithm::Argon2id => {
            let mut lanes: Vec<_> = lanes.filter_map(Lane::as_argon2).collect();
            argon2::lanes::advance(&mut lanes, work);
        }
        Algorithm::Bcrypt => {
            let mut lanes: Vec<_> = lanes.filter_map(Lane::as_bcrypt).collect();
            bcrypt::lanes::advance(&mut lanes, work);
        }
        Algorithm::Scrypt => {
            let mut lanes: Vec<_> = lanes.filter_map(Lane::as_scrypt).collect();
            scrypt::lanes::advance(&mut lanes, work);
        }
        Algorithm::Pbkdf2Sha1 | Algorithm::Pbkdf2Sha256 | Algorithm::Pbkdf2Sha512 => {
            let mut lanes: Vec<_> = lanes.filter_map(Lane::as_pbkdf2).collect();
            pbkdf2::lanes::advance(&mut lanes, work);
        }
        _ => lanes.filter_map(Lane::as_verify_only).for_each(|lane| lane.advance(work)),
    }
}

/// Returns how many hashes of an algorithm a worker of this machine holds at once: as many as pay
/// side by side, or some that take turns. `None` for an algorithm without lanes, and for Argon2,
/// whose gain has to be measured.
#[must_use]
pub fn width(algorithm: Algorithm) -> Option<usize> {
    let prf = match algorithm {
        Algorithm::Bcrypt => return Some(bcrypt::lanes::lanes_that_fit_l1()),
        Algorithm::Scrypt => return Some(scrypt::MOST_SIDE_BY_SIDE),
        Algorithm::Pbkdf2Sha1 => Prf::Sha1,
        Algorithm::Pbkdf2Sha256 => Prf::Sha256,
        Algorithm::Pbkdf2Sha512 => Prf::Sha512,
        Algorithm::DesCrypt
        | Algorithm::Digest
        | Algorithm::Md5Crypt
        | Algorithm::PhpassMd5
        | Algorithm::PhpassSha512
        | Algorithm::Sha1Crypt
        | Algorithm::Sha256Crypt
        | Algorithm::Sha512Crypt
        | Algorithm::SunMd5 => return Some(verify_only::MOST_AT_ONCE),
        _ => return None,
    };
    Some(pbkdf2::choice::width(prf))
}

/// The most bcrypt hashes at once.
pub const MOST_BCRYPT_LANES: usize = bcrypt::lanes::MAX_LANES;

/// The most hashes of one algorithm that gain from each other, over all kernels.
pub const MOST_LANES: usize = pbkdf2::choice::MOST_LANES;
