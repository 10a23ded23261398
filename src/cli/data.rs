//! `rankguard data`: looks at data sets.

use super::print::{say, say_json, tell};
use clap::{Args, Subcommand};
use rankguard::corpus::{PUBLIC_SETS, PublicSet, Verified, inspect_within, unknown_folders, verify};
use rankguard::error::{Error, Result};
use rankguard::machine;
use rankguard::units::counted;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Print queries, documents, features, grades and list lengths of LETOR data, and warn about everything that will cause trouble
    Inspect {
        /// A folder with train.txt and test.txt (plain or .gz), or one such file
        path: PathBuf,
        /// Print the same as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the public sets below a folder against what is known of them: which folds and files are there, and their queries, documents,
    /// features, grades and list lengths; the exit code is 2 if a set is wrong
    Verify {
        /// Names of sets, such as MQ2008 [default: all that are there]
        sets: Vec<String>,
        /// The folder that holds the sets, laid out as data/README.md says
        #[arg(long, value_name = "DIR", default_value = "data")]
        data_dir: PathBuf,
        /// Print the same as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn data(args: &DataArgs) -> Result<()> {
    match &args.command {
        DataCommand::Inspect { path, json } => {
            let inspection = inspect_within(path, machine::available_memory())?;
            if *json { say_json(&inspection) } else { say(&inspection.to_string()) }
        }
        DataCommand::Verify { sets, data_dir, json } => verify_sets(sets, data_dir, *json),
    }
}

/// Verifies the sets of these names, or all that are there, one after the other: a text can be large.
fn verify_sets(names: &[String], root: &Path, json: bool) -> Result<()> {
    let mut answers = Vec::new();
    for set in chosen(names)? {
        if root.join(set.name).is_dir() {
            tell(&format!("reading {}", root.join(set.name).display()));
        }
        match verify(set, root, machine::available_memory()) {
            Some(verified) if json => answers.push(verified),
            Some(verified) => {
                say(&verified.to_string())?;
                answers.push(verified);
            }
            None if names.is_empty() => {}
            None => tell(&format!("{}: is not there; data/README.md says where it comes from", root.join(set.name).display())),
        }
    }
    if json {
        say_json(&answers)?;
    } else if answers.is_empty() {
        say(&nothing(root))?;
    }
    let wrong: Vec<&str> = answers.iter().filter(|set| set.is_wrong()).map(|set| set.name).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::input(format!("{}: {} wrong: {}", root.display(), counted_are(&answers, wrong.len()), wrong.join(", "))))
}

fn counted_are(answers: &[Verified], n_wrong: usize) -> String {
    format!("{n_wrong} of {} {}", counted(answers.len() as u64, "set"), if n_wrong == 1 { "is" } else { "are" })
}

/// The sets of these names; all without a name.
fn chosen(names: &[String]) -> Result<Vec<&'static PublicSet>> {
    let known = || PUBLIC_SETS.map(|set| set.name).join(", ");
    let find = |name: &String| {
        PublicSet::named(name).ok_or_else(|| Error::input(format!("{name}: is none of the public sets, which are {}", known())))
    };
    if names.is_empty() { Ok(PUBLIC_SETS.iter().collect()) } else { names.iter().map(find).collect() }
}

/// What to say if no set is there.
fn nothing(root: &Path) -> String {
    let others = unknown_folders(root);
    let known = PUBLIC_SETS.map(|set| set.name).join(", ");
    let renamed = match others.is_empty() {
        true => String::new(),
        false => format!("\nfolders of other names: {}; a set has one of the names {known}", others.join(", ")),
    };
    format!("{}: holds none of the sets; data/README.md says where they come from and how to lay them out{renamed}", root.display())
}
