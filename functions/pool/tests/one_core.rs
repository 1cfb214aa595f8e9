//! A measurement computes the same outputs as the service, in lanes and whole.

use std::num::NonZeroUsize;

use saltern_encoded::{Params, Setting, argon2, bcrypt, pbkdf2, scrypt};
use saltern_kernels::{Admitted, Ceilings, Kernels, Password, compute};
use saltern_pool::{OneCore, PoolSettings};

const CEILINGS: Ceilings = Ceilings {
    bcrypt_cost: 4,
    argon2_memory_kib: 64,
    argon2_memory_passes_kib: 64,
    argon2_parallelism: 2,
    pbkdf2_iterations_blocks: 100,
    scrypt_memory_bytes: 1 << 16,
    scrypt_n_r_p: 1 << 8,
    sha_crypt_rounds: 1000,
};

fn settings() -> Vec<Setting> {
    let argon2 = argon2::Params::new(argon2::Variant::Id, argon2::Version::V19, 64, 1, 2).unwrap();
    let mut params = vec![
        Params::Argon2(argon2),
        Params::Bcrypt(bcrypt::Params::new(4).unwrap()),
        Params::Scrypt(scrypt::Params::new(4, 2, 1).unwrap()),
    ];
    let prfs = [pbkdf2::Prf::Sha1, pbkdf2::Prf::Sha256, pbkdf2::Prf::Sha512];
    params.extend(prfs.map(|prf| Params::Pbkdf2(pbkdf2::Params::new(prf, 50).unwrap())));
    let sha_crypt = format!("$6$rounds=1000$saltstring${}", ".".repeat(86));
    let mut settings: Vec<_> = params.into_iter().map(|params| Setting::fresh(params, [3; 16])).collect();
    settings.push(saltern_encoded::parse(&sha_crypt).unwrap().setting().clone());
    settings
}

#[test]
fn more_hashes_than_lanes_all_have_the_right_output() {
    let passwords: Vec<_> =
        (0..35).map(|number| Password::new(format!("password {number}").as_bytes()).unwrap()).collect();
    for kernels in Kernels::ALL {
        let mut core = OneCore::new(&PoolSettings { kernels, ..PoolSettings::new(NonZeroUsize::MIN) });
        for setting in settings() {
            let admitted = Admitted::new(setting, &CEILINGS).unwrap();
            let outputs = core.compute(&admitted, &passwords).unwrap();
            assert_eq!(outputs.len(), passwords.len());
            for (password, output) in passwords.iter().zip(outputs) {
                let expected = compute(&admitted, password.expose()).unwrap();
                assert_eq!(output.expose(), expected.expose(), "{kernels:?} {:?}", admitted.setting());
            }
        }
    }
}

#[test]
fn hashes_without_lanes_are_computed_one_by_one() {
    let core = |kernels| OneCore::new(&PoolSettings { kernels, ..PoolSettings::new(NonZeroUsize::MIN) });
    for setting in settings() {
        assert_eq!(core(Kernels::Crates).lanes(&setting), 1);
        if !matches!(setting, Setting::Bcrypt(_) | Setting::Pbkdf2(_) | Setting::Scrypt(_)) {
            assert_eq!(core(Kernels::Own).lanes(&setting), 1);
        }
    }
}
