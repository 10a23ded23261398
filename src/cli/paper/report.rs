//! `rankguard paper report`: one document of all that has been run.

use crate::cli::print::{say, say_json};
use crate::cli::report::{beside, check_free, told, write, write_figures};
use clap::Args;
use rankguard::error::{Error, Result};
use rankguard::paper::{CLAIMS, Finding, OnData, Verdict, find, report};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder that `rankguard paper run` wrote to [default: out/paper]
    dir: Option<PathBuf>,
    /// The file of the page [default: DIR.report.html beside the folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the same as a Markdown file, which only names the figures
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// A folder for each figure as SVG, as comma-separated values, and as a pgfplots file that reads these
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Print verdicts and evidence as JSON instead of writing a page
    #[arg(long, conflicts_with_all = ["out", "markdown", "figures"])]
    json: bool,
}

/// The first words of a Markdown file that this command wrote and may write again.
const MARK: &str = "<!-- written by `rankguard paper report` -->";

pub fn write_report(args: &ReportArgs) -> Result<()> {
    let dir = args.dir.clone().unwrap_or_else(|| "out/paper".into());
    if args.json {
        return say_json(&verdicts(&find(&dir)?));
    }
    let out = args.out.clone().map_or_else(|| beside(&dir), Ok)?;
    check_free(&out)?;
    if let Some(path) = &args.markdown {
        check_ours(path)?;
    }
    let document = report(&dir)?;
    let page = document.page();
    if let Some(folder) = &args.figures {
        write_figures(folder, &page)?;
    }
    if let Some(path) = &args.markdown {
        write(path, &format!("{MARK}\n\n{}", document.markdown()))?;
    }
    write(&out, &page.html)?;
    say(&format!("{}\n{}", document.headline, told(&out, &page, args.figures.as_deref())))
}

/// Refuses to replace a text that somebody else wrote.
fn check_ours(path: &Path) -> Result<()> {
    match fs::read_to_string(path) {
        Ok(old) if !old.starts_with(MARK) => {
            Err(Error::input(format!("{}: was not written by this command and is not replaced; choose another --markdown", path.display())))
        }
        _ => Ok(()),
    }
}

/// What is said of one claim on one data set.
#[derive(Debug, Serialize)]
struct Said {
    claim: &'static str,
    says: &'static str,
    rule: &'static str,
    data: String,
    is_synthetic: bool,
    verdict: Verdict,
    findings: Vec<Finding>,
}

fn verdicts(all: &[OnData]) -> Vec<Said> {
    let said = |data: &OnData| {
        CLAIMS
            .iter()
            .map(|claim| {
                let findings = claim.findings(data);
                let (data, is_synthetic) = (data.label.clone(), data.caution.is_some());
                Said { claim: claim.id, says: claim.says, rule: claim.rule, data, is_synthetic, verdict: Verdict::of(&findings), findings }
            })
            .collect::<Vec<_>>()
    };
    all.iter().flat_map(said).collect()
}
