//! What every field means, in one line, for messages about missing and mistyped ones.

/// A field's meaning and a value to copy.
#[derive(Debug, PartialEq)]
pub struct Hint {
    pub path: &'static str,
    pub means: &'static str,
    pub example: &'static str,
}

const fn hint(path: &'static str, means: &'static str, example: &'static str) -> Hint {
    Hint { path, means, example }
}

/// Fields by the end of their path; the longest end that fits is meant, so `users.stop` is not the scenario's `stop`.
#[rustfmt::skip]
pub const HINTS: &[Hint] = &[
    hint("name", "what the experiment is called; results go to out/<name>", "\"quickstart\""),
    hint("seed", "where all random draws come from", "1"),
    hint("nodes", "how many nodes the network has", "100"),
    hint("malicious_share", "the share β of nodes that are malicious", "0.2"),
    hint("stop", "how long the run is, in searches of the whole network or in virtual time", "Sessions(30000)"),
    hint("evaluate_every", "how often all models are evaluated, in searches or in virtual time", "Sessions(100)"),
    hint("dataset", "the documents that are searched", "Synthetic(like: Web30k, train_queries: 2000, test_queries: 300)"),
    hint("dataset.path", "the folder that holds train.txt and test.txt", "\"data/MQ2008/Fold1\""),
    hint("dataset.normalize", "whether features are brought to [0, 1]", "PerQuery"),
    hint("dataset.features", "the number of features", "136"),
    hint("dataset.grades", "the number of relevance grades", "5"),
    hint("dataset.like", "the public set whose shape the data takes", "Web30k"),
    hint("dataset.train_queries", "how many queries users search for", "2000"),
    hint("dataset.test_queries", "how many queries models are evaluated on", "300"),
    hint("dataset.seed", "which synthetic documents are made; the scenario's own seed does not change them", "1"),
    hint("shown", "how many results k a user sees", "10"),
    hint("ndcg_cutoff", "how many results nDCG looks at", "10"),
    hint("users", "how honest users click", "Perfect"),
    hint("users.click", "P(click) for every grade", "[0.05, 0.5, 0.95]"),
    hint("users.stop", "P(stop after a click) for every grade", "[0.2, 0.5, 0.9]"),
    hint("ranker", "what ranks, and how it learns", "Linear(eta: 0.1)"),
    hint("ranker.eta", "the learning rate η", "0.1"),
    hint("ranker.hidden", "the number of hidden units", "64"),
    hint("ranker.decay", "what η is multiplied by after every session", "1.0"),
    hint("defense", "how honest nodes judge the models they receive", "RankGuard(kappa: 4.0)"),
    hint("defense.kappa", "the steepness κ of α = σ(κ t)", "4.0"),
    hint("defense.share", "the share of the history that judges a model", "0.2"),
    hint("defense.when_undecided", "α when t says nothing", "0.5"),
    hint("defense.empty_sessions", "whether sessions that taught nothing count in t", "Count"),
    hint("attack", "what malicious nodes do", "Flip"),
    hint("malicious_aggregate", "whether malicious nodes merge what they receive", "Never"),
    hint("attack.age", "how old the model is that a stale attacker sends", "\"2h\""),
    hint("attack.share", "the share of the malicious nodes that play this part", "0.5"),
    hint("attackers", "what malicious nodes do with time", "(rate: 3, always_online: true)"),
    hint("attackers.rate", "extra broadcasts between two searches of an attacker", "3"),
    hint("attackers.always_online", "whether attackers never leave", "true"),
    hint("attackers.active", "when attackers attack", "Windows(first: \"1d\", on: \"6h\", off: \"18h\", meanwhile: Honest)"),
    hint("active.first", "when the first window begins", "\"1d\""),
    hint("active.on", "how long a window lasts", "\"6h\""),
    hint("active.off", "how long the pause between two windows is", "\"18h\""),
    hint("active.meanwhile", "what attackers do outside of the windows", "Honest"),
    hint("attackers.join", "when attackers come for the first time", "Burst(at: \"2d\", within: \"10min\")"),
    hint("join.at", "when a burst begins", "\"2d\""),
    hint("join.within", "how long a burst lasts", "\"10min\""),
    hint("attackers.peer_bias", "how many times likelier than an honest peer a malicious one is drawn", "4.0"),
    hint("regions", "how nodes are spread over the world", "Weights([(London, 2.0), (Tokyo, 1.0)])"),
    hint("arrivals", "when users search", "Poisson(every: \"10min\")"),
    hint("arrivals.period", "how long a round lasts in which every node searches once", "\"100s\""),
    hint("arrivals.every", "the mean time between two searches of one node", "\"10min\""),
    hint("arrivals.rates", "how much more some users search than others", "LogNormal(sigma: 1.0)"),
    hint("rates.shape", "the shape of the Pareto distribution; the nearer to 1, the heavier the tail", "1.5"),
    hint("rates.exponent", "how steeply rates fall with the rank of a user", "1.0"),
    hint("arrivals.sittings", "how many searches a user makes in a row", "(searches: 4.0, pause: \"30s\")"),
    hint("sittings.searches", "the mean number of searches in a sitting", "4.0"),
    hint("sittings.pause", "the mean pause between two searches of a sitting", "\"30s\""),
    hint("day", "how activity follows the hour", "(amplitude: 0.8, peak: \"20h\", zones: ByRegion)"),
    hint("day.amplitude", "how far the busiest hour is above the average", "0.8"),
    hint("day.peak", "the busiest time of day", "\"20h\""),
    hint("day.zones", "which time of day it is where a node lives", "ByRegion"),
    hint("arrivals.path", "the log of searches, with lines user,time", "\"data/searches.csv\""),
    hint("arrivals.begin", "the time in the log at which the run begins, in the log's unit", "1700000000"),
    hint("arrivals.speed", "how many times faster than logged users search", "100.0"),
    hint("arrivals.repeat", "after how much of its own time a log begins again", "\"7d\""),
    hint("unit", "what the numbers of the file count", "Milliseconds"),
    hint("latency", "how long a message travels", "LogNormal(median: \"80ms\", sigma: 0.6)"),
    hint("latency.min", "the shortest delay", "\"20ms\""),
    hint("latency.max", "the longest delay", "\"200ms\""),
    hint("latency.mean", "the mean delay", "\"80ms\""),
    hint("latency.shape", "the shape of the gamma distribution; 1 is exponential", "2.0"),
    hint("latency.path", "the file with latencies or coordinates of hosts", "\"data/latency.csv\""),
    hint("latency.measures", "whether a number is one way or a round trip", "RoundTrip"),
    hint("latency.missing", "what becomes of negative numbers in the matrix", "Fill"),
    hint("latency.jitter", "what each message's delay is multiplied by", "LogNormal(sigma: 0.1)"),
    hint("median", "the length that half of the draws stay below", "\"80ms\""),
    hint("sigma", "the standard deviation of the logarithm", "0.6"),
    hint("loss", "the probability that a message is lost on its way", "0.001"),
    hint("bursts", "whether losses come in bursts", "GilbertElliott(good: \"10min\", bad: \"10s\", loss_in_bad: 0.5)"),
    hint("bursts.good", "how long a connection is good, on average", "\"10min\""),
    hint("bursts.bad", "how long a connection is bad, on average", "\"10s\""),
    hint("bursts.loss_in_bad", "the probability that a message is lost while its sender's connection is bad", "0.5"),
    hint("bandwidth", "how fast nodes send and receive", "Limited(upload: \"5Mbit/s\", download: \"20Mbit/s\")"),
    hint("bandwidth.upload", "how fast a node sends", "\"5Mbit/s\""),
    hint("bandwidth.download", "how fast a node receives", "\"20Mbit/s\""),
    hint("bandwidth.spread", "how unequal nodes are: the standard deviation of the logarithm of their speeds", "0.8"),
    hint("bandwidth.sharing", "how transfers at one time share the speed", "Fair"),
    hint("order", "whether a message may overtake an earlier one", "FifoPerLink"),
    hint("duplicates", "the probability that a message arrives twice", "0.01"),
    hint("absence", "what an absence means", "(messages: Mailbox(at_most: 10, age: \"1h\"), timers: Paused)"),
    hint("absence.messages", "what becomes of a message to a node that is away", "Retry(every: \"1min\", at_most: 5)"),
    hint("messages.every", "how long a sender waits before it sends again", "\"1min\""),
    hint("messages.at_most", "how often it is sent again, or how many wait", "5"),
    hint("messages.age", "how long a message waits in a mailbox", "\"1h\""),
    hint("absence.in_flight", "what becomes of messages whose sender leaves", "Cut"),
    hint("absence.timers", "what becomes of what was planned in an absence", "Paused"),
    hint("absence.state", "what a node still knows when it is back", "ModelLost"),
    hint("absence.identity", "who a node is when it is back", "New"),
    hint("faults", "what goes wrong, and when", "[(at: \"2h\", what: Partition(Shares([0.5]))), (at: \"4h\", what: Heal)]"),
    hint("faults.at", "when it happens", "\"2h\""),
    hint("faults.what", "what happens", "Crash(who: Random(0.1), restart_after: \"10min\")"),
    hint("what.from", "whose messages do not get through", "Nodes([0, 1])"),
    hint("what.to", "whom these messages do not reach", "Nodes([2, 3])"),
    hint("what.who", "whom it concerns", "Random(0.1)"),
    hint("what.restart_after", "how long they are down", "\"10min\""),
    hint("what.region", "which region", "London"),
    hint("what.lasts", "how long it lasts", "\"1h\""),
    hint("what.times", "what it is multiplied by", "5.0"),
    hint("churn", "whether nodes come and go", "Alternating(online: Weibull(shape: 0.6, scale: \"2h\"), offline: Exponential(mean: \"3h\"))"),
    hint("churn.online", "how long a node stays", "Weibull(shape: 0.6, scale: \"2h\")"),
    hint("churn.offline", "how long a node stays away", "Exponential(mean: \"3h\")"),
    hint("churn.cycle", "how long a cycle of gossip lasts", "\"10min\""),
    hint("churn.path", "the trace of periods, with lines user,starts_online,durations", "\"data/churn.csv\""),
    hint("churn.phase", "where in its line of the trace a node begins", "Random"),
    hint("churn.end", "what happens when its line of the trace is over", "Loop"),
    hint("online.min", "the shortest length", "\"10min\""),
    hint("offline.min", "the shortest length", "\"10min\""),
    hint("crowds", "nodes that come for the first time, or go, together", "[Join(at: \"2d\", share: 0.3, within: \"10min\"), Leave(at: \"4d\", share: 0.5)]"),
    hint("crowds.at", "when a crowd comes or goes", "\"2d\""),
    hint("crowds.share", "the share of the nodes in the crowd", "0.3"),
    hint("crowds.within", "over how long a time a crowd comes or goes", "\"10min\""),
    hint("crowds.back_after", "how long those who left stay away", "\"6h\""),
    hint("mean", "the mean length", "\"3h\""),
    hint("shape", "the shape of the Weibull distribution; below 1 the tail is heavy", "0.6"),
    hint("scale", "the scale of the Weibull distribution", "\"2h\""),
    hint("peers", "whom a node sends its model to", "(among: All, fanout: Log2)"),
    hint("peers.among", "who may be drawn", "All"),
    hint("peers.fanout", "how many peers a broadcast reaches", "Log2"),
    hint("history", "how much of its past a node keeps to judge by", "Unlimited"),
    hint("weight_limit", "the largest weight of a received model that is not rejected", "1e6"),
    hint("start", "the models that nodes begin with", "Fresh"),
    hint("start.path", "the result folder of an earlier run", "\"out/pretrained\""),
    hint("start.evaluation", "which evaluation of that run", "300"),
    hint("record", "which rows are kept", "(receipts: OneIn(10))"),
    hint("evaluations", "which rows of the table are kept", "All"),
    hint("receipts", "which rows of the table are kept", "OneIn(10)"),
    hint("searches", "which rows of the table are kept", "All"),
    hint("presence", "which rows of the table are kept", "All"),
    hint("record.faults", "which rows of the table are kept", "All"),
    hint("outcomes", "which rows of the table are kept", "All"),
    hint("record.nodes", "which rows of the table are kept", "All"),
    hint("histograms", "which rows of the table are kept", "All"),
    hint("curve", "which rows of the table are kept", "All"),
    hint("models", "which models are kept", "Last"),
    hint("models.evaluations", "at every how many evaluations models are kept", "10"),
    hint("models.nodes", "the numbers of the nodes whose models are kept; none means all", "[0, 1, 2]"),
];

