//! Test vectors as data, and the runner that proves that all of them ran. For tests only: errors
//! panic.
//!
//! The data are the JSON files in `data/`, one for each [`Topic`]. The Scala client reads the same
//! files. `README.md` names their sources.

mod third_party;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de::Error as _};

pub use third_party::{Nist, libxcrypt, nist_codes, nist_digests};

/// Runs every vector of one kind in a topic, and returns their number.
///
/// ```
/// use saltern_vectors::{Topic, Verify, for_each};
///
/// let ran = for_each(Topic::Bcrypt, |vector: &Verify| assert!(!vector.comment.is_empty()));
/// assert!(ran > 0);
/// ```
///
/// # Panics
/// If the file holds more or fewer vectors than it declares, or none of this kind.
pub fn for_each<V: Vector>(topic: Topic, mut run: impl FnMut(&V)) -> usize {
    let file = topic.load();
    let mut ran = 0;
    for vector in file.test_groups.iter().flat_map(V::of) {
        run(vector);
        ran += 1;
    }
    assert!(ran > 0, "{topic:?} has no vector of this kind");
    ran
}

/// Runs every vector of a verify-only scheme in a topic, and returns their number.
///
/// ```
/// use saltern_vectors::{Topic, for_each_of};
///
/// let check = |vector: &saltern_vectors::Verify| assert!(!vector.comment.is_empty());
/// let ran = for_each_of(Topic::Crypt, "sha512-crypt", check);
/// assert!(ran > 0);
/// ```
///
/// # Panics
/// If the file holds more or fewer vectors than it declares, or none of this scheme.
pub fn for_each_of(topic: Topic, scheme: &str, mut run: impl FnMut(&Verify)) -> usize {
    let file = topic.load();
    let mut ran = 0;
    let groups = file.test_groups.iter().filter(|group| group.scheme.as_deref() == Some(scheme));
    for vector in groups.flat_map(Verify::of) {
        run(vector);
        ran += 1;
    }
    assert!(ran > 0, "{topic:?} has no vector of {scheme}");
    ran
}

/// Defines the topics by their files.
macro_rules! topics {
    ($($(#[$doc:meta])* $topic:ident = $file:literal;)*) => {
        /// One file of vectors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Topic {
            $($(#[$doc])* $topic,)*
        }

        impl Topic {
            /// Every topic.
            pub const ALL: &[Self] = &[$(Self::$topic,)*];

            const fn json(self) -> &'static str {
                match self {
                    $(Self::$topic => include_str!(concat!("../data/", $file)),)*
                }
            }
        }
    };
}

topics! {
    /// The reference implementation's tests, and cases that they omit.
    Argon2 = "argon2.json";
    /// Openwall's table, and the bugs of old software.
    Bcrypt = "bcrypt.json";
    /// Hashes of crypt(3), and strings that only look like them.
    Crypt = "crypt.json";
    /// Hashes that software prints in another than the canonical form.
    Deviations = "deviations.json";
    /// Hashes at the floors of the policy document, and hashes below them.
    Floors = "floors.json";
    /// Hashes made by other software.
    Foreign = "foreign.json";
    /// Hashes of web frameworks.
    Frameworks = "frameworks.json";
    /// Strings that must be refused, with their codes.
    Hostile = "hostile.json";
    /// Hashes of directories.
    Ldap = "ldap.json";
    /// RFC 6070 and RFC 7914 §11, and the edges of blocks.
    Pbkdf2 = "pbkdf2.json";
    /// Hashes of finished products.
    Products = "products.json";
    /// RFC 7914 §12, and params that it omits.
    Scrypt = "scrypt.json";
    /// Stored hashes under a key.
    Seal = "seal.json";
    /// Hashes that sites made themselves.
    Sites = "sites.json";
    /// argon2id over another hash, in Saltern's own form.
    Wrapped = "wrapped.json";
}

impl Topic {
    /// The topics of verify-only schemes. Each of their groups names its scheme.
    pub const VERIFY_ONLY: [Self; 6] =
        [Self::Crypt, Self::Frameworks, Self::Ldap, Self::Products, Self::Sites, Self::Wrapped];

    /// The topics that have passwords against stored hashes.
    pub fn with_passwords() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|topic| *topic != Self::Seal)
    }

    /// Reads and checks the file.
    ///
    /// # Panics
    /// If the file does not hold as many vectors as it declares, repeats a number, or has a flag
    /// without a note.
    #[must_use]
    pub fn load(self) -> File {
        read(self.json()).unwrap_or_else(|defect| panic!("{self:?}: {defect}"))
    }
}

