//! Reads the `models` table of an earlier result, for a run that starts from it.

use super::read::{for_each_batch, parts};
use super::rows::Table;
use crate::error::{Error, Result};
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float32Type, Int32Type};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Node and weights of every model kept at the given evaluation, or at the last one; sorted by node.
pub fn read_models(result_folder: &Path, evaluation: Option<u32>) -> Result<Vec<(i32, Vec<f32>)>> {
    let parts = parts(result_folder, Table::Models)?.ok_or_else(|| no_models(result_folder))?;
    let evaluation = choose(result_folder, &evaluations(&parts)?, evaluation)?;
    let mut models = Vec::new();
    for part in &parts {
        for_each_batch(part, Table::Models, &["evaluation", "node", "theta"], |batch| {
            let (evaluations, nodes) = (integers(&batch, "evaluation")?, integers(&batch, "node")?);
            let thetas = batch.column_by_name("theta")?.as_list_opt::<i32>()?;
            for row in (0..batch.num_rows()).filter(|row| evaluations[*row] == evaluation) {
                models.push((nodes[row], thetas.value(row).as_primitive_opt::<Float32Type>()?.values().to_vec()));
            }
            Some(())
        })?;
        refuse_infinite(part, &models, evaluation)?;
    }
    models.sort_by_key(|(node, _)| *node);
    Ok(models)
}

/// The evaluations at which models were kept.
fn evaluations(parts: &[PathBuf]) -> Result<BTreeSet<i32>> {
    let mut found = BTreeSet::new();
    for part in parts {
        for_each_batch(part, Table::Models, &["evaluation"], |batch| {
            found.extend(integers(&batch, "evaluation")?);
            Some(())
        })?;
    }
    Ok(found)
}

fn choose(result_folder: &Path, there: &BTreeSet<i32>, wanted: Option<u32>) -> Result<i32> {
    let Some(last) = there.last() else { return Err(no_models(result_folder)) };
    match wanted {
        None => Ok(*last),
        Some(wanted) => there.iter().copied().find(|evaluation| i64::from(*evaluation) == i64::from(wanted)).ok_or_else(|| {
            let there: Vec<String> = there.iter().map(ToString::to_string).collect();
            Error::input(format!("{}: holds no models of evaluation {wanted}, only of {}", result_folder.display(), there.join(", ")))
        }),
    }
}

/// A model that holds NaN or ∞ ranks nothing, and makes NaN of all that it is merged with.
fn refuse_infinite(part: &Path, models: &[(i32, Vec<f32>)], evaluation: i32) -> Result<()> {
    let wrong = models.iter().find_map(|(node, theta)| theta.iter().find(|weight| !weight.is_finite()).map(|weight| (node, weight)));
    match wrong {
        None => Ok(()),
        Some((node, weight)) => Err(Error::input(format!(
            "{}: the model of node {node} at evaluation {evaluation} holds the weight {weight}; start from another evaluation or another run",
            part.display()
        ))),
    }
}

fn no_models(result_folder: &Path) -> Error {
    Error::input(format!("{}: holds no models; record them in that run with record: (models: Last)", result_folder.display()))
}

fn integers(batch: &RecordBatch, column: &str) -> Option<Vec<i32>> {
    Some(batch.column_by_name(column)?.as_primitive_opt::<Int32Type>()?.values().to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::{ModelRow, ParquetRecorder, Recorder, Rows, RunKey};
    use super::*;
    use std::fs;
    use tempfile::{TempDir, tempdir};

    /// A result with models of these (evaluation, node), each with the weights (evaluation, node).
    fn result(models: &[(i32, i32)]) -> TempDir {
        let folder = tempdir().expect("a folder");
        let row = |&(evaluation, node)| ModelRow { evaluation, node, malicious: node == 2, theta: vec![evaluation as f32, node as f32] };
        let run = RunKey { run_id: "r1".into(), seed: 1 };
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
            let run = RunKey { run_id: "r1".into(), seed: 1 };
            let row = |node, theta| ModelRow { evaluation: 9, node, malicious: false, theta };
            let mut recorder = ParquetRecorder::create(folder.path(), &[Table::Models], &run).expect("it starts");
            recorder.record(Rows::Models(vec![row(0, vec![1.0, 2.0]), row(7, vec![1.0, weight])])).expect("it writes");
            recorder.finish().expect("it closes");
            let expect =
                format!("models/part-00000.parquet: the model of node 7 at evaluation 9 holds the weight {shown}; start from another");
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
