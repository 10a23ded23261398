//! `rankguard report`: a page for people.

use super::print::say;
use clap::Args;
use rankguard::error::{Error, Result};
use rankguard::report::{self, Choice, MARK, Page, draw};
use rankguard::units::{counted, size};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// The file of the page [default: FOLDER.report.html beside the first folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A folder for each figure as SVG, as comma-separated values, and as a pgfplots file that reads these
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// What several runs are compared by: a field such as defense or defense.kappa, or an axis of a sweep [default: the defence, or what has most values]
    #[arg(long, value_name = "NAME")]
    by: Vec<String>,
    /// The value with which all others are compared [default: that of the first run]
    #[arg(long, value_name = "VALUE")]
    baseline: Option<String>,
}

pub fn report(args: &ReportArgs) -> Result<()> {
    let out = match &args.out {
        Some(out) => out.clone(),
        None => beside(&args.results[0])?,
    };
    check_free(&out)?;
    let page = report::page(&args.results, &Choice { by: args.by.clone(), baseline: args.baseline.clone() })?;
    if let Some(folder) = &args.figures {
        write_figures(folder, &page)?;
    }
    write(&out, &page.html)?;
    say(&told(&out, &page, args.figures.as_deref()))
}

pub fn told(out: &Path, page: &Page, folder: Option<&Path>) -> String {
    let figures = counted(page.figures.len() as u64, "figure");
    let beside = folder.map_or(String::new(), |folder| format!("\n{} ({figures}, each as .svg, .csv and .tex)", folder.display()));
    format!("{} ({}, {figures}){beside}", out.display(), size(page.html.len() as f64))
}

pub fn write_figures(folder: &Path, page: &Page) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::cannot_write(folder, &e))?;
    for figure in &page.figures {
        let file = |ending: &str| folder.join(format!("{}.{ending}", figure.id));
        write(&file("svg"), &draw::svg(figure))?;
        write(&file("csv"), &draw::csv(figure))?;
        write(&file("tex"), &draw::pgfplots(figure, &format!("{}.csv", figure.id)))?;
    }
    Ok(())
}

/// `out/kad` has its page in `out/kad.report.html`: a result folder holds only what its run wrote.
pub fn beside(folder: &Path) -> Result<PathBuf> {
    let whole = if folder.file_name().is_some() { folder.to_path_buf() } else { fs::canonicalize(folder).unwrap_or_default() };
    let name = whole.file_name().ok_or_else(|| Error::input(format!("{}: has no name; choose a file with --out", folder.display())))?;
    let mut page = name.to_os_string();
    page.push(".report.html");
    Ok(whole.with_file_name(page))
}

/// Refuses to replace a file that is no report.
pub fn check_free(out: &Path) -> Result<()> {
    match fs::read(out) {
        Ok(old) if !is_report(&old) => {
            Err(Error::input(format!("{}: is no report of this program and is not replaced; choose another --out", out.display())))
        }
        _ => Ok(()),
    }
}

fn is_report(content: &[u8]) -> bool {
    let head = &content[..content.len().min(1000)];
    String::from_utf8_lossy(head).contains(MARK)
}

pub fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::cannot_write(path, &e))
}