/// The content of a file. `data/vectors.schema.json` describes each member.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// The file's own name, without `.json`.
    pub topic: String,
    /// The number of vectors in all groups.
    pub number_of_tests: usize,
    /// The meaning of each flag.
    pub notes: BTreeMap<String, String>,
    /// The vectors, by source.
    pub test_groups: Vec<Group>,
}

/// Vectors of one kind from one source.
#[derive(Debug, Deserialize)]
pub struct Group {
    /// The verify-only scheme of the vectors.
    pub scheme: Option<String>,
    /// Whether the scheme is unsalted, or so fast that a try costs well under a tenth of a
    /// millisecond.
    pub weak: Option<bool>,
    /// The document or the software that is the source of the vectors.
    pub source: Source,
    /// The vectors, and the members that only this kind has.
    #[serde(flatten)]
    pub tests: Tests,
}

/// The vectors of a group, by kind.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[expect(missing_docs, reason = "the types of the members say what they are")]
pub enum Tests {
    /// Passwords against stored hashes.
    Verify { tests: Vec<Verify> },
    /// Passwords against hashes that Firebase exports, with the parameters of a project.
    Firebase { project: FirebaseProject, tests: Vec<Firebase> },
    /// Passwords against credentials as Keycloak stores them.
    Keycloak { tests: Vec<Keycloak> },
    /// PBKDF2 with salts that are too short for a stored hash: for the kernel only.
    Pbkdf2Raw { tests: Vec<Pbkdf2Raw> },
    /// scrypt with salts that are too short for a stored hash: for the kernel only.
    ScryptRaw { tests: Vec<ScryptRaw> },
    /// Sealed strings, with a document of keys and the key check value of each key by its id.
    #[serde(rename_all = "camelCase")]
    Seal { keys: serde_json::Value, check_values: BTreeMap<String, String>, tests: Vec<Seal> },
}

/// The name and the version of a document or of software.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Source {
    pub name: String,
    pub version: String,
}

/// A kind of vector: [`Verify`], [`Firebase`], [`Keycloak`], [`Pbkdf2Raw`], [`ScryptRaw`] or
/// [`Seal`].
pub trait Vector: Sized {
    /// Returns the vectors of this kind in a group.
    fn of(group: &Group) -> &[Self];
}

