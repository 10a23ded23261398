//! Many runs as one table, shaped like the paper's: a line per kind of user and attack, a column per defence.
//!
//! **Invariant:** a cell holds runs of one experiment, which differ in nothing but their seeds. Any other difference between two runs is
//! named by their lines or columns.

use super::Published;
use super::caution::cautions;
use super::groups::{self, Group, Window};
use super::last::Last;
use super::names::{ATTACKS, DEFENSES, Named, USERS, ordered};
use crate::error::Result;
use crate::units::count;
use std::collections::BTreeSet;
use std::path::Path;

/// nDCG over the last part of each run, with a legend below.
///
/// # Errors
/// A result cannot be read or has too few evaluations, or two results of one run differ.
pub fn table(results: &[impl AsRef<Path>], last: Last, published: Option<&Published>) -> Result<String> {
    let (groups, remarks) = groups::read(results, last)?;
    let lines = Layout::of(&groups).show(published);
    let has_stand_in = lines.contains("* |");
    let below =
        [legend(&groups, last), notes(has_stand_in, published), remarks, versions(&groups), cautions(groups.iter().map(Group::dataset))]
            .concat();
    Ok(format!("{lines}\n{}\n", below.join("\n")))
}

/// The line and the column of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    /// Values of the fields that differ from line to line.
    others: Vec<String>,
    users: String,
    attack: String,
    column: String,
}

struct Layout<'a> {
    groups: Vec<(Position, &'a Group)>,
    /// Names of the fields that differ from line to line.
    fields: Vec<String>,
    users: Vec<String>,
    attacks: Vec<String>,
    columns: Vec<String>,
}

impl<'a> Layout<'a> {
    fn of(groups: &'a [Group]) -> Self {
        let all = |of: fn(&Group) -> &Named| groups.iter().map(of).cloned().collect::<Vec<Named>>();
        let (users, attacks, defenses) = (all(|g| &g.users), all(|g| &g.attack), all(|g| &g.defense));
        let of_defense = |group: &Group| group.defense.label(&defenses);
        let differing = differing(groups);
        // A field whose value follows from the defence belongs to the column of that defence, and adds no line.
        let (by_column, by_line): (Vec<String>, Vec<String>) = differing.into_iter().partition(|field| {
            let value_of = |label: &str| groups.iter().filter(|g| of_defense(g) == label).map(|g| g.other(field)).collect::<BTreeSet<_>>();
            groups.iter().all(|group| value_of(&of_defense(group)).len() == 1)
        });
        let column = |group: &Group| {
            let more = by_column.iter().filter(|field| group.other(field) != usual(groups, field));
            more.fold(of_defense(group), |label, field| format!("{label} · {field}: {}", group.other(field)))
        };
        let position = |group: &Group| Position {
            others: by_line.iter().map(|field| group.other(field)).collect(),
            users: group.users.label(&users),
            attack: group.attack.label(&attacks),
            column: column(group),
        };
        Self {
            users: ordered(&USERS, groups.iter().map(|g| (g.users.name.clone(), g.users.label(&users)))),
            attacks: ordered(&ATTACKS, groups.iter().map(|g| (g.attack.name.clone(), g.attack.label(&attacks)))),
            columns: ordered(&DEFENSES, groups.iter().map(|g| (g.defense.name.clone(), column(g)))),
            groups: groups.iter().map(|group| (position(group), group)).collect(),
            fields: by_line,
        }
    }

