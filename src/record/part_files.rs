//! The files of one table. Parts, row groups and pages are cut by counting rows, never by how rows happened to be batched,
//! so a rerun writes the same bytes.

use super::column_order::declare_type_defined;
use super::encoding::{ROW_GROUP_ROWS, properties};
use super::rows::{Rows, Table};
use super::table::RunKey;
use crate::error::{Error, Result};
use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A part closes after this many rows.
pub const PART_ROWS: usize = 8 * ROW_GROUP_ROWS;
/// Rows handed to Parquet at a time.
const BATCH_ROWS: usize = 1024;

/// Writes one table into its folder, part after part.
pub struct TableWriter {
    table: Table,
    run: RunKey,
    folder: PathBuf,
    properties: WriterProperties,
    part_rows: usize,
    waiting: BatchCoalescer,
    open: Option<Part>,
    n_parts: usize,
    n_rows: u64,
}

struct Part {
    path: PathBuf,
    writer: ArrowWriter<File>,
    n_rows: usize,
}

impl TableWriter {
    pub fn create(result_folder: &Path, table: Table, run: &RunKey, part_rows: usize) -> Result<Self> {
        let folder = result_folder.join(table.name());
        fs::create_dir_all(&folder).map_err(|e| Error::cannot_write(&folder, &e))?;
        let waiting = BatchCoalescer::new(table.schema(), BATCH_ROWS);
        let properties = properties(table, &run.run_id);
        Ok(Self { table, run: run.clone(), folder, properties, part_rows, waiting, open: None, n_parts: 0, n_rows: 0 })
    }

    pub fn write(&mut self, rows: &Rows) -> Result<()> {
        self.n_rows += rows.len() as u64;
        self.waiting.push_batch(rows.to_batch(&self.run)).map_err(|e| self.failed(&e))?;
        self.write_completed()
    }

    /// Writes what still waits and returns the number of rows. A table without rows leaves one part without rows,
    /// because readers rely on the file for the columns.
    pub fn finish(mut self) -> Result<u64> {
        self.waiting.finish_buffered_batch().map_err(|e| self.failed(&e))?;
        self.write_completed()?;
        if self.n_parts == 0 {
            self.open = Some(self.open_part()?);
        }
        self.close_part()?;
        Ok(self.n_rows)
    }

    fn write_completed(&mut self) -> Result<()> {
        while let Some(batch) = self.waiting.next_completed_batch() {
            self.write_batch(batch)?;
        }
        Ok(())
    }

    fn write_batch(&mut self, mut batch: RecordBatch) -> Result<()> {
        while batch.num_rows() > 0 {
            let mut part = match self.open.take() {
                Some(part) => part,
                None => self.open_part()?,
            };
            let fits = batch.num_rows().min(self.part_rows - part.n_rows);
            part.write(&batch.slice(0, fits))?;
            let full = part.n_rows == self.part_rows;
            self.open = Some(part);
            if full {
                self.close_part()?;
            }
            batch = batch.slice(fits, batch.num_rows() - fits);
        }
        Ok(())
    }

    fn open_part(&mut self) -> Result<Part> {
        let path = self.folder.join(format!("part-{:05}.parquet", self.n_parts));
        let file = File::create(&path).map_err(|e| Error::cannot_write(&path, &e))?;
        let writer =
            ArrowWriter::try_new(file, self.table.schema(), Some(self.properties.clone())).map_err(|e| Error::cannot_write(&path, &e))?;
        self.n_parts += 1;
        Ok(Part { path, writer, n_rows: 0 })
    }

    fn close_part(&mut self) -> Result<()> {
        match self.open.take() {
            Some(part) => part.close(),
            None => Ok(()),
        }
    }

    fn failed(&self, problem: &impl Display) -> Error {
        Error::cannot_write(&self.folder, problem)
    }
}

