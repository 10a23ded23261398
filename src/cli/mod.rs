//! The command line, with one file per command. No other module prints anything.

mod bench;
mod check;
mod compare;
mod data;
mod destination;
mod fields;
mod figures;
mod fork;
mod inspect;
mod interruption;
mod manual;
mod paper;
mod print;
mod progress;
mod report;
mod resume;
mod run;
mod style;
mod summary;
mod sweep;
mod table;
mod threads;

pub use interruption::Interruption;
pub use print::tell;

use clap::{Parser, Subcommand};
use print::printed;
use rankguard::error::{Error, Result};
use rankguard::files;
use rankguard::scenario::Scenario;
use std::io::Write;
use std::path::Path;

/// Simulates decentralized online learning to rank on a virtual clock: people search, click, and teach each other's rankers by gossip,
/// while nodes come and go, messages are late or lost, and some participants are malicious.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  rankguard run scenarios/quickstart.ron            run a scenario; results go to out/quickstart
  rankguard run scenarios/quickstart.ron --seed 2   the same with other draws; results go to out/quickstart-seed-2
  rankguard run my.ron --set defense=Undefended --out out/undefended
  rankguard run my.ron --set defense.kappa=8        a field inside another
  rankguard resume out/my                           go on with an interrupted run
  rankguard fork out/my --at 6h --set defense=Undefended --out out/what-if
  rankguard run my.ron --timeline-only              the network alone: losses, delays, load; millions of nodes
  rankguard table out/quickstart out/undefended     results side by side
  rankguard report out/quickstart                   a page to look at: out/quickstart.report.html
  rankguard compare out/quickstart out/undefended   the difference seed by seed, with its interval
  rankguard table out/robustness --rows attack --cols defense.kappa --value worst5 --format latex
  rankguard inspect out/quickstart                  its worst nodes and what sets them apart; --node 17 tells one node's life
  rankguard figures out/my-*                        the figures of many runs as comma-separated values
  rankguard sweep plan robustness.ron               the combinations of a sweep file as tasks for a job array
  rankguard sweep run out/robustness                do them here; what is done already is skipped
  rankguard check my.ron                            find mistakes, show all defaults and what a run will cost
  rankguard data inspect data/MQ2008/Fold1          look at a data set before using it
  rankguard bench --quick                           how fast this machine is, and how near to its limits
  rankguard schema                                  what is in the result tables
  rankguard fields latency                          what can be said in a scenario

A scenario is a RON file; scenarios/FIELDS.md explains every field. Results are Parquet tables that DuckDB, Polars and pandas open.
Exit codes: 0 done, 1 failed while running, 2 wrong scenario, data or usage, 74 done but the answer could not be printed, 75 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario and write its results
    Run(run::RunArgs),
    /// Go on with an interrupted run, from its last checkpoint
    Resume(resume::ResumeArgs),
    /// Go on from the past of a finished run under a changed scenario: what if, from one and the same past
    Fork(fork::ForkArgs),
    /// Check a scenario: print it with every default filled in, the expected numbers of searches, messages and rows, and the memory needed
    Check(check::CheckArgs),
    /// Print results side by side: a figure by users, attack, defence and whatever else differs, averaged over seeds
    Table(table::TableArgs),
    /// Compare two sides of an experiment seed by seed: mean difference, interval, and what more seeds would tell
    Compare(compare::CompareArgs),
    /// Print the figures of each run as comma-separated values, averaged over the last 3 % of its evaluations
    Figures(figures::FiguresArgs),
    /// Write a page for people: one HTML file with figures, tables and definitions, for a run, several runs or a collected sweep
    Report(report::ReportArgs),
    /// Look closely at one run: its worst nodes and what sets them apart, the loudest malicious model, or the life of a node
    Inspect(inspect::InspectArgs),
    /// Do many runs as one: plan the combinations of a sweep file as tasks, do them here or in a job array, and collect the results
    Sweep(sweep::SweepArgs),
    /// Reproduce the paper: its tables and figures, next to what it published
    Paper(paper::PaperArgs),
    /// Look at data sets
    Data(data::DataArgs),
    /// Measure how fast the program is on this machine, next to what the machine can do at best and to the paper's times
    Bench(bench::BenchArgs),
    /// Print the tables of a result with their columns
    Schema(fields::SchemaArgs),
    /// Print what can be said in a scenario: every field with its type, limits, default, meaning and an example
    Fields(fields::FieldsArgs),
    /// Print the script that lets a shell complete commands and options
    Completions(manual::CompletionsArgs),
    /// Print the manual page, or write a page for every command
    Man(manual::ManArgs),
}

/// Reads the command line and executes the command.
pub fn execute(interruption: &Interruption) -> Result<()> {
    match Cli::try_parse() {
        Ok(cli) => cli.execute(interruption),
        // Help and the version are printed like any other answer.
        Err(asked) if !asked.use_stderr() => printed(asked.print().and_then(|()| std::io::stdout().flush())),
        Err(wrong) => wrong.exit(),
    }
}

impl Cli {
    fn execute(self, interruption: &Interruption) -> Result<()> {
        match self.command {
            Command::Run(args) => run::run(args, interruption),
            Command::Resume(args) => resume::resume(&args, interruption),
            Command::Fork(args) => fork::fork(&args, interruption),
            Command::Check(args) => check::check(&args, interruption),
            Command::Table(args) => table::table(&args),
            Command::Compare(args) => compare::compare(&args),
            Command::Figures(args) => figures::figures(&args),
            Command::Report(args) => report::report(&args),
            Command::Inspect(args) => inspect::inspect(&args),
            Command::Sweep(args) => sweep::sweep(&args, interruption),
            Command::Paper(args) => paper::paper(&args, interruption),
            Command::Data(args) => data::data(&args),
            Command::Bench(args) => bench::bench(&args),
            Command::Schema(args) => fields::schema(&args),
            Command::Fields(args) => fields::fields(&args),
            Command::Completions(args) => manual::completions(&args),
            Command::Man(args) => manual::man(&args),
        }
    }
}

/// The scenario that a command names, with the fields that it sets.
fn read_scenario(file: &Path, set: &[String]) -> Result<Scenario> {
    match file == Path::new("-") {
        true => Scenario::read_from(std::io::stdin().lock(), "<stdin>", set),
        false => Scenario::read_with(file, set).map_err(|problem| mistaken(problem, file, &["base", "axes"], "a sweep", "sweep plan")),
    }
}

/// No file of settings is larger than this.
const LARGEST_FILE: u64 = 1 << 20;

/// The error, and the command that takes such a file, if all these fields are in it.
fn mistaken(problem: Error, file: &Path, fields: &[&str], what: &str, command: &str) -> Error {
    let text = String::from_utf8(files::read(file, LARGEST_FILE).unwrap_or_default()).unwrap_or_default();
    let has = |field: &&str| {
        text.lines().any(|line| line.trim_start().strip_prefix(*field).is_some_and(|rest| rest.trim_start().starts_with(':')))
    };
    match fields.iter().all(has) {
        true => Error::input(format!("{problem}\nthis looks like {what}: rankguard {command} {}", file.display())),
        false => problem,
    }
}
