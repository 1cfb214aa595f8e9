//! A list of breached passwords, in a file (HTTP contract, `password_breached`).
//!
//! The file has a title, the length of an entry (4 bytes), where each bucket starts among the entries
//! and where the last one ends (65,537 numbers of 4 bytes), the entries, and the SHA-256 of all this. A
//! bucket has the SHA-1 digests with the same first two bytes, in ascending order. An entry is the next
//! three or four bytes of a digest. Numbers are big-endian.
//!
//! Other passwords share these bytes with a listed one. So a few are refused that are not listed: see
//! [`Blocklist::false_refusals`].

use std::{
    fmt,
    fs::File,
    io::{self, Read as _, Write},
    os::unix::fs::FileExt as _,
    path::Path,
};

use saltern_kernels::wipe_stack;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// A list that stays in its file. Each look-up reads two small parts of it, from memory if the system
/// has them there.
#[derive(Debug)]
pub struct Blocklist {
    file: File,
    entry_bytes: usize,
    entries: u32,
    digest: String,
}

impl Blocklist {
    /// Opens a list, and reads all of it once.
    ///
    /// # Errors
    /// A message if the file cannot be read, or is no whole list.
    pub fn open(path: &Path) -> Result<Self, String> {
        let list = File::open(path).and_then(Self::read);
        let named = |reason: &dyn fmt::Display| format!("the block list {}: {reason}", path.display());
        list.map_err(|error| named(&error))?.ok_or_else(|| {
            named(&"it is no whole list; make it anew with `saltern blocklist build`, and copy all of it")
        })
    }

    /// Returns `None` if the file is no whole list.
    fn read(file: File) -> io::Result<Option<Self>> {
        let length = file.metadata()?.len();
        let Some(entries_bytes) = length.checked_sub((HEADER_BYTES + DIGEST_BYTES) as u64) else {
            return Ok(None);
        };
        let (mut header, mut written) = (vec![0; HEADER_BYTES], [0; DIGEST_BYTES]);
        file.read_exact_at(&mut header, 0)?;
        file.read_exact_at(&mut written, length - DIGEST_BYTES as u64)?;
        let (mut hasher, mut part) = (Sha256::new(), vec![0; READ_BYTES]);
        let mut rest = (&file).take(length - DIGEST_BYTES as u64);
        while let length @ 1.. = rest.read(&mut part)? {
            hasher.update(&part[..length]);
        }
        let (title, numbers) = header.split_at(TITLE.len());
        let numbers: Vec<_> = numbers.as_chunks().0.iter().copied().map(u32::from_be_bytes).collect();
        let [entry_bytes, starts @ ..] = &*numbers else { return Ok(None) };
        let Some(entries) = starts.last() else { return Ok(None) };
        let is_whole = title == TITLE
            && *hasher.finalize() == written
            && [SHORT, LONG].contains(&(*entry_bytes as usize))
            && entries_bytes == u64::from(*entries) * u64::from(*entry_bytes)
            && starts.is_sorted_by(|one, next| one <= next && next - one <= MOST_IN_A_BUCKET);
        let digest = format!("sha256:{}", base16ct::lower::encode_string(&written));
        Ok(is_whole.then_some(Self { file, entry_bytes: *entry_bytes as usize, entries: *entries, digest }))
    }

    /// Whether a password is listed.
    ///
    /// # Errors
    /// [`io::Error`] if the file cannot be read.
    pub fn has(&self, password: &[u8]) -> io::Result<bool> {
        let has = self.look_up(password);
        wipe_stack();
        has
    }

    /// Not inlined, so that the digest is on the stack that is wiped.
    #[inline(never)]
    fn look_up(&self, password: &[u8]) -> io::Result<bool> {
        self.has_prefix(prefix(password))
    }

    fn has_prefix(&self, [first, second, rest @ ..]: Prefix) -> io::Result<bool> {
        let bucket = u64::from(u16::from_be_bytes([first, second]));
        let mut bounds = [[0; NUMBER_BYTES]; 2];
        self.file.read_exact_at(bounds.as_flattened_mut(), STARTS_AT + bucket * NUMBER_BYTES as u64)?;
        let [start, end] = bounds.map(u32::from_be_bytes);
        // A file that changes in use may say anything.
        let length = end.checked_sub(start).filter(|length| *length <= MOST_IN_A_BUCKET);
        let mut entries = vec![0; length.ok_or(io::ErrorKind::InvalidData)? as usize * self.entry_bytes];
        let at = HEADER_BYTES as u64 + u64::from(start) * self.entry_bytes as u64;
        self.file.read_exact_at(&mut entries, at)?;
        let has = if self.entry_bytes == SHORT { has::<SHORT> } else { has::<LONG> };
        Ok(has(&entries, &rest))
    }

