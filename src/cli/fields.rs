//! `rankguard fields` and `rankguard schema`: the references of scenarios and of tables.

use super::print::{say, say_json};
use clap::Args;
use rankguard::error::Result;
use rankguard::record::{schema_data, schema_text};
use rankguard::scenario::reference::{reference, reference_data};

#[derive(Debug, Args)]
pub struct FieldsArgs {
    /// A field, such as latency or latency.sigma, or a choice, such as LogNormal [default: all fields]
    name: Option<String>,
    /// Print a list of all fields and choices as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Print the same as JSON
    #[arg(long)]
    json: bool,
}

/// Prints all fields of a scenario, or those of this name.
pub fn fields(args: &FieldsArgs) -> Result<()> {
    let name = args.name.as_deref();
    if args.json { say_json(&reference_data(name)?) } else { say(&reference(name)?) }
}

/// Prints all tables with their columns.
pub fn schema(args: &SchemaArgs) -> Result<()> {
    if args.json { say_json(&schema_data()) } else { say(&schema_text()) }
}
