//! Test vectors as data, and the runner that proves that all of them ran. For tests only: errors
//! panic.
//!
//! The data are the JSON files in `data/`, one for each [`Topic`]. The Scala client reads the same
//! files. `README.md` names their sources.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de::Error as _};

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
    for group in file.test_groups.iter().filter(|group| group.scheme() == Some(scheme)) {
        for vector in Verify::of(group) {
            run(vector);
            ran += 1;
        }
    }
    assert!(ran > 0, "{topic:?} has no vector of {scheme}");
    ran
}

/// One file of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The reference implementation's tests, and cases that they omit.
    Argon2,
    /// Openwall's table, and the bugs of old software.
    Bcrypt,
    /// Hashes of crypt(3), and strings that only look like them.
    Crypt,
    /// Hashes that software prints in another than the canonical form.
    Deviations,
    /// Hashes at the floors of the policy document, and hashes below them.
    Floors,
    /// Hashes made by other software.
    Foreign,
    /// Hashes of web frameworks.
    Frameworks,
    /// Strings that must be refused, with their codes.
    Hostile,
    /// Hashes of directories.
    Ldap,
    /// RFC 6070 and RFC 7914 §11, and the edges of blocks.
    Pbkdf2,
    /// Hashes of finished products.
    Products,
    /// RFC 7914 §12, and params that it omits.
    Scrypt,
    /// Stored hashes under a key.
    Seal,
    /// Hashes that sites made themselves.
    Sites,
    /// argon2id over another hash, in Saltern's own form.
    Wrapped,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 15] = [
        Self::Argon2,
        Self::Bcrypt,
        Self::Crypt,
        Self::Deviations,
        Self::Floors,
        Self::Foreign,
        Self::Frameworks,
        Self::Hostile,
        Self::Ldap,
        Self::Pbkdf2,
        Self::Products,
        Self::Scrypt,
        Self::Seal,
        Self::Sites,
        Self::Wrapped,
    ];

    /// The topics of verify-only schemes. Each of their groups names its scheme.
    pub const VERIFY_ONLY: [Self; 6] =
        [Self::Crypt, Self::Frameworks, Self::Ldap, Self::Products, Self::Sites, Self::Wrapped];

    /// Whether the topic has passwords against stored hashes.
    #[must_use]
    pub fn has_passwords(self) -> bool {
        self != Self::Seal
    }

    /// Reads and checks the file.
    ///
    /// # Panics
    /// If the file violates its schema, or does not hold as many vectors as it declares.
    #[must_use]
    pub fn load(self) -> File {
        read(self.json()).unwrap_or_else(|defect| panic!("{self:?}: {defect}"))
    }

    const fn json(self) -> &'static str {
        match self {
            Self::Argon2 => include_str!("../data/argon2.json"),
            Self::Bcrypt => include_str!("../data/bcrypt.json"),
            Self::Crypt => include_str!("../data/crypt.json"),
            Self::Deviations => include_str!("../data/deviations.json"),
            Self::Floors => include_str!("../data/floors.json"),
            Self::Foreign => include_str!("../data/foreign.json"),
            Self::Frameworks => include_str!("../data/frameworks.json"),
            Self::Hostile => include_str!("../data/hostile.json"),
            Self::Ldap => include_str!("../data/ldap.json"),
            Self::Pbkdf2 => include_str!("../data/pbkdf2.json"),
            Self::Products => include_str!("../data/products.json"),
            Self::Scrypt => include_str!("../data/scrypt.json"),
            Self::Seal => include_str!("../data/seal.json"),
            Self::Sites => include_str!("../data/sites.json"),
            Self::Wrapped => include_str!("../data/wrapped.json"),
        }
    }
}

/// The content of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct File {
    /// The schema's file name.
    #[serde(rename = "$schema")]
    pub schema: String,
    /// The file's own name, without `.json`.
    pub topic: String,
    /// The subject of the vectors.
    pub description: String,
    /// The program that wrote the file.
    pub generator: String,
    /// The number of vectors in all groups.
    pub number_of_tests: usize,
    /// The meaning of each flag.
    pub notes: BTreeMap<String, String>,
    /// The vectors, by source.
    pub test_groups: Vec<Group>,
}

