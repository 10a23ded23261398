//! Writing Parquet tables, compared with copying the rows, and a whole run with all its tables, compared with the same run without any.

use super::{Effort, Group, Meter, Subject, desk};
use crate::corpus::{Corpus, Shape};
use crate::error::{Error, Result};
use crate::record::{MemoryRecorder, NullRecorder, Parameters, ParquetRecorder, ReceiptRow, Recorder, Rows, RunKey, Table};
use crate::run::{Params, run};
use crate::world::World;
use std::hint::black_box;
use std::path::PathBuf;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let corpus = desk::corpus(Shape::Mq2007, 200, 30);
    receipts(&corpus, effort.choose(10, 40, 40), meter)?;
    measure_run(effort, meter)
}

/// Writes the rows of received models, batch by batch as a run does.
fn receipts(corpus: &Corpus, n_batches: usize, meter: &mut impl Meter) -> Result<()> {
    let mut made = MemoryRecorder::default();
    run(&network(1_000), Params::new(corpus, &mut made))?;
    let rows = made.receipts;
    let subject = Subject {
        group: Group::Record,
        what: "receipts".into(),
        size: vec![("receipts", (rows.len() * n_batches) as u64)],
        per: "row",
        pieces: (rows.len() * n_batches) as f64,
        bound: "copy the rows in memory".into(),
        bound_times: 1.0,
        flops: 0.0,
    };
    let copies = || (0..n_batches).map(|_| rows.clone()).collect::<Vec<Vec<ReceiptRow>>>();
    let mut outcome = Ok(());
    meter.measure(
        &subject,
        copies,
        |batches| {
            let written =
                in_folder(&[Table::Receipts], |recorder| batches.drain(..).try_for_each(|rows| recorder.record(Rows::Receipts(rows))));
            outcome = outcome.clone().and(written);
        },
        || drop(black_box(copies())),
    );
    outcome
}

/// Runs the paper's setting with and without its tables, on as many queries as MQ2008 has.
pub(super) fn measure_run(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let nothing = "(evaluations: Nothing, receipts: Nothing, searches: Nothing, presence: Nothing, faults: Nothing, curve: Nothing, \
                   histograms: Nothing, outcomes: Nothing, nodes: Nothing)";
    let n_sessions = effort.choose(1_000, 10_000, 30_000);
    let corpus = desk::corpus(Shape::Mq2007, 471, 156);
    let (recorded, bare) = (rounds(n_sessions, "()"), rounds(n_sessions, nothing));
    let subject = Subject {
        group: Group::Record,
        what: "a run with all its tables".into(),
        size: vec![("nodes", 100), ("searches", n_sessions)],
        per: "search",
        pieces: n_sessions as f64,
        bound: "the same run without recording".into(),
        bound_times: 1.0,
        flops: 0.0,
    };
    let (mut outcome, mut bare_outcome) = (Ok(()), Ok(()));
    meter.measure(
        &subject,
        || (),
        |()| {
            let written = in_folder(Table::ALL, |recorder| run(&recorded, Params::new(&corpus, recorder)).map(drop));
            outcome = outcome.clone().and(written);
        },
        || bare_outcome = bare_outcome.clone().and(run(&bare, Params::new(&corpus, &mut NullRecorder)).map(drop)),
    );
    outcome.and(bare_outcome)
}

/// Fifty nodes that search and judge, on documents like those of MQ2007.
fn network(n_sessions: u64) -> World {
    desk::world(&[
        ("nodes", "50".to_string()),
        ("stop", format!("Sessions({n_sessions})")),
        ("evaluate_every", format!("Sessions({})", n_sessions / 5)),
        ("dataset", "Synthetic(like: Mq2007, train_queries: 200, test_queries: 30)".into()),
        ("arrivals", "Poisson(every: \"20min\")".into()),
        ("latency", "LogNormal(median: \"80ms\", sigma: 0.6)".into()),
    ])
}

/// The paper's rounds: a hundred nodes, a fifth of them with inverted clicks, evaluated after every round.
fn rounds(n_sessions: u64, record: &str) -> World {
    desk::world(&[
        ("nodes", "100".into()),
        ("malicious_share", "0.2".into()),
        ("attack", "Flip".into()),
        ("malicious_aggregate", "Never".into()),
        ("stop", format!("Sessions({n_sessions})")),
        ("evaluate_every", "Sessions(100)".into()),
        ("dataset", "Synthetic(like: Mq2007, train_queries: 471, test_queries: 156)".into()),
        ("arrivals", "RoundRobin(period: \"100s\")".into()),
        ("latency", "Zero".into()),
        ("record", record.into()),
    ])
}

/// Hands a recorder for some tables to `write`, waits until all rows are written, and removes them.
fn in_folder(tables: &[Table], write: impl FnOnce(&mut ParquetRecorder) -> Result<()>) -> Result<()> {
    let folder = Folder::create()?;
    let [defense, attack, users] = ["RankGuard", "FLIP", "Perfect"].map(String::from);
    let parameters = Parameters { defense, attack, users, malicious_share: 0.2, axes: Vec::new() };
    let mut recorder = ParquetRecorder::create(&folder.0, tables, &RunKey { run_id: "r0123456789abcdef".into(), seed: 1, parameters })?;
    write(&mut recorder)?;
    recorder.finish().map(drop)
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn create() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("rankguard-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| Error::cannot_write(&path, &e))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