impl Part {
    fn close(self) -> Result<()> {
        let metadata = self.writer.close().map_err(|e| Error::cannot_write(&self.path, &e))?;
        let n_columns = metadata.file_metadata().schema_descr().num_columns();
        declare_type_defined(&self.path, n_columns).map_err(|e| Error::cannot_write(&self.path, &e))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.n_rows += batch.num_rows();
        self.writer.write(batch).map_err(|e| Error::cannot_write(&self.path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{
        CurveRow, EvaluationRow, FaultRow, HistogramRow, ModelRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, RunRow, SearchRow,
    };
    use super::*;
    use arrow::util::display::array_value_to_string;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use tempfile::{TempDir, tempdir};

    /// Writes the batches and returns the folder, its parts in order, and the number of rows.
    fn write(table: Table, part_rows: usize, batches: &[Rows]) -> (TempDir, Vec<PathBuf>, u64) {
        let folder = tempdir().expect("a folder");
        let mut writer = TableWriter::create(folder.path(), table, &run(), part_rows).expect("it starts");
        batches.iter().for_each(|rows| writer.write(rows).expect("it writes"));
        let n_rows = writer.finish().expect("it closes");
        let entries = fs::read_dir(folder.path().join(table.name())).expect("the table has a folder");
        let mut parts: Vec<PathBuf> = entries.map(|entry| entry.expect("it lists").path()).collect();
        parts.sort();
        (folder, parts, n_rows)
    }

    fn run() -> RunKey {
        RunKey { run_id: "rabc".into(), seed: u64::MAX }
    }

    fn open(part: &Path) -> ParquetRecordBatchReaderBuilder<File> {
        ParquetRecordBatchReaderBuilder::try_new(File::open(part).expect("the part exists")).expect("it is Parquet")
    }

    /// Every row of a file as text: cells separated by a blank, null as nothing.
    fn show(part: &Path) -> Vec<String> {
        let show_batch = |batch: RecordBatch| {
            let cells = |row| batch.columns().iter().map(move |column| array_value_to_string(column, row).expect("cells print"));
            (0..batch.num_rows()).map(|row| cells(row).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        open(part).build().expect("it opens").flat_map(|batch| show_batch(batch.expect("it decodes"))).collect()
    }

    fn presence(steps: std::ops::Range<i64>) -> Rows {
        Rows::Presence(
            steps.map(|step| PresenceRow { step, at_ns: step * step, node: (step % 7) as i32, online: step % 2 == 0, life: 0 }).collect(),
        )
    }

    /// Every row is as expected, after the columns that all tables have.
    #[track_caller]
    fn check(rows: Rows, expect: &[&str]) {
        let (_folder, parts, n_rows) = write(rows.table(), PART_ROWS, &[rows]);
        let expect: Vec<String> = expect.iter().map(|row| format!("rabc -1 {row}")).collect();
        assert_eq!((show(&parts[0]), n_rows), (expect.clone(), expect.len() as u64));
    }

    #[test]
    fn every_table_reads_back_as_written() {
        let evaluation = EvaluationRow {
            step: 9,
            evaluation: 1,
            at_ns: 5_000_000_000,
            node: 3,
            online: false,
            searches: 12,
            ndcg: 0.5,
            exposure: Some(0.25),
            pull: None,
            age_ns: Some(40),
        };
        check(Rows::Evaluations(vec![evaluation.clone(), evaluation]), &["9 1 5000000000 3 false 12 0.5 0.25  40"; 2]);

        let merged = ReceiptRow {
            step: 1,
            at_ns: 20,
            sent_ns: 10,
            receiver: 4,
            receiver_malicious: false,
            sender: 5,
            sender_malicious: true,
            outcome: "merged",
            reason: None,
            history: 8,
            t: Some(-1.25),
            alpha: 0.125,
            weights: vec![0.25, 0.0],
            noop: false,
            exposure: Some(1.0),
            pull: None,
            age_ns: Some(9),
        };
        let rejected =
            ReceiptRow { step: 2, outcome: "rejected", reason: Some("distance"), t: None, alpha: 0.0, weights: vec![], ..merged.clone() };
        check(
            Rows::Receipts(vec![merged, rejected]),
            &[
                "1 20 10 4 false 5 true merged  8 -1.25 0.125 [0.25, 0.0] false 1.0  9",
                "2 20 10 4 false 5 true rejected distance 8  0.0 [] false 1.0  9",
            ],
        );

        let search = SearchRow {
            step: 3,
            at_ns: 7,
            node: 0,
            malicious: true,
            query: 41,
            candidates: 100,
            clicks: 2,
            pairs: 5,
            ndcg: 1.0,
            sent: 3,
            lost: 1,
        };
        check(Rows::Searches(vec![search]), &["3 7 0 true 41 100 2 5 1.0 3 1"]);

        check(presence(1..3), &["1 1 1 false 0", "2 4 2 true 0"]);

        let fault = FaultRow { step: 4, at_ns: 9, fault: 1, what: "crash", begins: true, nodes: 3 };
        check(Rows::Faults(vec![fault]), &["4 9 1 crash true 3"]);

        let quantile = HistogramRow { quantity: "delay", quantile: 0.5, value_ns: 80, count: 7 };
        check(Rows::Histograms(vec![quantile]), &["delay 0.5 80 7"]);

        check(Rows::Outcomes(vec![OutcomeRow { outcome: "partition", messages: 12 }]), &["partition 12"]);

        let point = CurveRow {
            step: 8,
            evaluation: 2,
            at_ns: 60,
            sessions: 1000,
            evaluated: 9,
            online_nodes: 10,
            ndcg_mean: 0.5,
            ndcg_sd: 0.25,
            ndcg_worst5: 0.2,
            ndcg_min: 0.1,
            ndcg_random: 0.3,
            alpha_honest: Some(0.75),
            alpha_malicious: None,
            auc: Some(0.9),
            exposure: Some(0.01),
            pull: Some(-0.5),
            age_ns: None,
            sent: 30,
            delivered: 20,
            lost: 10,
        };
        check(Rows::Curve(vec![point]), &["8 2 60 1000 9 10 0.5 0.25 0.2 0.1 0.3 0.75  0.9 0.01 -0.5  30 20 10"]);

        let node =
            NodeRow { node: 3, malicious: true, plays: Some("FLIP"), region: "Tokyo", host: None, rate: 1.5, first_join_ns: Some(7) };
        let honest = NodeRow { malicious: false, plays: None, host: Some(2), first_join_ns: None, ..node.clone() };
        check(Rows::Nodes(vec![node, honest]), &["3 true FLIP Tokyo  1.5 7", "3 false  Tokyo 2 1.5 "]);

        let of = |text: &str| text.to_string();
        let run = RunRow {
            name: of("kad"),
            n_nodes: 10,
            n_malicious: 2,
            malicious_share: 0.2,
            attack: of("FLIP"),
            attack_spelled: of("Flip"),
            defense: of("CS"),
            defense_spelled: of("Cs()"),
            users: of("Perfect"),
            ranker: of("Linear(eta:0.1)"),
            dataset: of("Letor"),
            arrivals: of("Poisson"),
            churn: of("Kad"),
            latency: of("Zero"),
            stop: of("Sessions(9)"),
            n_sessions: 9,
            end_ns: 11,
            end_ndcg: 0.5,
            data_hash: of("d1"),
            fingerprint: of("f1"),
            version: of("0.1.0"),
            scenario: of("(…)"),
        };
        let text = "kad 10 2 0.2 FLIP Flip CS Cs() Perfect Linear(eta:0.1) Letor Poisson Kad Zero Sessions(9) 9 11 0.5 d1 f1 0.1.0 (…)";
        check(Rows::Runs(vec![run]), &[text]);

        let model = ModelRow { evaluation: 2, node: 1, malicious: false, theta: vec![0.5, -1.0] };
        check(Rows::Models(vec![model.clone(), ModelRow { theta: vec![], ..model }]), &["2 1 false [0.5, -1.0]", "2 1 false []"]);
    }

    #[test]
    fn parts_close_after_a_fixed_number_of_rows() {
        for (rows, sizes) in [(9, vec![4, 4, 1]), (8, vec![4, 4]), (1, vec![1]), (0, vec![0])] {
            let (_folder, parts, _) = write(Table::Presence, 4, &[presence(0..rows)]);
            assert_eq!(parts.iter().map(|part| show(part).len()).collect::<Vec<_>>(), sizes, "{rows} rows");
        }
    }

    #[test]
    fn a_table_without_rows_leaves_one_part_with_all_its_columns() {
        for table in Table::ALL {
            let (_folder, parts, n_rows) = write(*table, PART_ROWS, &[]);
            assert_eq!((parts.len(), n_rows), (1, 0));
            assert_eq!(open(&parts[0]).schema().fields(), table.schema().fields());
        }
    }

    #[test]
    fn the_same_rows_give_the_same_bytes_however_they_were_batched() {
        let bytes = |at_a_time: i64| {
            let batches: Vec<Rows> = (0..5000).step_by(at_a_time as usize).map(|from| presence(from..5000.min(from + at_a_time))).collect();
            let (_folder, parts, _) = write(Table::Presence, 3000, &batches);
            parts.iter().map(|part| fs::read(part).expect("it reads")).collect::<Vec<_>>()
        };
        assert_eq!(bytes(5000).len(), 2);
        assert!(bytes(5000) == bytes(5000) && bytes(5000) == bytes(7) && bytes(5000) == bytes(1));
    }
}
