//! Checks the timed list of faults.

use super::Problems;
use super::malice::too_late;
use crate::fields::number;
use crate::network::{Bursts, Fault, Groups, Regions, What, Who, whole};
use crate::scenario::Scenario;
use crate::units::counted;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    for (i, fault) in scenario.faults.iter().enumerate() {
        check_fault(&format!("faults[{i}]"), fault, scenario, p);
    }
}

/// Checks that every fault begins before the end of the run.
pub fn check_times(scenario: &Scenario, seconds: f64, p: &mut Problems) {
    for (i, fault) in scenario.faults.iter().enumerate() {
        p.refuse_if(fault.at.secs() >= seconds, || too_late(&format!("faults[{i}].at"), fault.at, seconds, "it would never happen"));
    }
}

fn check_fault(field: &str, fault: &Fault, scenario: &Scenario, p: &mut Problems) {
    let what = format!("{field}.what");
    match &fault.what {
        What::Partition(groups) => check_groups(&what, groups, scenario.nodes, p),
        What::OneWay { from, to } => {
            check_who(&format!("{what}.from"), from, scenario, p);
            check_who(&format!("{what}.to"), to, scenario, p);
        }
        What::Heal | What::Release | What::Slow { .. } => {}
        What::Hold(who) | What::Restart(who) => check_who(&what, who, scenario, p),
        What::Crash { who, .. } => check_who(&format!("{what}.who"), who, scenario, p),
        What::Dark { region, .. } => check_who(&format!("{what}.region"), &Who::Region(*region), scenario, p),
        What::Lossy { .. } => p.refuse_if(scenario.loss == 0.0 && scenario.bursts == Bursts::Never, || {
            format!("{what} multiplies the loss, but there is none; give loss or bursts")
        }),
    }
}

fn check_who(field: &str, who: &Who, scenario: &Scenario, p: &mut Problems) {
    match who {
        Who::All => {}
        Who::Nodes(nodes) => check_nodes(field, nodes, scenario.nodes, p),
        Who::Random(share) => check_share(field, *share, scenario.nodes, p),
        Who::Region(region) => {
            let is_empty =
                matches!(&scenario.regions, Regions::Weights(weights) if !weights.iter().any(|(named, w)| named == region && *w > 0.0));
            p.refuse_if(is_empty, || {
                format!("{field} is {region:?}, where nobody lives; name another region or give it a weight in regions")
            });
        }
    }
}

fn check_nodes(field: &str, nodes: &[u32], n_nodes: u32, p: &mut Problems) {
    p.require(!nodes.is_empty(), field, "an empty list", "at least one node");
    for unknown in nodes.iter().filter(|&&node| node >= n_nodes) {
        p.refuse_if(true, || format!("{field} names node {unknown}; nodes are 0 to {}", n_nodes.saturating_sub(1)));
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        p.refuse_if(true, || format!("{field} names node {} twice; name it once", twice[0]));
    }
}

fn check_share(field: &str, share: f64, n_nodes: u32, p: &mut Problems) {
    p.refuse_if(!p.concern(field) && whole(share, n_nodes) == 0, || {
        format!("{field} is {}, which makes 0 of {}; raise it or name nodes", number(share), counted(n_nodes.into(), "node"))
    });
}

fn check_groups(field: &str, groups: &Groups, n_nodes: u32, p: &mut Problems) {
    match groups {
        Groups::Nodes(named) => {
            p.require(!named.is_empty(), field, "an empty list", "at least one group; those who are not named are another");
            named.iter().enumerate().for_each(|(i, nodes)| check_nodes(&format!("{field}[{i}]"), nodes, n_nodes, p));
            let all: Vec<u32> = named.concat();
            if !p.concern(field) {
                check_overlap(field, named, p);
                p.refuse_if(named.len() == 1 && all.len() == n_nodes as usize, || alone(field));
            }
        }
        Groups::Shares(shares) => {
            p.require(!shares.is_empty(), field, "an empty list", "at least one share; the rest is another group");
            shares.iter().enumerate().for_each(|(i, &share)| check_share(&format!("{field}[{i}]"), share, n_nodes, p));
            let total: f64 = shares.iter().sum();
            p.refuse_if(!p.concern(field) && total > 1.0 + 1e-9, || {
                format!("{field} has shares that sum to {total}; they must sum to at most 1")
            });
            let n_first = shares.first().map_or(0, |&share| whole(share, n_nodes));
            p.refuse_if(!p.concern(field) && n_first == n_nodes as usize, || alone(field));
        }
    }
}

