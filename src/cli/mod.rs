//! The command line. Only here is anything printed.

mod fields;
mod interruption;
mod limits;
mod print;
mod progress;
mod run;

pub use interruption::Interruption;
pub use print::tell;

use clap::{Args, Parser, Subcommand, ValueEnum};
use print::{printed, say};
use rankguard::corpus::{self, Corpus, Dataset};
use rankguard::error::Result;
use rankguard::machine;
use rankguard::record::schema_text;
use rankguard::report::{Last, Published, figures, table};
use rankguard::scenario::{DataSize, Estimate, Scenario};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

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
  rankguard run my.ron --timeline-only              the network alone: losses, delays, load; millions of nodes
  rankguard table out/quickstart out/undefended     results side by side
  rankguard figures out/my-*                        the figures of many runs as comma-separated values
  rankguard check my.ron                            find mistakes, show all defaults and what a run will cost
  rankguard data inspect data/MQ2008/Fold1          look at a data set before using it
  rankguard schema                                  what is in the result tables
  rankguard fields latency                          what can be said in a scenario

A scenario is a RON file; scenarios/FIELDS.md explains every field. Results are Parquet tables that DuckDB, Polars and pandas open.
Exit codes: 0 done, 1 failed or interrupted while running, 2 wrong scenario, data or usage, 74 done but the answer could not be printed."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scenario and write its results
    Run(RunArgs),
    /// Check a scenario: print it with every default filled in, the expected numbers of searches, messages and rows, and the memory needed
    Check {
        /// The scenario, a RON file, or - for standard input
        file: PathBuf,
        /// Replace a field of the scenario, such as --set defense=Undefended, or one inside, such as --set defense.kappa=8; may be
        /// given several times
        #[arg(long, value_name = "FIELD=VALUE")]
        set: Vec<String>,
    },
    /// Print results side by side: nDCG by users, attack, defence and whatever else differs, averaged over the end of the runs and over seeds
    Table {
        /// Result folders
        #[arg(required = true)]
        results: Vec<PathBuf>,
        /// How much of the end of each run is averaged: a share of it, or a number of evaluations in its second half
        #[arg(long, value_name = "SHARE", default_value = "3%")]
        last: Last,
        /// Published figures to print below one's own, as comma-separated values
        #[arg(long, value_name = "FILE", requires = "dataset")]
        beside: Option<PathBuf>,
        /// The data set whose published figures are meant
        #[arg(long, value_name = "NAME", requires = "beside")]
        dataset: Option<String>,
    },
    /// Print the figures of each run as comma-separated values, averaged over the last 3 % of its evaluations
    Figures {
        /// Result folders
        #[arg(required = true)]
        results: Vec<PathBuf>,
    },
    /// Look at data sets
    Data {
        #[command(subcommand)]
        command: DataCommand,
    },
    /// Print the tables of a result with their columns
    Schema,
    /// Print what can be said in a scenario: every field with its type, limits, default, meaning and an example
    Fields {
        /// A field, such as latency or latency.sigma, or a choice, such as LogNormal [default: all fields]
        name: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Print queries, documents, features, grades and list lengths of LETOR data, and warn of what will hurt
    Inspect {
        /// A folder with train.txt and test.txt (plain or .gz), or one such file
        path: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The scenario, a RON file, or - for standard input
    pub file: PathBuf,
    /// Result folder [default: out/NAME of the scenario, or out/NAME-seed-N with --seed]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace a field of the scenario, such as --set defense=Undefended, or one inside, such as --set defense.kappa=8; may be given
    /// several times
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// Use this seed instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Worker threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How to show progress: a bar on a terminal, plain lines elsewhere
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "STYLE")]
    pub progress: ProgressStyle,
    /// Run the network without anybody who learns, and print what became of messages; no data is read and nothing is written
    #[arg(long, conflicts_with_all = ["out", "overwrite", "quiet"])]
    pub timeline_only: bool,
    /// Replace the results of another scenario in the result folder
    #[arg(long)]
    pub overwrite: bool,
    /// Begin even if the run seems too large: for the memory or the disk of this machine, or in searches, messages and rows
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    Auto,
    Bar,
    Plain,
    None,
}

/// Reads the command line and does it.
pub fn execute(interruption: &Interruption) -> Result<()> {
    match Cli::try_parse() {
        Ok(cli) => cli.execute(interruption),
        // Help and the version are answers like any other.
        Err(asked) if !asked.use_stderr() => printed(asked.print().and_then(|()| std::io::stdout().flush())),
        Err(wrong) => wrong.exit(),
    }
}

impl Cli {
    fn execute(self, interruption: &Interruption) -> Result<()> {
        match self.command {
            Command::Run(args) => run::run(&args, interruption),
            Command::Table { results, last, beside, dataset } => {
                let published = beside.zip(dataset).map(|(path, dataset)| Published::read(&path, &dataset)).transpose()?;
                say(&table(&results, last, published.as_ref())?)
            }
            Command::Check { file, set } => check(&read_scenario(&file, &set)?, interruption),
            Command::Figures { results } => say(&figures(&results)?),
            Command::Data { command: DataCommand::Inspect { path } } => {
                say(&corpus::inspect_within(&path, machine::available_memory())?.to_string())
            }
            Command::Schema => say(&schema_text()),
            Command::Fields { name } => fields::fields(name.as_deref()),
        }
    }
}

/// The scenario that a command names, with the fields that it sets.
fn read_scenario(file: &Path, set: &[String]) -> Result<Scenario> {
    match file == Path::new("-") {
        true => Scenario::read_from(std::io::stdin().lock(), "<stdin>", set),
        false => Scenario::read_with(file, set),
    }
}

fn check(scenario: &Scenario, interruption: &Interruption) -> Result<()> {
    interruption.will_remove(corpus::unfinished(&scenario.dataset));
    let data = match scenario.dataset {
        Dataset::Letor { .. } => Some(DataSize::of(&Corpus::load_within(&scenario.dataset, machine::available_memory())?)),
        Dataset::Synthetic { .. } => None,
    };
    let means = scenario.network()?.means(&scenario.latency, &scenario.churn, &scenario.regions);
    let estimate = Estimate::with(scenario, data, means);
    let about = format!("{}{estimate}", scenario.meaning());
    say(&format!("{}\n{}", scenario.canonical(), comment(&about)))?;
    limits::warn(&estimate, scenario);
    Ok(())
}

/// Every line as a comment, so that what `check` prints is a scenario.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect()
}
