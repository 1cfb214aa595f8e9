//! `saltern keys`: makes and changes the document with the keys of sealed hashes. It prints no key.

use std::{
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    num::NonZeroUsize,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown},
    path::{Path, PathBuf},
};

use crate::number::counted;
use clap::{Args, Subcommand};
use saltern_seal::{
    Context, Document, Key, KeyEntry, Keys, KeysError, MAX_DOCUMENT_BYTES, SiteKeyEntry, system_randomness,
};
use saltern_server::{Failure, process, say};
use serde_json::{Value, json};

use crate::{
    table::Row,
    terminal::{Asked, read_secret},
};

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a file with one new key
    New(NewArguments),
    /// Add a new key to a file, behind the others. It seals nothing before `rotate`, and wants a
    /// context if the last key does
    Add(AddArguments),
    /// Add a pepper of the site: it is asked for, or is the first line of standard input
    AddSite(AddSiteArguments),
    /// Make a listed key the current one. Before, list the key on every server
    Rotate(RotateArguments),
    /// Remove a key under which no row is sealed any more
    Retire(RetireArguments),
    /// Check a file as `serve` does at its start, and print each key's check value
    Check(CheckArguments),
}

#[derive(Args, Debug)]
pub(crate) struct NewArguments {
    /// The file, which must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    key: KeyArguments,
    /// Refuse stored hashes without a seal
    #[arg(long)]
    require: bool,
}

#[derive(Args, Debug)]
pub(crate) struct AddArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    key: KeyArguments,
}

#[derive(Args, Debug)]
pub(crate) struct AddSiteArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The id of the pepper, as `saltern convert --site-key` names it: 1 to 32 characters of a-z,
    /// 0-9 and -
    #[arg(long, value_name = "ID")]
    id: String,
    /// The line is the Base64 of the pepper's bytes
    #[arg(long)]
    base64: bool,
}

#[derive(Args, Debug)]
struct KeyArguments {
    /// The id of the new key, such as 2026a: 1 to 32 characters of a-z, 0-9 and -
    #[arg(long, value_name = "ID")]
    id: String,
    /// Tie each seal to its row: every request must then have a `context`
    #[arg(long)]
    context: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RotateArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The id of the new current key [default: the last one]
    #[arg(long, value_name = "ID")]
    to: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct RetireArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The id of the key
    #[arg(long, value_name = "ID")]
    id: String,
    /// Remove a pepper of the site
    #[arg(long)]
    site: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The keys and the context of one stored hash.
#[derive(Args, Debug)]
pub(crate) struct OneHashArguments {
    /// The keys of sealed hashes; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    /// The context of the hash: the user's id, as the backend sends it
    #[arg(long, value_name = "ID", requires = "seal_keys")]
    context: Option<String>,
}

impl OneHashArguments {
    /// Reads the keys and the context that the arguments name.
    pub(crate) fn read(&self) -> Result<(Option<Keys>, Option<Context>), Failure> {
        let keys = self.seal_keys.as_deref().map(read).transpose()?;
        let context = self.context.as_deref().map(|text| {
            Context::new(text)
                .ok_or_else(|| Failure::configuration("a context has 1 to 256 bytes: give another one"))
        });
        Ok((keys, context.transpose()?))
    }
}

/// Returns the context of a row's seal: the user's id in this column.
pub(crate) fn context_of(row: &Row, column: Option<NonZeroUsize>) -> Option<Context> {
    Context::new(&row.field(column?)?)
}

/// Reads the keys in a file. From now on the memory of this process is private.
pub(crate) fn read(file: &Path) -> Result<Keys, Failure> {
    process::keep_memory_private()?;
    Keys::read(file).map_err(refused)
}

impl KeysCommand {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        process::keep_memory_private()?;
        match self {
            Self::New(NewArguments { file, key, require }) => {
                let document = Document::new(key.fresh()?, *require);
                let keys = checked(&document)?;
                let printed = document.print();
                write_new(file, &printed).map_err(|error| unwritten(file, &error))?;
                say(&text(&keys))
            }
            Self::Add(AddArguments { file, key }) => change(file, |document| {
                let mut fresh = key.fresh()?;
                // Otherwise its seals would fit every row.
                fresh.context |= document.keys.last().is_some_and(|last| last.context);
                document.keys.push(fresh);
                Ok(())
            }),
            Self::AddSite(AddSiteArguments { file, id, base64 }) => {
                let line = read_secret("Site key: ", Asked::Twice)?;
                let entry = if *base64 {
                    SiteKeyEntry::of_base64(id, line)
                } else {
                    SiteKeyEntry::of_text(id, &line)
                };
                change(file, |document| {
                    document.site_keys.push(entry);
                    Ok(())
                })
            }
            Self::Rotate(RotateArguments { file, to }) => change(file, |document| {
                let last = document.keys.last().map(|key| key.id.clone());
                document.current = to.clone().or(last).unwrap_or_default();
                Ok(())
            }),
            Self::Retire(RetireArguments { file, id, site }) => change(file, |document| {
                if !site && document.current == *id {
                    return Err(Failure::configuration(
                        "this key is current: make another one current with `saltern keys rotate`",
                    ));
                }
                let count = |document: &Document| document.keys.len() + document.site_keys.len();
                let before = count(document);
                document.keys.retain(|key| *site || key.id != *id);
                document.site_keys.retain(|key| !site || key.id != *id);
                if count(document) == before {
                    return Err(Failure::configuration(
                        "no key has this id: `saltern keys check` lists the ids, and a site key wants --site",
                    ));
                }
                Ok(())
            }),
            Self::Check(CheckArguments { file, json }) => {
                let keys = read(file)?;
                if *json { say(&format!("{}\n", summary(&keys))) } else { say(&text(&keys)) }
            }
        }
    }
}

