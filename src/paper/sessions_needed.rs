//! How many sessions a node needs to reject a minimally poisoned model.
//!
//! A node trains alone for some sessions. An IPM attacker then makes one message for it. The node judges that message by suffixes of its
//! history of growing length: by its last session, its last two, and so on.

use super::Data;
use crate::adversary::{Attack, Crafted, craft};
use crate::corpus::{ClickTable, Corpus};
use crate::error::{Error, Result};
use crate::ltr::session_score::{alpha, evidence, session_score};
use crate::math;
use crate::node::{Node, Protocol, Rule, Scratch, SessionEvidence};
use crate::rng::Seed;
use crate::scenario::Scenario;
use crate::units::NodeId;
use crate::world::World;
use rayon::prelude::*;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// The weight that the message gets from the last sessions of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rejection {
    /// The number of sessions.
    pub n_sessions: usize,
    /// The mean α over all seeds.
    pub mean: f64,
    /// Its standard deviation over seeds.
    pub sd: f64,
    /// The number of seeds.
    pub n_seeds: usize,
}

/// A form of IPM: its name, and the attack as a scenario writes it.
pub type Form = (&'static str, &'static str);

/// The forms of IPM and the strengths that the paper tries.
pub const FORMS: [Form; 4] = [
    ("step, epsilon 1", "Ipm(form: Step, epsilon: 1.0)"),
    ("step, epsilon 10", "Ipm(form: Step, epsilon: 10.0)"),
    ("model turned round, epsilon 1", "Ipm(form: NegatedModel, epsilon: 1.0)"),
    ("model turned round, epsilon 10", "Ipm(form: NegatedModel, epsilon: 10.0)"),
];

/// The paper's setting with RankGuard and one form of IPM, on some data.
///
/// # Errors
/// The data set is not a valid one.
pub fn needed_world(data: &Data, (_, attack): Form) -> Result<World> {
    let set = [format!("dataset={}", data.spelled), format!("attack={attack}"), "defense=RankGuard(kappa: 4.0)".into()];
    Scenario::read_from(&include_bytes!("../../scenarios/paper/detached.ron")[..], "detached.ron", &set)?.resolve()
}

/// The rows of several forms as comma-separated values.
pub fn needed_csv(rows: &[(Form, Vec<Rejection>)]) -> String {
    let mut text = String::from("form,sessions,alpha_mean,alpha_sd,seeds\n");
    for ((name, _), rejections) in rows {
        for Rejection { n_sessions, mean, sd, n_seeds } in rejections {
            text += &format!("\"{name}\",{n_sessions},{mean},{sd},{n_seeds}\n");
        }
    }
    text
}

/// A row of `alpha.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Needed {
    /// The form of the attack.
    pub form: String,
    /// The sessions that judge.
    pub sessions: f64,
    /// The mean weight over seeds.
    pub mean: f64,
    /// Its standard deviation over seeds.
    pub sd: f64,
    /// The number of seeds.
    pub seeds: u64,
}

/// Reads what [`needed_csv`] wrote; nothing if there is no such file.
///
/// # Errors
/// The file cannot be read, or a line is not one of this program.
pub fn read_needed(path: &Path) -> Result<Vec<Needed>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|e| Error::cannot_read(path, &e))?;
    let row = |(nth, line): (usize, &str)| {
        let wrong = || {
            Error::input(format!(
                "{}:{}: is not a line of this program; remove the file and repeat the experiment",
                path.display(),
                nth + 1
            ))
        };
        let (form, numbers) = line.strip_prefix('"').and_then(|line| line.split_once("\",")).ok_or_else(wrong)?;
        let numbers: Vec<f64> = numbers.split(',').map(|number| number.parse().map_err(|_| wrong())).collect::<Result<_>>()?;
        let [sessions, mean, sd, seeds] = numbers[..] else { return Err(wrong()) };
        Ok(Needed { form: form.into(), sessions, mean, sd, seeds: seeds as u64 })
    };
    text.lines().enumerate().skip(1).map(row).collect()
}