/// Defines kinds of vectors by the members that only they have.
macro_rules! vectors {
    ($($(#[$doc:meta])* $kind:ident { $($(#[$attribute:meta])* $member:ident: $type:ty,)* })*) => {
    $(
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $kind {
            /// Number of the vector, unique in its file and stable.
            pub tc_id: u32,
            /// The special property of the vector.
            pub comment: String,
            /// Keys of [`File::notes`].
            pub flags: Vec<String>,
            $($(#[$attribute])* pub $member: $type,)*
        }

        impl Vector for $kind {
            fn of(group: &Group) -> &[Self] {
                if let Tests::$kind { tests, .. } = &group.tests { tests } else { &[] }
            }
        }
    )*

        impl Group {
            fn ids_and_flags(&self) -> Vec<(u32, &[String])> {
                match &self.tests {
                    $(Tests::$kind { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),)*
                }
            }
        }
    };
}

vectors! {
    /// A password against a stored hash.
    Verify {
        /// The password's bytes.
        #[serde(deserialize_with = "hex")]
        password: Vec<u8>,
        /// The stored hash.
        hash: String,
        /// The pepper, under the id that the hash names. Empty if the hash has none.
        #[serde(default, deserialize_with = "hex")]
        site_key: Vec<u8>,
        /// The result of verifying with the shipped ceilings and every weak hash accepted.
        result: Expected,
    }

    /// A password against a user of Firebase.
    Firebase {
        /// The password's bytes.
        #[serde(deserialize_with = "hex")]
        password: Vec<u8>,
        /// The exported salt.
        salt: String,
        /// The exported hash.
        password_hash: String,
        /// [`Expected::Match`] or [`Expected::Mismatch`].
        result: Expected,
    }

    /// A password against a row of Keycloak's table `credential`.
    Keycloak {
        /// The password's bytes.
        #[serde(deserialize_with = "hex")]
        password: Vec<u8>,
        /// The column's JSON text: algorithm and costs.
        credential_data: String,
        /// The column's JSON text: output and salt.
        secret_data: String,
        /// The result of verifying with the shipped ceilings.
        result: Expected,
    }

    /// Inputs and output of PBKDF2.
    Pbkdf2Raw {
        /// The hash function under HMAC.
        prf: Prf,
        /// The password's bytes.
        #[serde(deserialize_with = "hex")]
        password: Vec<u8>,
        /// The salt.
        #[serde(deserialize_with = "hex")]
        salt: Vec<u8>,
        /// Iterations for each block.
        iterations: u32,
        /// Length of the output, in bytes.
        dk_len: usize,
        /// The output.
        #[serde(deserialize_with = "hex")]
        output: Vec<u8>,
    }

    /// Inputs and output of scrypt.
    ScryptRaw {
        /// The password's bytes.
        #[serde(deserialize_with = "hex")]
        password: Vec<u8>,
        /// The salt.
        #[serde(deserialize_with = "hex")]
        salt: Vec<u8>,
        /// Binary logarithm of `N`.
        log_n: u8,
        /// Block size `r`.
        r: u32,
        /// Parallelization `p`.
        p: u32,
        /// Length of the output, in bytes.
        dk_len: usize,
        /// The output.
        #[serde(deserialize_with = "hex")]
        output: Vec<u8>,
    }

    /// A sealed string.
    Seal {
        /// The sealed string.
        hash: String,
        /// The context of the request.
        context: Option<String>,
        /// The stored hash inside the seal, if it opens.
        text: Option<String>,
        /// `opens`, or the code of the HTTP contract.
        result: String,
    }
}

/// The result of verifying. The names are the codes of the HTTP contract.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// The password is right.
    Match,
    /// The password is wrong.
    Mismatch,
    /// The string does not parse.
    InvalidHash,
    /// Saltern does not verify the scheme.
    UnsupportedHash,
    /// The string parses, and its cost is above a ceiling.
    CostOutOfBounds,
}

/// The password hash parameters of a project, as the Firebase console shows them. Bytes are in
/// Base64.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FirebaseProject {
    /// The key that the hash encrypts.
    pub signer_key: String,
    /// The bytes that follow every salt.
    pub salt_separator: String,
    /// scrypt's `r`.
    pub rounds: u32,
    /// Binary logarithm of scrypt's `N`.
    pub mem_cost: u32,
}

impl FirebaseProject {
    /// Returns a user's stored hash: the costs of the project, then salt and hash in the standard
    /// alphabet.
    #[must_use]
    pub fn stored(&self, user: &Firebase) -> String {
        let standard = |text: &str| text.replace('-', "+").replace('_', "/");
        let (n, r) = (self.mem_cost, self.rounds);
        format!("$fbscrypt$v=1,n={n},r={r},p=1${}${}", standard(&user.salt), standard(&user.password_hash))
    }

    /// Returns the text of the Firebase console.
    #[must_use]
    pub fn console(&self) -> String {
        let Self { signer_key, salt_separator, rounds, mem_cost } = self;
        format!(
            "hash_config {{\n  algorithm: SCRYPT,\n  base64_signer_key: {signer_key},\n  \
             base64_salt_separator: {salt_separator},\n  rounds: {rounds},\n  mem_cost: {mem_cost},\n}}\n"
        )
    }
}

/// The hash function under HMAC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Prf {
    Sha1,
    Sha256,
    Sha512,
}

/// Reads a file. Checks the rules that its schema cannot express: the count, unique numbers, and a
/// note for each flag.
fn read(json: &str) -> Result<File, String> {
    let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let tests: Vec<_> = file.test_groups.iter().flat_map(Group::ids_and_flags).collect();
    if tests.len() != file.number_of_tests {
        return Err(format!("{} vectors are declared, {} are there", file.number_of_tests, tests.len()));
    }
    let ids: BTreeSet<_> = tests.iter().map(|(id, _)| id).collect();
    if ids.len() != tests.len() {
        return Err("two vectors have the same tcId".to_owned());
    }
    let unexplained = tests.iter().flat_map(|(_, flags)| *flags).find(|flag| !file.notes.contains_key(*flag));
    match unexplained {
        Some(flag) => Err(format!("the flag {flag} has no note")),
        None => Ok(file),
    }
}

/// Reads bytes from lower-case hex.
fn hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    bytes(&text).ok_or_else(|| D::Error::custom("no hex"))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> =
        hex.chars().map(|c| c.to_digit(16).filter(|_| !c.is_uppercase())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_complete_and_has_the_name_of_its_topic() {
        for &topic in Topic::ALL {
            let file = topic.load();
            assert_eq!(file.topic, format!("{topic:?}").to_lowercase());
            assert!(!file.notes.is_empty(), "{topic:?}");
        }
    }

    #[test]
    fn every_file_matches_the_schema_and_the_schema_refuses_unknown_members() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../data/vectors.schema.json")).unwrap();
        let schema = jsonschema::validator_for(&schema).unwrap();
        for &topic in Topic::ALL {
            let mut file: serde_json::Value = serde_json::from_str(topic.json()).unwrap();
            let defect = schema.validate(&file).err().map(|error| error.to_string());
            assert_eq!(defect, None, "{topic:?}");
            file["testGroups"][0]["tests"][0]["unknown"] = true.into();
            assert!(!schema.is_valid(&file), "{topic:?}");
        }
    }

    #[test]
    fn only_the_groups_of_verify_only_topics_name_a_scheme() {
        for &topic in Topic::ALL {
            let named = Topic::VERIFY_ONLY.contains(&topic);
            let groups = topic.load().test_groups;
            assert!(groups.iter().all(|group| group.scheme.is_some() == named), "{topic:?}");
        }
    }

    #[test]
    fn a_file_that_breaks_a_rule_is_an_error() {
        let whole = Topic::Scrypt.json();
        let count = read(whole).unwrap().number_of_tests;
        let declared = format!("\"numberOfTests\": {count}");
        for (from, to, defect) in [
            (declared.as_str(), "\"numberOfTests\": 999", "are declared"),
            ("\"tcId\": 2,", "\"tcId\": 1,", "same tcId"),
            ("[\"ShortSalt\"]", "[\"LongSalt\"]", "has no note"),
            ("\"comment\":", "\"remark\":", "missing field"),
            ("\"password\": \"7", "\"password\": \"g", "no hex"),
            ("\"password\": \"7", "\"password\": \"", "no hex"),
            ("\"result\": \"mismatch\"", "\"result\": \"wrong\"", "unknown variant"),
        ] {
            let changed = whole.replacen(from, to, 1);
            assert_ne!(changed, whole, "{from} is not there");
            assert!(read(&changed).unwrap_err().contains(defect), "{to}");
        }
    }

    #[test]
    #[should_panic(expected = "has no vector of md6-crypt")]
    fn a_scheme_without_vectors_fails() {
        for_each_of(Topic::Crypt, "md6-crypt", |_| ());
    }

    #[test]
    #[should_panic(expected = "has no vector of this kind")]
    fn a_topic_without_vectors_of_the_kind_fails() {
        for_each(Topic::Bcrypt, |_: &ScryptRaw| ());
    }
}