fn check_overlap(field: &str, groups: &[Vec<u32>], p: &mut Problems) {
    for (i, group) in groups.iter().enumerate() {
        for (j, other) in groups.iter().enumerate().skip(i + 1) {
            if let Some(node) = group.iter().find(|node| other.contains(node)) {
                p.refuse_if(true, || format!("{field}[{i}] and {field}[{j}] overlap: both name node {node}; a node is in one group"));
            }
        }
    }
}

fn alone(field: &str) -> String {
    format!("{field} puts all nodes into one group, which separates nobody; leave some out or split it")
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[track_caller]
    fn refused(what: &str, expect: &str) {
        refuse("loss: 0.001", &format!("faults: [(at: \"2h\", what: {what})]"), expect);
    }

    #[test]
    fn a_fault_names_nodes_there_are() {
        refused("Partition(Nodes([[0, 1], [2, 100]]))", "faults[0].what[1] names node 100; nodes are 0 to 99");
        refused(
            "Partition(Nodes([[0, 1], [1, 2]]))",
            "faults[0].what[0] and faults[0].what[1] overlap: both name node 1; a node is in one",
        );
        refused("Partition(Nodes([[0, 0]]))", "faults[0].what[0] names node 0 twice");
        refused("Partition(Nodes([]))", "faults[0].what is an empty list; it must be at least one group");
        refused("Partition(Nodes([[]]))", "faults[0].what[0] is an empty list; it must be at least one node");
        refused("Partition(Shares([0.7, 0.7]))", "faults[0].what has shares that sum to 1.4");
        refused("Partition(Shares([1.0]))", "faults[0].what puts all nodes into one group");
        refused("Crash(who: Random(0.001))", "faults[0].what.who is 0.001, which makes 0 of 100 nodes");
        refused("Crash(who: Random(1.5))", "faults[0].what.who is Random(1.5); it must be above 0 and at most 1");
        refused("OneWay(from: Nodes([1]), to: Nodes([200]))", "faults[0].what.to names node 200");
        refused("Hold(Nodes([]))", "faults[0].what is an empty list");
        let nobody = "regions: Weights([(Tokyo, 1.0)]), faults: [(at: \"1h\", what: Dark(region: London, lasts: \"1h\"))]";
        refuse("loss: 0.001", nobody, "faults[0].what.region is London, where nobody lives");
    }

    #[test]
    fn a_fault_happens_before_the_end() {
        refuse(
            "loss: 0.001",
            "faults: [(at: \"1h\", what: Heal), (at: \"2d\", what: Heal)]",
            "faults[1].at is 2d, but the run ends after about 1d: it would never happen; make it earlier or lengthen stop",
        );
        refused("Slow(times: 2.0, lasts: \"0s\")", "faults[0].what.lasts is 0s; it must be above 0");
        refused("Slow(times: 0.0, lasts: \"1h\")", "faults[0].what.times is 0; it must be between 1e-6 and 1e6");
        refused("Crash(who: All, restart_after: \"0s\")", "faults[0].what.restart_after is 0s");
        refused("Lossy(times: 2.0, lasts: \"1h\")", "faults[0].what multiplies the loss, but there is none; give loss or bursts");
        accept("loss: 0.001", "loss: 0.001, faults: [(at: \"2h\", what: Lossy(times: 2.0, lasts: \"1h\"))]");
    }

    #[test]
    fn a_wrong_fault_is_explained() {
        refused("Partiton(Nodes([[0]]))", "faults.what cannot be `Partiton`; did you mean `Partition`?");
        refused("Slow(times: 2.0)", "missing field `lasts`: how long it lasts");
        refused("Crash(Nodes([1]))", "unknown field `Nodes`; `Crash` has `who` and `restart_after`");
        refuse("loss: 0.001", "faults: [(what: Heal)]", "missing field `at`: when it happens");
        refuse(
            "loss: 0.001",
            "faults: (at: \"1h\", what: Heal)",
            "faults is (at: \"1h\", what: Heal); it must be a list in square brackets",
        );
    }
}
