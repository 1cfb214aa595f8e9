//! The command `man`: the manual, a page for each command.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use saltern_server::{EXIT_CODES, Failure, say};

/// Arguments of the command `man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Write every page into this directory and create it if needed [default: print the first page]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// Prints the first page of the manual, or writes every page.
///
/// # Errors
/// - [`Failure::Configuration`] if the directory is not writable.
/// - [`Failure::System`] if the page cannot be printed.
pub fn run(arguments: &ManArguments, mut definition: clap::Command) -> Result<(), Failure> {
    definition.build();
    match &arguments.directory {
        None => say(&page(&definition)?.text),
        Some(directory) => {
            let pages = pages(&definition)?;
            write(directory, &pages).map_err(|error| {
                Failure::configuration(format!(
                    "cannot write the manual to {} ({error}): name a writable directory",
                    directory.display()
                ))
            })
        }
    }
}

struct Page {
    file: String,
    text: String,
}

/// Returns the page of the command and of every command below it.
fn pages(command: &clap::Command) -> Result<Vec<Page>, Failure> {
    let mut all = vec![page(command)?];
    for below in command.get_subcommands().filter(|below| below.get_name() != HELP) {
        all.extend(pages(below)?);
    }
    Ok(all)
}

fn page(command: &clap::Command) -> Result<Page, Failure> {
    let man = Man::new(command.clone()).source(concat!("saltern ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)
        .and_then(|()| exit_status().to_writer(&mut text))
        .map_err(|error| Failure::system(format!("cannot make the manual ({error})")))?;
    Ok(Page { file: man.get_filename(), text: String::from_utf8_lossy(&text).into_owned() })
}

/// The exit codes, on every page, because an author of scripts reads one page only.
fn exit_status() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        roff.control("TP", []);
        roff.text([bold(code.to_string())]);
        roff.text([roman(*meaning)]);
    }
    roff
}

fn write(directory: &Path, pages: &[Page]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    pages.iter().try_for_each(|page| fs::write(directory.join(&page.file), &page.text))
}

/// The help command that clap adds.
const HELP: &str = "help";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn check(command: &clap::Command) -> usize {
        let page = page(command).unwrap();
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        assert_eq!(page.file, format!("{name}.1"));
        for argument in command.get_arguments() {
            let written = argument.get_long().map_or_else(
                || argument.get_value_names().unwrap_or_default().first().map_or("", |name| name).to_owned(),
                |long| format!("--{long}").replace('-', "\\-"),
            );
            assert!(page.text.contains(&written), "{name} does not name {written}");
        }
        for (code, meaning) in EXIT_CODES {
            let told = format!("\\fB{code}\\fR\n{}", meaning.replace('-', "\\-"));
            assert!(page.text.contains(&told), "{name} does not say {told}: {}", page.text);
        }
        let below = command.get_subcommands().filter(|below| below.get_name() != HELP);
        1 + below.map(check).sum::<usize>()
    }

    #[test]
    fn every_command_has_a_page_with_its_arguments_and_exit_codes() {
        let mut definition = sample::definition();
        definition.build();
        let checked = check(&definition);
        assert_eq!(checked, 5);
        assert_eq!(pages(&definition).unwrap().len(), checked);
    }
}