/// The α of messages of the world's attack by suffix length: a node is trained on `n_trained` sessions, and `lengths` of its last sessions
/// judge by the world's RankGuard, for every seed. No node ever merges anything.
///
/// # Errors
/// There is no table of clicks for the grades of the data, or the world's rule is not RankGuard.
pub fn sessions_needed(world: &World, corpus: &Corpus, n_trained: usize, lengths: &[usize], seeds: Range<u64>) -> Result<Vec<Rejection>> {
    let rule = world.scenario().defense.rankguard().ok_or_else(|| Error::input("defense: only RankGuard judges by its history"))?;
    let users = world.honest_clicks(corpus)?;
    let attack = &world.scenario().attack;
    let by_seed: Vec<Vec<f64>> = seeds
        .into_par_iter()
        .map(|seed| {
            let protocol = Protocol { seed: Seed(seed), keeps_documents: true, ..world.protocol(corpus) };
            let x = differences(&protocol, &users, attack, n_trained);
            lengths.iter().map(|&length| weight(&x, length, rule)).collect()
        })
        .collect();
    let over_seeds = |nth: usize| math::mean_sd(&by_seed.iter().map(|alphas| alphas[nth]).collect::<Vec<_>>());
    let row = |(nth, &n_sessions)| {
        let (mean, sd) = over_seeds(nth);
        Rejection { n_sessions, mean, sd, n_seeds: by_seed.len() }
    };
    Ok(lengths.iter().enumerate().map(row).collect())
}

/// α by the last `length` sessions.
fn weight(x: &[f64], length: usize, rule: Rule) -> f64 {
    let suffix = &x[x.len().saturating_sub(length)..];
    alpha(evidence(suffix), rule.kappa, rule.when_undecided)
}

/// X_q of every session of a freshly trained node, oldest first, for a message that the attack makes for it.
fn differences(protocol: &Protocol, users: &ClickTable, attack: &Attack, n_trained: usize) -> Vec<f64> {
    let (mut victim, mut scratch) = (Node::fresh(NodeId(0), true, protocol), Scratch::default());
    (0..n_trained).for_each(|_| _ = victim.on_search(protocol, users, &mut scratch));
    let message = message(attack, &victim, protocol, users);
    let score = |session: &SessionEvidence, theta: &[f32]| {
        let scores = protocol.shape().scores(&session.documents, theta);
        session_score(session.preferences.iter().map(|&(winner, loser, rho)| (rho, scores[winner] - scores[loser])))
    };
    let difference = |session: SessionEvidence| score(&session, &message.theta) - score(&session, victim.theta());
    victim.history().evidence(protocol.train).map(difference).collect()
}

/// The first message of the attacker that differs from the victim's model.
// CHOICE(first-message): a query whose clicks give no preference gives a message that changes nothing; the attacker tries the next one.
fn message(attack: &Attack, victim: &Node, protocol: &Protocol, users: &ClickTable) -> Crafted {
    let made = |nth: u64| craft(attack, NodeId(1), (nth, nth), victim, protocol, users, None);
    (0..1_000).map(made).find(|message| !message.is_noop).unwrap_or_else(|| made(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Received;

    fn world(form: Form) -> (World, Corpus) {
        let spelled = "Synthetic(like: Mq2007, train_queries: 30, test_queries: 5)".into();
        let world = needed_world(&Data { label: "tiny".into(), spelled, is_stand_in: true }, form).expect("it is right");
        let corpus = Corpus::load(&world.scenario().dataset).expect("it is made");
        (world, corpus)
    }

    #[test]
    fn the_whole_history_gives_the_weight_that_a_node_would_give() {
        for form in FORMS {
            let (world, corpus) = world(form);
            for seed in 1..6 {
                let protocol = Protocol { seed: Seed(seed), ..world.protocol(&corpus) };
                let users = world.honest_clicks(&corpus).expect("there is a table");
                let (mut node, mut scratch) = (Node::fresh(NodeId(0), true, &protocol), Scratch::default());
                (0..40).for_each(|_| _ = node.on_search(&protocol, &users, &mut scratch));
                let sent = message(&world.scenario().attack, &node, &protocol, &users);
                let verdict = &node.on_receive(&protocol, &[Received { theta: &sent.theta, is_malicious: true }], &mut scratch)[0];
                let ours = sessions_needed(&world, &corpus, 40, &[40], seed..seed + 1).expect("it is measured");
                assert!((ours[0].mean - verdict.alpha).abs() < 1e-4, "{} is not {}", ours[0].mean, verdict.alpha);
                assert!(!sent.is_noop);
            }
        }
    }

    #[test]
    fn a_longer_history_rejects_a_model_turned_round() {
        let (world, corpus) = world(FORMS[3]);
        let rows = sessions_needed(&world, &corpus, 60, &[1, 2, 60], 1..21).expect("it is measured");
        assert_eq!((rows[0].mean, rows[0].sd), (0.5, 0.0), "one session decides nothing");
        assert!(rows[2].mean < 0.05 && rows[2].mean < rows[1].mean, "{rows:?}");
        assert_eq!(rows[2].n_seeds, 20);
    }
}
