//! The claim about the sessions that it takes to reject a poisoned model.

use super::super::found::OnData;
use super::super::sessions_needed::Needed;
use super::answer::{Answer, Finding};

/// A weight below this is none.
// CHOICE(no-weight): the paper says "about 0".
const NOTHING: f64 = 0.05;
/// Standard errors of a mean that hold the truth 95 % of the time.
const ERRORS: f64 = 1.96;
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
    let at = |epsilon: u32, errors: f64| for_good(&data.needed, &format!("{form}, epsilon {epsilon}"), errors);
    let is_near = |sessions: Option<f64>, published: f64| sessions.is_some_and(|sessions| (0.5..=2.0).contains(&(sessions / published)));
    let answers = PUBLISHED.map(|(epsilon, published)| {
        // Between these the mean may lie on either side of the line.
        match [-ERRORS, ERRORS].map(|errors| is_near(at(epsilon, errors), published)) {
            [true, true] => Answer::Yes,
            [false, false] => Answer::No,
            _ => Answer::Open,
        }
    });
    let text = PUBLISHED.map(|(epsilon, published)| {
        let ours = at(epsilon, 0.0).map_or("never".into(), |sessions| format!("from {sessions:.0} sessions on"));
        format!("ε = {epsilon}: {ours} (paper {published:.0})")
    });
    let seeds = data.needed.iter().map(|row| row.seeds).max().unwrap_or(0);
    let evidence = format!("{form}, mean α below {NOTHING}: {}; {seeds} seeds; sooner than half counts as no", text.join(", "));
    Finding { reading: reading.into(), answer: answers[0].and(answers[1]), evidence }
}

/// The number of sessions from which on the mean weight, moved by this many standard errors, stays below [`NOTHING`]; `None` if it does not at
/// the end.
pub fn for_good(rows: &[Needed], form: &str, errors: f64) -> Option<f64> {
    let rows: Vec<&Needed> = rows.iter().filter(|row| row.form == form).collect();
    let moved = |row: &&Needed| row.mean + errors * row.sd / (row.seeds as f64).sqrt();
    match rows.iter().rposition(|row| moved(row) >= NOTHING) {
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
        assert_eq!(for_good(&rows([0.5, 0.04, 0.2, 0.01]), "a", 0.0), Some(4.0));
        assert_eq!(for_good(&rows([0.5, 0.04, 0.03, 0.01]), "a", 0.0), Some(2.0));
        assert_eq!(for_good(&rows([0.5, 0.04, 0.03, 0.1]), "a", 0.0), None);
        assert_eq!(for_good(&rows([0.0; 4]), "a", 0.0), Some(1.0));
        assert_eq!(for_good(&[], "a", 0.0), None);
        // 0.04 is 0.1 / 3 away from the line at its upper end.
        assert_eq!(for_good(&rows([0.5, 0.04, 0.0, 0.0]), "a", 1.0), Some(3.0));
    }
}