    /// The SHA-256 of the list, as its file has it.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The number of listed passwords.
    #[must_use]
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// The share of passwords that are refused although they are not listed.
    #[must_use]
    pub fn false_refusals(&self) -> f64 {
        (0..BUCKET_BYTES + self.entry_bytes).fold(f64::from(self.entries), |share, _| share / 256.0)
    }
}

fn has<const BYTES: usize>(entries: &[u8], wanted: &[u8]) -> bool {
    entries.as_chunks::<BYTES>().0.binary_search_by(|entry| entry[..].cmp(&wanted[..BYTES])).is_ok()
}

/// The first bytes of a password's SHA-1: as many as a list can tell apart.
pub type Prefix = [u8; BUCKET_BYTES + LONG];

/// Returns the prefix of a password.
#[must_use]
pub fn prefix(password: &[u8]) -> Prefix {
    let digest = Sha1::digest(password);
    std::array::from_fn(|at| digest[at])
}

/// Writes a list of passwords with these prefixes, and returns the number of its entries. They are
/// short if there are at most [`MOST_SHORT`].
///
/// # Errors
/// [`io::Error`] if `out` takes no more, or if a list cannot hold so many.
pub fn write(mut prefixes: Vec<Prefix>, mut out: impl Write) -> io::Result<u32> {
    prefixes.sort_unstable();
    prefixes.dedup();
    let entry_bytes = if prefixes.len() <= MOST_SHORT { SHORT } else { LONG };
    let kept = ..BUCKET_BYTES + entry_bytes;
    prefixes.dedup_by(|one, before| one[kept] == before[kept]);
    let bucket = |prefix: &Prefix| u16::from_be_bytes([prefix[0], prefix[1]]);
    let start_of = |first: usize| prefixes.partition_point(|prefix| usize::from(bucket(prefix)) < first);
    let starts = (0..=BUCKETS).map(|bucket| u32::try_from(start_of(bucket)));
    let starts = starts.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
    let mut hasher = Sha256::new();
    let mut written = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes)
    };
    written(TITLE)?;
    written(&u32::try_from(entry_bytes).map_err(io::Error::other)?.to_be_bytes())?;
    for start in &starts {
        written(&start.to_be_bytes())?;
    }
    for prefix in &prefixes {
        written(&prefix[BUCKET_BYTES..BUCKET_BYTES + entry_bytes])?;
    }
    out.write_all(&hasher.finalize())?;
    out.flush()?;
    Ok(starts[BUCKETS])
}

const TITLE: &[u8] = b"saltern block list 1\n";

/// The bytes of a digest that choose its bucket.
const BUCKET_BYTES: usize = 2;
const BUCKETS: usize = 1 << (8 * BUCKET_BYTES);

/// The bytes of an entry.
const SHORT: usize = 3;
const LONG: usize = 4;

/// With more short entries, more than one password in 200,000 would be refused without being listed.
const MOST_SHORT: usize = 1 << 22;

/// The number of a bucket's entries is even: SHA-1 spreads them. In a list of 10⁹ it is a quarter of
/// this.
const MOST_IN_A_BUCKET: u32 = 1 << 16;

