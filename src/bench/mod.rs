//! Measures how fast the program is on this machine. Next to everything measured stands a bound, measured in the same run: the arithmetic,
//! the reading of memory or the bare product that cannot be avoided.
//!
//! A ratio to a bound can be compared between machines, and between a quiet and a busy one; a time cannot. Nothing here can change a
//! result, and no other module knows this one. `rankguard bench` prints the rows, and `cargo bench` measures the same work with criterion.
//!
//! ```
//! use rankguard::bench::{Effort, Fastest, Group};
//!
//! let mut meter = Fastest::new(Effort::Quick);
//! Group::Parse.measure(Effort::Quick, &mut meter)?;
//! assert!(meter.rows().iter().all(|row| row.seconds > 0.0 && row.bound_seconds > 0.0));
//! # Ok::<(), rankguard::error::Error>(())
//! ```

pub mod bounds;
mod desk;
mod evaluation;
mod export;
mod judge;
mod paper;
mod parse;
mod recording;
mod replay;
mod search;
mod shape;
mod show;
mod threads;
mod timeline;
mod timing;

pub use bounds::Bounds;
pub use export::{Case, export};
pub use paper::{PAPER, Published};
pub use shape::{Check, checks};
pub use show::{Report, runtime_table, table};
pub use timing::{Fastest, Meter, Row, Subject};

use crate::error::Result;
use serde::Serialize;
use std::str::FromStr;

/// What is measured together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Judging received models, by rule, ranker, length of the history and number of models that wait.
    Judge,
    /// Searches.
    Search,
    /// Evaluation of models on test queries.
    Evaluation,
    /// The virtual clock alone.
    Timeline,
    /// Reading LETOR text.
    Parse,
    /// Writing Parquet tables.
    Record,
    /// Whole runs on one and two threads.
    Threads,
}

impl Group {
    /// All groups, in the order in which they are measured.
    pub const ALL: [Self; 7] = [Self::Judge, Self::Search, Self::Evaluation, Self::Timeline, Self::Parse, Self::Record, Self::Threads];

    /// The name by which a user chooses the group.
    pub fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Search => "search",
            Self::Evaluation => "evaluation",
            Self::Timeline => "timeline",
            Self::Parse => "parse",
            Self::Record => "record",
            Self::Threads => "threads",
        }
    }

    /// Hands every piece of work of the group to the meter.
    ///
    /// # Errors
    /// Fails if a run fails, or if tables cannot be written to the folder for temporary files.
    pub fn measure(self, effort: Effort, meter: &mut impl Meter) -> Result<()> {
        match self {
            Self::Judge => judge::measure(effort, meter),
            Self::Search => search::measure(effort, meter),
            Self::Evaluation => evaluation::measure(effort, meter),
            Self::Timeline => timeline::measure(effort, meter)?,
            Self::Parse => parse::measure(effort, meter),
            Self::Record => recording::measure(effort, meter)?,
            Self::Threads => threads::measure(effort, meter)?,
        }
        Ok(())
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|group| group.name() == name).ok_or_else(|| format!("the groups are {names}"))
    }
}

/// How much is measured, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Small sizes, each measured a few times: seconds in all.
    Quick,
    /// All sizes whose work is short enough to be repeated many times.
    Repeated,
    /// All sizes: minutes in all.
    Full,
}

impl Effort {
    /// One of three values.
    fn choose<T>(self, quick: T, repeated: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Repeated => repeated,
            Self::Full => full,
        }
    }
}
