//! The columns that every table begins with. They tell which run a row belongs to and what the parameters of that run were, so that the rows
//! of many runs can be read together and grouped without a join.

use super::constant_column::Constant;
use super::rows::Table;
use super::table::field;
use crate::error::{Error, Result};
use arrow::datatypes::{Field, Schema, SchemaRef};
use std::sync::Arc;

/// The first columns of every table. They are the same in every row of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunKey {
    /// Names the run by a hash of its scenario and of its data.
    pub run_id: String,
    /// The seed of the run.
    pub seed: u64,
    /// What tells the run from others of a comparison.
    pub parameters: Parameters,
}

/// The parameters of a run by which runs are grouped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters {
    /// The defence, by its name.
    pub defense: String,
    /// The attack, by its name.
    pub attack: String,
    /// How honest users click, by its name.
    pub users: String,
    /// The share of malicious nodes that the scenario asks for.
    pub malicious_share: f64,
    /// The axes of the run's sweep, each with the run's label; none for a single run. Each becomes a column, except that a label on the axis
    /// `defense`, `attack` or `users` takes the place of the name, and the axes `malicious_share` and `seed` have their column already.
    pub axes: Vec<(String, String)>,
}

/// Axes that need no column of their own.
const WITH_COLUMN: [&str; 5] = ["seed", "defense", "attack", "users", "malicious_share"];

impl RunKey {
    /// The columns of a run without axes.
    pub(super) fn fields() -> Vec<Field> {
        vec![
            field::<String>(
                "run_id",
                "Names the run by a hash of its scenario, without `name` and `record`, and of its data; joins with `runs`.",
            ),
            field::<i64>("seed", "The seed of the run; one beyond 2^63 - 1 is shown as the negative number of the same 64 bits."),
            field::<String>("defense", "The defence, by its name; in a sweep over defences, by its label there."),
            field::<String>("attack", "The attack, by its name; in a sweep over attacks, by its label there."),
            field::<String>("users", "How honest users click, by its name; in a sweep over users, by its label there."),
            field::<f64>("malicious_share", "The share of malicious nodes that the scenario asks for."),
        ]
    }

    /// The columns of a table as this run writes them: those of the run, its axes, and the table's own.
    pub(super) fn schema(&self, table: Table) -> SchemaRef {
        let axis = |(name, _): &(String, String)| field::<String>(name, "The run's label on this axis of its sweep.");
        let axes: Vec<Field> = self.parameters.own_axes().map(axis).collect();
        Arc::new(Schema::new([Self::fields(), axes, table.own_fields()].concat()))
    }

    /// The values of the columns before the table's own.
    pub(super) fn constants(&self) -> Vec<Constant> {
        let Parameters { defense, attack, users, malicious_share, .. } = &self.parameters;
        let text = |text: &String| Constant::Text(text.clone());
        let or_label = |axis, name| text(self.parameters.label(axis).unwrap_or(name));
        let mut constants = vec![text(&self.run_id), Constant::Integer(self.seed.cast_signed())];
        constants.extend([or_label("defense", defense), or_label("attack", attack), or_label("users", users)]);
        constants.push(Constant::Number(*malicious_share));
        constants.extend(self.parameters.own_axes().map(|(_, label)| text(label)));
        constants
    }
}

impl Parameters {
    fn label(&self, axis: &str) -> Option<&String> {
        self.axes.iter().find(|(name, _)| name == axis).map(|(_, label)| label)
    }

    /// The axes with a column of their own.
    fn own_axes(&self) -> impl Iterator<Item = &(String, String)> {
        self.axes.iter().filter(|(name, _)| !WITH_COLUMN.contains(&name.as_str()))
    }
}

/// Checks that axes of these names can be columns of every table.
///
/// # Errors
/// A name is empty, is given twice, or is that of a column which tables have already. Readers such as DuckDB ignore case in names.
pub fn check_axes<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        let problem = if name.trim().is_empty() {
            Some("has no name; give it one".into())
        } else if seen.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            Some("is there twice; leave one out or give it another name".into())
        } else {
            table_with(name).map(|table| format!("is named like a column of the table {}; give it another name", table.name()))
        };
        seen.push(name);
        problem.map_or(Ok(()), |problem: String| Err(Error::input(format!("the axis `{name}` {problem}"))))?;
    }
    Ok(())
}

