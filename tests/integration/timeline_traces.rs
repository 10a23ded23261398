//! Golden traces of small timelines, event by event. Rewrite them with UPDATE_GOLDEN=1. Other files show their traces by `show` and `check`.

use crate::support::{golden, plan, scenario};
use crate::timeline_state::whole;
use rankguard::network::Meanwhile;
use rankguard::timeline::{Action, BETWEEN, Conduct, Slot, Step, Wait};

pub fn show(step: &Step) -> String {
    let what = match step.action {
        Action::Search { node, conduct, slot, n_sent, n_lost } => {
            let how = match conduct {
                Conduct::Own => "",
                Conduct::Off(Meanwhile::Silent) => " silently",
                Conduct::Off(Meanwhile::Honest) => " honestly",
            };
            format!("{node} searches{how}, {}", sends(slot, n_sent, n_lost))
        }
        Action::Broadcast { node, slot, n_sent, n_lost } => format!("{node} {}", sends(slot, n_sent, n_lost)),
        Action::Craft { node, from, slot, draws, broadcast } => {
            let which = if broadcast & BETWEEN > 0 { "broadcast" } else { "turn" };
            format!("{from} makes message {} of {which} {} for {node} in slot {}", draws & !BETWEEN, broadcast & !BETWEEN, slot.0)
        }
        Action::Receive { node, from, sent, slot } => format!("{node} receives slot {} of {from}, sent at {}", slot.0, sent.0),
        Action::Forget { slot } => format!("slot {} is free", slot.0),
        Action::Presence { node, online, life } => {
            let life = if life > 0 { format!(" in life {life}") } else { String::new() };
            format!("{node} is {}{life}", if online { "online" } else { "offline" })
        }
        Action::Reset { node, nth, history_lost } => {
            format!("{node} begins with fresh model {nth}{}", if history_lost { " and no history" } else { "" })
        }
        Action::Fault { nth, begins, n_nodes } => {
            format!("fault {nth} {}, for {n_nodes} nodes", if begins { "begins" } else { "ends" })
        }
        Action::Wait { from, to, sent, how } => {
            let how = match how {
                Wait::Retry => "will be sent again",
                Wait::Mailbox => "waits in the mailbox",
                Wait::Held => "is held",
            };
            format!("{from} to {to}, sent at {}, {how}", sent.0)
        }
        Action::Lose { from, to, sent, why } => format!("{from} to {to}, sent at {}, is lost: {}", sent.0, why.words()),
        Action::Evaluate { nth, n_searches, is_last } => {
            format!("evaluation {nth} after {n_searches} searches{}", if is_last { ", the last" } else { "" })
        }
    };
    format!("{:>4} {:>15} {what}\n", step.number, step.at.0)
}

fn sends(slot: Option<Slot>, n_sent: u32, n_lost: u32) -> String {
    let lost = if n_lost > 0 { format!(", {n_lost} lost") } else { String::new() };
    format!("sends {n_sent}{lost}{}", slot.map_or(String::new(), |slot| format!(" from slot {}", slot.0)))
}

#[track_caller]
pub fn check(name: &str, changes: &[(&str, &str)]) {
    let mut all = vec![
        ("nodes", "4"),
        ("malicious_share", "0.0"),
        ("attack", "NoAttack"),
        ("stop", "Sessions(8)"),
        ("evaluate_every", "Sessions(4)"),
    ];
    all.extend(changes);
    let (_, steps) = whole(plan(&scenario(&all)));
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

/// One attacker among four nodes.
#[track_caller]
fn check_attackers(name: &str, attackers: &str, changes: &[(&str, &str)]) {
    let attacker = [("malicious_share", "0.25"), ("attack", "Flip"), ("arrivals", "RoundRobin(period: \"1us\")"), ("attackers", attackers)];
    check(name, &[&attacker[..], changes].concat());
}

#[test]
fn an_attacker_sends_between_its_searches() {
    check_attackers("rate.txt", "(rate: 3)", &[]);
}

#[test]
fn messages_between_searches_are_made_like_others_and_fall_into_absences() {
    let churn = ("churn", "Alternating(online: Exponential(mean: \"1us\"), offline: Exponential(mean: \"1us\"))");
    check_attackers("rate-crafted.txt", "(rate: 2)", &[("attack", "Shrink(c: 0.5)"), churn, ("stop", "Sessions(12)")]);
}

#[test]
fn an_attacker_attacks_in_windows() {
    let windows = |meanwhile| format!("(rate: 1, active: Windows(first: \"1us\", on: \"1us\", off: \"1us\", meanwhile: {meanwhile}))");
    let attack = ("attack", "Shrink(c: 0.5, knowledge: AtDelivery)");
    let changes = [attack, ("latency", "Constant(\"100ns\")"), ("stop", "Sessions(16)")];
    check_attackers("windows-silent.txt", &windows("Silent"), &changes);
    check_attackers("windows-honest.txt", &windows("Honest"), &changes);
}

#[test]
fn attackers_join_in_a_burst_and_stay() {
    let half =
        [("malicious_share", "0.5"), ("churn", "Alternating(online: Exponential(mean: \"3us\"), offline: Exponential(mean: \"1us\"))")];
    check_attackers("burst.txt", "(always_online: true, join: Burst(at: \"1us\", within: \"1us\"))", &half);
}

#[test]
fn a_biased_sampler_prefers_the_attacker() {
    // 1000 to 1: every honest node sends to the attacker and one other; the attacker draws as ever.
    check_attackers("peer-bias.txt", "(peer_bias: 1000.0)", &[]);
    let online = [
        ("peers", "(among: Online, fanout: Fixed(1))"),
        ("churn", "Alternating(online: Exponential(mean: \"3us\"), offline: Exponential(mean: \"1us\"))"),
    ];
    check_attackers("peer-bias-online.txt", "(peer_bias: 1000.0)", &online);
}
