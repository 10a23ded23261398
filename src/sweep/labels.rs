//! The names of runs, made from the labels of what varies.

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

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let names: Vec<String> = ["a", "b"].map(|end| run_name(&[("x".into(), "y".repeat(200) + end)], 7)).into();
        assert!(names.iter().all(|name| name.len() == MAX_NAME && name.ends_with("-seed-7")) && names[0] != names[1], "{names:?}");
    }
}
