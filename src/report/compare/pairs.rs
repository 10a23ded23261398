//! Matches runs that are equal in everything but what is compared, and refuses those that cannot be compared.

use super::super::setting::Run;
use super::experiment::{Experiment, NONE, once};
use super::settings::{self, Field, Setting, differing_fields, in_words, show};
use super::sides::Sides;
use crate::error::{Error, QUOTED, Result, clip};
use std::collections::{BTreeMap, BTreeSet};

/// The pairs of two sides in one setting.
#[derive(Debug)]
pub struct Pairing<'a> {
    /// What else varies between comparisons, with its values here.
    pub setting: Setting,
    pub other: usize,
    /// Seed, run of the baseline, run of the other side, in the order of seeds; at least one.
    pub pairs: Vec<(u64, &'a Run, &'a Run)>,
}

/// All pairs, and what the reader should know about runs that have none.
#[derive(Debug)]
pub struct Matched<'a> {
    pub pairings: Vec<Pairing<'a>>,
    pub remarks: Vec<String>,
    /// What all of them have in common, in a few words.
    pub equal: String,
}

/// The runs of one side in one setting, by seed.
type BySeed<'a> = BTreeMap<u64, &'a Run>;

/// All pairs of runs.
///
/// # Errors
/// No two runs make a pair, or two runs of a pair saw different data or had different pasts.
pub fn matched<'a>(runs: &'a [Run], experiments: &[Experiment], sides: &Sides) -> Result<Matched<'a>> {
    let rests: Vec<Setting> = experiments.iter().map(|experiment| sides.rest(experiment)).collect();
    let settings = once(rests.iter().cloned());
    let (mut pairings, mut remarks) = (Vec::new(), Vec::new());
    for (setting, name) in settings.iter().zip(settings::names(experiments, &rests, &settings, sides)) {
        let here = (0..runs.len()).filter(|nth| rests[*nth] == *setting);
        let by_side = by_side(here.map(|nth| (sides.side(&experiments[nth]), &runs[nth])))?;
        for other in sides.others() {
            match pairing(&by_side, other, sides, &name)? {
                (Some(pairing), left_out) => {
                    remarks.extend(left_out);
                    pairings.push(pairing);
                }
                (None, why) => remarks.extend(why),
            }
        }
    }
    if pairings.is_empty() {
        return Err(nothing_matches(&settings, sides, &remarks));
    }
    let common = settings[0].iter().filter(|field| settings.iter().all(|setting| setting.contains(field)));
    let common: Setting = common.filter(|(name, _)| !sides.concerns(name)).cloned().collect();
    if sides.concerns("dataset") {
        remarks.push("the sides search different data, so their figures differ for that reason too".into());
    }
    Ok(Matched { pairings, remarks, equal: in_words(&common) })
}

/// The runs of each side.
fn by_side<'a>(runs: impl Iterator<Item = (usize, &'a Run)>) -> Result<BTreeMap<usize, BySeed<'a>>> {
    let mut found: BTreeMap<usize, BySeed> = BTreeMap::new();
    for (side, run) in runs {
        if let Some(twin) = found.entry(side).or_default().insert(run.seed, run) {
            let (one, two) = (twin.place.display(), run.place.display());
            let problem =
                format!("{one} and {two} have the same fields and the same seed, but read different data or have different pasts");
            return Err(Error::input(format!("{problem}; leave one of them out")));
        }
    }
    Ok(found)
}

/// The pairs of the baseline with another side, and a remark: which seeds were left out, or why there are no pairs.
fn pairing<'a>(
    by_side: &BTreeMap<usize, BySeed<'a>>,
    other: usize,
    sides: &Sides,
    setting: &[Field],
) -> Result<(Option<Pairing<'a>>, Option<String>)> {
    let (first, second) = (sides.label(sides.baseline), sides.label(other));
    let place = if setting.is_empty() { String::new() } else { format!("{}: ", show(setting)) };
    let (Some(ours), Some(theirs)) = (by_side.get(&sides.baseline), by_side.get(&other)) else {
        let lacking = if by_side.contains_key(&other) { first } else { second };
        // Sides that are both absent lack nothing here.
        let is_said = by_side.contains_key(&other) || by_side.contains_key(&sides.baseline);
        return Ok((None, is_said.then(|| format!("{place}there is no run of {lacking} to compare {first} and {second}"))));
    };
    let pairs: Vec<(u64, &Run, &Run)> = ours.iter().filter_map(|(seed, run)| Some((*seed, *run, *theirs.get(seed)?))).collect();
    pairs.iter().try_for_each(|(_, one, two)| comparable(one, two, sides))?;
    if pairs.is_empty() {
        let seeds = format!("{first} has {}, {second} has {}", listed(ours.keys()), listed(theirs.keys()));
        return Ok((None, Some(format!("{place}{first} and {second} share no seed ({seeds}); run both with the same seeds"))));
    }
    let alone = |these: &BySeed, those: &BySeed| these.keys().filter(|seed| !those.contains_key(seed)).copied().collect::<Vec<_>>();
    let left_out: Vec<String> = [(first, alone(ours, theirs)), (second, alone(theirs, ours))]
        .into_iter()
        .filter(|(_, seeds)| !seeds.is_empty())
        .map(|(label, seeds)| {
            format!(
                "{place}only {label} has {}, which are left out of its comparison with {}",
                listed(seeds.iter()),
                if label == first { second } else { first }
            )
        })
        .collect();
    let remark = (!left_out.is_empty()).then(|| left_out.join("; "));
    Ok((Some(Pairing { setting: setting.to_vec(), other, pairs }), remark))
}