/// Vectors of one kind from one source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "type")]
pub enum Group {
    /// Passwords against stored hashes.
    Verify {
        /// The verify-only scheme of the vectors.
        scheme: Option<String>,
        /// Whether the scheme is unsalted, or so fast that a try costs well under a tenth of a
        /// millisecond.
        weak: Option<bool>,
        /// The source of the vectors.
        source: Source,
        /// The vectors.
        tests: Vec<Verify>,
    },
    /// Passwords against hashes that Firebase exports, with the parameters of a project.
    Firebase {
        /// The verify-only scheme of the vectors.
        scheme: String,
        /// Whether the scheme is unsalted, or so fast that a try costs well under a tenth of a
        /// millisecond.
        weak: bool,
        /// The source of the vectors.
        source: Source,
        /// The parameters of their project.
        project: FirebaseProject,
        /// The vectors.
        tests: Vec<Firebase>,
    },
    /// Passwords against credentials as Keycloak stores them.
    Keycloak {
        /// The verify-only scheme of the vectors.
        scheme: String,
        /// Whether the scheme is unsalted, or so fast that a try costs well under a tenth of a
        /// millisecond.
        weak: bool,
        /// The source of the vectors.
        source: Source,
        /// The vectors.
        tests: Vec<Keycloak>,
    },
    /// PBKDF2 with salts that are too short for a stored hash: for the kernel only.
    Pbkdf2Raw {
        /// The source of the vectors.
        source: Source,
        /// The vectors.
        tests: Vec<Pbkdf2Raw>,
    },
    /// scrypt with salts that are too short for a stored hash: for the kernel only.
    ScryptRaw {
        /// The source of the vectors.
        source: Source,
        /// The vectors.
        tests: Vec<ScryptRaw>,
    },
    /// Sealed strings, opened with the keys of a document.
    #[serde(rename_all = "camelCase")]
    Seal {
        /// The source of the vectors.
        source: Source,
        /// The document of keys.
        keys: serde_json::Value,
        /// The key check value of each key, by its id.
        check_values: BTreeMap<String, String>,
        /// The vectors.
        tests: Vec<Seal>,
    },
}

impl Group {
    /// Returns the verify-only scheme of the vectors, if they have one.
    #[must_use]
    pub fn scheme(&self) -> Option<&str> {
        match self {
            Self::Verify { scheme, .. } => scheme.as_deref(),
            Self::Firebase { scheme, .. } | Self::Keycloak { scheme, .. } => Some(scheme),
            Self::Pbkdf2Raw { .. } | Self::ScryptRaw { .. } | Self::Seal { .. } => None,
        }
    }

    /// Whether the scheme is unsalted, or so fast that a try costs well under a tenth of a
    /// millisecond.
    #[must_use]
    pub fn weak(&self) -> Option<bool> {
        match self {
            Self::Verify { weak, .. } => *weak,
            Self::Firebase { weak, .. } | Self::Keycloak { weak, .. } => Some(*weak),
            Self::Pbkdf2Raw { .. } | Self::ScryptRaw { .. } | Self::Seal { .. } => None,
        }
    }
}

/// The document or the software that is the source of vectors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A password against a stored hash.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Verify {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The special property of the vector.
    pub comment: String,
    /// The password's bytes.
    #[serde(deserialize_with = "hex")]
    pub password: Vec<u8>,
    /// The stored hash.
    pub hash: String,
    /// The pepper, under the id that the hash names. Empty if the hash has none.
    #[serde(default, deserialize_with = "hex")]
    pub site_key: Vec<u8>,
    /// The result of verifying with the shipped ceilings and every weak hash accepted.
    pub result: Expected,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
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
#[serde(deny_unknown_fields, rename_all = "camelCase")]
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

/// A password against a user of Firebase.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Firebase {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The special property of the vector.
    pub comment: String,
    /// The password's bytes.
    #[serde(deserialize_with = "hex")]
    pub password: Vec<u8>,
    /// The exported salt.
    pub salt: String,
    /// The exported hash.
    pub password_hash: String,
    /// [`Expected::Match`] or [`Expected::Mismatch`].
    pub result: Expected,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
}

/// A password against a row of Keycloak's table `credential`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Keycloak {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The special property of the vector.
    pub comment: String,
    /// The password's bytes.
    #[serde(deserialize_with = "hex")]
    pub password: Vec<u8>,
    /// The column's JSON text: algorithm and costs.
    pub credential_data: String,
    /// The column's JSON text: output and salt.
    pub secret_data: String,
    /// The result of verifying with the shipped ceilings.
    pub result: Expected,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
}

/// The hash function under HMAC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Prf {
    /// SHA-1
    Sha1,
    /// SHA-256
    Sha256,
    /// SHA-512
    Sha512,
}

/// Inputs and output of PBKDF2.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Pbkdf2Raw {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The inputs, in words.
    pub comment: String,
    /// The hash function under HMAC.
    pub prf: Prf,
    /// The password's bytes.
    #[serde(deserialize_with = "hex")]
    pub password: Vec<u8>,
    /// The salt.
    #[serde(deserialize_with = "hex")]
    pub salt: Vec<u8>,
    /// Iterations for each block.
    pub iterations: u32,
    /// Length of the output, in bytes.
    pub dk_len: usize,
    /// The output.
    #[serde(deserialize_with = "hex")]
    pub output: Vec<u8>,
    /// Always [`Expected::Match`].
    pub result: Expected,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
}

/// Inputs and output of scrypt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScryptRaw {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The inputs in words.
    pub comment: String,
    /// The password's bytes.
    #[serde(deserialize_with = "hex")]
    pub password: Vec<u8>,
    /// The salt.
    #[serde(deserialize_with = "hex")]
    pub salt: Vec<u8>,
    /// Binary logarithm of `N`.
    pub log_n: u8,
    /// Block size `r`.
    pub r: u32,
    /// Parallelization `p`.
    pub p: u32,
    /// Length of the output, in bytes.
    pub dk_len: usize,
    /// The output.
    #[serde(deserialize_with = "hex")]
    pub output: Vec<u8>,
    /// Always [`Expected::Match`].
    pub result: Expected,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
}

