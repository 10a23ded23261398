//! Sweeps from outside: what they leave is the same however they were done.

use crate::command_line::text;
use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rankguard::record::Table;
use rankguard::scenario::Template;
use rankguard::sweep::{Axis, Plan, PlannedRun, Task, TaskSize, Value};
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

pub const BASE: &str = r#"(
    name: "tiny", seed: 1, nodes: 8, malicious_share: 0.25, stop: Sessions(80), evaluate_every: Sessions(40),
    dataset: Synthetic(like: Mq2007, train_queries: 20, test_queries: 10), shown: 10, ndcg_cutoff: 10,
    users: Perfect, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0),
    attack: Flip, malicious_aggregate: Never, arrivals: Poisson(every: "10min"),
)"#;

pub const DEFENSES: (&str, &[&str]) = ("defense", &["RankGuard(kappa: 4.0)", "Undefended"]);
pub const SYNTHETIC: &str = "Synthetic(like: Mq2007, train_queries: 20, test_queries: 10)";
pub const MISSING: &str = "Letor(path: \"nowhere\", normalize: AsIs)";

/// A folder with planned sweeps in it.
pub struct Desk(TempDir);

/// The plan of every combination of values with every seed, in tasks of so many runs. A value may have a label: `short|Sessions(80)`.
pub fn plan(axes: &[(&str, &[&str])], seeds: Range<u64>, per_task: usize) -> Plan {
    let value = |field: &str, text: &str| {
        let (label, text) = text.split_once('|').unwrap_or((text.split('(').next().unwrap_or_default(), text));
        Value { label: label.into(), fields: vec![(field.into(), text.into())] }
    };
    let axis = |(field, values): &(&str, &[&str])| Axis {
        name: field.to_string(),
        values: values.iter().map(|text| value(field, text)).collect(),
    };
    let axes: Vec<Axis> = axes.iter().map(axis).collect();
    let combinations = axes.iter().fold(vec![vec![]], |before: Vec<Vec<usize>>, axis| {
        before.iter().flat_map(|values| (0..axis.values.len()).map(move |value| [&values[..], &[value]].concat())).collect()
    });
    let runs: Vec<PlannedRun> = combinations
        .iter()
        .flat_map(|values| seeds.clone().map(|seed| PlannedRun::new(&axes, values.clone(), seed)).collect::<Vec<_>>())
        .collect();
    let tasks =
        runs.chunks(per_task).zip(1..).map(|(runs, number)| Task { id: Task::id(number), runs: runs.to_vec(), cost: 1.0 }).collect();
    let base = Template::parse(BASE, "base.ron").expect("the base is right");
    Plan { name: "robust".into(), axes, tasks, sizes: vec![TaskSize::Tasks(1)], memory: 1e6, disk: 1e6, base }
}

impl Desk {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, dir: &str, plan: &Plan) {
        fs::create_dir_all(self.path(dir)).expect("a folder");
        plan.write(&self.path(dir)).expect("it writes");
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).env_remove("SLURM_CPUS_PER_TASK");
        command
    }

    pub fn start(&self, arguments: &str) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Everything that a command printed, after it ended with this code and said these words.
    #[track_caller]
    pub fn call(&self, arguments: &str, code: i32, words: &[&str]) -> String {
        said(self.command(arguments).output().expect("the program starts"), code, words)
    }

    /// All files below a folder with their bytes.
    pub fn bytes(&self, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let (root, mut found, mut folders) = (self.path(folder), Vec::new(), vec![self.path(folder)]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push((path.strip_prefix(&root).expect("below").to_owned(), fs::read(&path).expect("it reads"))),
                }
            }
        }
        found.sort();
        found
    }

    /// Cuts a file to half its length.
    pub fn cut(&self, file: &str) {
        let file = File::options().write(true).open(self.path(file)).expect("it is there");
        file.set_len(file.metadata().expect("it is there").len() / 2).expect("it is cut");
    }

    /// The data that `MISSING` does not find.
    pub fn supply_data(&self) {
        let line = |i: usize| format!("{} qid:{} 1:{:.2} 2:{:.2}\n", i % 3, i / 10, (i % 3) as f64 / 2.0, (i * 31 % 17) as f64 / 17.0);
        fs::create_dir(self.path("nowhere")).expect("a folder");
        for split in ["train", "test"] {
            fs::write(self.path("nowhere").join(format!("{split}.txt")), (0..100).map(line).collect::<String>()).expect("a file");
        }
    }
}

#[track_caller]
pub fn said(output: Output, code: i32, words: &[&str]) -> String {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in:\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// All rows of some files, in this order.
pub fn rows(files: &[PathBuf]) -> RecordBatch {
    let read = |path: &PathBuf| {
        let rows = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("it is there")).expect("it is Parquet");
        let schema = rows.schema().fields().clone();
        (schema, rows.build().expect("it reads").map(|batch| batch.expect("it reads")).collect::<Vec<_>>())
    };
    let (schemas, batches): (Vec<_>, Vec<_>) = files.iter().map(read).unzip();
    let schema = arrow::datatypes::Schema::new(schemas[0].clone());
    let plain = |batch: &RecordBatch| RecordBatch::try_new(schema.clone().into(), batch.columns().to_vec()).expect("the same columns");
    let batches: Vec<RecordBatch> = batches.concat().iter().map(plain).collect();
    concat_batches(&schema.into(), &batches).expect("the same columns")
}

fn without(mut rows: RecordBatch, column: &str) -> RecordBatch {
    rows.remove_column(rows.schema().index_of(column).expect("every table has it"));
    rows
}

