//! Networks with extreme shares and sizes: each runs or is refused with a reason, as scenarios/FIELDS.md says.

use crate::lockstep_rounds::{ATTACKS, DEFENSES};
use crate::support::{corpus, finish, scenario, text};
use rankguard::scenario::Scenario;

#[track_caller]
fn refuse(changes: &[(&str, &str)], expect: &str) {
    let message = Scenario::parse(&text(changes), "test.ron").expect_err(expect).to_string();
    assert!(message.contains(expect), "{message}");
}

#[track_caller]
fn run(changes: &[(&str, &str)]) -> rankguard::run::Finished {
    let (finished, rows) = finish(&scenario(&[&[("stop", "Sessions(120)")], changes].concat()), &corpus(), 2);
    assert_eq!(finished.tally.searches, 120);
    assert!(finished.tally.is_conserved() && (0.0..=1.0).contains(&finished.last.ndcg_mean));
    assert!(rows.models.iter().all(|row| row.theta.iter().all(|w| w.is_finite())));
    finished
}

/// A mix needs a node for each of its parts.
fn single() -> impl Iterator<Item = &'static str> {
    ATTACKS.into_iter().filter(|attack| !attack.starts_with("Mix") && *attack != "Lie(z: Majority)")
}

#[test]
fn one_honest_node_is_enough() {
    for attack in single() {
        for defense in DEFENSES {
            let changes = [("nodes", "4"), ("malicious_share", "0.75"), ("attack", attack), ("defense", defense)];
            assert_eq!(run(&changes).last.evaluated, 1, "{attack} against {defense}");
        }
    }
    run(&[("nodes", "2"), ("malicious_share", "0.5")]);
}

#[test]
fn a_malicious_majority_runs_but_has_no_z_to_hide_in_one() {
    let most = [("malicious_share", "0.75")];
    for attack in single() {
        run(&[&most[..], &[("attack", attack)]].concat());
    }
    let majority = [("attack", "Lie(z: Majority)")];
    refuse(&[&most[..], &majority].concat(), "attack.z is Majority, which has no value for 9 malicious of 12 nodes");
    let mix = "Mix([(share: 0.5, attack: Flip), (share: 0.5, attack: Lie(z: Majority))])";
    refuse(&[&most[..], &[("attack", mix)]].concat(), "attack[1].attack.z is Majority");
    refuse(&[("malicious_share", "0.99")], "makes all of 12 nodes: nobody is left to learn");
}

#[test]
fn a_mix_needs_a_node_for_every_part() {
    let mix = "Mix([(share: 0.9, attack: Flip), (share: 0.1, attack: Shrink(c: 0.5))])";
    refuse(&[("attack", mix)], "attack[1].share is 0.1, which makes 0 of 3 malicious nodes");
}

#[test]
fn nobody_malicious_needs_no_attack_and_no_attackers() {
    let honest = [("malicious_share", "0.0"), ("attack", "NoAttack")];
    let finished = run(&honest);
    assert_eq!((finished.alpha_malicious, finished.last.exposure), (None, Some(0.0)));
    refuse(&[("malicious_share", "0.0")], "nobody carries out the attack");
    refuse(&[&honest[..], &[("attackers", "(rate: 1)")]].concat(), "attackers is given, but no node is malicious");
}

#[test]
fn a_fanout_reaches_everybody_at_most() {
    refuse(&[("peers", "(among: All, fanout: Fixed(12))")], "peers.fanout is 12; it must be at most 11");
    assert_eq!(run(&[("peers", "(among: All, fanout: Fixed(11))")]).tally.sent, 120 * 11);
    // Fewer are online than are asked for: all of them get it.
    let churn = "Alternating(online: Exponential(mean: \"5min\"), offline: Exponential(mean: \"15min\"))";
    let few = run(&[("peers", "(among: Online, fanout: Fixed(11))"), ("churn", churn), ("attackers", "(peer_bias: 3.0)")]);
    assert!(few.tally.sent < 120 * 11 && few.tally.lost() == 0);
    assert_eq!(run(&[("nodes", "1"), ("malicious_share", "0.0"), ("attack", "NoAttack")]).tally.sent, 0);
}