/// Refuses two runs that saw different data or did not share their past.
fn comparable(one: &Run, two: &Run, sides: &Sides) -> Result<()> {
    let (a, b) = (one.place.display(), two.place.display());
    let differs = |(path, hash): &(&String, &String)| *path != FORKED && two.inputs.files.get(*path).is_some_and(|other| other != *hash);
    if let Some((path, _)) = one.inputs.files.iter().find(differs) {
        return Err(Error::input(format!("{a} and {b}: {path} had another content in each of them; run one again with the other's file")));
    }
    if one.inputs.data_hash != two.inputs.data_hash && !sides.concerns("dataset") {
        let hashes = format!("{} and {}", one.inputs.data_hash, two.inputs.data_hash);
        let remedy = "run one again on the other's data, or compare the data itself with --by dataset";
        return Err(Error::input(format!("{a} and {b}: the content of the data differs ({hashes}); {remedy}")));
    }
    let (past, other) = (one.inputs.files.get(FORKED), two.inputs.files.get(FORKED));
    let comes_from = |past: Option<&String>, run: &Run| past.is_some_and(|past| past.starts_with(&run.run_id));
    if past != other && !comes_from(past, two) && !comes_from(other, one) {
        let remedy = "compare a fork with the run that it comes from, or with another fork of that run at the same time";
        return Err(Error::input(format!("{a} and {b}: a fork is involved, and they do not share their past; {remedy}")));
    }
    Ok(())
}

/// The name under which a run lists the past that it was forked from among its inputs.
const FORKED: &str = "forked from";

/// The error if no run has a partner.
fn nothing_matches(settings: &[Setting], sides: &Sides, reasons: &[String]) -> Error {
    let by = sides.by.join(",");
    let names = differing_fields(settings);
    if names.is_empty() {
        return Error::input(reasons.join("\n"));
    }
    let value = |setting: &Setting, name: &String| setting.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone());
    let line = |name: &String| {
        let values =
            once(settings.iter().map(|setting| value(setting, name).map_or(NONE.into(), |value| clip(&value, QUOTED).into_owned())));
        format!("  {name}: {}", values.join(" | "))
    };
    let ways: Vec<String> = names.iter().map(line).collect();
    Error::input(format!(
        "no two runs with another {by} are equal in everything else and share their seed; they also differ in\n{}\n\
         if these belong to the sides, compare with --by {by},{}; else run both sides with the same values and seeds",
        ways.join("\n"),
        names.join(",")
    ))
}

/// Seeds in words: `seed 4`, or `seeds 1–3, 7`.
fn listed<'a>(seeds: impl Iterator<Item = &'a u64>) -> String {
    let seeds: BTreeSet<u64> = seeds.copied().collect();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seed in &seeds {
        match ranges.last_mut() {
            Some((_, last)) if seed.checked_sub(1) == Some(*last) => *last = *seed,
            _ => ranges.push((*seed, *seed)),
        }
    }
    let range = |(from, to): &(u64, u64)| if from == to { from.to_string() } else { format!("{from}–{to}") };
    let ranges: Vec<String> = ranges.iter().map(range).collect();
    format!("{} {}", if seeds.len() == 1 { "seed" } else { "seeds" }, ranges.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_listed_in_ranges() {
        for (seeds, expect) in [(&[4][..], "seed 4"), (&[1, 2, 3, 7], "seeds 1–3, 7"), (&[u64::MAX, 0], "seeds 0, 18446744073709551615")]
        {
            assert_eq!(listed(seeds.iter()), expect);
        }
    }
}
