//! The facts that sweeps of the paper rely on: what readings and attacks do not touch.

use crate::support::{corpus, finish, scenario};

const ATTACKS: [&str; 4] = ["Flip", "Lie(z: Majority)", "Ipm(form: Step, epsilon: 10.0)", "Ipm(form: NegatedModel, epsilon: 10.0)"];

/// nDCG over honest nodes at every evaluation, bit by bit.
fn curve(defense: &str, attack: &str, merging: &str) -> Vec<[u64; 3]> {
    let scenario = scenario(&[("defense", defense), ("attack", attack), ("malicious_aggregate", merging), ("record", "()")]);
    let (_, rows) = finish(&scenario, &corpus(), 2);
    rows.curve.iter().map(|row| [row.ndcg_mean, row.ndcg_sd, row.ndcg_worst5].map(f64::to_bits)).collect()
}

#[test]
fn no_attack_and_no_reading_touches_oracle_and_local() {
    for defense in ["Oracle", "Local"] {
        let first = curve(defense, ATTACKS[0], "Never");
        for attack in ATTACKS {
            for merging in ["Never", "Always"] {
                assert_eq!(curve(defense, attack, merging), first, "{defense}, {attack}, {merging}");
            }
        }
    }
}

#[test]
fn whether_attackers_merge_concerns_flip_alone() {
    for defense in ["RankGuard(kappa: 4.0)", "Cs()", "Undefended"] {
        for attack in &ATTACKS[1..] {
            assert_eq!(curve(defense, attack, "Never"), curve(defense, attack, "Always"), "{defense}, {attack}");
        }
        assert_ne!(curve(defense, ATTACKS[0], "Never"), curve(defense, ATTACKS[0], "Always"), "{defense}");
    }
}

#[test]
fn attackers_that_pool_merge_as_if_always_where_rules_pool_and_never_elsewhere() {
    assert_eq!(curve("Cs()", "Flip", "PooledOnly"), curve("Cs()", "Flip", "Always"));
    assert_eq!(curve("Undefended", "Flip", "PooledOnly"), curve("Undefended", "Flip", "Never"));
}
