//! `saltern man`: the manual, a page for each command.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use crate::{Failure, failure::EXIT_CODES, terminal::say};

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Write every page into this directory, which is made [default: print the first page]
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArguments, mut definition: clap::Command) -> Result<(), Failure> {
    definition.build();
    match &arguments.directory {
        None => say(&page(&definition)?.text),
        Some(directory) => {
            let pages = pages(&definition)?;
            write(directory, &pages).map_err(|error| {
                Failure::configuration(format!(
                    "the manual cannot be written to {} ({error}): name a directory that you may write to",
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

/// The command's own page, and those of the commands below it.
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
        .map_err(|error| Failure::system(format!("the manual cannot be made ({error})")))?;
    Ok(Page { file: man.get_filename(), text: String::from_utf8_lossy(&text).into_owned() })
}

/// The same on every page: whoever writes a script looks at one.
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

/// clap's own command, which explains the others.
const HELP: &str = "help";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &clap::Command) -> usize {
        let page = page(command).unwrap();
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        assert_eq!(page.file, format!("{name}.1"));
        for argument in command.get_arguments() {
            let written = argument.get_long().map_or_else(
                || argument.get_value_names().unwrap_or_default().first().map_or("", |name| name).to_owned(),
                |long| format!("--{long}").replace('-', "\\-"),
            );
            assert!(page.text.contains(&written), "{name} says nothing of {written}");
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
        let mut definition = crate::command::tests::definition();
        definition.build();
        let checked = check(&definition);
        assert!(checked > 10, "{checked}");
        assert_eq!(pages(&definition).unwrap().len(), checked);
    }
}
