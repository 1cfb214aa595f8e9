//! `saltern-numbers compare`: the kernels and the service beside the fastest other libraries.
//!
//! Each comparison measures both sides in one run, and only ratios within a run are compared. The
//! command needs the feature `peers`, which builds the other libraries; some are in C.
//!
//! 1. [`bounds`] is the table of all figures. A [`figure`] is a measurement with its bound.
//! 2. [`kernels`] measures [`contenders`] in interleaved [`rounds`].
//! 3. [`http`] measures the service under load.
//! 4. [`summary`] writes the results.

#![allow(clippy::expect_used, reason = "a measurement that fails ends the program")]

mod arguments;
mod bounds;
mod contenders;
mod figure;
mod http;
mod kernels;
mod peers;
mod rounds;
mod summary;

use core::error::Error;
use std::{fs, thread};

use saltern_program::{Failure, say};

pub(crate) use self::arguments::CompareArguments;
use self::{
    arguments::Part,
    summary::{Progress, Summary, ThisMachine},
};

pub(crate) fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let text = measure(arguments).map_err(|error| Failure::system(error.to_string()))?;
    say(&text)
}

fn measure(arguments: &CompareArguments) -> Result<String, Box<dyn Error>> {
    let (rounds, progress) = (arguments.rounds, Progress::start());
    // Ratios between a service with many threads and a bare loop hold on an idle machine alone.
    let load = fs::read_to_string("/proc/loadavg")?;
    progress.print(&format!("load averages before the start: {}", load.trim_end()));
    let (kernels, service, results) = match &arguments.part {
        Part::All { service, results } => {
            (kernels::measurements(None, rounds.get(), &progress)?, Some(service), results.as_deref())
        }
        Part::Http(service) => (vec![], Some(service), None),
        Part::Kernels { kernel } => (kernels::measurements(*kernel, rounds.get(), &progress)?, None, None),
    };
    let mut figures = kernels::figures(&kernels);
    if let Some(service) = service {
        figures.extend(http::figures(service, rounds.get(), &progress)?);
    }
    progress.print("done");
    let (machine, seconds) = (ThisMachine::this(), service.map(|own| own.seconds));
    let summary = Summary { machine, rounds, seconds, figures, kernels };
    if let Some(directory) = results {
        fs::create_dir_all(directory)?;
        fs::write(directory.join("figures.json"), summary.quoted()?)?;
    }
    Ok(summary.text())
}

/// Returns the number of cores that this process may use.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