/// Values to copy for attacks that need more than their name.
pub const ATTACKS: &[&str] = &[
    "Lie(z: Majority)",
    "Ipm(form: Step, epsilon: 10.0)",
    "Adapt(send: Best)",
    "Shrink(c: 0.5)",
    "Noise(sd: 0.1)",
    "Stale(age: \"2h\")",
    "Mix([(share: 0.5, attack: Flip), (share: 0.5, attack: Stale(age: \"2h\"))])",
];

impl Hint {
    pub fn of(path: &str) -> Option<&'static Hint> {
        HINTS.iter().filter(|hint| ends_with_path(path, hint.path)).max_by_key(|hint| hint.path.len())
    }

    /// The same with a value like `value`, which is not quite right.
    pub fn line_like(&self, value: &str) -> String {
        let name = |text: &str| text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned();
        match ATTACKS.iter().find(|example| self.path == "attack" && name(example) == name(value)) {
            Some(example) => format!("attack: {example}"),
            None => self.line(),
        }
    }

    /// `kappa: 4.0`
    pub fn line(&self) -> String {
        format!("{}: {}", last(self.path), self.example)
    }
}

pub fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, hint: &str) {
        assert_eq!(Hint::of(path).map(|hint| hint.path), Some(hint));
    }

    #[test]
    fn the_longest_fitting_end_is_meant() {
        check("stop", "stop");
        check("users.stop", "users.stop");
        check("churn.offline.scale", "scale");
        check("record.models.nodes", "models.nodes");
        assert_eq!(Hint::of("unheard"), None);
    }
}