/// A sealed string.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Seal {
    /// Number of the vector, unique in its file and stable.
    pub tc_id: u32,
    /// The special property of the vector.
    pub comment: String,
    /// The sealed string.
    pub hash: String,
    /// The context of the request.
    pub context: Option<String>,
    /// The stored hash inside the seal, if it opens.
    pub text: Option<String>,
    /// `opens`, or the code of the HTTP contract.
    pub result: String,
    /// Keys of [`File::notes`].
    pub flags: Vec<String>,
}

/// A kind of vector: [`Verify`], [`Firebase`], [`Keycloak`], [`Pbkdf2Raw`], [`ScryptRaw`] or
/// [`Seal`].
pub trait Vector: Sized {
    /// Returns the vectors of this kind in a group.
    fn of(group: &Group) -> &[Self];
}

impl Vector for Verify {
    fn of(group: &Group) -> &[Self] {
        if let Group::Verify { tests, .. } = group { tests } else { &[] }
    }
}

impl Vector for Firebase {
    fn of(group: &Group) -> &[Self] {
        if let Group::Firebase { tests, .. } = group { tests } else { &[] }
    }
}

impl Vector for Keycloak {
    fn of(group: &Group) -> &[Self] {
        if let Group::Keycloak { tests, .. } = group { tests } else { &[] }
    }
}

impl Vector for Pbkdf2Raw {
    fn of(group: &Group) -> &[Self] {
        if let Group::Pbkdf2Raw { tests, .. } = group { tests } else { &[] }
    }
}

impl Vector for ScryptRaw {
    fn of(group: &Group) -> &[Self] {
        if let Group::ScryptRaw { tests, .. } = group { tests } else { &[] }
    }
}

impl Vector for Seal {
    fn of(group: &Group) -> &[Self] {
        if let Group::Seal { tests, .. } = group { tests } else { &[] }
    }
}

/// Reads a file. Checks the rules that its schema cannot express: the count, unique numbers, and a
/// note for each flag.
fn read(json: &str) -> Result<File, String> {
    let file: File = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let tests: Vec<_> = file.test_groups.iter().flat_map(ids_and_flags).collect();
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

fn ids_and_flags(group: &Group) -> Vec<(u32, &[String])> {
    match group {
        Group::Verify { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
        Group::Firebase { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
        Group::Keycloak { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
        Group::Pbkdf2Raw { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
        Group::ScryptRaw { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
        Group::Seal { tests, .. } => tests.iter().map(|t| (t.tc_id, &t.flags[..])).collect(),
    }
}

/// Reads bytes from lower-case hex.
fn hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits: Option<Vec<u32>> =
        text.chars().map(|c| c.to_digit(16).filter(|_| !c.is_uppercase())).collect();
    let digits =
        digits.filter(|digits| digits.len().is_multiple_of(2)).ok_or_else(|| D::Error::custom("no hex"))?;
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_complete_and_has_the_name_of_its_topic() {
        for topic in Topic::ALL {
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
        for topic in Topic::ALL {
            let mut file: serde_json::Value = serde_json::from_str(topic.json()).unwrap();
            let defect = schema.validate(&file).err().map(|error| error.to_string());
            assert_eq!(defect, None, "{topic:?}");
            file["testGroups"][0]["tests"][0]["unknown"] = true.into();
            assert!(!schema.is_valid(&file), "{topic:?}");
        }
    }

    #[test]
    fn only_the_groups_of_verify_only_topics_name_a_scheme() {
        for topic in Topic::ALL {
            let named = Topic::VERIFY_ONLY.contains(&topic);
            assert!(
                topic.load().test_groups.iter().all(|group| group.scheme().is_some() == named),
                "{topic:?}"
            );
        }
    }

    #[test]
    fn a_missing_vector_is_an_error() {
        let whole = Topic::Scrypt.json();
        let count = read(whole).unwrap().number_of_tests;
        let declared = format!("\"numberOfTests\": {count}");
        let one_more = whole.replace(&declared, &format!("\"numberOfTests\": {}", count + 1));
        assert!(read(&one_more).unwrap_err().contains("are declared"));
    }

    #[test]
    fn a_repeated_number_is_an_error() {
        let twice = Topic::Scrypt.json().replacen("\"tcId\": 2,", "\"tcId\": 1,", 1);
        assert!(read(&twice).unwrap_err().contains("same tcId"));
    }

    #[test]
    fn an_unknown_field_an_unknown_flag_and_bad_hex_are_errors() {
        let whole = Topic::Scrypt.json();
        for (from, to) in [
            ("\"comment\":", "\"remark\":"),
            ("[\"ShortSalt\"]", "[\"LongSalt\"]"),
            ("\"password\": \"7", "\"password\": \"g"),
            ("\"password\": \"7", "\"password\": \""),
            ("\"result\": \"match\"", "\"result\": \"valid\""),
        ] {
            let changed = whole.replacen(from, to, 1);
            assert_ne!(changed, whole, "{from} is not there");
            assert!(read(&changed).is_err(), "{to}");
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
