//! Many runs as one table, shaped like the paper's: a line per kind of user and attack, a column per defence.

use super::caution::cautions;
use crate::corpus::Users;
use crate::error::{Error, Result};
use crate::files;
use crate::math;
use crate::record::{Manifest, read_curve};
use crate::scenario::Scenario;
use crate::units::counted;
use std::path::Path;

/// The paper's order; others follow in the order they come.
const DEFENSES: [&str; 9] = ["Oracle", "Local", "RankGuard", "FLTrust", "ZenoPS", "GTS", "CS", "CWTM", "None"];
const USERS: [&str; 3] = ["perfect", "navigational", "informational"];
const ATTACKS: [&str; 4] = ["FLIP", "LIE", "IPM", "ADAPT"];

/// Mean and spread of one or more runs of the same kind.
#[derive(Debug, Clone, PartialEq)]
struct Cell {
    users: String,
    attack: String,
    defense: String,
    mean: f64,
    sd: f64,
}

/// Figures to stand beside one's own.
pub struct Published {
    name: String,
    cells: Vec<Cell>,
}

/// nDCG over the last evaluations of each run: the mean of their means, and in brackets, in units of the last digit, the mean of their
/// standard deviations across nodes.
///
/// Runs that differ only in their seed share a cell. Oracle and Local, which no attack touches, stand in every line of their users.
pub fn table(results: &[impl AsRef<Path>], last: usize, published: Option<&Published>) -> Result<String> {
    let cells = results.iter().map(|folder| read(folder.as_ref(), last)).collect::<Result<Vec<_>>>()?;
    let users = names(&USERS, cells.iter().map(|cell| &cell.users));
    let attacks = names(&ATTACKS, cells.iter().map(|cell| &cell.attack));
    let defenses = names(&DEFENSES, cells.iter().map(|cell| &cell.defense));
    let mut lines = vec![row("users", "attack", &defenses), format!("|---|---|{}", "---|".repeat(defenses.len()))];
    for users in &users {
        for attack in &attacks {
            let ours: Vec<String> = defenses.iter().map(|defense| show(&cells, users, attack, defense)).collect();
            if ours.iter().any(|cell| !cell.is_empty()) {
                lines.push(row(users, attack, &ours));
                lines.extend(published.map(|published| {
                    let theirs: Vec<String> = defenses.iter().map(|defense| show(&published.cells, users, attack, defense)).collect();
                    row("", &published.name, &theirs)
                }));
            }
        }
    }
    lines.extend(cautions(results)?);
    Ok(lines.join("\n") + "\n")
}

impl Published {
    /// The robustness figures of one data set, from comma-separated lines with the columns dataset, users, attack, defense, mean and sd.
    pub fn read(path: &Path, dataset: &str) -> Result<Self> {
        let text = files::read(path, files::WRITTEN_BY_HAND).map_err(|e| Error::cannot_read(path, &e))?;
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let wrong = |line: usize, what: String| Error::input(format!("{}:{line}: {what}", path.display()));
        let column =
            |name: &str| header.iter().position(|title| *title == name).ok_or_else(|| wrong(1, format!("there is no column `{name}`")));
        let [of, users, attack, defense, mean, sd] = ["dataset", "users", "attack", "defense", "mean", "sd"].map(column);
        let (of, users, attack, defense, mean, sd) = (of?, users?, attack?, defense?, mean?, sd?);
        let mut cells = Vec::new();
        for (i, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split(',').collect();
            if fields.len() != header.len() {
                return Err(wrong(i + 2, format!("has {}, but there are {} columns", counted(fields.len() as u64, "value"), header.len())));
            }
            let number = |at: usize| fields[at].parse::<f64>().map_err(|_| wrong(i + 2, format!("{} is not a number", fields[at])));
            if fields[of] == dataset && USERS.contains(&fields[users]) {
                let [users, attack, defense] = [users, attack, defense].map(|at| fields[at].to_string());
                cells.push(Cell { users, attack, defense, mean: number(mean)?, sd: number(sd)? });
            }
        }
        match cells.is_empty() {
            true => Err(Error::input(format!("{}: holds no figures of `{dataset}`", path.display()))),
            false => Ok(Self { name: format!("published, {dataset}"), cells }),
        }
    }
}

