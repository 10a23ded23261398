//! A timeline goes on from its written state as if it had never been interrupted.

use crate::support::{plan, scenario};
use rankguard::timeline::{Plan, State, Step, Timeline};

/// The timeline of a plan at its end, with all its steps.
///
/// It is run twice, and the second time its state is written down and read back after every event that makes a step.
#[track_caller]
pub fn whole(plan: Plan) -> (Timeline, Vec<Step>) {
    let (mut timeline, mut steps) = (Timeline::new(plan.clone()), Vec::new());
    while timeline.advance(1, &mut steps) {}
    check(&plan, &timeline, &steps, 1);
    (timeline, steps)
}

/// Runs the plan once more, interrupted after every `window` steps.
#[track_caller]
fn check(plan: &Plan, whole: &Timeline, steps: &[Step], window: usize) {
    let (mut timeline, mut resumed) = (Timeline::new(plan.clone()), Vec::new());
    loop {
        let bytes = write(timeline.state());
        let state: State = postcard::from_bytes(&bytes).expect("a state reads back");
        assert!(write(&state) == bytes, "one state is always written in the same way");
        timeline = Timeline::resume(plan.clone(), state);
        if !timeline.advance(window, &mut resumed) {
            break;
        }
    }
    assert!(resumed == steps, "the steps differ");
    assert_eq!(timeline.fingerprint(), whole.fingerprint());
    assert!(write(timeline.state()) == write(whole.state()), "the last states differ");
}

fn write(state: &State) -> Vec<u8> {
    postcard::to_allocvec(state).expect("a state can be written down")
}

/// Everything that keeps state, in a network of 60 nodes: transfers, bursts, line order, copies, absences, crowds, faults, attackers.
const NETWORK: [(&str, &str); 14] = [
    ("nodes", "60"),
    ("attack", "Shrink(c: 0.5, knowledge: AtDelivery)"),
    ("arrivals", "Poisson(every: \"1min\")"),
    ("latency", "LogNormal(median: \"2s\", sigma: 1.0)"),
    ("loss", "0.05"),
    ("bursts", "GilbertElliott(good: \"5min\", bad: \"1min\", loss_in_bad: 0.5)"),
    ("order", "FifoPerLink"),
    ("duplicates", "0.1"),
    ("churn", "Alternating(online: Exponential(mean: \"5min\"), offline: Exponential(mean: \"2min\"))"),
    (
        "crowds",
        "[Join(at: \"2min\", share: 0.2, within: \"4min\"), Leave(at: \"9min\", share: 0.3, within: \"1min\", back_after: \"3min\")]",
    ),
    (
        "faults",
        "[(at: \"3min\", what: Hold(Random(0.2))), (at: \"4min\", what: Partition(Shares([0.3]))), (at: \"5min\", what: Release), \
          (at: \"6min\", what: Crash(who: Random(0.3), restart_after: \"2min\")), (at: \"7min\", what: Slow(times: 3.0, lasts: \"4min\")), \
          (at: \"8min\", what: Heal), (at: \"9min\", what: OneWay(from: Random(0.5), to: Random(0.5)))]",
    ),
    (
        "attackers",
        "(rate: 2, join: Burst(at: \"1min\", within: \"2min\"), active: Windows(on: \"2min\", off: \"1min\", meanwhile: Silent), peer_bias: 3.0)",
    ),
    ("stop", "Time(\"15min\")"),
    ("evaluate_every", "Sessions(100)"),
];

#[track_caller]
fn check_network(absence: &str, sharing: &str, peers: &str) {
    let bandwidth = format!("Limited(upload: \"2kbit/s\", download: \"5kbit/s\", spread: 0.5, sharing: {sharing})");
    let changes = [("absence", absence), ("bandwidth", bandwidth.as_str()), ("peers", peers)];
    let plan = plan(&scenario(&[&NETWORK[..], &changes].concat()));
    let (mut timeline, mut steps) = (Timeline::new(plan.clone()), Vec::new());
    while timeline.advance(1_000, &mut steps) {}
    assert!(timeline.tally().delivered > 500 && timeline.tally().lost() > 500, "{:?}", timeline.tally());
    let (sent, received) = timeline.loads().fold((0, 0), |(sent, received), load| (sent + load.0, received + load.1));
    assert_eq!((sent, received), (timeline.tally().sent, timeline.tally().delivered));
    check(&plan, &timeline, &steps, steps.len() / 2);
    check(&plan, &timeline, &steps, 50);
}

#[test]
fn a_network_with_everything_goes_on_where_it_was() {
    check_network(
        "(messages: Mailbox(at_most: 5, age: \"4min\"), identity: New, in_flight: Cut)",
        "Fair",
        "(among: All, fanout: Fixed(3))",
    );
    check_network("(messages: Retry(every: \"30s\", at_most: 4), timers: Paused)", "FirstCome", "(among: All, fanout: Log2)");
    check_network(
        "(messages: Retry(every: \"30s\", at_most: 4), timers: CaughtUp, state: AllLost)",
        "Fair",
        "(among: Online, fanout: Fixed(3))",
    );
}
