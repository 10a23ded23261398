//! A small network's timeline, event by event, as a text that a person can check. Rewrite with UPDATE_GOLDEN=1.

use crate::support::{golden, scenario};
use rankguard::run::plan;
use rankguard::timeline::{Action, Step, Timeline};

fn show(step: &Step) -> String {
    let what = match step.action {
        Action::Search { node, slot, n_sent, n_lost } => {
            format!("{node} searches, sends {n_sent}{}", if n_lost > 0 { format!(", {n_lost} lost") } else { String::new() })
                + &slot.map_or(String::new(), |slot| format!(" from slot {}", slot.0))
        }
        Action::Craft { node, from, slot, nth, turn } => format!("{from} makes message {nth} of turn {turn} for {node} in slot {}", slot.0),
        Action::Receive { node, from, sent, slot } => format!("{node} receives slot {} of {from}, sent at {}", slot.0, sent.0),
        Action::Forget { slot } => format!("slot {} is free", slot.0),
        Action::Presence { node, online } => format!("{node} is {}", if online { "online" } else { "offline" }),
        Action::Evaluate { nth, n_searches, is_last } => {
            format!("evaluation {nth} after {n_searches} searches{}", if is_last { ", the last" } else { "" })
        }
    };
    format!("{:>4} {:>15} {what}\n", step.number, step.at.0)
}

#[track_caller]
fn check(name: &str, changes: &[(&str, &str)]) {
    let mut all = vec![
        ("nodes", "4"),
        ("malicious_share", "0.0"),
        ("attack", "NoAttack"),
        ("stop", "Sessions(8)"),
        ("evaluate_every", "Sessions(4)"),
    ];
    all.extend(changes);
    let (mut timeline, mut steps) = (Timeline::new(plan(&scenario(&all))), Vec::new());
    while timeline.advance(1, &mut steps) {}
    golden(name, &steps.iter().map(show).collect::<String>());
}

#[test]
fn rounds_without_delay() {
    check("rounds.txt", &[("arrivals", "RoundRobin(period: \"1us\")")]);
}

#[test]
fn delay_outlasts_a_round() {
    check("constant-delay.txt", &[("arrivals", "RoundRobin(period: \"1us\")"), ("latency", "Constant(\"600ns\")")]);
}

#[test]
fn absences_lose_messages_and_searches() {
    check(
        "churn.txt",
        &[
            ("arrivals", "Poisson(every: \"1s\")"),
            ("latency", "Uniform(min: \"0.1s\", max: \"2s\")"),
            ("loss", "0.2"),
            ("churn", "Alternating(online: Exponential(mean: \"3s\"), offline: Exponential(mean: \"2s\"))"),
        ],
    );
}

#[test]
fn peers_online_only() {
    check(
        "online-peers.txt",
        &[
            ("arrivals", "Poisson(every: \"1s\")"),
            ("peers", "(among: Online, fanout: Fixed(2))"),
            ("churn", "Alternating(online: Exponential(mean: \"3s\"), offline: Exponential(mean: \"2s\"))"),
        ],
    );
}
