//! `saltern-measure report`: a page about a function in a window of time.
//!
//! 1. `window` chooses the periods, `questions` the metrics.
//! 2. `cloudwatch` reads the metrics into `figures`; `k6` reads the summary of a load test.
//! 3. `bill` computes the cost, `page` writes the page.

mod bill;
mod cloudwatch;
mod figures;
mod k6;
mod page;
mod questions;
mod window;

use std::{fs, path::PathBuf};

use clap::Args;
use saltern_capacity::{Architecture, Size};
use time::OffsetDateTime;

use crate::{arguments::architecture, arguments::aws_name, arguments::function_memory_mb, aws};
use bill::Bill;
use k6::Summary;
use page::Report;
use questions::Function;
use saltern_server::Failure;
use window::Window;

#[derive(Args, Debug)]
#[command(
    after_help = "Credentials and region come from the environment or a profile, as for the AWS tools. They need\n\
                  cloudwatch:GetMetricData. A million metrics cost 10 USD; a report reads some dozens."
)]
pub(crate) struct ReportArguments {
    /// The function's name
    #[arg(long, value_name = "NAME", value_parser = aws_name)]
    pub(crate) function: String,
    /// The alias that callers use
    #[arg(long, value_name = "NAME", default_value = "live", value_parser = aws_name)]
    pub(crate) alias: String,
    /// The start of the window, such as 2026-11-21T19:00:00Z
    #[arg(long, value_name = "TIME", value_parser = window::parse)]
    pub(crate) from: OffsetDateTime,
    /// The end of the window
    #[arg(long, value_name = "TIME", value_parser = window::parse)]
    pub(crate) to: OffsetDateTime,
    /// The function's region [default: that of the environment or the profile]
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// The summary of a script of the load test, for the same time; its budgets decide the verdict
    #[arg(long, value_name = "FILE")]
    pub(crate) k6_summary: Option<PathBuf>,
    /// The function's memory, for the cost
    #[arg(long, value_name = "MB", value_parser = function_memory_mb())]
    pub(crate) memory_mb: u64,
    /// The function's architecture, for the cost; Graviton is arm64
    #[arg(long, alias = "arch", value_name = "ARCHITECTURE", value_parser = architecture())]
    pub(crate) architecture: Architecture,
    /// The page to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

pub(crate) fn run(arguments: &ReportArguments) -> Result<(), Failure> {
    let window = Window::new(arguments.from, arguments.to, OffsetDateTime::now_utc())?;
    let k6 = arguments.k6_summary.as_deref().map(Summary::read).transpose()?;
    let function = Function { name: arguments.function.clone(), alias: arguments.alias.clone() };

    let questions = questions::all(&function, window.period);
    let figures = aws::runtime()?.block_on(cloudwatch::read(arguments.region.clone(), window, questions))?;
    if figures.is_empty() {
        // The other notes repeat it for other metrics.
        let note = figures.notes.first().map(|note| format!(". CloudWatch: {}", note.trim_end_matches('.')));
        return Err(Failure::configuration(format!(
            "CloudWatch has no figure of {}:{} from {} in this region. Check --function, --alias, --region and the time: \
             Z means UTC. Figures arrive two to three minutes late{}",
            function.name,
            function.alias,
            window.in_words(),
            note.unwrap_or_default()
        )));
    }

    let size = Size { architecture: arguments.architecture, memory_mb: arguments.memory_mb };
    let bill = Bill::new(&figures, window, size);
    let report = Report { function: &function, window, figures: &figures, k6: k6.as_ref(), bill };
    let out = &arguments.out;
    fs::write(out, report.html())
        .map_err(|error| Failure::system(format!("{} cannot be written: {error}", out.display())))
}
