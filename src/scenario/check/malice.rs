//! Checks who attacks, how, and when.

use super::Problems;
use crate::adversary::{self, Attack, Part};
use crate::fields::number;
use crate::network::{Active, Attackers, Join};
use crate::scenario::Scenario;
use crate::units::{Duration, counted};

pub fn check(scenario: &Scenario, p: &mut Problems) {
    let (share, n_malicious) = (scenario.malicious_share, scenario.n_malicious());
    let (is_share, attacks) = (!p.concern("malicious_share"), scenario.attack != Attack::NoAttack);
    p.refuse_if(is_share && share > 0.0 && !attacks, || {
        format!("malicious_share is {}, but attack is NoAttack: malicious nodes would behave honestly; {NO_ATTACK}", number(share))
    });
    p.refuse_if(is_share && attacks && n_malicious == 0 && scenario.nodes > 0, || {
        format!(
            "malicious_share is {}, which makes 0 of {}: nobody carries out the attack; raise it or set attack: NoAttack",
            number(share),
            counted(scenario.nodes.into(), "node")
        )
    });
    p.refuse_if(is_share && n_malicious > 0 && n_malicious == scenario.nodes, || {
        let nodes = counted(scenario.nodes.into(), "node");
        format!("malicious_share is {share}, which makes all of {nodes}: nobody is left to learn; lower it or add nodes")
    });
    p.refuse_if(n_malicious == 0 && !attacks && scenario.attackers != Attackers::default(), || {
        "attackers is given, but no node is malicious: nobody goes by it; remove it or choose an attack and a malicious_share".into()
    });
    p.refuse_if(attacks && scenario.malicious_aggregate.is_none(), || AGGREGATE_RULE.into());
    check_attack("attack", &scenario.attack, scenario, p);
}

/// Checks one attack. `field` is its path, because a mix has several attacks.
fn check_attack(field: &str, attack: &Attack, scenario: &Scenario, p: &mut Problems) {
    match *attack {
        Attack::Lie { z, .. } => {
            let (n, m) = (scenario.nodes, scenario.n_malicious());
            p.refuse_if(z.value(n, m).is_none(), || {
                let nodes = counted(n.into(), "node");
                format!("{field}.z is {z:?}, which has no value for {m} malicious of {nodes}; lower malicious_share or give z: Value(…)")
            });
        }
        Attack::Adapt { kappa: Some(kappa), .. } => check_expected_kappa(&format!("{field}.kappa"), kappa, scenario, p),
        Attack::Mix(ref parts) => check_mix(parts, scenario, p),
        Attack::NoAttack
        | Attack::Flip
        | Attack::Ipm { .. }
        | Attack::Adapt { kappa: None, .. }
        | Attack::Shrink { .. }
        | Attack::Noise { .. }
        | Attack::Stale { .. } => {}
    }
}

/// Checks the κ that ADAPT assumes. It knows its victims, so if these use RankGuard, κ must be theirs.
fn check_expected_kappa(field: &str, kappa: f64, scenario: &Scenario, p: &mut Problems) {
    let real = scenario.defense.rankguard().map(|rule| rule.kappa).filter(|&real| real != kappa);
    if let Some(real) = real {
        p.refuse_if(true, || {
            format!("{field} is {kappa}, but the victims' rule has κ = {real}, which the attacker knows; remove it, it is for other rules")
        });
    }
}

fn check_mix(parts: &[Part], scenario: &Scenario, p: &mut Problems) {
    p.refuse_if(parts.len() < 2, || {
        format!("attack is a Mix of {}; it must have at least two parts; for one attack write it without Mix", parts.len())
    });
    for (i, part) in parts.iter().enumerate() {
        let field = format!("attack[{i}].attack");
        match part.attack {
            Attack::Mix(_) => p.require(false, &field, "a Mix", "a single attack; write its parts beside the others"),
            Attack::NoAttack => p.require(false, &field, "NoAttack", "an attack; for fewer attackers lower malicious_share"),
            _ => check_attack(&field, &part.attack, scenario, p),
        }
    }
    let shares: Vec<f64> = parts.iter().map(|part| part.share).collect();
    let (total, m) = (shares.iter().sum::<f64>(), scenario.n_malicious());
    p.refuse_if(!p.concern("attack") && (total - 1.0).abs() > 1e-9, || {
        format!("the shares of attack: Mix sum to {total}; they must sum to 1, all malicious nodes; divide each by {total}")
    });
    if !p.concern("attack") && (total - 1.0).abs() <= 1e-9 && m > 0 {
        for (i, _) in adversary::part_sizes(m, &shares).iter().enumerate().filter(|(_, size)| **size == 0) {
            p.refuse_if(true, || {
                format!(
                    "attack[{i}].share is {}, which makes 0 of {}; raise it or add malicious nodes",
                    number(shares[i]),
                    counted(m.into(), "malicious node")
                )
            });
        }
    }
}

/// Checks that attackers join and attack before the run ends, which is after about `seconds`.
pub fn check_times(scenario: &Scenario, seconds: f64, p: &mut Problems) {
    let begins = |time: Duration| time.secs() < seconds;
    if let Active::Windows { first, .. } = scenario.attackers.active {
        p.refuse_if(!begins(first), || too_late("attackers.active.first", first, seconds, "nobody would attack"));
    }
    if let Join::Burst { at, .. } = scenario.attackers.join {
        p.refuse_if(!begins(at), || too_late("attackers.join.at", at, seconds, "nobody would attack"));
    }
}

