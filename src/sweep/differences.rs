//! What tells a sweep file from a plan that it cannot extend.

use super::axes::DraftAxis;
use super::file::SweepFile;
use super::plan::{Axis, Plan, Value};
use crate::error::{QUOTED, clip};
use crate::scenario::ron_text::field_names;
use std::collections::BTreeSet;

/// One line per difference in the name, the base, the axes, and the values and seeds that the plan has. Values and seeds that the plan does
/// not have yet are none.
pub fn differences(plan: &Plan, file: &SweepFile) -> Vec<String> {
    let mut found = Vec::new();
    if plan.name != file.name {
        found.push(format!("name was {} and is {}", plan.name, file.name));
    }
    found.extend(base(plan, file));
    let names = |axes: &mut dyn Iterator<Item = &Axis>| axes.map(|axis| axis.name.clone()).collect::<Vec<_>>().join(", ");
    let (were, are) = (names(&mut plan.axes.iter()), names(&mut file.axes.iter().map(|draft| &draft.axis)));
    match were == are {
        true => found.extend(plan.axes.iter().zip(&file.axes).flat_map(|(axis, draft)| values(axis, draft))),
        false => found.push(format!("axes were {} and are {}", or_none(&were), or_none(&are))),
    }
    let seeds: BTreeSet<u64> = plan.runs().map(|run| run.seed).filter(|seed| !file.seeds.contains(seed)).collect();
    if let Some(first) = seeds.first() {
        found.push(format!("seeds lack {first}{}", and_more(seeds.len() - 1)));
    }
    found
}

fn base(plan: &Plan, file: &SweepFile) -> Vec<String> {
    let shown = |value: &Option<String>| clip(value.as_deref().unwrap_or("not given"), QUOTED).into_owned();
    // Every run has a name and a seed of its own.
    let fields = field_names().into_iter().filter(|field| !["name", "seed"].contains(field));
    let values = fields.map(|field| (field, plan.base.value(field), file.base.value(field)));
    values
        .filter(|(_, was, is)| was != is)
        .map(|(field, was, is)| format!("base: {field} was {} and is {}", shown(&was), shown(&is)))
        .collect()
}

/// A value as it is written, or by its label if several fields make it.
fn spelled(value: &Value) -> String {
    match value.fields.as_slice() {
        [(_, text)] => clip(text, QUOTED).into_owned(),
        _ => value.label.clone(),
    }
}

/// Values that are gone, and planned values with another given label.
fn values(axis: &Axis, draft: &DraftAxis) -> Vec<String> {
    let mut found = Vec::new();
    for planned in &axis.values {
        match draft.axis.values.iter().position(|value| value.fields == planned.fields) {
            None => found.push(format!("{} lacks {}", axis.name, spelled(planned))),
            Some(nth) if draft.is_given[nth] && draft.axis.values[nth].label != planned.label => {
                found.push(format!("{}: the label {} has become {}", axis.name, planned.label, draft.axis.values[nth].label));
            }
            Some(_) => {}
        }
    }
    found
}

/// Tells runs of the plan that a file leaves out; `None` if there are none.
pub fn lost_runs(plan: &Plan, combinations: &[Vec<usize>], seeds: &[u64]) -> Option<String> {
    let (kept, seeds): (BTreeSet<&Vec<usize>>, BTreeSet<&u64>) = (combinations.iter().collect(), seeds.iter().collect());
    let mut lost = plan.runs().filter(|run| !kept.contains(&run.values) || !seeds.contains(&run.seed));
    let first = lost.next()?;
    Some(format!("skip leaves out {}{}", first.name, and_more(lost.count())))
}

fn and_more(n: usize) -> String {
    if n == 0 { String::new() } else { format!(" and {n} more") }
}

fn or_none(names: &str) -> &str {
    if names.is_empty() { "none" } else { names }
}