const NUMBER_BYTES: usize = size_of::<u32>();
const STARTS_AT: u64 = (TITLE.len() + NUMBER_BYTES) as u64;
const HEADER_BYTES: usize = TITLE.len() + NUMBER_BYTES * (BUCKETS + 2);
const DIGEST_BYTES: usize = 32;
const READ_BYTES: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        env, fs, process,
        sync::atomic::{AtomicUsize, Ordering},
        time::{Duration, Instant},
    };

    use super::*;

    fn list(bytes: &[u8]) -> Option<Blocklist> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("saltern-blocklist-{}-{number}", process::id()));
        fs::write(&path, bytes).unwrap();
        let list = File::open(&path).and_then(Blocklist::read);
        fs::remove_file(&path).unwrap();
        list.unwrap()
    }

    fn of(prefixes: Vec<Prefix>) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(prefixes, &mut bytes).unwrap();
        bytes
    }

    /// As `sha1sum` prints it.
    #[test]
    fn the_prefix_is_that_of_sha_1() {
        assert_eq!(prefix(b"password"), [0x5b, 0xaa, 0x61, 0xe4, 0xc9, 0xb9]);
    }

    #[test]
    fn exactly_the_listed_passwords_are_found() {
        let listed: Vec<_> = (0..10_000).map(|number| format!("password-{number}")).collect();
        let prefixes = listed.iter().chain(&listed).map(|password| prefix(password.as_bytes())).collect();
        let list = list(&of(prefixes)).unwrap();
        assert_eq!((list.entries(), list.entry_bytes), (10_000, SHORT));
        assert!(listed.iter().all(|password| list.has(password.as_bytes()).unwrap()));
        let others = (10_000..20_000).map(|number| format!("password-{number}"));
        assert_eq!(others.filter(|password| list.has(password.as_bytes()).unwrap()).count(), 0);
        assert!((list.false_refusals() - 10_000.0 / 2.0_f64.powi(40)).abs() < 1e-12);
    }

    /// The first and the last bucket, and neighbours of each entry.
    #[test]
    fn every_entry_is_found_and_no_neighbour() {
        let entries: HashSet<u64> =
            [0, 1, 0xffff_ffff, 0x1234_0000_0000, 0x1234_ffff_ffff, 0xffff_ffff_ffff].into();
        let as_prefix = |number: u64| -> Prefix { std::array::from_fn(|at| number.to_be_bytes()[at + 2]) };
        let mut prefixes: Vec<_> = entries.iter().copied().map(as_prefix).collect();
        // So many that the entries are long.
        prefixes
            .extend((0..=MOST_SHORT as u64).map(|number| as_prefix(0x5000_0000_0000 + number * 0x1_0001)));
        let list = list(&of(prefixes)).unwrap();
        assert_eq!(list.entry_bytes, LONG);
        for number in entries
            .iter()
            .flat_map(|&entry| [entry.saturating_sub(1), entry, (entry + 1).min(0xffff_ffff_ffff)])
        {
            assert_eq!(list.has_prefix(as_prefix(number)).unwrap(), entries.contains(&number), "{number:x}");
        }
    }

    /// Prints the time too (`cargo test --release -p saltern-service --lib look_up -- --nocapture`). The
    /// bound is loose, because tests run on busy machines and without optimisation.
    #[test]
    #[allow(clippy::print_stdout, reason = "the figure is for a reader")]
    fn a_look_up_in_a_million_entries_takes_microseconds() {
        let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        let prefixes = (0..1_000_000).map(|number| spread(number)[..6].try_into().unwrap()).collect();
        let list = list(&of(prefixes)).unwrap();
        let time_of_one = || {
            let start = Instant::now();
            for number in 0..1_000_u32 {
                list.has(&number.to_be_bytes()).unwrap();
            }
            start.elapsed() / 1_000
        };
        let time = (0..20).map(|_| time_of_one()).min().unwrap();
        println!("a look-up in {} entries takes {time:?}", list.entries());
        assert!(time < Duration::from_micros(100), "{time:?}");
    }

    #[test]
    fn a_file_that_is_not_a_whole_list_is_refused() {
        let whole = of(vec![prefix(b"password"), prefix(b"123456")]);
        assert!(list(&whole).is_some());
        for length in [0, 1, TITLE.len(), HEADER_BYTES, whole.len() - 1] {
            assert!(list(&whole[..length]).is_none(), "{length} bytes");
        }
        for at in [0, TITLE.len() + 3, TITLE.len() + 9, HEADER_BYTES, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(list(&changed).is_none(), "byte {at}");
        }
        assert!(list(&[&whole[..], &[0]].concat()).is_none());
        // The last bucket starts after its end, the number of entries.
        let mut changed = whole[..whole.len() - DIGEST_BYTES].to_vec();
        changed[HEADER_BYTES - 2 * NUMBER_BYTES..][..NUMBER_BYTES].copy_from_slice(&3_u32.to_be_bytes());
        let digest = Sha256::digest(&changed);
        assert!(list(&[&changed[..], &digest].concat()).is_none());
    }

    #[test]
    fn bounds_of_a_bucket_that_changed_in_use_are_an_error() {
        let path = env::temp_dir().join(format!("saltern-blocklist-{}-changed", process::id()));
        fs::write(&path, of(vec![prefix(b"password")])).unwrap();
        let list = Blocklist::open(&path).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        // The bucket 5baa of the password ends before it starts, or has 2^32 - 1 entries.
        for [start, end] in [[1_u32, 0], [0, u32::MAX]] {
            let bounds = [start.to_be_bytes(), end.to_be_bytes()].concat();
            file.write_all_at(&bounds, STARTS_AT + 0x5baa * NUMBER_BYTES as u64).unwrap();
            assert_eq!(list.has(b"password").unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn an_empty_list_refuses_nothing() {
        let list = list(&of(Vec::new())).unwrap();
        assert!(!list.has(b"password").unwrap());
    }
}