/// The first table with a column of this name, if an axis cannot share it.
fn table_with(axis: &str) -> Option<Table> {
    let is_axis = |field: &Field| field.name().eq_ignore_ascii_case(axis) && !WITH_COLUMN.contains(&axis);
    Table::ALL.iter().copied().find(|table| table.schema().fields().iter().any(|field| is_axis(field)))
}

#[cfg(test)]
mod tests {
    use super::super::cell::cells;
    use super::super::part_files::{PART_ROWS, TableWriter};
    use super::super::rows::{OutcomeRow, Rows};
    use super::*;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::fs::File;

    fn axes(axes: &[(&str, &str)]) -> Vec<(String, String)> {
        axes.iter().map(|(name, label)| (name.to_string(), label.to_string())).collect()
    }

    /// A row of `outcomes` that a run with these axes writes, column by column.
    #[track_caller]
    fn check(labels: &[(&str, &str)], expect: &[(&str, &str)]) {
        let [defense, attack, users] = ["RankGuard", "FLIP", "Perfect"].map(String::from);
        let parameters = Parameters { defense, attack, users, malicious_share: 0.25, axes: axes(labels) };
        let (folder, run) = (tempfile::tempdir().expect("a folder"), RunKey { run_id: "r1".into(), seed: 7, parameters });
        let mut writer = TableWriter::create(folder.path(), Table::Outcomes, &run, PART_ROWS).expect("it starts");
        writer.write(&Rows::Outcomes(vec![OutcomeRow { outcome: "delivered", messages: 12 }])).expect("it writes");
        writer.finish().expect("it closes");
        let file = File::open(folder.path().join("outcomes/part-00000.parquet")).expect("the part exists");
        let mut batches = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|file| file.build()).expect("it is Parquet");
        let batch = batches.next().expect("it has a row").expect("it reads");
        let schema = batch.schema();
        let texts = schema.fields().iter().map(|field| {
            let name = field.name().as_str();
            (name, cells::<String>(&batch, name).map_or("a number".into(), |texts| texts.concat()))
        });
        let texts: Vec<(&str, String)> = texts.collect();
        assert_eq!(texts, expect.iter().map(|(name, text)| (*name, text.to_string())).collect::<Vec<_>>());
        assert_eq!(cells::<f64>(&batch, "malicious_share"), Ok(vec![0.25]));
    }

    #[test]
    fn parameters_stand_before_the_own_columns() {
        let (run_id, seed, share) = (("run_id", "r1"), ("seed", "a number"), ("malicious_share", "a number"));
        let (attack, users, own) = (("attack", "FLIP"), ("users", "Perfect"), [("outcome", "delivered"), ("messages", "a number")]);
        let first = [run_id, seed, ("defense", "RankGuard"), attack, users, share];
        check(&[], &[&first[..], &own].concat());
        let (nodes, kappa) = (("nodes", "ten"), ("defense.kappa", "8"));
        check(&[nodes, kappa], &[&first[..], &[nodes, kappa], &own].concat());
        let labelled = [run_id, seed, ("defense", "guard κ=8"), attack, ("users", "kind"), share];
        let labels = [("defense", "guard κ=8"), ("malicious_share", "a third"), nodes, ("users", "kind"), ("seed", "1")];
        check(&labels, &[&labelled[..], &[nodes], &own].concat());
    }

    #[test]
    fn axes_are_refused_that_no_table_can_hold() {
        assert_eq!(check_axes(["defense", "seed", "nodes", "history", "defense.kappa", "κ"]), Ok(()));
        for (names, expect) in [
            (&["nodes", "t"][..], "the axis `t` is named like a column of the table receipts; give it another name"),
            (&["Step"], "the axis `Step` is named like a column of the table evaluations; give it another name"),
            (&["run_id"], "the axis `run_id` is named like a column of the table runs; give it another name"),
            (&["loss", "nodes", "loss"], "the axis `loss` is there twice; leave one out or give it another name"),
            (&[" "], "the axis ` ` has no name; give it one"),
        ] {
            let problem = check_axes(names.iter().copied()).expect_err("it is refused");
            assert_eq!((problem.to_string().as_str(), problem.exit_code()), (expect, 2));
        }
    }
}
