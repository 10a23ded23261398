//! Checks churn and crowds.

use super::Problems;
use super::malice::too_late;
use crate::fields::number;
use crate::network::{Churn, Crowd};
use crate::scenario::Scenario;
use crate::units::counted;

const CENTURY: f64 = 100.0 * 365.25 * 86_400.0;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    if let Churn::Alternating { online, offline, .. } = scenario.churn {
        for (field, mean) in [("churn.online", online.mean()), ("churn.offline", offline.mean())] {
            p.refuse_if(!p.concern(field) && mean > CENTURY, || {
                format!("{field} has a mean of {mean:.1e} s; it must be at most a century; shorten it or narrow its tail")
            });
        }
    }
    check_crowds(scenario, p);
}

fn check_crowds(scenario: &Scenario, p: &mut Problems) {
    for (i, crowd) in scenario.crowds.iter().enumerate() {
        let (share, is_share) = (crowd.share(), !p.concern(&format!("crowds[{i}].share")));
        p.refuse_if(is_share && (share * f64::from(scenario.nodes)).round() < 1.0, || {
            format!("crowds[{i}].share is {} of {}: nobody; raise it", number(share), counted(scenario.nodes.into(), "node"))
        });
    }
    let joins: f64 = scenario.crowds.iter().filter(|crowd| matches!(crowd, Crowd::Join { .. })).map(Crowd::share).sum();
    p.refuse_if(joins > 1.0 + 1e-9, || {
        format!("crowds that join have {joins} of the nodes together; it must be at most 1: nobody joins twice")
    });
}

/// Checks that crowds come before the end of the run.
pub fn check_times(scenario: &Scenario, seconds: f64, p: &mut Problems) {
    for (i, crowd) in scenario.crowds.iter().enumerate() {
        let so = match crowd {
            Crowd::Join { .. } => "nobody would join",
            Crowd::Leave { .. } => "nobody would leave",
        };
        p.refuse_if(crowd.at().secs() >= seconds, || too_late(&format!("crowds[{i}].at"), crowd.at(), seconds, so));
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    #[test]
    fn periods_have_a_length() {
        refuse("shape: 0.6", "shape: 0.0", "churn.online.shape is 0; it must be between 0.1 and 100");
        refuse("shape: 0.6", "shape: -1.0", "churn.online.shape is -1");
        refuse("shape: 0.6", "shape: 0.05", "churn.online.shape is 0.05");
        refuse("shape: 0.6", "shape: 101.0", "churn.online.shape is 101");
        refuse("shape: 0.6", "shape: NaN", "churn.online.shape is NaN");
        refuse("\"2h\"", "\"0s\"", "churn.online.scale is 0s; it must be above 0");
        refuse("\"3h\"", "\"0s\"", "churn.offline.mean is 0s; it must be above 0");
        let offline = "Exponential(mean: \"3h\")";
        refuse(offline, "LogNormal(median: \"0s\", sigma: -1.0)", "churn.offline.median is 0s…churn.offline.sigma is -1");
        refuse(offline, "LogNormal(median: \"3h\", sigma: 9.0)", "churn.offline has a mean of…at most a century");
        refuse("\"3h\"", "\"6000w\"", "churn.offline has a mean of 3.6e9 s; it must be at most a century");
        refuse(offline, "Pareto(min: \"0s\", shape: 0.9)", "churn.offline.min is 0s…churn.offline.shape is 0.9; it must be above 1");
        refuse(offline, "Exponential(mean: \"3h\"), day: (amplitude: -0.1, peak: \"3h\")", "churn.day.amplitude is -0.1");
        accept(offline, "Pareto(min: \"1h\", shape: 1.5)");
    }

    const CHURN: &str = "Alternating(online: Weibull(shape: 0.6, scale: \"2h\"), offline: Exponential(mean: \"3h\"))";

    #[test]
    fn presets_and_traces_are_whole() {
        refuse(CHURN, "OrmandiExtreme(cycle: \"0s\")", "churn.cycle is 0s; it must be above 0");
        refuse(CHURN, "OrmandiExtreme", "`OrmandiExtreme` lacks its values in round brackets");
        refuse(CHURN, "Kademlia", "churn cannot be `Kademlia`; choose");
        refuse(CHURN, "Trace(path: \"\", phase: Start, end: Loop)", "churn.path is \"\"; it must be the name of a file");
        refuse(CHURN, "Trace(path: \"a.csv\", end: Loop)", "missing field `phase`: where in its line of the trace a node begins");
        for churn in ["Kad", "BitTorrent", "Ipfs", "Smartphones", "Trace(path: \"a.csv\", phase: Random, end: Stay)"] {
            accept(CHURN, churn);
        }
    }

    #[test]
    fn crowds_have_a_size_and_a_time() {
        let refuse = |crowd: &str, expect: &str| refuse("loss: 0.001", &format!("crowds: [{crowd}]"), expect);
        refuse("Join(at: \"1h\", share: 0.0)", "crowds[0].share is 0; it must be above 0 and at most 1");
        refuse("Join(at: \"1h\", share: 0.001)", "x.ron:19:36: crowds[0].share is 0.001 of 100 nodes: nobody; raise it");
        refuse("Join(at: \"1h\", share: 0.6), Join(at: \"2h\", share: 0.6)", "crowds that join have 1.2 of the nodes together");
        refuse("Leave(at: \"1h\", share: NaN)", "crowds[0].share is NaN");
        refuse("Leave(at: \"1h\", share: 0.5, back_after: \"0s\")", "crowds[0].back_after is 0s; it must be above 0");
        refuse("Leave(at: \"2d\", share: 0.5)", "crowds[0].at is 2d, but the run ends after about 1d: nobody would leave; make it earlier");
        refuse("Leave(at: \"1h\")", "missing field `share`: the share of the nodes in the crowd");
        accept("loss: 0.001", "crowds: [Join(at: \"1h\", share: 0.3, within: \"10min\"), Leave(at: \"2h\", share: 1.0)]");
    }
}
