//! Labels of values that have none of their own, and the names of runs, made from the labels of what varies.

use crate::error::{QUOTED, clip};
use crate::scenario::ron_text::tokens;
use xxhash_rust::xxh3::xxh3_64;

/// The longest name of a run: names of scenarios have at most 100 characters, and result folders need some room for endings.
const MAX_NAME: usize = 90;

/// The name of a run: `RankGuard-flip-seed-3`. It is made from the run alone, so it stays when a sweep is extended.
pub fn run_name(labels: &[(String, String)], seed: u64) -> String {
    let mut parts: Vec<String> = labels.iter().map(|(_, label)| plain(label)).collect();
    parts.push(format!("seed-{seed}"));
    let name = parts.join("-");
    if name.len() <= MAX_NAME {
        return name;
    }
    let ending = format!("-h{:08x}-seed-{seed}", xxh3_64(name.as_bytes()) as u32);
    format!("{}{ending}", &name[..MAX_NAME - ending.len()])
}

/// A label with nothing but letters, digits, `.`, `_` and `-`: `RankGuard(kappa: 4.0)` becomes `RankGuard-kappa-4.0`.
pub fn plain(label: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let words: Vec<&str> = label.split(|c| !is_kept(c)).map(|word| word.trim_start_matches('.')).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// A value as it is written, on one line and without comments.
pub fn spelling(value: &str) -> String {
    let mut text = String::new();
    let mut last = "";
    for (_, token) in tokens(value) {
        let is_apart = matches!(last, "," | ":") && !matches!(token, ")" | "]" | "}");
        if is_apart {
            text.push(' ');
        }
        text.push_str(token);
        last = token;
    }
    text.replace(",)", ")").replace(",]", "]")
}

/// The labels of values without labels of their own: the name of the choice if only one value has it, or else the whole spelling.
pub fn unlabelled(spellings: &[String]) -> Vec<String> {
    let names: Vec<&str> = spellings.iter().map(|text| text.split(['(', '[', '{']).next().unwrap_or_default().trim()).collect();
    let is_alone = |name: &str| !name.is_empty() && names.iter().filter(|other| **other == name).count() == 1;
    let label = |(name, text): (&&str, &String)| if is_alone(name) { (*name).to_owned() } else { clip(text, QUOTED).into_owned() };
    let bare = |label: String| label.trim_matches('"').to_owned();
    names.iter().zip(spellings).map(label).map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(labels: &[&str], seed: u64, expect: &str) {
        let labels: Vec<(String, String)> = labels.iter().map(|label| ("axis".into(), label.to_string())).collect();
        assert_eq!(run_name(&labels, seed), expect);
    }

    #[test]
    fn names_are_made_from_what_varies() {
        check(&["RankGuard", "flip"], 3, "RankGuard-flip-seed-3");
        check(&["RankGuard(kappa: 4.0)", "Letor(path: \"../x\")"], 3, "RankGuard-kappa-4.0-Letor-path-x-seed-3");
        check(&[], 18_446_744_073_709_551_615, "seed-18446744073709551615");
        check(&["-0.5", "β = 0.2"], 1, "-0.5-0.2-seed-1");
    }

    #[track_caller]
    fn label(values: &[&str], expect: &[&str]) {
        assert_eq!(unlabelled(&values.iter().map(|value| spelling(value)).collect::<Vec<_>>()), expect);
    }

    #[test]
    fn labels_are_as_short_as_they_can_be() {
        label(&["RankGuard(kappa: 4.0)", "FlTrust", "Undefended"], &["RankGuard", "FlTrust", "Undefended"]);
        label(&["RankGuard( kappa:4.0, )", "RankGuard(kappa: 8 /* twice */)"], &["RankGuard(kappa: 4.0)", "RankGuard(kappa: 8)"]);
        label(&["0.1", "-0.5"], &["0.1", "-0.5"]);
        label(&["(rate: 3)", "[ (at: \"1h\", what: Heal) , ]"], &["(rate: 3)", "[(at: \"1h\", what: Heal)]"]);
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let names: Vec<String> = ["a", "b"].map(|end| run_name(&[("x".into(), "y".repeat(200) + end)], 7)).into();
        assert!(names.iter().all(|name| name.len() == MAX_NAME && name.ends_with("-seed-7")) && names[0] != names[1], "{names:?}");
    }
}
