use super::super::part_files::{PART_ROWS, TableWriter};
use super::super::rows::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, ModelRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, Rows, RunRow, SCHEMA_VERSION,
    SearchRow,
};
use super::super::run_key::{Parameters, RunKey};
use super::super::samples::{SampleRow, sample};
use super::*;
use arrow::array::{ArrayRef, Float32Array, RecordBatchReader};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::fs::{self, File};
use std::sync::Arc;
use tempfile::{TempDir, tempdir};

fn run() -> RunKey {
    let axes = [("history", "short"), ("defense.kappa", "8")].map(|(axis, label)| (axis.to_string(), label.to_string()));
    RunKey { run_id: "rabc".into(), seed: u64::MAX, parameters: Parameters { axes: axes.into(), ..Default::default() } }
}

/// A result with one table of these rows, in parts of `part_rows` rows.
fn write(rows: &Rows, part_rows: usize) -> TempDir {
    let folder = tempdir().expect("a folder");
    let mut writer = TableWriter::create(folder.path(), rows.table(), &run(), part_rows).expect("it starts");
    writer.write(rows).and_then(|()| writer.finish()).expect("it writes");
    folder
}

/// Rows compare by bits, so that NaN equals itself.
fn bits<R: SampleRow>(rows: &[R]) -> RecordBatch {
    R::batch(rows)
}

fn check<R: Row + SampleRow>(seed: u64, n: usize, part_rows: usize, range: Range<u64>)
where
    Rows: From<Vec<R>>,
{
    let rows: Vec<R> = sample(seed, n);
    let folder = write(&rows.clone().into(), part_rows);
    let reader = Reader::<R>::open(folder.path()).expect("it opens");
    let read = |range: Range<u64>| reader.rows(range).and_then(Iterator::collect::<Result<Vec<R>>>).expect("it reads");
    assert_eq!((reader.n_rows(), bits(&read(0..u64::MAX))), (n as u64, bits(&rows)));
    let (from, to) = (n.min(range.start as usize), n.min(range.end as usize));
    assert_eq!(bits(&read(range)), bits(&rows[from..to]), "{} from {from} to {to} in parts of {part_rows}", R::TABLE.name());
    let seeds: Result<Vec<i64>> = reader.column("seed", ..).and_then(Iterator::collect);
    assert_eq!(seeds, Ok(vec![-1; n]));
    let labels: Result<Vec<String>> = reader.column("history", ..).and_then(Iterator::collect);
    assert_eq!(labels, Ok(vec!["short".to_string(); n]));
}

type Check = fn(u64, usize, usize, Range<u64>);
const EVERY_TABLE: [Check; 11] = [
    check::<RunRow>,
    check::<NodeRow>,
    check::<EvaluationRow>,
    check::<ReceiptRow>,
    check::<SearchRow>,
    check::<PresenceRow>,
    check::<FaultRow>,
    check::<CurveRow>,
    check::<HistogramRow>,
    check::<OutcomeRow>,
    check::<ModelRow>,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_table_reads_back_as_written(seed: u64, n in 0..60usize, part_rows in 1..25usize, from in 0..70u64, len in 0..40u64) {
        for check in EVERY_TABLE {
            check(seed, n, part_rows, from..from + len);
        }
    }
}

#[test]
fn no_table_is_left_out_and_any_may_be_empty() {
    assert_eq!(EVERY_TABLE.len(), Table::ALL.len());
    EVERY_TABLE.iter().for_each(|check| check(1, 0, PART_ROWS, 0..1));
}

#[test]
fn ranges_go_across_batches_and_parts() {
    for range in [0..5000, 1023..1025, 2999..3001, 4999..9000, 1500..1500, 6000..7000, 0..1] {
        check::<PresenceRow>(1, 5000, 3000, range.clone());
        check::<ModelRow>(1, 5000, 3000, range);
    }
    check::<OutcomeRow>(1, 140_000, PART_ROWS, 131_070..131_075); // across row groups
    assert_eq!((clamp(.., 3), clamp(1.., 3), clamp(..=1, 3), clamp(..9, 3), clamp(7.., 3)), (0..3, 1..3, 0..2, 0..3, 3..3));
    assert_eq!(clamp((Bound::Excluded(0), Bound::Included(u64::MAX)), 3), 1..3);
}

