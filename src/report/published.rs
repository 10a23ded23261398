//! Published figures of others, which a table shows beside its own.

use super::names::USERS;
use crate::error::{Error, Result};
use crate::files;
use std::path::Path;

/// Published figures of one data set.
#[derive(Debug, Clone)]
pub struct Published {
    pub(super) name: String,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone)]
struct Cell {
    users: String,
    attack: String,
    defense: String,
    mean: f64,
    sd: f64,
}

impl Published {
    /// The mean and its spread, if there is a figure. Oracle and Local have one figure for all attacks, because no attack changes them.
    pub fn figure(&self, users: &str, attack: &str, defense: &str) -> Option<(f64, f64)> {
        let any_attack = matches!(defense, "Oracle" | "Local");
        let fits = |cell: &&Cell| cell.users == users && cell.defense == defense && (cell.attack == attack || any_attack);
        self.cells.iter().find(fits).map(|cell| (cell.mean, cell.sd))
    }

    /// Reads the robustness figures of one data set from comma-separated lines with the columns dataset, users, attack, defense, mean and sd.
    ///
    /// # Errors
    /// The file cannot be read, a line is wrong, or there are no figures of this data set.
    pub fn read(path: &Path, dataset: &str) -> Result<Self> {
        let text = files::read(path, files::WRITTEN_BY_HAND).map_err(|e| Error::cannot_read(path, &e))?;
        Self::parse(&String::from_utf8_lossy(&text), path, dataset)
    }

    /// The same from a text; `path` names it in messages.
    ///
    /// # Errors
    /// A line is wrong, or there are no figures of this data set.
    pub fn parse(text: &str, path: &Path, dataset: &str) -> Result<Self> {
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
                return Err(wrong(i + 2, format!("has {} values, but there are {} columns", fields.len(), header.len())));
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

#[cfg(test)]
mod tests {
    use super::*;

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
