//! The claim about the sessions that it takes to reject a poisoned model.

use super::super::found::{Needed, OnData};
use super::answer::{Answer, Finding};

/// A weight below this is none.
// CHOICE(no-weight): the paper says "about 0".
const NOTHING: f64 = 0.05;
/// The strengths of the attack, with the sessions that the paper reads off its figure.
const PUBLISHED: [(u32, f64); 2] = [(1, 40.0), (10, 10.0)];

/// Both forms of IPM: the readings literal and detached have the step, as-reported the model turned round.
pub fn needed(data: &OnData) -> Vec<Finding> {
    if data.needed.is_empty() {
        return Vec::new();
    }
    [("literal, detached", "step"), ("as-reported", "model turned round")]
        .into_iter()
        .map(|(reading, form)| of_form(data, reading, form))
        .collect()
}

fn of_form(data: &OnData, reading: &str, form: &str) -> Finding {
    let at = |epsilon: u32| for_good(&data.needed, &format!("{form}, epsilon {epsilon}"));
    let answers = PUBLISHED.map(|(epsilon, published)| match at(epsilon) {
        Some(sessions) if (0.5..=2.0).contains(&(sessions / published)) => Answer::Yes,
        _ => Answer::No,
    });
    let text = PUBLISHED.map(|(epsilon, published)| {
        let ours = at(epsilon).map_or("never".into(), |sessions| format!("from {sessions:.0} sessions on"));
        format!("ε = {epsilon}: {ours} (paper {published:.0})")
    });
    let seeds = data.needed.iter().map(|row| row.seeds).max().unwrap_or(0);
    let evidence = format!("{form}, mean α below {NOTHING}: {}; {seeds} seeds", text.join(", "));
    Finding { reading: reading.into(), answer: answers[0].and(answers[1]), evidence }
}

/// The number of sessions from which on the mean weight stays below [`NOTHING`]; `None` if it does not at the end.
pub fn for_good(rows: &[Needed], form: &str) -> Option<f64> {
    let rows: Vec<&Needed> = rows.iter().filter(|row| row.form == form).collect();
    let last_above = rows.iter().rposition(|row| row.mean >= NOTHING);
    match last_above {
        Some(at) => rows.get(at + 1).map(|row| row.sessions),
        None => rows.first().map(|row| row.sessions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_that_comes_back_is_not_gone_for_good() {
        let row = |(sessions, mean)| Needed { form: "a".into(), sessions, mean, sd: 0.1, seeds: 9 };
        let rows = |means: [f64; 4]| [1.0, 2.0, 3.0, 4.0].into_iter().zip(means).map(row).collect::<Vec<_>>();
        assert_eq!(for_good(&rows([0.5, 0.04, 0.2, 0.01]), "a"), Some(4.0));
        assert_eq!(for_good(&rows([0.5, 0.04, 0.03, 0.01]), "a"), Some(2.0));
        assert_eq!(for_good(&rows([0.5, 0.04, 0.03, 0.1]), "a"), None);
        assert_eq!(for_good(&rows([0.0; 4]), "a"), Some(1.0));
        assert_eq!(for_good(&[], "a"), None);
    }
}
