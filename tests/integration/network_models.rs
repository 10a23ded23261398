//! Models of arrivals, latency, churn and crowds: small golden traces, and tests that one model does not move the draws of another.

use crate::support::{corpus, finish, plan, scenario};
use crate::timeline_traces::check;
use rankguard::timeline::{Action, Step, Timeline};
use tempfile::TempDir;

/// A file of this text, and its path as it is written in a scenario.
fn file(text: &str) -> (TempDir, String) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("file.csv");
    std::fs::write(&path, text).expect("it can be written");
    let path = format!("{:?}", path.display().to_string());
    (folder, path)
}

const CHURN: (&str, &str) = ("churn", "Alternating(online: Exponential(mean: \"2s\"), offline: Exponential(mean: \"2s\"))");

#[test]
fn the_first_missed_search_waits_for_the_return() {
    let arrivals = ("arrivals", "Poisson(every: \"1s\")");
    check("when-back.txt", &[("nodes", "3"), arrivals, CHURN, ("absence", "(timers: WhenBack)"), ("stop", "Sessions(10)")]);
}

#[test]
fn searches_come_in_sittings() {
    let arrivals = ("arrivals", "Poisson(every: \"20min\", sittings: (searches: 4.0, pause: \"30s\"))");
    check("sittings.txt", &[("nodes", "3"), arrivals, ("stop", "Sessions(14)")]);
}

#[test]
fn searches_follow_the_hour() {
    let arrivals = ("arrivals", "Poisson(every: \"6h\", rates: Zipf(exponent: 1.0), day: (amplitude: 1.0, peak: \"20h\", zones: Uniform))");
    check("day.txt", &[("nodes", "3"), arrivals, ("stop", "Time(\"1d\")")]);
}

#[test]
fn searches_are_read_from_a_log() {
    let (_folder, path) = file("# user,time\nanna,1\nbert,2\nanna,2.5\ncarl,4\n");
    let arrivals = format!("Trace(path: {path}, unit: Seconds, repeat: \"5s\")");
    check("search-log.txt", &[("nodes", "4"), ("arrivals", &arrivals), ("stop", "Sessions(9)")]);
    let arrivals = format!("Trace(path: {path}, unit: Seconds, speed: 2.0)");
    check("search-log-once.txt", &[("nodes", "4"), ("arrivals", &arrivals), ("stop", "Time(\"10s\")")]);
}

#[test]
fn presence_is_read_from_a_trace() {
    let (_folder, path) = file("a,1,0,2,300 200 500\nb,0,0,2,400 600\nc,1,0,2,1000\n");
    let churn = format!("Trace(path: {path}, phase: Start, end: Loop)");
    let arrivals = ("arrivals", "RoundRobin(period: \"400ms\")");
    check("churn-trace.txt", &[("nodes", "4"), ("churn", &churn), arrivals, ("stop", "Time(\"2s\")")]);
    let churn = format!("Trace(path: {path}, phase: Random, end: Stay)");
    check("churn-trace-once.txt", &[("nodes", "4"), ("churn", &churn), arrivals, ("stop", "Time(\"2s\")")]);
}

#[test]
fn crowds_come_and_go() {
    let crowds = "[Join(at: \"1s\", share: 0.4, within: \"500ms\"), Leave(at: \"2s\", share: 0.6, within: \"100ms\", back_after: \"1s\"), \
        Leave(at: \"4s\", share: 0.2)]";
    let arrivals = ("arrivals", "RoundRobin(period: \"1s\")");
    check("crowds.txt", &[("nodes", "5"), ("crowds", crowds), arrivals, ("stop", "Time(\"5s\")")]);
}

#[test]
fn delays_are_read_from_a_matrix() {
    let (_folder, path) = file("0\t100\t200\n10\t0\t20\n1\t2\t0\n");
    let latency = format!("Matrix(path: {path}, unit: Milliseconds, measures: RoundTrip)");
    let arrivals = ("arrivals", "RoundRobin(period: \"1s\")");
    check("matrix.txt", &[("nodes", "3"), ("latency", &latency), arrivals, ("stop", "Sessions(6)")]);
}

#[test]
fn delays_follow_from_where_nodes_are_or_are_drawn() {
    // Three hosts on a line, 3 ms and 1 ms apart, the last behind a height of 10 ms; one way is half.
    let (_folder, path) = file("a 0 0\nb 3 0\nc 4 0 h 10\n");
    let vivaldi = format!("Vivaldi(path: {path}, unit: Milliseconds, measures: RoundTrip)");
    for (name, latency) in [
        ("vivaldi.txt", vivaldi.as_str()),
        ("regions.txt", "Regions()"),
        ("jitter.txt", "Regions(jitter: LogNormal(sigma: 0.5))"),
        ("uniform-delay.txt", "Uniform(min: \"20ms\", max: \"200ms\")"),
        ("log-normal-delay.txt", "LogNormal(median: \"80ms\", sigma: 0.6)"),
        ("gamma-delay.txt", "Gamma(mean: \"80ms\", shape: 2.0)"),
    ] {
        check(name, &[("nodes", "3"), ("latency", latency), ("arrivals", "RoundRobin(period: \"1s\")"), ("stop", "Sessions(4)")]);
    }
}