fn read(folder: &Path, last: usize) -> Result<Cell> {
    let scenario = Manifest::<Scenario>::read(folder)?.scenario;
    let curve = read_curve(folder)?;
    let (means, sds): (Vec<f64>, Vec<f64>) = curve[curve.len().saturating_sub(last)..].iter().copied().unzip();
    let users = match scenario.users {
        Users::Perfect => "perfect",
        Users::Navigational => "navigational",
        Users::Informational => "informational",
        Users::Custom { .. } => "custom",
    };
    Ok(Cell {
        users: users.into(),
        attack: scenario.attack.name().into(),
        defense: scenario.defense.name().into(),
        mean: math::mean_sd(&means).0,
        sd: math::mean_sd(&sds).0,
    })
}

/// What is there, in a known order first.
fn names<'a>(known: &[&str], there: impl Iterator<Item = &'a String> + Clone) -> Vec<String> {
    let mut names: Vec<String> = known.iter().filter(|name| there.clone().any(|other| other == *name)).map(ToString::to_string).collect();
    for other in there {
        if !names.contains(other) {
            names.push(other.clone());
        }
    }
    names
}

/// 0.715(2), averaged over what fits; nothing where nothing does.
fn show(cells: &[Cell], users: &str, attack: &str, defense: &str) -> String {
    let is_aloof = matches!(defense, "Oracle" | "Local");
    let fits = |cell: &&Cell| cell.users == users && cell.defense == defense && (cell.attack == attack || is_aloof);
    let (means, sds): (Vec<f64>, Vec<f64>) = cells.iter().filter(fits).map(|cell| (cell.mean, cell.sd)).unzip();
    match means.is_empty() {
        true => String::new(),
        false => format!("{:.3}({:.0})", math::mean_sd(&means).0, math::mean_sd(&sds).0 * 1e3),
    }
}

fn row(users: &str, attack: &str, cells: &[String]) -> String {
    format!("| {users} | {attack} | {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(users: &str, attack: &str, defense: &str, mean: f64) -> Cell {
        Cell { users: users.into(), attack: attack.into(), defense: defense.into(), mean, sd: 0.0021 }
    }

    #[test]
    fn cells_are_averaged_over_seeds_and_attacks_do_not_touch_the_oracle() {
        let cells = [cell("perfect", "FLIP", "None", 0.5), cell("perfect", "FLIP", "None", 0.6), cell("perfect", "FLIP", "Oracle", 0.7)];
        assert_eq!(show(&cells, "perfect", "FLIP", "None"), "0.550(2)");
        assert_eq!(show(&cells, "perfect", "LIE", "None"), "");
        assert_eq!(show(&cells, "perfect", "LIE", "Oracle"), "0.700(2)");
    }

    #[test]
    fn names_come_in_the_papers_order() {
        let there = ["Krum", "None", "Oracle", "Krum"].map(String::from);
        assert_eq!(names(&DEFENSES, there.iter()), ["Oracle", "None", "Krum"]);
    }

    #[track_caller]
    fn check(text: &str, expect: std::result::Result<usize, &str>) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("it writes");
        match (Published::read(file.path(), "A"), expect) {
            (Ok(published), Ok(n)) => assert_eq!(published.cells.len(), n),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (Ok(_), Err(expect)) => panic!("{expect} was expected"),
            (Err(error), Ok(_)) => panic!("{error}"),
        }
    }

    #[test]
    fn published_figures_are_read_with_care() {
        let header = "dataset,users,attack,defense,mean,sd\n";
        check(&format!("{header}A,perfect,FLIP,None,0.4,0.001\nB,perfect,FLIP,None,0.4,0.001\n"), Ok(1));
        check(&format!("{header}A,perfect,FLIP,None,x,0.001\n"), Err(":2: x is not a number"));
        check(&format!("{header}A,perfect\n"), Err(":2: has 2 values, but there are 6 columns"));
        check(&format!("{header}B,perfect,FLIP,None,0.4,0.001\n"), Err("holds no figures of `A`"));
        check("users\n", Err(":1: there is no column `dataset`"));
    }
}
