//! Reads the models of an earlier result, for a run that starts from them.

use super::reader::Reader;
use super::rows::{ModelRow, Table};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Node and weights of every model that was kept at the given evaluation, or at the last recorded one, sorted by node.
///
/// # Errors
/// The result holds no models of that evaluation, a file cannot be read, or a model is not finite.
pub fn read_models(result_folder: &Path, evaluation: Option<u32>) -> Result<Vec<(i32, Vec<f32>)>> {
    let table = Reader::<ModelRow>::open(result_folder)?;
    let (evaluation, rows) = choose(result_folder, evaluations(&table)?, evaluation)?;
    let mut models = Vec::new();
    for row in table.rows(rows)? {
        let row = row?;
        if row.evaluation == evaluation {
            refuse_infinite(result_folder, &row)?;
            models.push((row.node, row.theta));
        }
    }
    models.sort_by_key(|(node, _)| *node);
    Ok(models)
}

/// The evaluations at which models were kept, each with the rows from its first model to its last one.
fn evaluations(models: &Reader<ModelRow>) -> Result<BTreeMap<i32, Range<u64>>> {
    let mut found = BTreeMap::new();
    for (row, evaluation) in (0..).zip(models.column::<i32>("evaluation", ..)?) {
        found.entry(evaluation?).or_insert(row..row).end = row + 1;
    }
    Ok(found)
}

fn choose(result_folder: &Path, there: BTreeMap<i32, Range<u64>>, wanted: Option<u32>) -> Result<(i32, Range<u64>)> {
    let names: Vec<String> = there.keys().map(ToString::to_string).collect();
    let found = match wanted {
        None => there.into_iter().next_back(),
        Some(wanted) => there.into_iter().find(|(evaluation, _)| i64::from(*evaluation) == i64::from(wanted)),
    };
    found.ok_or_else(|| match wanted {
        Some(wanted) if !names.is_empty() => {
            let there = names.join(", ");
            Error::input(format!("{}: holds no models of evaluation {wanted}, only of {there}", result_folder.display()))
        }
        _ => Table::Models.missing(result_folder),
    })
}

/// A model that holds NaN or ∞ ranks nothing, and makes NaN of every model that it is merged with.
fn refuse_infinite(result_folder: &Path, ModelRow { evaluation, node, theta, .. }: &ModelRow) -> Result<()> {
    match theta.iter().find(|weight| !weight.is_finite()) {
        None => Ok(()),
        Some(weight) => Err(Error::input(format!(
            "{}: the model of node {node} at evaluation {evaluation} holds the weight {weight}; start from another evaluation or another run",
            result_folder.join(Table::Models.name()).display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ModelRow, Parameters, ParquetRecorder, Recorder, Rows, RunKey};
    use super::*;
    use std::fs;
    use tempfile::{TempDir, tempdir};

    /// A result with models of these (evaluation, node), each with the weights (evaluation, node).
    fn result(models: &[(i32, i32)]) -> TempDir {
        let folder = tempdir().expect("a folder");
        let row = |&(evaluation, node)| ModelRow { evaluation, node, malicious: node == 2, theta: vec![evaluation as f32, node as f32] };
        let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
        let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Models], &run).expect("it starts");
        recorder.record(Rows::Models(models.iter().map(row).collect())).expect("it writes");
        recorder.finish().expect("it closes");
        folder
    }

    #[track_caller]
    fn check(models: &[(i32, i32)], evaluation: Option<u32>, expect: &[(i32, [f32; 2])]) {
        let read = read_models(result(models).path(), evaluation).expect("it reads");
        assert_eq!(read, expect.iter().map(|(node, theta)| (*node, theta.to_vec())).collect::<Vec<_>>());
    }

    #[test]
    fn models_of_one_evaluation_come_sorted_by_node() {
        let models = [(4, 2), (4, 0), (9, 1), (9, 2), (9, 0)];
        check(&models, None, &[(0, [9.0, 0.0]), (1, [9.0, 1.0]), (2, [9.0, 2.0])]);
        check(&models, Some(4), &[(0, [4.0, 0.0]), (2, [4.0, 2.0])]);
        check(&[(0, 7)], Some(0), &[(7, [0.0, 7.0])]);
    }

    #[test]
    fn more_models_than_a_batch_come_back_whole() {
        let models: Vec<(i32, i32)> = (0..5000).map(|i| (i % 2, i / 2)).collect();
        let read = read_models(result(&models).path(), Some(1)).expect("it reads");
        assert!(read.len() == 2500 && read.iter().zip(0..).all(|((node, theta), i)| *node == i && *theta == [1.0, i as f32]));
    }

    #[test]
    fn models_that_are_not_finite_are_refused_by_name() {
        for (weight, shown) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
            let folder = tempdir().expect("a folder");
            let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
            let row = |node, theta| ModelRow { evaluation: 9, node, malicious: false, theta };
            let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Models], &run).expect("it starts");
            recorder.record(Rows::Models(vec![row(0, vec![1.0, 2.0]), row(7, vec![1.0, weight])])).expect("it writes");
            recorder.finish().expect("it closes");
            let expect = format!("models: the model of node 7 at evaluation 9 holds the weight {shown}; start from another");
            refuse(folder.path(), None, &expect);
        }
    }

    #[track_caller]
    fn refuse(folder: &Path, evaluation: Option<u32>, why: &str) {
        let problem = read_models(folder, evaluation).expect_err("it is refused");
        assert!(problem.to_string().contains(why) && problem.exit_code() == 2, "{problem}");
    }

    #[test]
    fn what_cannot_be_read_says_why_and_what_to_do() {
        let folder = tempdir().expect("a folder");
        refuse(&folder.path().join("kad"), None, "kad: cannot be read");
        refuse(folder.path(), None, "holds no models; record them in that run with record: (models: Last)");
        refuse(result(&[]).path(), None, "holds no models; record them in that run with record: (models: Last)");
        refuse(result(&[(4, 0), (9, 0), (4, 1)]).path(), Some(5), "holds no models of evaluation 5, only of 4, 9");
        refuse(result(&[(4, 0)]).path(), Some(u32::MAX), "holds no models of evaluation 4294967295");
        let broken = result(&[(4, 0)]);
        fs::write(broken.path().join("models/part-00001.parquet"), "").expect("it writes");
        refuse(broken.path(), None, "models/part-00001.parquet: cannot be read");
    }
}
