//! `rankguard table`: results side by side.

use super::print::{say, say_json};
use super::style::Paint;
use clap::{Args, ValueEnum};
use rankguard::error::Result;
use rankguard::report::{self, Format, Last, Metric, Moment, Published, Shape, Spread};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct TableArgs {
    /// Result folders, or folders of collected sweeps
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Fields that make lines: fields of a scenario (latency), fields inside (defense.kappa), axes of a sweep, seed or name; separated by
    /// commas [default: users, attack and everything else that differs]
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    rows: Option<Vec<String>>,
    /// The field that makes columns [default: defense, or attack if the defence makes lines]
    #[arg(long, value_name = "FIELD")]
    cols: Option<String>,
    /// The figure: ndcg, worst5, online, exposure, pull, auc, alpha-honest, alpha-malicious, delivered, present, bytes or time-to:0.5
    #[arg(long, value_name = "METRIC", default_value_t = Metric::Ndcg)]
    value: Metric,
    /// When it is taken: end, sessions:5000, a virtual time such as 6h, or averaged over last:10 evaluations or last:3% of each run
    #[arg(long, value_name = "MOMENT", conflicts_with = "last")]
    at: Option<Moment>,
    /// How much of the end of each run is averaged: a share of it, or a number of evaluations in its second half
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    last: Last,
    /// Which standard deviation stands in brackets: over seeds, across the nodes of a run (ndcg alone), or none
    #[arg(long, value_name = "OVER", value_enum, default_value_t = Sd::Seeds)]
    sd: Sd,
    /// How the table is written: aligned for a terminal, or for documents and other programs
    #[arg(long, value_enum, default_value_t = Written::Text)]
    format: Written,
    /// Print the table with unrounded figures as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Published figures to print below one's own, as comma-separated values
    #[arg(long, value_name = "FILE", requires = "dataset")]
    beside: Option<PathBuf>,
    /// The data set whose published figures are meant
    #[arg(long, value_name = "NAME", requires = "beside")]
    dataset: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sd {
    Seeds,
    Nodes,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Written {
    /// Aligned columns
    Text,
    Markdown,
    /// With the rules of booktabs
    Latex,
    /// A line per cell, unrounded
    Csv,
}

pub fn table(args: &TableArgs) -> Result<()> {
    let published = args.beside.as_ref().zip(args.dataset.as_ref()).map(|(path, dataset)| Published::read(path, dataset)).transpose()?;
    let table = report::table(&args.results, &args.shape(), published.as_ref())?;
    if args.json {
        return say_json(&table);
    }
    match args.format {
        Written::Text => say(&Paint::stdout().table(&table.show(Format::Text))),
        Written::Markdown => say(&table.show(Format::Markdown)),
        Written::Latex => say(&table.show(Format::Latex)),
        Written::Csv => say(&table.show(Format::Csv)),
    }
}

impl TableArgs {
    fn shape(&self) -> Shape {
        Shape {
            rows: self.rows.clone(),
            columns: self.cols.clone(),
            value: self.value,
            at: self.at.unwrap_or(Moment::Last(self.last)),
            spread: match self.sd {
                Sd::Seeds => Spread::Seeds,
                Sd::Nodes => Spread::Nodes,
                Sd::None => Spread::None,
            },
        }
    }
}
