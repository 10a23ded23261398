//! Writes a scenario as text with every default filled in, for `check` and for the manifest.

use super::Scenario;
use super::parse::ron_options;
use super::source::tokens;
use crate::network::Churn;
use ron::ser::PrettyConfig;

impl Scenario {
    /// The scenario with one line per field and every default filled in. It parses back to the same scenario.
    pub fn canonical(&self) -> String {
        self.clone().with_defaults().text()
    }

    /// The same without the defaults that depend on other fields, so that these can still be set.
    pub(super) fn text(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(1).new_line("\n");
        let text = ron_options().to_string_pretty(self, layout).expect("a scenario is plain data");
        without_negative_zeros(&text) + "\n"
    }

    /// The parameters behind each name in the scenario, and what a thinned evaluation covers, a line each.
    pub fn meaning(&self) -> String {
        let written = |churn: &Churn| ron_options().to_string(churn).expect("churn is plain data").replace(':', ": ").replace(',', ", ");
        let periods = self.churn.periods().filter(|_| self.churn.is_preset());
        let churn = periods.map(|periods| format!("churn {} means {}\n\n", written(&self.churn), written(&periods.into())));
        let thinned = self.evaluate.thinned(self.nodes - self.n_malicious());
        let evaluate = thinned.map(|thinned| format!("every evaluation is thinned: {thinned}\n\n"));
        [churn, evaluate].into_iter().flatten().collect()
    }
}

/// Writes -0.0 as 0.0: both are equal, and equal scenarios must have equal texts.
fn without_negative_zeros(text: &str) -> String {
    let mut plain = text.to_owned();
    let zeros: Vec<usize> = tokens(text).filter(|(_, token)| *token == "-0.0").map(|(at, _)| at).collect();
    zeros.into_iter().rev().for_each(|at| plain.replace_range(at..=at, ""));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::random::random;
    use crate::fields::{At, Declared, Limits};
    use crate::scenario::brackets;
    use crate::scenario::parse::tests::good;
    use crate::scenario::{Evaluate, Sample};
    use crate::units::Duration;
    use proptest::prelude::*;

    #[test]
    fn every_default_is_filled_in() {
        let text = good().canonical();
        for line in [
            "    dataset: Synthetic(like: Web30k, train_queries: 100, test_queries: 10, seed: 1),",
            "    ranker: Linear(eta: 0.1, decay: 1.0),",
            "    defense: RankGuard(kappa: 4.0, when_undecided: 0.5, empty_sessions: Count, calibrate: false),",
            "    attackers: (rate: 0, always_online: false, active: Always, join: WithOthers, peer_bias: 1.0),",
            "    evaluate: (nodes: All, queries: All),",
            "    peers: (among: All, fanout: Log2),",
            "    bursts: Never,",
            "    bandwidth: Unlimited,",
            "    order: AsTheyCome,",
            "    duplicates: 0.0,",
            "    absence: (messages: Lost, in_flight: Delivered, timers: Skipped, state: Kept, identity: Same),",
            "    faults: [],",
            "    history: Unlimited,",
            "    history_rows: Auto,",
            "    weight_limit: 1000000.0,",
            "    start: Fresh,",
            "    record: (evaluations: All, receipts: OneIn(10), searches: All, presence: All, faults: All, curve: All, histograms: All, outcomes: All, nodes: All, models: Nothing),",
        ] {
            assert!(text.lines().any(|l| l == line), "no {line} in\n{text}");
        }
    }

    #[test]
    fn no_zero_is_negative() {
        let text = "(a: -0.0, b: [-0.0, -0.01, -0.0e3], c: \"x\\\"-0.0 \", d: -0.0)";
        assert_eq!(without_negative_zeros(text), "(a: 0.0, b: [0.0, -0.01, -0.0e3], c: \"x\\\"-0.0 \", d: 0.0)");
        assert_eq!(Scenario { loss: -0.0, ..good() }.canonical(), Scenario { loss: 0.0, ..good() }.canonical());
    }

    #[test]
    fn names_for_parameters_are_explained() {
        let scenario = |churn| Scenario { churn, ..good() };
        let expect = "churn Kad means Alternating(online: Weibull(shape: 0.615, scale: \"10170s\"), \
            offline: Weibull(shape: 0.476, scale: \"24822s\"))\n\n";
        assert_eq!(scenario(Churn::Kad).meaning(), expect);
        assert_eq!(scenario(Churn::AlwaysOnline).meaning(), "");
        let evaluate = Evaluate { nodes: Sample::Sample(20), ..Evaluate::default() };
        let thinned = Scenario { evaluate, ..scenario(Churn::Kad) }.meaning();
        assert_eq!(thinned, format!("{expect}every evaluation is thinned: nDCG of 20 of 80 honest nodes\n\n"));
        for churn in [Churn::BitTorrent, Churn::Ipfs, Churn::Smartphones, Churn::OrmandiExtreme { cycle: Duration::from_secs(60) }] {
            let meaning = scenario(churn).meaning();
            let (_, parameters) = meaning.trim_end().split_once(" means ").expect("it is a preset");
            assert!(ron_options().from_str::<Churn>(parameters).is_ok(), "{parameters}");
        }
    }

    #[test]
    fn a_zero_has_no_sign() {
        let scenario = Scenario { loss: -0.0, name: "-0.0".into(), ..good() };
        assert!(scenario.canonical().contains("loss: 0.0,") && scenario.canonical().contains("name: \"-0.0\","));
    }

    #[test]
    fn a_canonical_scenario_stays_as_it_is() {
        let text = good().canonical();
        assert_eq!(Scenario::parse(&text, "canonical").map(|scenario| scenario.canonical()), Ok(text));
    }

    /// The text of any scenario within the declared limits.
    fn scenarios() -> impl Strategy<Value = String> {
        Just(()).prop_perturb(|(), mut rng| random(Scenario::kind(), &Limits::ANY, &mut |n| rng.next_u64() % n))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn any_scenario_reads_back(text in scenarios()) {
            let scenario: Scenario = brackets::from_str(&text).unwrap_or_else(|mistake| panic!("{mistake:?} in\n{text}"));
            let canonical = scenario.canonical();
            prop_assert_eq!(ron_options().from_str::<Scenario>(&canonical), Ok(scenario.with_defaults()), "{}", canonical);
        }

        #[test]
        fn only_fields_that_do_not_go_together_are_refused(text in scenarios()) {
            let scenario: Scenario = brackets::from_str(&text).expect("it reads");
            let mut out_of_limits = Vec::new();
            Declared::check(&scenario, &At::ROOT, &mut out_of_limits);
            prop_assert!(out_of_limits.is_empty(), "{:?}", out_of_limits);
            let parsed = Scenario::parse(&text, "x.ron");
            prop_assert_eq!(parsed.is_ok(), scenario.check().is_ok());
        }
    }

    #[test]
    fn many_random_scenarios_make_sense() {
        let mut state = 1u64;
        let mut draw = |n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let good = (0..2_000).filter(|_| Scenario::parse(&random(Scenario::kind(), &Limits::ANY, &mut draw), "x.ron").is_ok()).count();
        assert!(good > 20, "{good} of 2000");
    }
}
