//! The effect of each choice that the paper leaves open or contradicts: one changed at a time, paired by seed.

use super::super::claims::signed;
use super::super::document::{Part, Table};
use super::super::found::{OnData, Values, difference, ndcg};
use super::{named, with};
use crate::error::Result;
use crate::report::statistics::{Interval, holm};
use crate::report::{USERS, three};
use std::collections::BTreeMap;

const EXPERIMENT: &str = "assumptions";
/// The value of each choice in the reading that the sweeps are based on.
const AS_IT_IS: &str = "as it is";

/// A choice under one rule and attack, by users.
struct Effect {
    sweep: String,
    choice: String,
    /// Rule or attack, whichever the sweep varies.
    under: String,
    by_users: Vec<Option<Interval>>,
}

/// All data sets.
pub fn assumptions(all: &[OnData]) -> Result<Vec<Part>> {
    Ok(with(all, EXPERIMENT).flat_map(of).collect())
}

fn of(data: &OnData) -> Vec<Part> {
    let effects: Vec<Effect> = data.sweeps_of(EXPERIMENT).iter().flat_map(|sweep| effects(data, sweep)).collect();
    let adjusted = adjusted(&effects);
    let sessions = data.outcomes.iter().filter(|run| run.experiment == EXPERIMENT).map(|run| run.sessions).fold(0.0, f64::max);
    let n_sure = adjusted.values().filter(|p| **p < 0.05).count();
    let text = format!(
        "**{}**, {sessions:.0} sessions, base: the reading detached. Each line changes one choice; cells are the difference of nDCG@10 that this makes, with the 95 % interval over \
         paired seeds, by users. Bold: different from 0 after Holm's adjustment for all {} differences of this table ({n_sure} of them are).",
        named(data),
        adjusted.len()
    );
    let row = |(nth, effect): (usize, &Effect)| {
        let cell = |(users, interval): (usize, &Option<Interval>)| match interval {
            None => "–".to_string(),
            Some(interval) => {
                let text = format!("{} ± {}", signed(interval.mean), three(interval.half_width()));
                if adjusted.get(&(nth, users)).is_some_and(|p| *p < 0.05) { format!("**{text}**") } else { text }
            }
        };
        let cells = effect.by_users.iter().enumerate().map(cell);
        [effect.sweep.clone(), effect.choice.clone(), effect.under.clone()].into_iter().chain(cells).collect()
    };
    let head = ["of", "instead", "under"].into_iter().chain(USERS).map(String::from).collect();
    let table = Table { head, rows: effects.iter().enumerate().map(row).collect(), n_words: 3 };
    vec![Part::text(text), Part::Table(table)]
}

/// The effects that one sweep measures: every choice under every rule or attack that it varies.
fn effects(data: &OnData, sweep: &str) -> Vec<Effect> {
    let axes = ["attack", "defense"].map(|axis| (axis, data.labels(EXPERIMENT, sweep, axis)));
    let choices: Vec<String> = data.labels(EXPERIMENT, sweep, "choice").into_iter().filter(|choice| choice != AS_IT_IS).collect();
    // A choice may itself be an attack or a rule; such an axis tells nothing more.
    let varies = |axis: &str| {
        let under_base: Vec<String> =
            data.runs(EXPERIMENT, sweep, &[("choice", AS_IT_IS)]).filter_map(|run| run.labels.get(axis).cloned()).collect();
        under_base.iter().any(|label| *label != under_base[0])
    };
    let (axis, unders) = axes.iter().find(|(axis, _)| varies(axis)).cloned().unwrap_or(("users", Vec::new()));
    let unders = if unders.is_empty() { vec![String::new()] } else { unders };
    let mut found = Vec::new();
    for choice in &choices {
        for under in &unders {
            let of = |users: &str, choice: &str| -> Values {
                let wanted = [("users", users), ("choice", choice), (axis, under.as_str())];
                let wanted = if under.is_empty() { &wanted[..2] } else { &wanted[..] };
                data.values(EXPERIMENT, sweep, wanted, ndcg)
            };
            let by_users: Vec<Option<Interval>> = USERS.iter().map(|users| difference(&of(users, AS_IT_IS), &of(users, choice))).collect();
            if by_users.iter().any(Option::is_some) {
                found.push(Effect { sweep: sweep.into(), choice: choice.clone(), under: under.clone(), by_users });
            }
        }
    }
    found
}

/// The p-value of every cell after Holm's adjustment, by line and users. Differences that are all equal have none.
fn adjusted(effects: &[Effect]) -> BTreeMap<(usize, usize), f64> {
    let cells = effects.iter().enumerate().flat_map(|(nth, effect)| {
        effect.by_users.iter().enumerate().filter_map(move |(users, interval)| Some(((nth, users), interval.as_ref()?.p?)))
    });
    let (places, p): (Vec<(usize, usize)>, Vec<f64>) = cells.unzip();
    places.into_iter().zip(holm(&p)).collect()
}
