//! A sweep written out: its base in place, every value with its label, and all defaults of the values. It reads back to the same plan.

use super::file::SweepFile;
use super::manifest::TaskSize;
use super::plan::{Axis, Plan, Value};

/// The file's name in the folder of a sweep.
pub const SWEEP_NAME: &str = "sweep.ron";

/// The text of the sweep that `plan` was made or extended from.
pub fn canonical(file: &SweepFile, plan: &Plan) -> String {
    let axes: Vec<Axis> = file.axes.iter().zip(&plan.axes).map(|(draft, planned)| with_labels_of(&draft.axis, planned)).collect();
    let lines = |lines: Vec<String>| lines.iter().map(|line| format!("        {line},\n")).collect::<String>();
    format!(
        "(\n    name: {:?},\n    base: {},\n    axes: [\n{}    ],\n    seeds: {},\n    skip: [\n{}    ],\n{})\n",
        plan.name,
        indented(&plan.base.text()),
        lines(axes.iter().map(axis).collect()),
        seeds(&file.seeds),
        lines(file.skip.iter().map(|line| skipped(line, &axes)).collect()),
        plan.sizes.last().map_or(String::new(), |last| format!("    {},\n", size(*last))),
    )
}

/// A planned value keeps its label.
fn with_labels_of(axis: &Axis, planned: &Axis) -> Axis {
    let label = |value: &Value| planned.values.iter().find(|planned| planned.fields == value.fields).unwrap_or(value).clone();
    Axis { name: axis.name.clone(), values: axis.values.iter().map(label).collect() }
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n    ")
}

fn axis(axis: &Axis) -> String {
    let is_zip = axis.values.iter().any(|value| !matches!(&value.fields[..], [(field, _)] if *field == axis.name));
    let inner = |value: &Value| match is_zip {
        true => format!("({})", value.fields.iter().map(|(field, text)| format!("{field}: {text}")).collect::<Vec<_>>().join(", ")),
        false => value.fields.iter().map(|(_, text)| text.as_str()).collect(),
    };
    let values: Vec<String> = axis.values.iter().map(|value| format!("({}, {})", quoted(&value.label), inner(value))).collect();
    match is_zip {
        true => format!("Zip(name: {:?}, values: [{}])", axis.name, values.join(", ")),
        false => format!("Axis({}: [{}])", axis.name, values.join(", ")),
    }
}

/// A text in quotes, as RON writes it.
fn quoted(text: &str) -> String {
    ron::to_string(text).expect("text can be written")
}

fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [first, rest @ ..] if !rest.is_empty() && (*first..).zip(seeds).all(|(expected, seed)| expected == *seed) => {
            format!("Range(first: {first}, count: {})", seeds.len())
        }
        seeds => format!("List([{}])", seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn skipped(line: &[(usize, usize)], axes: &[Axis]) -> String {
    let pair = |(axis, value): &(usize, usize)| format!("{}: {}", axes[*axis].name, quoted(&axes[*axis].values[*value].label));
    format!("({})", line.iter().map(pair).collect::<Vec<_>>().join(", "))
}

fn size(size: TaskSize) -> String {
    match size {
        TaskSize::Seconds(seconds) => format!("task_seconds: {seconds:?}"),
        TaskSize::Tasks(tasks) => format!("tasks: {tasks}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::tests::read;
    use std::path::Path;

    #[track_caller]
    fn check(fields: &str) {
        let file = read(fields).expect(fields);
        let plan = file.plan(None).expect(fields);
        let text = canonical(&file, &plan);
        let again = SweepFile::parse(&text, "sweep.ron", Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.plan(None), Ok(plan.clone()), "{text}");
        assert_eq!(again.extend(plan.clone(), None), Ok(plan.clone()), "{text}");
        assert_eq!(canonical(&again, &plan), text);
    }

    #[test]
    fn a_sweep_that_is_written_out_is_the_same_sweep() {
        check("");
        check(
            "axes: [Axis(defense: [RankGuard(kappa: 4.0), RankGuard(kappa: 8), Undefended])], seeds: Range(first: 7, count: 3), tasks: 2",
        );
        check(
            "axes: [Axis(latency: [Constant(\"1s\"), (\"a \\\"quoted\\\" one\", Zero)])], seeds: List([9, 3]), skip: [(latency: \"Constant\")]",
        );
        check("axes: [Zip(name: \"place\", values: [(\"near\", (latency: Zero, churn: Kad))]), Axis(weight_limit: [None, inf])]");
        check("set: (malicious_share: 0, attack: NoAttack, malicious_aggregate: None), task_seconds: 1.5");
    }
}
