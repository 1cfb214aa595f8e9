//! One hash in progress, of any algorithm that has lanes.

use saltern_encoded::{Algorithm, Setting};

use crate::{Admitted, OutOfMemory, Output, arena::Arena, argon2, bcrypt, pbkdf2, scrypt};

/// A hash that is computed in slices. Wiped when dropped.
pub(super) enum Lane {
    Argon2(Box<argon2::lanes::Lane>),
    Bcrypt(Box<bcrypt::lanes::Lane>),
    Pbkdf2(Box<pbkdf2::lanes::Lane>),
    Scrypt(Box<scrypt::lanes::Lane>),
}

impl Lane {
    /// Starts a hash; `None` if its algorithm has no lanes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system does not give the memory that the hash needs.
    pub(super) fn start(
        admitted: &Admitted,
        password: &[u8],
        arena: &Arena,
    ) -> Result<Option<Self>, OutOfMemory> {
        Ok(match admitted.setting() {
            Setting::Argon2(setting) => {
                Some(Self::Argon2(Box::new(argon2::lanes::Lane::start(setting, password, arena)?)))
            }
            Setting::Bcrypt(setting) => Some(Self::Bcrypt(bcrypt::lanes::Lane::start(setting, password))),
            Setting::Pbkdf2(setting) => Some(Self::Pbkdf2(pbkdf2::lanes::Lane::start(setting, password))),
            Setting::Scrypt(setting) => {
                Some(Self::Scrypt(Box::new(scrypt::lanes::Lane::start(setting, password, arena)?)))
            }
            Setting::VerifyOnly(_) | Setting::Wrapped(_) => None,
        })
    }

    /// Returns the remaining work, in the unit of [`Admitted::work`].
    pub(super) fn remaining(&self) -> u64 {
        match self {
            Self::Argon2(lane) => lane.remaining(),
            Self::Bcrypt(lane) => lane.remaining(),
            Self::Pbkdf2(lane) => lane.remaining(),
            Self::Scrypt(lane) => lane.remaining(),
        }
    }

    /// Returns the output of a hash without remaining work. `admitted` is the one that it started
    /// with.
    pub(super) fn finish(self, admitted: &Admitted) -> Output {
        let mut output = Output::zeroed(admitted.setting().output_bytes());
        match self {
            Self::Argon2(lane) => lane.finish(output.as_mut()),
            Self::Bcrypt(lane) => lane.finish(output.as_mut()),
            Self::Pbkdf2(lane) => lane.finish(output.as_mut()),
            Self::Scrypt(lane) => lane.finish(output.as_mut()),
        }
        output
    }

    fn as_argon2(&mut self) -> Option<&mut argon2::lanes::Lane> {
        if let Self::Argon2(lane) = self { Some(lane) } else { None }
    }

    fn as_bcrypt(&mut self) -> Option<&mut bcrypt::lanes::Lane> {
        if let Self::Bcrypt(lane) = self { Some(lane) } else { None }
    }

    fn as_pbkdf2(&mut self) -> Option<&mut pbkdf2::lanes::Lane> {
        if let Self::Pbkdf2(lane) = self { Some(lane) } else { None }
    }

    fn as_scrypt(&mut self) -> Option<&mut scrypt::lanes::Lane> {
        if let Self::Scrypt(lane) = self { Some(lane) } else { None }
    }
}

/// Does `work` units on each of the lanes, which must all be of one algorithm.
pub(super) fn advance<'a>(algorithm: Algorithm, lanes: impl Iterator<Item = &'a mut Lane>, work: u64) {
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
        _ => {
            let mut lanes: Vec<_> = lanes.filter_map(Lane::as_pbkdf2).collect();
            pbkdf2::lanes::advance(&mut lanes, work);
        }
    }
}