/// The message about a time after the end of the run; `so` is the consequence.
pub(super) fn too_late(field: &str, time: Duration, seconds: f64, so: &str) -> String {
    let end = Duration::from_secs_f64(seconds);
    format!("{field} is {time}, but the run ends after about {end}: {so}; make it earlier or lengthen stop")
}

const NO_ATTACK: &str = "set malicious_share: 0.0 or choose an attack";
const AGGREGATE_RULE: &str = "malicious_aggregate is missing; with an attack it must be Never (malicious nodes ignore what they receive), \
    Always (they merge it by the run's rule) or PooledOnly (they merge only under rules that pool several models)";

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[test]
    fn malice_needs_someone_who_carries_it_out() {
        for share in ["-0.1", "1.0", "NaN", "inf"] {
            refuse("malicious_share: 0.2", &format!("malicious_share: {share}"), "malicious_share is…it must be at least 0 and below 1");
        }
        refuse(
            "attack: Flip",
            "attack: NoAttack",
            "malicious_share is 0.2, but attack is NoAttack…set malicious_share: 0.0 or choose an attack",
        );
        refuse("malicious_share: 0.2", "malicious_share: 0.004", "makes 0 of 100 nodes…set attack: NoAttack");
        refuse("malicious_share: 0.2", "malicious_share: 0.999", "makes all of 100 nodes");
        refuse("malicious_aggregate: Never,", "", "malicious_aggregate is missing…Never…Always…PooledOnly");
        refuse("malicious_aggregate: Never", "malicious_aggregate: None", "malicious_aggregate is missing");
        accept("malicious_share: 0.2", "malicious_share: 0.005");
    }

    /// GOOD with this attack.
    fn mix(parts: &str) -> String {
        format!("attack: Mix([{parts}])")
    }

    #[test]
    fn a_mix_is_made_of_attacks_whose_shares_add_up() {
        let refuse_mix = |parts: &str, expect: &str| refuse("attack: Flip", &mix(parts), expect);
        refuse_mix("", "attack is a Mix of 0; it must have at least two parts");
        refuse_mix("(share: 1.0, attack: Flip)", "attack[0].share is 1; it must be above 0 and below 1…attack is a Mix of 1");
        let flip_and = |share: f64, attack: &str| format!("(share: 0.5, attack: Flip), (share: {share:?}, attack: {attack})");
        refuse_mix(&flip_and(0.6, "Shrink(c: 0.5)"), "the shares of attack: Mix sum to 1.1; they must sum to 1…divide each by 1.1");
        refuse_mix(&flip_and(f64::NAN, "Shrink(c: 0.5)"), "attack[1].share is NaN");
        refuse_mix(&flip_and(0.5, "Shrink(c: 2.0)"), "attack[1].attack.c is 2; it must be at least 0 and below 1");
        refuse_mix(&flip_and(0.5, "NoAttack"), "attack[1].attack is NoAttack; it must be an attack; for fewer attackers");
        refuse_mix(&flip_and(0.5, &mix("")[8..]), "attack[1].attack is a Mix; it must be a single attack");
        let small = "(share: 0.98, attack: Flip), (share: 0.02, attack: Shrink(c: 0.5))";
        refuse_mix(small, "attack[1].share is 0.02, which makes 0 of 20 malicious nodes; raise it");
        refuse_mix("(share: 0.5, attac: Flip)", "unknown field `attac`; did you mean `attack`?");
        accept("attack: Flip", &mix(&flip_and(0.5, "Lie(z: Majority)")));
        refuse("attack: Flip", "attack: Stale(age: \"0s\")", "attack.age is 0s; it must be above 0");
    }

    #[test]
    fn attackers_have_sane_times() {
        let refuse_with = |attackers: &str, expect: &str| refuse("loss: 0.001", &format!("attackers: ({attackers})"), expect);
        for bias in ["0.5", "NaN", "inf", "2e6"] {
            refuse_with(&format!("peer_bias: {bias}"), "attackers.peer_bias is…it must be between 1 and 1e6; 1 draws all peers alike");
        }
        let windows = |times: &str| format!("active: Windows({times}, meanwhile: Silent)");
        refuse_with(&windows("on: \"0s\", off: \"1h\""), "attackers.active.on is 0s; it must be above 0");
        refuse_with(&windows("on: \"1h\", off: \"0s\""), "attackers.active.off is 0s;…write active: Always");
        refuse_with(
            &windows("first: \"2d\", on: \"1h\", off: \"1h\""),
            "attackers.active.first is 2d, but the run ends after about 1d: nobody would attack; make it earlier or lengthen stop",
        );
        refuse_with("join: Burst(at: \"1d\", within: \"1h\")", "attackers.join.at is 1d, but the run ends after about 1d");
        refuse_with("rate: 4294967295", "attackers.rate is 4294967295, about…broadcasts");
        accept("loss: 0.001", "attackers: (rate: 3, always_online: true, peer_bias: 2.0, join: Burst(at: \"2h\", within: \"0s\"))");
        accept("loss: 0.001", "attackers: ()");
    }

    #[test]
    fn attackers_need_somebody_malicious() {
        let honest = "malicious_share: 0.0, attackers: (rate: 1)";
        let text = crate::scenario::parse::tests::GOOD.replace("malicious_share: 0.2", honest).replace("attack: Flip", "attack: NoAttack");
        let error = crate::scenario::Scenario::parse(&text, "x.ron").expect_err("nobody goes by it").to_string();
        assert!(error.contains("attackers is given, but no node is malicious"), "{error}");
    }
}