#[test]
fn a_column_is_read_alone_and_batch_by_batch() {
    let folder = write(&Rows::Receipts(sample(1, 3000)), PART_ROWS);
    let reader = Reader::<ReceiptRow>::open(folder.path()).expect("it opens");
    let names = |batches: &ParquetRecordBatchReader| batches.schema().fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>();

    let mut alphas = reader.column::<f64>("alpha", ..).expect("it is there");
    alphas.next().expect("there are rows").expect("it reads");
    assert_eq!(alphas.open.as_ref().map(|(_, batches)| names(batches)), Some(vec!["alpha".to_string()]));
    assert_eq!(alphas.decoded.len(), 1023, "no more than a batch is in memory");

    let mut rows = reader.rows(..).expect("it is there");
    rows.next().expect("there are rows").expect("it reads");
    let all: Vec<String> = Table::Receipts.own_fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(rows.open.as_ref().map(|(_, batches)| names(batches)), Some(all), "the columns of the run are no part of a row");
}

#[track_caller]
fn refuse<T>(read: Result<Values<T>>, says: &[&str]) {
    let problem = read.and_then(Iterator::collect::<Result<Vec<T>>>).err().expect("it is refused");
    assert_eq!(problem.exit_code(), 2);
    for words in says {
        assert!(problem.to_string().contains(words), "`{words}` is not in: {problem}");
    }
}

#[test]
fn a_column_is_asked_for_by_its_name_and_type() {
    let folder = write(&Rows::Receipts(sample(1, 3)), PART_ROWS);
    let reader = Reader::<ReceiptRow>::open(folder.path()).expect("it opens");
    refuse(
        reader.column::<f64>("alfa", ..),
        &["the table receipts has no column `alfa`, only run_id, seed, defense, attack, users, malicious_share, step"],
    );
    refuse(reader.column::<f64>("t", ..), &["column `t` of the table receipts may be null; read it as an Option"]);
    refuse(reader.column::<f64>("step", ..), &["part-00000.parquet", "column `step` is int64 instead of float64"]);
    let optional: Result<Vec<Option<f64>>> = reader.column("alpha", ..).and_then(Iterator::collect);
    assert_eq!(optional.map(|alphas| alphas.iter().flatten().count()), Ok(3), "what is never null may be asked for as if it were");
}

/// Packs a batch as another program might; the footer names a schema version or none.
fn pack(folder: &Path, part: &str, batch: &RecordBatch, packing: Compression, version: Option<u32>) {
    fs::create_dir_all(folder.join("curve")).expect("it is made");
    let file = File::create(folder.join("curve").join(part)).expect("it is made");
    let footer = version.map(|version| vec![KeyValue::new("rankguard.schema_version".into(), version.to_string())]);
    let properties = WriterProperties::builder().set_compression(packing).set_key_value_metadata(footer).build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("it starts");
    writer.write(batch).and_then(|()| writer.close().map(drop)).expect("it writes");
}

/// Columns of a batch, some of them exchanged or left out. All of them may be null.
fn exchange(batch: &RecordBatch, by: impl Fn(&str, &ArrayRef) -> Option<ArrayRef>) -> RecordBatch {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let kept = columns.filter_map(|(field, column)| Some((field.name(), by(field.name(), column)?, true)));
    RecordBatch::try_from_iter_with_nullable(kept).expect("columns of one length")
}

#[test]
fn tables_that_others_have_packed_again_are_read() {
    let folder = tempdir().expect("a folder");
    let rows: Vec<CurveRow> = sample(5, 4);
    let nullable = exchange(&bits(&rows), |_, column| Some(column.clone()));
    pack(folder.path(), "part-00000.parquet", &nullable.slice(0, 1), Compression::SNAPPY, None);
    pack(folder.path(), "part-00001.parquet", &nullable.slice(1, 3), Compression::UNCOMPRESSED, Some(SCHEMA_VERSION));
    fs::write(folder.path().join("curve/note.txt"), "no table").expect("it writes");
    let read: Vec<CurveRow> = Reader::open(folder.path()).expect("it opens").rows(..).and_then(Iterator::collect).expect("it reads");
    assert_eq!(bits(&read), bits(&rows));
}

