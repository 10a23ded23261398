//! A program that uses the library: it runs a scenario file into a folder and prints the curve that it reads back.
//!
//! ```sh
//! cargo run --release --example outside scenarios/quickstart.ron out/outside
//! ```

use rankguard::error::Result;
use rankguard::results::Results;
use rankguard::run::{Job, job};
use rankguard::scenario::Scenario;
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder] = arguments.as_slice() else { panic!("usage: outside SCENARIO FOLDER") };
    print!("{}", curve(&Scenario::read(file.as_ref())?, folder.as_ref())?);
    Ok(())
}

/// Runs a scenario into a folder; one line for each evaluation.
fn curve(scenario: &Scenario, folder: &Path) -> Result<String> {
    job(&scenario.resolve()?, Job { threads: 2, ..Job::into(folder) })?;
    let rows = Results::open(folder)?.curve()?;
    Ok(rows.iter().map(|row| format!("{:>9} {:.4}\n", row.sessions, row.ndcg_mean)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankguard::adversary::Attack;
    use rankguard::corpus::{Dataset, Normalize, Shape, Users};
    use rankguard::error::Kind;
    use rankguard::network::{
        Arrivals, Churn, Crowd, Durations, End, Fanout, Fault, Latency, PeerPool, Peers, Phase, Region, Regions, What, Who,
    };
    use rankguard::node::{Defense, Ranker};
    use rankguard::scenario::Start;
    use rankguard::units::{Duration, Extent};

    const SMALL: &str = r#"(
        name: "small", seed: 1, nodes: 8, malicious_share: 0.25, stop: Sessions(80), evaluate_every: Sessions(40),
        dataset: Synthetic(like: Mq2007, train_queries: 20, test_queries: 10), shown: 10, ndcg_cutoff: 10,
        users: Perfect, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0),
        attack: Flip, malicious_aggregate: Never, arrivals: Poisson(every: "10min"),
    )"#;

    fn small() -> Scenario {
        Scenario::parse(SMALL, "small.ron").expect("it is right")
    }

    #[test]
    fn a_scenario_runs_into_a_folder_and_its_curve_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = curve(&small(), &folder.path().join("small")).expect("it runs");
        assert_eq!(lines.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect::<Vec<_>>(), ["0", "40", "80"]);
        // The same run once more replaces its own results; another one does not.
        assert_eq!(curve(&small(), &folder.path().join("small")), Ok(lines));
        let other = curve(&Scenario { seed: 2, ..small() }, &folder.path().join("small")).expect_err("it is not replaced");
        assert_eq!(other.kind(), Kind::Input, "{other}");
    }

    /// Each is wrong in one way, and the message says all of `words`.
    #[test]
    fn invalid_scenarios_are_errors_and_leave_nothing() {
        let (s, minute) = (small(), Duration::from_secs(60));
        let share = |share| Crowd::Join { at: minute, share, within: minute };
        let weibull = |shape| Durations::Weibull { shape, scale: minute };
        let churn = |shape| Churn::Alternating { online: weibull(shape), offline: weibull(1.0), day: None };
        let trace = Churn::Trace { path: "no/such.csv".into(), phase: Phase::Start, end: End::Loop };
        let crash = Fault { at: minute, what: What::Crash { who: Who::Random(7.0), restart_after: Some(minute) } };
        let letor = Dataset::Letor { path: "no/such".into(), normalize: Normalize::AsIs, features: None, grades: None };
        let empty = Dataset::Synthetic { like: Shape::Mq2007, train_queries: 0, test_queries: 1, seed: 1 };
        let custom = Users::Custom { click: vec![0.0, 2.0, 1.0], stop: vec![0.0; 3] };
        let invalid: Vec<(Scenario, &str)> = vec![
            (Scenario { shown: 40, ..s.clone() }, "shown is 40"),
            (Scenario { shown: 0, ..s.clone() }, "shown is 0"),
            (Scenario { ndcg_cutoff: 0, ..s.clone() }, "ndcg_cutoff is 0"),
            (Scenario { malicious_share: 1.5, ..s.clone() }, "malicious_share is 1.5"),
            (Scenario { malicious_share: f64::NAN, ..s.clone() }, "malicious_share is NaN"),
            (Scenario { stop: Extent::Sessions(0), ..s.clone() }, "stop is Sessions(0)"),
            (Scenario { evaluate_every: Extent::Sessions(0), ..s.clone() }, "evaluate_every is Sessions(0)"),
            (Scenario { nodes: 0, ..s.clone() }, "nodes is 0"),
            (Scenario { name: "../up".into(), ..s.clone() }, "name is"),
            (Scenario { loss: f64::NAN, ..s.clone() }, "loss is NaN"),
            (Scenario { duplicates: -0.5, ..s.clone() }, "duplicates is -0.5"),
            (Scenario { ranker: Ranker::Linear { eta: f64::INFINITY, decay: 1.0 }, ..s.clone() }, "ranker.eta is inf"),
            (Scenario { defense: Defense::ZenoPs { zeta: 2e6, gamma: 0.0, e: 0.0 }, ..s.clone() }, "defense.zeta is 2000000"),
            (Scenario { attack: Attack::Mix(vec![]), ..s.clone() }, "Mix of 0"),
            (Scenario { attack: Attack::NoAttack, ..s.clone() }, "attack is NoAttack"),
            (Scenario { malicious_aggregate: None, ..s.clone() }, "malicious_aggregate is missing"),
            (Scenario { arrivals: Arrivals::RoundRobin { period: Duration::ZERO }, ..s.clone() }, "arrivals.period is 0s"),
            (Scenario { latency: Latency::LogNormal { median: minute, sigma: -1.0 }, ..s.clone() }, "latency.sigma is -1"),
            (Scenario { latency: Latency::Uniform { min: minute, max: Duration::ZERO }, ..s.clone() }, "latency.max is 0s"),
            (Scenario { churn: churn(0.0), ..s.clone() }, "churn.online.shape is 0"),
            (Scenario { churn: trace, ..s.clone() }, "no/such.csv: cannot be read"),
            (Scenario { crowds: vec![share(2.0)], ..s.clone() }, "crowds[0].share is 2"),
            (Scenario { faults: vec![crash], ..s.clone() }, "faults[0].what.who is Random(7)"),
            (Scenario { peers: Peers { among: PeerPool::All, fanout: Fanout::Fixed(8) }, ..s.clone() }, "peers.fanout is 8"),
            (Scenario { regions: Regions::Weights(vec![(Region::Tokyo, 0.0)]), ..s.clone() }, "regions has no weight above 0"),
            (Scenario { users: custom, ..s.clone() }, "users.click"),
            (Scenario { dataset: letor, ..s.clone() }, "no/such: no such folder"),
            (Scenario { dataset: empty, ..s.clone() }, "train_queries is 0"),
            (Scenario { start: Start::Models { path: "no/such".into(), evaluation: None }, ..s.clone() }, "no/such"),
            (Scenario { weight_limit: Some(-1.0), ..s.clone() }, "weight_limit is -1"),
        ];
        for (scenario, words) in invalid {
            let folder = tempfile::tempdir().expect("a folder");
            let error = curve(&scenario, &folder.path().join("deep/er")).expect_err(words);
            assert_eq!((error.kind(), error.exit_code()), (Kind::Input, 2), "{error}");
            assert!(error.to_string().contains(words), "no {words} in {error}");
            assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0, "{words} left something");
        }
    }
}
