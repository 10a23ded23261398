//! The effect of each choice that the paper leaves open or contradicts: one changed at a time, paired by seed.

use super::super::claims::signed;
use super::super::document::{Part, Table};
use super::super::found::{OnData, Outcome, Values, difference, ndcg};
use super::{named, with};
use crate::report::statistics::{Interval, holm};
use crate::report::{USERS, three};
use std::collections::BTreeMap;

const EXPERIMENT: &str = "assumptions";
/// The value of each choice in the reading that the sweeps are based on.
const AS_IT_IS: &str = "as it is";

/// A choice under an attack and a rule, by users.
struct Effect {
    sweep: String,
    choice: String,
    /// Attack and rule, as far as the sweep varies them.
    under: String,
    by_users: Vec<Option<Interval>>,
}

const NOT_SWITCHED: &str = "Choices that no sweep switches, because they are no fields of a scenario: ties in evaluation, α where all X are equal, CS+ instead of CS, ρ in replays, the \
                            divisor of LIE's deviation, the query of an IPM step, whole epochs in ADAPT's warm start, and clicks of FLIP with five grades. Those about delays, absences and identities do not \
                            matter in rounds. A test of the program names the sweep, or the reason, for every row of the README's assumptions.";

/// All data sets.
pub fn assumptions(all: &[OnData]) -> Vec<Part> {
    let mut parts: Vec<Part> = with(all, EXPERIMENT).flat_map(of).collect();
    if !parts.is_empty() {
        parts.push(Part::text(NOT_SWITCHED));
    }
    parts
}

fn of(data: &OnData) -> Vec<Part> {
    let effects: Vec<Effect> = data.sweeps_of(EXPERIMENT).iter().flat_map(|sweep| effects(data, sweep)).collect();
    let adjusted = adjusted(&effects);
    let sessions = data.outcomes.iter().filter(|run| run.experiment == EXPERIMENT).map(|run| run.sessions).fold(0.0, f64::max);
    let n_sure = adjusted.values().filter(|p| **p < 0.05).count();
    let text = format!(
        "**{}**, {sessions:.0} sessions, base: the reading detached. Each line changes one choice; cells are the difference of nDCG@10 that this makes, with the 95 % interval over \
         paired seeds, by users. **Equal**: the same in every pair. Bold: different from 0 after Holm's adjustment for all {} differences of this table ({n_sure} of them are).",
        named(data),
        adjusted.len()
    );
    let row = |(nth, effect): (usize, &Effect)| {
        let cell = |(users, interval): (usize, &Option<Interval>)| match interval {
            None => "–".to_string(),
            Some(interval) if interval.low == 0.0 && interval.high == 0.0 => "equal".into(),
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

/// The effects that one sweep measures: every choice under every attack and rule that it varies besides.
fn effects(data: &OnData, sweep: &str) -> Vec<Effect> {
    let choices = data.labels(EXPERIMENT, sweep, "choice").into_iter().filter(|choice| choice != AS_IT_IS);
    let unders = unders(data, sweep);
    let mut found = Vec::new();
    for choice in choices {
        for under in &unders {
            let of = |users: &str, choice: &str| -> Values {
                let also = under.iter().map(|(axis, label)| (*axis, label.as_str()));
                data.values(EXPERIMENT, sweep, &[("users", users), ("choice", choice)].into_iter().chain(also).collect::<Vec<_>>(), ndcg)
            };
            let by_users: Vec<Option<Interval>> = USERS.iter().map(|users| difference(&of(users, AS_IT_IS), &of(users, &choice))).collect();
            if by_users.iter().any(Option::is_some) {
                let under = under.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", ");
                found.push(Effect { sweep: sweep.into(), choice: choice.clone(), under, by_users });
            }
        }
    }
    found
}

/// The attacks and rules under which a choice is made, as far as they vary where it is as it is: a choice may itself be an attack or a rule.
fn unders<'a>(data: &OnData, sweep: &str) -> Vec<Vec<(&'a str, String)>> {
    let label = |run: &Outcome, axis: &str| run.labels.get(axis).cloned().unwrap_or_default();
    let base: Vec<&Outcome> = data.runs(EXPERIMENT, sweep, &[("choice", AS_IT_IS)]).collect();
    let varies = |axis: &&str| base.iter().any(|run| label(run, axis) != label(base[0], axis));
    let axes: Vec<&str> = ["attack", "defense"].into_iter().filter(varies).collect();
    let mut unders: Vec<Vec<(&str, String)>> = Vec::new();
    for run in &base {
        let under = axes.iter().map(|axis| (*axis, label(run, axis))).collect();
        if !unders.contains(&under) {
            unders.push(under);
        }
    }
    unders
}

/// The p-value of every cell after Holm's adjustment, by line and users. Differences that are all equal have none.
fn adjusted(effects: &[Effect]) -> BTreeMap<(usize, usize), f64> {
    let cells = effects.iter().enumerate().flat_map(|(nth, effect)| {
        effect.by_users.iter().enumerate().filter_map(move |(users, interval)| Some(((nth, users), interval.as_ref()?.p?)))
    });
    let (places, p): (Vec<(usize, usize)>, Vec<f64>) = cells.unzip();
    places.into_iter().zip(holm(&p)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::found::made;
    use super::*;

    #[test]
    fn a_choice_is_compared_under_each_attack_and_rule_that_varies_besides_it() {
        let mut runs = Vec::new();
        for (choice, better) in [(AS_IT_IS, 0.0), ("no limit", 0.1)] {
            for (attack, rule, ndcg) in [("FLIP", "CS", 0.5), ("FLIP", "None", 0.3), ("IPM", "CS", 0.4)] {
                let labels = format!("users=perfect, attack={attack}, defense={rule}, choice={choice}");
                runs.extend(made::runs(EXPERIMENT, "limit", &labels, ndcg + if rule == "CS" { better } else { 0.0 }));
            }
        }
        let effects = effects(&made::data(runs), "limit");
        let means: Vec<(String, f64)> =
            effects.iter().map(|effect| (effect.under.clone(), effect.by_users[0].expect("pairs").mean)).collect();
        let expect = [("FLIP, CS", 0.1), ("FLIP, None", 0.0), ("IPM, CS", 0.1)];
        assert_eq!(means.len(), expect.len());
        for ((under, mean), (name, value)) in means.iter().zip(expect) {
            assert!(under == name && (mean - value).abs() < 1e-12, "{means:?}");
        }
    }

    #[test]
    fn a_choice_that_is_an_attack_is_not_what_it_is_under() {
        let of = |choice: &str, attack: &str, ndcg: f64| {
            made::runs(EXPERIMENT, "ipm", &format!("users=perfect, attack={attack}, defense=CS, choice={choice}"), ndcg)
        };
        let effects = effects(&made::data([of(AS_IT_IS, "IPM", 0.5), of("turned round", "IPM-2", 0.2)].concat()), "ipm");
        assert_eq!(
            effects.iter().map(|effect| (effect.choice.as_str(), effect.under.as_str())).collect::<Vec<_>>(),
            [("turned round", "")]
        );
    }
}