    fn show(&self, published: Option<&Published>) -> String {
        let head: Vec<String> = self.fields.iter().cloned().chain(["users".into(), "attack".into()]).collect();
        let mut lines = vec![row(&head, &self.columns), format!("|{}", "---|".repeat(head.len() + self.columns.len()))];
        for others in self.others() {
            for users in &self.users {
                for attack in &self.attacks {
                    lines.extend(self.line(&others, users, attack, published));
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// A line, if it holds a run, and the line of published figures below it.
    fn line(&self, others: &[String], users: &str, attack: &str, published: Option<&Published>) -> Vec<String> {
        let is_here = |position: &Position| position.others == others && position.users == users && position.attack == attack;
        let Some((_, first)) = self.groups.iter().find(|(position, _)| is_here(position)) else { return Vec::new() };
        let position =
            |column: &String| Position { others: others.into(), users: users.into(), attack: attack.into(), column: column.clone() };
        let ours: Vec<String> = self.columns.iter().map(|column| self.cell(&position(column))).collect();
        let labels: Vec<String> = others.iter().cloned().chain([users.into(), attack.into()]).collect();
        let theirs = published.map(|published| {
            let cells: Vec<String> =
                self.columns.iter().map(|column| published.show(&first.users.name, &first.attack.name, base(column))).collect();
            row(&[vec![String::new(); labels.len() - 1], vec![published.name.clone()]].concat(), &cells)
        });
        [row(&labels, &ours)].into_iter().chain(theirs).collect()
    }

    /// The text of a cell. A rule that no attack changes may show its run under another attack, marked by a star.
    fn cell(&self, position: &Position) -> String {
        let own = self.groups.iter().find(|(other, _)| other == position).map(|(_, group)| group.show());
        own.or_else(|| self.stand_in(position).map(|group| format!("{}*", group.show()))).unwrap_or_default()
    }

    fn stand_in(&self, position: &Position) -> Option<&Group> {
        let line = |other: &Position| other.others == position.others && other.users == position.users;
        let is_attacked = self.groups.iter().any(|(other, group)| line(other) && other.attack == position.attack && group.has_attack);
        let fits = |(other, group): &&(Position, &'a Group)| {
            line(other) && other.column == position.column && group.has_attack && matches!(group.defense.name.as_str(), "Oracle" | "Local")
        };
        self.groups.iter().find(fits).filter(|_| is_attacked).map(|(_, group)| *group)
    }

    fn others(&self) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        for (position, _) in &self.groups {
            if !found.contains(&position.others) {
                found.push(position.others.clone());
            }
        }
        found
    }
}

/// Fields that are not the same in all groups.
fn differing(groups: &[Group]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in groups.iter().flat_map(Group::others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.retain(|name| groups.iter().any(|group| group.other(name) != groups[0].other(name)));
    names
}

/// The value that most groups have; empty if no value is more frequent than all others.
fn usual(groups: &[Group], field: &str) -> String {
    let values: Vec<String> = groups.iter().map(|group| group.other(field)).collect();
    let times = |value: &String| values.iter().filter(|other| *other == value).count();
    let most = values.iter().map(times).max().unwrap_or(0);
    let winners: BTreeSet<&String> = values.iter().filter(|value| times(value) == most).collect();
    if winners.len() == 1 { winners.into_iter().next().cloned().unwrap_or_default() } else { String::new() }
}

/// The defence's own name in a column's label.
fn base(column: &str) -> &str {
    column.split(['(', '·']).next().unwrap_or_default().trim_end()
}

/// Explains the figures, and over which evaluations they are averaged.
fn legend(groups: &[Group], last: Last) -> Vec<String> {
    let cutoffs: BTreeSet<u32> = groups.iter().map(|group| group.ndcg_cutoff).collect();
    let measure = if cutoffs.len() == 1 { format!("nDCG@{}", groups[0].ndcg_cutoff) } else { "nDCG".into() };
    let mut windows: Vec<(Window, usize)> = Vec::new();
    for sample in groups.iter().flat_map(|group| &group.samples) {
        match windows
            .iter_mut()
            .find(|(window, _)| (window.from, window.to, window.n) == (sample.window.from, sample.window.to, sample.window.n))
        {
            Some((window, n_runs)) => {
                let (a, b) = (window.sessions, sample.window.sessions);
                (window.sessions, *n_runs) = ((a.0.min(b.0), a.1.max(b.1)), *n_runs + 1);
            }
            None => windows.push((sample.window, 1)),
        }
    }
    let mut lines = vec![
        "0.719(2) ±0.001 n=3: mean over 3 seeds; in brackets the standard deviation across nodes, in units of the last digit; ± that over seeds"
            .to_string(),
        format!("{measure} of honest nodes on the test queries, averaged over {last}:"),
    ];
    lines.extend(windows.iter().map(|(window, n_runs)| {
        let runs = if *n_runs == 1 { "1 run".into() } else { format!("{n_runs} runs") };
        let evaluations = match window.n {
            1 => format!("evaluation {}", window.to),
            n => format!("evaluations {}–{} ({n} of them)", window.from, window.to),
        };
        let sessions = match window.sessions {
            (from, to) if from == to => count(to as u64),
            (from, to) => format!("{}–{}", count(from as u64), count(to as u64)),
        };
        format!("  {runs}: {evaluations}, after {sessions} sessions")
    }));
    lines
}

fn notes(has_stand_in: bool, published: Option<&Published>) -> Vec<String> {
    let star = "*: of runs under another attack, everything else being equal; Oracle and Local do not notice which".to_string();
    let theirs = published.map(|published| format!("{}: in brackets what its authors give as spread", published.name));
    has_stand_in.then_some(star).into_iter().chain(theirs).collect()
}

fn versions(groups: &[Group]) -> Vec<String> {
    let versions: BTreeSet<&str> = groups.iter().flat_map(|group| &group.samples).map(|sample| sample.version.as_str()).collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    if versions.len() > 1 {
        vec![format!("these are runs of several versions of the program: {}", versions.join(", "))]
    } else {
        Vec::new()
    }
}

fn row(labels: &[String], cells: &[String]) -> String {
    format!("| {} |", [labels, cells].concat().join(" | "))
}
