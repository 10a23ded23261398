//! A scenario as text again, with every default filled in: what `check` prints and the manifest keeps.

use super::Scenario;
use super::parse::ron_options;
use super::source::tokens;
use crate::network::Churn;
use ron::ser::PrettyConfig;

impl Scenario {
    /// One line per field, every default filled in; parses back to the same scenario.
    pub fn canonical(&self) -> String {
        self.clone().resolved().text()
    }

    /// The same without the defaults that depend on other fields, so that these can still be set.
    pub(super) fn text(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(1).new_line("\n");
        let text = ron_options().to_string_pretty(self, layout).expect("a scenario is plain data");
        without_negative_zeros(&text) + "\n"
    }

    /// What a name in the scenario stands for, a line each.
    pub fn meaning(&self) -> String {
        let Some(periods) = self.churn.periods().filter(|_| self.churn.is_preset()) else { return String::new() };
        let written = |churn: &Churn| ron_options().to_string(churn).expect("churn is plain data").replace(':', ": ").replace(',', ", ");
        format!("churn {} means {}\n\n", written(&self.churn), written(&periods.into()))
    }
}

/// -0.0 equals 0.0, and two scenarios that are equal have one text.
fn without_negative_zeros(text: &str) -> String {
    let mut plain = text.to_owned();
    let zeros: Vec<usize> = tokens(text).filter(|(_, token)| *token == "-0.0").map(|(at, _)| at).collect();
    zeros.into_iter().rev().for_each(|at| plain.replace_range(at..=at, ""));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversary::{Attack, IpmForm, LieZ, MaliciousAggregate, Part, Survey};
    use crate::corpus::{Dataset, Normalize, Shape, Users};
    use crate::network::*;
    use crate::node::defend::Assumed;
    use crate::node::defend::pooled::{Center, Divisor};
    use crate::node::{Defense, EmptySessions, Keep, Ranker};
    use crate::record::{Models, Sampling};
    use crate::scenario::Start;
    use crate::scenario::parse::tests::good;
    use crate::units::{BitRate, Duration, Extent};
    use proptest::option;
    use proptest::prelude::*;

    #[test]
    fn every_default_is_filled_in() {
        let text = good().canonical();
        for line in [
            "    dataset: Synthetic(like: Web30k, train_queries: 100, test_queries: 10, seed: 1),",
            "    ranker: Linear(eta: 0.1, decay: 1.0),",
            "    defense: RankGuard(kappa: 4.0, when_undecided: 0.5, empty_sessions: Count, calibrate: false),",
            "    attackers: (rate: 0, always_online: false, active: Always, join: WithOthers, peer_bias: 1.0),",
            "    peers: (among: All, fanout: Log2),",
            "    bursts: Never,",
            "    bandwidth: Unlimited,",
            "    order: AsTheyCome,",
            "    duplicates: 0.0,",
            "    absence: (messages: Lost, in_flight: Delivered, timers: Skipped, state: Kept, identity: Same),",
            "    faults: [],",
            "    history: Unlimited,",
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

    proptest! {
        #[test]
        fn any_scenario_reads_back(scenario in scenarios()) {
            let text = scenario.canonical();
            prop_assert_eq!(ron_options().from_str::<Scenario>(&text), Ok(scenario.resolved()), "{}", text);
        }
    }

    fn scenarios() -> impl Strategy<Value = Scenario> {
        let size = (any::<u64>(), any::<u32>(), numbers(), extents(), extents());
        let learning = (datasets(), users(), defenses(), numbers(), prop_oneof![Just(Keep::Unlimited), any::<u32>().prop_map(Keep::Last)]);
        let network = (arrivals(), latencies(), numbers(), churns(), peers(), regions(), crowds());
        let rest = (option::of(Just(MaliciousAggregate::PooledOnly)), samplings(), models(), starts(), attacks(), attackers());
        let links = (absences(), bandwidths(), bursts(), numbers(), proptest::collection::vec(faults(), 0..4));
        (size, learning, network, rest, links).prop_map(|(size, learning, network, rest, links)| Scenario {
            absence: links.0,
            bandwidth: links.1,
            bursts: links.2,
            duplicates: links.3,
            order: if size.0 % 3 == 0 { Sequence::FifoPerLink } else { Sequence::AsTheyCome },
            faults: links.4,
            seed: size.0,
            nodes: size.1,
            malicious_share: size.2,
            stop: size.3,
            evaluate_every: size.4,
            dataset: learning.0,
            users: learning.1,
            defense: learning.2,
            ranker: match size.0 % 2 {
                0 => Ranker::Linear { eta: learning.3, decay: 0.5 },
                _ => Ranker::Neural { eta: learning.3, decay: 0.5, hidden: size.1 },
            },
            history: learning.4,
            weight_limit: Some(learning.3).filter(|_| size.0 % 3 > 0),
            arrivals: network.0,
            latency: network.1,
            loss: network.2,
            churn: network.3,
            peers: network.4,
            regions: network.5,
            crowds: network.6,
            attack: if rest.0.is_some() { rest.4 } else { Attack::NoAttack },
            attackers: rest.5,
            malicious_aggregate: rest.0,
            record: crate::record::Record { receipts: rest.1, models: rest.2, ..good().record },
            start: rest.3,
            ..good()
        })
    }

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![0.0..1.0, -1e300..1e300, Just(1e-300), Just(3.0)]
    }

    fn durations() -> impl Strategy<Value = Duration> {
        prop_oneof![0..u64::MAX / 2, (0..1000u64).prop_map(|s| s * 60_000_000_000)].prop_map(Duration::from_ns)
    }

    fn extents() -> impl Strategy<Value = Extent> {
        prop_oneof![any::<u64>().prop_map(Extent::Sessions), durations().prop_map(Extent::Time)]
    }

    fn datasets() -> impl Strategy<Value = Dataset> {
        let letor = (".*", option::of(any::<u32>()), option::of(any::<u32>()));
        prop_oneof![
            any::<u32>().prop_map(|n| Dataset::Synthetic { like: Shape::Istella, train_queries: n, test_queries: 1, seed: n.into() }),
            letor.prop_map(|(path, features, grades)| Dataset::Letor { path, normalize: Normalize::PerQuery, features, grades }),
        ]
    }

    fn users() -> impl Strategy<Value = Users> {
        let lists = || proptest::collection::vec(numbers(), 0..4);
        prop_oneof![Just(Users::Informational), (lists(), lists()).prop_map(|(click, stop)| Users::Custom { click, stop })]
    }

    fn defenses() -> impl Strategy<Value = Defense> {
        let empty_sessions = EmptySessions::Skip;
        prop_oneof![
            Just(Defense::Oracle),
            numbers().prop_map(|zeta| Defense::ZenoPs { zeta, gamma: 0.0, e: 0.5 }),
            Just(Defense::Gts { assumed: Assumed::Count(2), center: Center::Own, divisor: Some(Divisor::Kept) }),
            Just(Defense::Gts { assumed: Assumed::ShareOfNodes, center: Center::Median, divisor: None }),
            (numbers(), numbers()).prop_map(move |(kappa, when_undecided)| Defense::RankGuard {
                kappa,
                when_undecided,
                empty_sessions,
                calibrate: true
            }),
            (numbers(), numbers()).prop_map(move |(kappa, share)| Defense::RankGuardRand {
                kappa,
                share,
                when_undecided: 0.5,
                empty_sessions
            }),
        ]
    }

    fn attacks() -> impl Strategy<Value = Attack> {
        let single = prop_oneof![
            Just(Attack::Flip),
            durations().prop_map(|age| Attack::Stale { age }),
            durations().prop_map(|pause| Attack::Lie { z: LieZ::Majority, knowledge: Knowledge::AtDelivery, survey: Survey::Every(pause) }),
            numbers().prop_map(|epsilon| Attack::Ipm { form: IpmForm::Step, epsilon, knowledge: Knowledge::AtSend }),
        ];
        let part = (numbers(), single.clone()).prop_map(|(share, attack)| Part { share, attack });
        prop_oneof![single, proptest::collection::vec(part, 0..4).prop_map(Attack::Mix)]
    }

    fn attackers() -> impl Strategy<Value = Attackers> {
        let meanwhile = prop_oneof![Just(Meanwhile::Silent), Just(Meanwhile::Honest)];
        let windows = (durations(), durations(), durations(), meanwhile).prop_map(|(first, on, off, meanwhile)| Active::Windows {
            first,
            on,
            off,
            meanwhile,
        });
        let burst = (durations(), durations()).prop_map(|(at, within)| Join::Burst { at, within });
        let (active, join) = (prop_oneof![Just(Active::Always), windows], prop_oneof![Just(Join::WithOthers), burst]);
        (any::<u32>(), any::<bool>(), active, join, numbers()).prop_map(|(rate, always_online, active, join, peer_bias)| Attackers {
            rate,
            always_online,
            active,
            join,
            peer_bias,
        })
    }

    fn days() -> impl Strategy<Value = Option<Day>> {
        option::of((numbers(), durations()).prop_map(|(amplitude, peak)| Day { amplitude, peak, zones: Zones::ByRegion }))
    }

    fn arrivals() -> impl Strategy<Value = Arrivals> {
        let rates = prop_oneof![
            Just(Rates::Equal),
            numbers().prop_map(|sigma| Rates::LogNormal { sigma }),
            numbers().prop_map(|shape| Rates::Pareto { shape }),
            numbers().prop_map(|exponent| Rates::Zipf { exponent }),
        ];
        let sittings = option::of((numbers(), durations()).prop_map(|(searches, pause)| Sittings { searches, pause }));
        let poisson = (durations(), rates, sittings, days());
        let trace = (".*", numbers(), option::of(durations()));
        prop_oneof![
            durations().prop_map(|period| Arrivals::RoundRobin { period }),
            poisson.prop_map(|(every, rates, sittings, day)| Arrivals::Poisson { every, rates, sittings, day }),
            trace.prop_map(|(path, speed, repeat)| Arrivals::Trace { path, unit: Unit::Seconds, begin: -speed, speed, repeat }),
        ]
    }

    fn latencies() -> impl Strategy<Value = Latency> {
        let jitter = || prop_oneof![Just(Jitter::NoJitter), numbers().prop_map(|sigma| Jitter::LogNormal { sigma })];
        let (unit, measures, missing) = (Unit::Milliseconds, Measures::RoundTrip, Missing::Fill);
        prop_oneof![
            Just(Latency::Zero),
            durations().prop_map(Latency::Constant),
            (durations(), durations()).prop_map(|(min, max)| Latency::Uniform { min, max }),
            (durations(), numbers()).prop_map(|(median, sigma)| Latency::LogNormal { median, sigma }),
            (durations(), numbers()).prop_map(|(mean, shape)| Latency::Gamma { mean, shape }),
            jitter().prop_map(|jitter| Latency::Regions { jitter }),
            (".*", jitter()).prop_map(move |(path, jitter)| Latency::Matrix { path, unit, measures, missing, jitter }),
            (".*", jitter()).prop_map(move |(path, jitter)| Latency::Vivaldi { path, unit, measures, jitter }),
        ]
    }

    fn churns() -> impl Strategy<Value = Churn> {
        let length = || {
            prop_oneof![
                durations().prop_map(|mean| Durations::Exponential { mean }),
                (numbers(), durations()).prop_map(|(shape, scale)| Durations::Weibull { shape, scale }),
                (durations(), numbers()).prop_map(|(median, sigma)| Durations::LogNormal { median, sigma }),
                (durations(), numbers()).prop_map(|(min, shape)| Durations::Pareto { min, shape }),
            ]
        };
        let presets = prop_oneof![Just(Churn::Kad), Just(Churn::BitTorrent), Just(Churn::Ipfs), Just(Churn::Smartphones)];
        prop_oneof![
            Just(Churn::AlwaysOnline),
            (length(), length(), days()).prop_map(|(online, offline, day)| Churn::Alternating { online, offline, day }),
            presets,
            durations().prop_map(|cycle| Churn::OrmandiExtreme { cycle }),
            ".*".prop_map(|path| Churn::Trace { path, phase: Phase::Random, end: End::Loop }),
        ]
    }

    fn crowds() -> impl Strategy<Value = Vec<Crowd>> {
        let join = (durations(), numbers(), durations()).prop_map(|(at, share, within)| Crowd::Join { at, share, within });
        let leave = (durations(), numbers(), durations(), option::of(durations()));
        let leave = leave.prop_map(|(at, share, within, back_after)| Crowd::Leave { at, share, within, back_after });
        proptest::collection::vec(prop_oneof![join, leave], 0..3)
    }

    fn absences() -> impl Strategy<Value = Absence> {
        let messages = prop_oneof![
            Just(Unreached::Lost),
            (durations(), any::<u32>()).prop_map(|(every, at_most)| Unreached::Retry { every, at_most }),
            (durations(), any::<u32>()).prop_map(|(age, at_most)| Unreached::Mailbox { at_most, age }),
        ];
        let timers = prop_oneof![Just(Timers::Skipped), Just(Timers::WhenBack), Just(Timers::Paused), Just(Timers::CaughtUp)];
        let state = prop_oneof![Just(State::Kept), Just(State::ModelLost), Just(State::AllLost)];
        (messages, timers, state, any::<bool>()).prop_map(|(messages, timers, state, is_strict)| Absence {
            messages,
            timers,
            state,
            in_flight: if is_strict { InFlight::Cut } else { InFlight::Delivered },
            identity: if is_strict { Identity::New } else { Identity::Same },
        })
    }

    fn bandwidths() -> impl Strategy<Value = Bandwidth> {
        let rate = || prop_oneof![any::<u32>().prop_map(u64::from), 0..10u64.pow(17)].prop_map(BitRate::from_bits);
        let limited = (rate(), rate(), numbers(), prop_oneof![Just(Sharing::Fair), Just(Sharing::FirstCome)])
            .prop_map(|(upload, download, spread, sharing)| Bandwidth::Limited { upload, download, spread, sharing });
        prop_oneof![Just(Bandwidth::Unlimited), limited]
    }

    fn bursts() -> impl Strategy<Value = Bursts> {
        let chain =
            (durations(), durations(), numbers()).prop_map(|(good, bad, loss_in_bad)| Bursts::GilbertElliott { good, bad, loss_in_bad });
        prop_oneof![Just(Bursts::Never), chain]
    }

    fn faults() -> impl Strategy<Value = Fault> {
        let nodes = || proptest::collection::vec(any::<u32>(), 0..3);
        let who = || {
            prop_oneof![Just(Who::All), Just(Who::Region(Region::SaoPaulo)), nodes().prop_map(Who::Nodes), numbers().prop_map(Who::Random)]
        };
        let what = prop_oneof![
            prop_oneof![Just(What::Heal), Just(What::Release)],
            proptest::collection::vec(nodes(), 0..3).prop_map(|groups| What::Partition(Groups::Nodes(groups))),
            proptest::collection::vec(numbers(), 0..3).prop_map(|shares| What::Partition(Groups::Shares(shares))),
            (who(), who()).prop_map(|(from, to)| What::OneWay { from, to }),
            who().prop_map(What::Hold),
            who().prop_map(What::Restart),
            (who(), option::of(durations())).prop_map(|(who, restart_after)| What::Crash { who, restart_after }),
            durations().prop_map(|lasts| What::Dark { region: Region::Tokyo, lasts }),
            (numbers(), durations()).prop_map(|(times, lasts)| What::Slow { times, lasts }),
            (numbers(), durations()).prop_map(|(times, lasts)| What::Lossy { times, lasts }),
        ];
        (durations(), what).prop_map(|(at, what)| Fault { at, what })
    }

    fn peers() -> impl Strategy<Value = Peers> {
        let fanout = prop_oneof![Just(Fanout::Log2), any::<u32>().prop_map(Fanout::Fixed)];
        (prop_oneof![Just(PeerPool::All), Just(PeerPool::Online)], fanout).prop_map(|(among, fanout)| Peers { among, fanout })
    }

    fn regions() -> impl Strategy<Value = Regions> {
        let weight = (prop_oneof![Just(Region::SaoPaulo), Just(Region::Mumbai)], numbers());
        prop_oneof![Just(Regions::Uniform), proptest::collection::vec(weight, 0..3).prop_map(Regions::Weights)]
    }

    fn samplings() -> impl Strategy<Value = Sampling> {
        prop_oneof![Just(Sampling::Nothing), any::<u32>().prop_map(Sampling::OneIn)]
    }

    fn models() -> impl Strategy<Value = Models> {
        let every = (any::<u32>(), proptest::collection::vec(any::<u32>(), 0..3));
        prop_oneof![Just(Models::Last), every.prop_map(|(evaluations, nodes)| Models::Every { evaluations, nodes })]
    }

    fn starts() -> impl Strategy<Value = Start> {
        prop_oneof![Just(Start::Fresh), (".*", option::of(any::<u32>())).prop_map(|(path, evaluation)| Start::Models { path, evaluation })]
    }
}