#[test]
fn a_sweep_is_the_same_at_once_task_by_task_and_run_by_run() {
    let (desk, plan) = (Desk::new(), plan(&[DEFENSES], 1..4, 4));
    desk.write("once", &plan);
    desk.write("piecemeal", &plan);
    desk.call("sweep run once", 0, &["6 runs done", "next: rankguard sweep collect once"]);
    desk.call("sweep run piecemeal --task 2 --jobs 1 --threads 2", 0, &["2 runs done", "next: rankguard sweep status piecemeal"]);
    desk.call("sweep run piecemeal --jobs 3", 0, &["4 runs done", "2 were done before"]);
    assert_eq!(desk.bytes("once/tasks"), desk.bytes("piecemeal/tasks"));
    assert!(desk.bytes("once/work").is_empty() && fs::read_dir(desk.path("once/work")).expect("a folder").count() == 0);

    for run in plan.runs() {
        fs::write(desk.path("single.ron"), plan.scenario(run).expect("it is right").canonical()).expect("it writes");
        desk.call(&format!("run single.ron --quiet --out single/{}", run.name), 0, &[]);
    }
    for table in Table::ALL.iter().filter(|table| desk.path("once/tasks/t00001").join(format!("{}.parquet", table.name())).exists()) {
        for task in &plan.tasks {
            let part = |run: &PlannedRun| desk.path("single").join(&run.name).join(table.name()).join("part-00000.parquet");
            let singles: Vec<PathBuf> = task.runs.iter().map(part).collect();
            let packed = desk.path("once/tasks").join(&task.id).join(format!("{}.parquet", table.name()));
            // A sweep over defences names them by their labels.
            assert_eq!(without(rows(&[packed]), "defense"), without(rows(&singles), "defense"), "{} of {}", table.name(), task.id);
        }
    }
}

#[test]
#[cfg(unix)]
fn finished_tasks_stay_as_they_are_and_an_extended_plan_does_only_what_is_new() {
    let desk = Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    desk.call("sweep run s", 0, &["4 runs done"]);
    let before: Vec<_> = files_of(&desk.path("s/tasks"));
    desk.call("sweep run s", 0, &["0 runs done", "4 were done before"]);
    desk.call("sweep run s --task 1", 0, &["0 runs done"]);
    let mut longer = plan(&[DEFENSES], 1..3, 2);
    let run = PlannedRun::new(&longer.axes, vec![0], 7);
    longer.tasks.push(Task { id: Task::id(3), runs: vec![run], cost: 1.0 });
    desk.write("s", &longer);
    desk.call("sweep status s", 0, &["4 of 5 runs and 2 of 3 tasks are done", "unfinished tasks: 3"]);
    desk.call("sweep run s", 0, &["1 run done", "4 were done before"]);
    let after = files_of(&desk.path("s/tasks"));
    assert!(before.iter().all(|file| after.contains(file)) && after.len() > before.len());
}

/// Every file with its number and its time.
#[cfg(unix)]
fn files_of(tasks: &Path) -> Vec<(PathBuf, u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let entries = |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
    let files = entries(tasks).iter().flat_map(|task| entries(task)).collect::<Vec<_>>();
    let identity = |path: PathBuf| {
        let metadata = fs::metadata(&path).expect("it is there");
        (path, metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    files.into_iter().map(identity).collect()
}

#[test]
fn a_part_of_a_sweep_is_collected_only_if_that_is_wanted() {
    let desk = Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 1));
    desk.call("sweep collect s --partial", 1, &["no task is finished"]);
    desk.call("sweep run s --task 1 --quiet", 0, &[]);
    desk.call("sweep run s --task 3 --quiet", 0, &[]);
    desk.call("sweep collect s", 1, &["2 tasks not finished: 2,4", "--partial collects the 2 finished tasks"]);
    desk.call("sweep collect s --partial", 0, &["only a part was collected", "2 tasks not finished: 2,4", "2 runs of 2 tasks"]);
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &["4 runs of 4 tasks"]);
    fs::write(desk.path("s/tables/thesis"), "").expect("it writes");
    desk.call("sweep collect s", 2, &["s/tables/thesis: was not collected and would be lost"]);
}

#[test]
fn a_sweep_file_goes_all_the_way_to_data_sets() {
    let desk = Desk::new();
    let axes = "axes: [Axis(defense: [RankGuard(kappa: 4.0), Undefended]), Axis(attack: [Flip, Lie(z: Majority)])]";
    let file = format!("(name: \"robust\", base: {BASE}, {axes}, seeds: Range(first: 1, count: 3), tasks: 4)");
    fs::write(desk.path("robust.ron"), file).expect("it writes");
    desk.call("sweep plan robust.ron --out s", 0, &["12 runs", "rankguard sweep run s"]);
    desk.call("sweep run s", 0, &["12 runs done"]);
    desk.call("sweep status s", 0, &["robust: 12 of 12 runs and 4 of 4 tasks are done"]);
    desk.call("sweep collect s", 0, &["12 runs of 4 tasks"]);
}

#[test]
fn what_is_no_sweep_is_refused() {
    let desk = Desk::new();
    for command in ["sweep run s", "sweep status s", "sweep collect s"] {
        desk.call(command, 2, &["s: holds no planned sweep; make one with `rankguard sweep plan FILE --out s`"]);
    }
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    desk.call("sweep run s --task 3", 2, &["there is no task 3; the tasks of robust are 1 to 2"]);
    desk.call("sweep run s --task t1", 2, &["must be the number of a task, from 1, or auto"]);
}
