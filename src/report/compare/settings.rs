//! Settings: what varies between comparisons beside the sides, and what all of them have in common.

use super::experiment::{Experiment, NONE, once};
use super::sides::{Sides, head, shortened};

/// A field with its value.
pub type Field = (String, String);
/// Everything that the runs of a comparison have in common.
pub type Setting = Vec<Field>;

/// The fields that are not the same in all settings.
pub fn differing_fields(settings: &[Setting]) -> Vec<String> {
    let different = settings.iter().flatten().filter(|field| !settings.iter().all(|setting| setting.contains(field)));
    once(different.map(|(name, _)| name.clone()))
}

/// What tells each setting from the others: the labels of the sweep, or else the fields that differ.
pub fn names(experiments: &[Experiment], rests: &[Setting], settings: &[Setting], sides: &Sides) -> Vec<Setting> {
    let labels = |nth: usize| -> Setting { experiments[nth].labels.iter().filter(|(axis, _)| !sides.concerns(axis)).cloned().collect() };
    let of_setting = |setting: &Setting| once((0..rests.len()).filter(|nth| rests[*nth] == *setting).map(labels));
    let by_labels: Vec<Vec<Setting>> = settings.iter().map(of_setting).collect();
    let is_telling = by_labels.iter().all(|labels| labels.len() == 1) && once(by_labels.iter()).len() == settings.len();
    if settings.len() > 1 && is_telling {
        let constant = |label: &Field| by_labels.iter().all(|labels| labels[0].contains(label));
        return by_labels.iter().map(|labels| labels[0].iter().filter(|label| !constant(label)).cloned().collect()).collect();
    }
    by_fields(settings)
}

fn by_fields(settings: &[Setting]) -> Vec<Setting> {
    let mut names: Vec<Setting> = vec![Vec::new(); settings.len()];
    for field in differing_fields(settings) {
        let value = |setting: &Setting| setting.iter().find(|(name, _)| *name == field).map_or(NONE.into(), |(_, value)| value.clone());
        let values: Vec<String> = settings.iter().map(value).collect();
        for (name, label) in names.iter_mut().zip(shortened(&values.iter().map(String::as_str).collect::<Vec<_>>())) {
            name.push((field.clone(), label));
        }
    }
    names
}

/// A setting in words: `attack: Lie, place: far`.
pub fn show(setting: &[Field]) -> String {
    setting.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
}

/// What all runs have in common, in a few words. The fields that people ask for first stand for all of them.
pub fn in_words(common: &[Field]) -> String {
    let value = |name: &str| common.iter().find(|(field, _)| field == name).map(|(_, value)| head(value).trim_matches('"').to_string());
    let words = [
        value("nodes").map(|n| format!("{n} nodes")),
        value("malicious_share").map(|share| format!("malicious_share {share}")),
        value("attack"),
        value("users").map(|users| format!("{users} users")),
        value("ranker").map(|ranker| format!("{ranker} ranker")),
        value("dataset").map(|data| format!("{data} data")),
        value("arrivals").map(|arrivals| format!("{arrivals} arrivals")),
        value("latency").map(|latency| format!("{latency} latency")),
        value("churn").map(|churn| format!("{churn} churn")),
        common.iter().find(|(field, _)| field == "stop").map(|(_, stop)| stop.clone()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Setting {
        text.split(';').filter_map(|part| part.split_once('=')).map(|(name, value)| (name.trim().into(), value.trim().into())).collect()
    }

    #[test]
    fn settings_are_named_by_what_tells_them_apart() {
        let settings = ["nodes=10; attack=Flip(a: 1, b: 2)", "nodes=10; attack=Flip(a: 1, b: 3)", "nodes=10; attack=Lie(z: 1)"].map(fields);
        let names: Vec<String> = by_fields(&settings).iter().map(|setting| show(setting)).collect();
        assert_eq!(names, ["attack: Flip(b: 2)", "attack: Flip(b: 3)", "attack: Lie"]);
        assert_eq!(by_fields(&settings[..1]), [vec![]]);
    }

    #[test]
    fn what_all_have_in_common_is_told_in_a_few_words() {
        let common = fields("nodes=100; users=Perfect; dataset=Synthetic(like: Web30k); stop=Time(\"7d\")");
        assert_eq!(in_words(&common), "100 nodes, Perfect users, Synthetic data, Time(\"7d\")");
    }
}