fn steps(changes: &[(&str, &str)]) -> Vec<Step> {
    let (mut timeline, mut steps) = (Timeline::new(plan(&scenario(changes))), Vec::new());
    while timeline.advance(100, &mut steps) {}
    steps
}

const LATENCIES: [&str; 5] =
    ["Zero", "Constant(\"3s\")", "Gamma(mean: \"5s\", shape: 0.5)", "Regions()", "Regions(jitter: LogNormal(sigma: 0.8))"];

#[test]
fn latency_moves_nothing_but_arrivals_of_messages() {
    let base = [
        (
            "arrivals",
            "Poisson(every: \"1min\", rates: Pareto(shape: 1.5), sittings: (searches: 3.0, pause: \"5s\"), day: (amplitude: 0.5, peak: \"3h\"))",
        ),
        ("loss", "0.1"),
        ("stop", "Time(\"3h\")"),
    ];
    let churn = [("churn", "OrmandiExtreme(cycle: \"10min\")"), ("crowds", "[Join(at: \"1h\", share: 0.3, within: \"30min\")]")];
    let happenings = |latency| {
        let what = |step: &Step| match step.action {
            Action::Search { node, n_sent, n_lost, .. } => Some((step.at, node, n_sent, n_lost, true)),
            Action::Presence { node, online, .. } => Some((step.at, node, 0, 0, online)),
            _ => None,
        };
        steps(&[&base[..], &churn, &[("latency", latency)]].concat()).iter().filter_map(what).collect::<Vec<_>>()
    };
    let receivers = |latency| {
        let what = |step: &Step| match step.action {
            Action::Receive { node, from, sent, .. } if sent.0 < 10_000_000_000_000 => Some((sent, from, node)),
            _ => None,
        };
        let mut all: Vec<_> = steps(&[&base[..], &[("latency", latency)]].concat()).iter().filter_map(what).collect();
        all.sort();
        all
    };
    let queries = |latency| {
        let (_, rows) = finish(&scenario(&[&base[..], &churn, &[("latency", latency)]].concat()), &corpus(), 2);
        rows.searches.iter().map(|row| (row.at_ns, row.node, row.query)).collect::<Vec<_>>()
    };
    for latency in &LATENCIES[1..] {
        assert!(happenings("Zero") == happenings(latency), "{latency}");
        assert!(receivers("Zero") == receivers(latency), "{latency}");
    }
    assert!(queries("Zero") == queries(LATENCIES[4]));
}

#[test]
fn churn_moves_no_search() {
    // Whoever is online searches at the moments at which it would search without churn.
    let base = [("arrivals", "Poisson(every: \"1min\", sittings: (searches: 3.0, pause: \"5s\"))"), ("stop", "Time(\"3h\")")];
    let searches = |churn| {
        let what = |step: &Step| match step.action {
            Action::Search { node, .. } => Some((step.at, node)),
            _ => None,
        };
        steps(&[&base[..], &[("churn", churn)]].concat()).iter().filter_map(what).collect::<Vec<_>>()
    };
    let all = searches("AlwaysOnline");
    let some = searches("Alternating(online: Pareto(min: \"5min\", shape: 1.5), offline: LogNormal(median: \"10min\", sigma: 1.0))");
    assert!(some.len() * 10 < all.len() * 9 && some.iter().all(|search| all.binary_search(search).is_ok()));
}

const NEWCOMERS: [(&str, &str); 4] = [
    ("arrivals", "Poisson(every: \"1min\")"),
    ("crowds", "[Join(at: \"10min\", share: 0.5, within: \"10min\"), Leave(at: \"25min\", share: 0.3)]"),
    ("stop", "Time(\"30min\")"),
    ("evaluate_every", "Time(\"5min\")"),
];