#[test]
fn columns_that_do_not_fit_say_which_and_what_to_do() {
    let batch = bits(&sample::<CurveRow>(5, 2));
    let check = |batch: &RecordBatch, version: Option<u32>, says: &[&str]| {
        let folder = tempdir().expect("a folder");
        pack(folder.path(), "part-00000.parquet", batch, Compression::UNCOMPRESSED, version);
        let reader = Reader::<CurveRow>::open(folder.path()).expect("it is Parquet");
        let always = ["curve/part-00000.parquet: cannot be read: its columns are not those of the table curve", "; run the scenario again"];
        refuse(reader.rows(..), &[&always[..], says].concat());
    };
    let without = exchange(&batch, |name, column| (name != "age_ns").then(|| column.clone()));
    check(&without, None, &["column `age_ns` is missing; run"]);
    check(&without.slice(0, 0), None, &["column `age_ns` is missing; run"]);
    check(&without, Some(3), &["column `age_ns` is missing; it has schema version 3, and this program reads 6; run"]);
    let narrow: ArrayRef = Arc::new(Float32Array::from(vec![0.5, 0.5]));
    check(
        &exchange(&batch, |name, c| Some(if name == "auc" { narrow.clone() } else { c.clone() })),
        None,
        &["`auc` is float32 instead of float64"],
    );
    let nothing: ArrayRef = Arc::new(arrow::array::Float64Array::from(vec![Some(0.5), None]));
    check(
        &exchange(&batch, |name, c| Some(if name == "ndcg_sd" { nothing.clone() } else { c.clone() })),
        None,
        &["`ndcg_sd` holds a null"],
    );
}

#[test]
fn a_result_without_the_table_says_how_to_get_it() {
    let folder = tempdir().expect("a folder");
    let says = |problem: Option<Error>| problem.map(|problem| problem.to_string()).unwrap_or_default();
    for table in Table::ALL {
        let problem = says(TableReader::open(folder.path(), *table).err());
        assert!(problem.contains(&format!(": holds no {}; ", table.name())), "{problem}");
    }
    let problem = says(Reader::<ReceiptRow>::open(folder.path()).err());
    assert!(problem.ends_with("holds no receipts; run the scenario with record: (receipts: All)"), "{problem}");
    let problem = says(Reader::<ReceiptRow>::open(&folder.path().join("kad")).err());
    assert!(problem.contains("kad: cannot be read: "), "{problem}");
}

/// A file of this content is read or refused, and never ends the program.
fn survive<R: Row>(content: &[u8]) -> bool {
    let folder = tempdir().expect("a folder");
    let part = folder.path().join(R::TABLE.name()).join("part-00000.parquet");
    fs::create_dir(part.parent().expect("inside")).and_then(|()| fs::write(&part, content)).expect("it writes");
    let read = Reader::<R>::open(folder.path()).and_then(|reader| reader.rows(..)?.collect::<Result<Vec<R>>>());
    let problem = read.err().map(|problem| problem.to_string());
    let is_told =
        |problem: &String| problem.contains("part-00000.parquet: cannot be read: ") && problem.ends_with("; run the scenario again");
    assert!(problem.as_ref().is_none_or(is_told), "{problem:?}");
    problem.is_none()
}

fn content(rows: &Rows) -> Vec<u8> {
    fs::read(write(rows, PART_ROWS).path().join(rows.table().name()).join("part-00000.parquet")).expect("it is there")
}

#[test]
fn a_file_that_ends_too_early_is_refused() {
    let content = content(&Rows::Presence(sample(1, 300)));
    assert!(survive::<PresenceRow>(&content));
    for len in (0..content.len()).step_by(7) {
        assert!(!survive::<PresenceRow>(&content[..len]), "{len} of {} bytes", content.len());
    }
    for foreign in [&b"step,at_ns,node\n1,2,3\n"[..], b"PAR1PAR1", b"PAR1\0\0\0\0PAR1", b"PAR1\xFF\xFF\xFF\x7FPAR1"] {
        assert!(!survive::<PresenceRow>(foreign));
    }
}

#[test]
fn damage_anywhere_in_a_file_is_no_panic() {
    fn damage<R: Row>(rows: &Rows) {
        let mut content = content(rows);
        for (at, change) in (0..content.len()).step_by(7).zip([0x01, 0x80, 0xFF].into_iter().cycle()) {
            content[at] ^= change;
            survive::<R>(&content);
            content[at] ^= change;
        }
    }
    damage::<NodeRow>(&Rows::Nodes(sample(1, 20)));
    damage::<ModelRow>(&Rows::Models(sample(1, 20)));
}