impl KeyArguments {
    fn fresh(&self) -> Result<KeyEntry, Failure> {
        KeyEntry::fresh(&self.id, self.context, system_randomness)
            .map_err(|_| Failure::system("the system returned no random bytes"))
    }
}

/// Changes the document in a file. The file is replaced as a whole, or stays as it is.
fn change(file: &Path, edit: impl FnOnce(&mut Document) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut document = Document::read(file).map_err(refused)?;
    edit(&mut document)?;
    let keys = checked(&document)?;
    replace(file, &document.print()).map_err(|error| unwritten(file, &error))?;
    say(&text(&keys))
}

fn checked(document: &Document) -> Result<Keys, Failure> {
    if document.print().len() > MAX_DOCUMENT_BYTES {
        return Err(Failure::configuration(format!(
            "the file would have more than {MAX_DOCUMENT_BYTES} bytes: retire keys under which no row is sealed"
        )));
    }
    Keys::of(document).map_err(refused)
}

/// Writes a file that did not exist and that only its owner may read, or leaves none.
fn write_new(file: &Path, text: &[u8]) -> io::Result<()> {
    let mut new = OpenOptions::new().write(true).create_new(true).mode(OWNER_READS).open(file)?;
    new.write_all(text).and_then(|()| new.sync_all()).inspect_err(|_| {
        let _not_there = fs::remove_file(file);
    })
}

/// Replaces a file, with its owner and mode. A reader sees the old file or the new one.
fn replace(file: &Path, text: &[u8]) -> io::Result<()> {
    let file = fs::canonicalize(file)?;
    let old = fs::metadata(&file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = || -> io::Result<()> {
        let mut new = OpenOptions::new().write(true).create_new(true).mode(OWNER_READS).open(&beside)?;
        fchown(&new, Some(old.uid()), Some(old.gid()))?;
        new.set_permissions(old.permissions())?;
        new.write_all(text)?;
        new.sync_all()?;
        fs::rename(&beside, &file)
    };
    written().inspect_err(|_| {
        // The file beside has keys, so none may stay behind.
        let _not_there = fs::remove_file(&beside);
    })
}

fn text(keys: &Keys) -> String {
    let mut out = String::new();
    for (key, role) in roles(keys) {
        let context = if key.wants_context() { ", with context" } else { "" };
        let _infallible = writeln!(out, "{:<32} {}  {role}{context}", key.id(), key.check_value());
    }
    for (id, bytes) in site_keys(keys) {
        let _infallible = writeln!(out, "{id:<32} site key of {}", counted(bytes as u64, "byte", "bytes"));
    }
    if keys.requires_seal() {
        out.push_str("hashes without a seal are refused\n");
    }
    out
}

pub(crate) fn summary(keys: &Keys) -> Value {
    let key = |(key, role): (&Key, &str)| {
        json!({
            "id": key.id(),
            "check_value": key.check_value(),
            "context": key.wants_context(),
            "role": role,
        })
    };
    json!({
        "current": keys.current().id(),
        "require": keys.requires_seal(),
        "keys": roles(keys).map(key).collect::<Vec<_>>(),
        "site_keys": site_keys(keys).map(|(id, bytes)| json!({"id": id, "bytes": bytes})).collect::<Vec<_>>(),
    })
}

/// The id and the number of bytes of each site key. A pepper may be a guessable text, so it has no
/// check value, which would confirm a guess. The number shows a newline too many.
fn site_keys(keys: &Keys) -> impl Iterator<Item = (&str, usize)> {
    keys.site_key_ids().map(|id| (id, keys.site_key(id).map_or(0, <[u8]>::len)))
}

/// Each key with its place before or after the current one.
fn roles(keys: &Keys) -> impl Iterator<Item = (&Key, &'static str)> {
    let position = |id: &str| keys.list().iter().position(|key| key.id() == id);
    let current = position(keys.current().id());
    keys.list().iter().enumerate().map(move |(index, key)| {
        (
            key,
            match Some(index).cmp(&current) {
                std::cmp::Ordering::Less => "older",
                std::cmp::Ordering::Equal => "current",
                std::cmp::Ordering::Greater => "newer",
            },
        )
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn refused(error: KeysError) -> Failure {
    Failure::configuration(error.to_string())
}

fn unwritten(file: &Path, error: &io::Error) -> Failure {
    Failure::configuration(format!(
        "cannot write {} ({error}): name another file or directory",
        file.display()
    ))
}

/// Only the owner may read and write the file.
const OWNER_READS: u32 = 0o600;