#[test]
fn newcomers_count_from_their_first_join_on() {
    let (_, rows) = finish(&scenario(&NEWCOMERS), &corpus(), 2);
    let evaluated: Vec<i32> = rows.curve.iter().map(|row| row.evaluated).collect();
    assert!(evaluated[0] < 9 && evaluated[0] == evaluated[2], "{evaluated:?}");
    assert!(evaluated.is_sorted() && evaluated[4..].iter().all(|&n| n == 9), "{evaluated:?}");
    for row in &rows.evaluations {
        let joined = rows.presence.iter().any(|p| p.node == row.node && p.online && p.at_ns <= row.at_ns);
        assert!(joined, "node {} was evaluated before it came", row.node);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_with_newcomers() {
    for attack in ["Flip", "Lie(z: Value(1.0))", "Lie(z: Value(1.0), survey: Every(\"3min\"))", "Noise(sd: 0.1)"] {
        let scenario = scenario(&[&NEWCOMERS[..], &[("attack", attack), ("latency", "Gamma(mean: \"20s\", shape: 2.0)")]].concat());
        let (one, rows) = finish(&scenario, &corpus(), 1);
        let (more, more_rows) = finish(&scenario, &corpus(), 4);
        assert!(one.fingerprint == more.fingerprint && rows == more_rows, "{attack}");
    }
}

#[test]
fn lie_sees_those_who_have_joined() {
    // How often models are looked at must not change what an attacker sees of a growing population.
    let models = |every| {
        let changes = [("attack", "Lie(z: Value(1.0))"), ("evaluate_every", every)];
        finish(&scenario(&[&NEWCOMERS[..3], &changes].concat()), &corpus(), 2).1.models
    };
    let (often, rarely) = (models("Sessions(1)"), models("Sessions(1000)"));
    assert!(often.iter().map(|row| &row.theta).eq(rarely.iter().map(|row| &row.theta)));
}

/// Runs until nobody is left; says how many searches there were, and since when there can be none, in seconds.
#[track_caller]
fn check_deserted(changes: &[(&str, &str)], searches: u64, since: Option<u64>) {
    let (mut timeline, mut steps) = (Timeline::new(plan(&scenario(changes))), Vec::new());
    let ends = (0..1_000).any(|_| !timeline.advance(1_000, &mut steps));
    assert!(ends, "{changes:?} never ends");
    let deserted = timeline.tally().deserted.map(|at| at.0 / 1_000_000_000);
    assert_eq!((timeline.tally().searches, deserted), (searches, since), "{changes:?}");
    let last = steps.iter().rev().find_map(|step| if let Action::Evaluate { is_last, .. } = step.action { Some(is_last) } else { None });
    assert_eq!(last, Some(true), "{changes:?}: a run ends with its last evaluation");
}

#[test]
fn a_network_that_everybody_leaves_comes_to_an_end_and_says_so() {
    let leave = ("crowds", "[Leave(at: \"1min\", share: 1.0)]");
    check_deserted(&[leave], 11, Some(60)); // the twelfth search would be at the moment when all are gone
    check_deserted(&[leave, ("evaluate_every", "Time(\"7s\")")], 11, Some(60));
    check_deserted(&[leave, ("evaluate_every", "Sessions(11)")], 11, Some(60));
    check_deserted(&[leave, ("stop", "Time(\"10min\")")], 11, Some(60));
    check_deserted(&[("crowds", "[Leave(at: \"0s\", share: 1.0)]")], 0, Some(0));
    let crash = |restart: &str| {
        format!("[(at: \"1min\", what: Crash(who: All)), (at: \"2min\", what: Slow(times: 2.0, lasts: \"1min\")){restart}]")
    };
    let forever = crash("");
    // What is slow for a minute from the second on is over after the third: until then a fault might restart somebody.
    check_deserted(&[("faults", &forever)], 11, Some(180));
    let churn = ("churn", "Alternating(online: Exponential(mean: \"1h\"), offline: Exponential(mean: \"1s\"))");
    check_deserted(&[("faults", &forever), churn, ("evaluate_every", "Time(\"1min\")")], 11, Some(180));
    let mended = crash(", (at: \"4min\", what: Restart(All))");
    check_deserted(&[("faults", &mended)], 360, None);
    check_deserted(&[("crowds", "[Leave(at: \"1min\", share: 1.0, back_after: \"1min\")]")], 360, None);
}

#[test]
fn a_crowd_may_leave_at_the_very_beginning() {
    // At 0 s as at 1 ns: the nodes of the crowd are away until they are back, and search and receive nothing before.
    let rows = |at: &str| {
        let crowds = format!("[Leave(at: \"{at}\", share: 0.5, back_after: \"10min\")]");
        let rows = finish(&scenario(&[("crowds", &crowds)]), &corpus(), 1).1;
        let away = rows.presence.iter().filter(|row| !row.online).map(|row| row.node).collect::<Vec<_>>();
        assert!(away.len() == 6 && rows.presence.iter().filter(|row| row.at_ns / 1_000_000_000 == 600).count() == 6, "{at}");
        assert!(!rows.searches.iter().any(|row| away.contains(&row.node) && row.at_ns < 600_000_000_000), "{at}");
        rows.searches.iter().map(|row| (row.at_ns, row.node, row.sent)).collect::<Vec<_>>()
    };
    assert_eq!(rows("0s"), rows("1ns"));
}
