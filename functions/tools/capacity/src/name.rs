use saltern_encoded::{Algorithm, Params, argon2, bcrypt, pbkdf2};

/// Returns the name of parameters in `durations.json`: the algorithm and its numbers, such as
/// `bcrypt-11` or `argon2id-19456-2-1` (memory in KiB, passes, parallelism).
#[must_use]
pub fn name_of(params: Params) -> String {
    let numbers = match params {
        Params::Argon2(params) => vec![params.memory_kib(), params.passes(), params.parallelism()],
        Params::Bcrypt(params) => vec![params.cost()],
        Params::Pbkdf2(params) => vec![params.iterations()],
        Params::Scrypt(params) => vec![params.log_n().into(), params.r(), params.p()],
    };
    let numbers = numbers.iter().map(u32::to_string);
    [params.algorithm().name().to_owned()].into_iter().chain(numbers).collect::<Vec<_>>().join("-")
}

/// Returns the parameters of a name in `durations.json`.
///
/// # Errors
/// Parameters that the table of durations cannot have.
pub fn params_named(name: &str) -> Result<Params, &'static str> {
    let read = |algorithm: Algorithm| {
        let numbers = name.strip_prefix(algorithm.name())?.strip_prefix('-')?.split('-');
        let numbers: Vec<u32> = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
        match (algorithm, numbers.as_slice()) {
            (Algorithm::Argon2id, &[memory_kib, passes, parallelism]) => {
                let (variant, version) = (argon2::Variant::Id, argon2::Version::V19);
                argon2::Params::new(variant, version, memory_kib, passes, parallelism).map(Params::Argon2)
            }
            (Algorithm::Bcrypt, &[cost]) => bcrypt::Params::new(cost).map(Params::Bcrypt),
            (Algorithm::Pbkdf2Sha512, &[iterations]) => {
                pbkdf2::Params::new(pbkdf2::Prf::Sha512, iterations).map(Params::Pbkdf2)
            }
            _ => None,
        }
    };
    let unknown = "write parameters such as bcrypt-11, argon2id-19456-2-1 or pbkdf2-sha512-100000";
    Algorithm::ALL.into_iter().find_map(read).ok_or(unknown)
}
