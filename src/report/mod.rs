//! Reports for people: the summary of a run, many runs as one table, their figures as comma-separated values, and comparisons seed by seed.
//!
//! A report reads the manifest and the tables of result folders. It knows neither the run that wrote them nor the scenario as a type.
//!
//! ```
//! # use rankguard::{error::Error, run::{Job, job}, scenario::Scenario};
//! use rankguard::report::{Format, Shape, figures, table};
//!
//! # let set = ["dataset=Synthetic(like: Mq2007, train_queries: 20, test_queries: 10)".into(), "stop=Sessions(200)".into()];
//! # let world = Scenario::read_from(&include_bytes!("../../scenarios/quickstart.ron")[..], "quickstart.ron", &set)?.resolve()?;
//! # let temporary = tempfile::tempdir().expect("a folder");
//! # let folder = temporary.path().join("quickstart");
//! # job(&world, Job::into(&folder))?;
//! // `folder` holds the results of a run.
//! let side_by_side = table(&[&folder], &Shape::default(), None)?;
//! assert_eq!(side_by_side.columns, ["RankGuard"]);
//! assert!(side_by_side.show(Format::Markdown).starts_with("| users | attack | RankGuard |"));
//! let values = figures(&[&folder])?;
//! assert_eq!(values.csv().lines().count(), 2, "a header, and a line per run");
//! # Ok::<(), Error>(())
//! ```

mod caution;
mod compare;
mod distinct;
pub mod draw;
mod figure;
mod figures;
mod groups;
mod inspect;
mod last;
mod metric;
mod names;
mod network;
mod page;
mod published;
mod setting;
pub mod statistics;
mod summary;
mod summary_data;
mod table;
mod traffic;

pub use compare::{Comparison, Contrast, Pair, Question, Side, compare};
pub use figure::{Axis, Bar, Bars, Colour, Figure, HeatMap, Interval, Intervals, Lines, Mark, Plot, Series, Stroke, Unit};
pub use figures::{Figures, figures};
pub(crate) use groups::runs;
pub use inspect::{Cause, Effect, Event, Inspection, Life, Loudest, NodeFigures, What, WorstNode, inspect, life};
pub use last::Last;
pub use metric::{Metric, Moment};
pub use network::{NetworkOutcome, network_summary};
pub use page::{Choice, MARK, Page, page};
pub use published::Published;
pub(crate) use setting::Run;
pub use summary::{Outcome, summary};
pub use summary_data::{network_data, summary_data};
pub use table::{Cell, Format, Line, Place, Shape, SideBySide, Spread, table};
pub use traffic::{Times, Traffic};

/// A line of a summary.
fn line(title: &str, text: String) -> String {
    format!("  {title:<12} {text}")
}
