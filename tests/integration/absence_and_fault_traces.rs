//! Golden traces of every kind of absence, fault and link, in a network of three nodes. Rewrite them with UPDATE_GOLDEN=1.
//!
//! The nodes search in turns, 100 ns apart, and send to both others; a message takes 50 ns. Absences are scripted: crashes at given moments.
//! Each file begins with what its scenario says beyond that, and ends with what became of all messages.

use crate::support::{golden, plan, scenario};
use crate::timeline_state::whole;
use crate::timeline_traces::show;
use rankguard::timeline::Loss;

#[track_caller]
fn check(name: &str, changes: &[(&str, &str)]) {
    let mut all = vec![
        ("nodes", "3"),
        ("malicious_share", "0.0"),
        ("attack", "NoAttack"),
        ("stop", "Sessions(8)"),
        ("evaluate_every", "Sessions(100)"),
        ("arrivals", "RoundRobin(period: \"300ns\")"),
        ("latency", "Constant(\"50ns\")"),
    ];
    all.extend(changes);
    let (timeline, steps) = whole(plan(&scenario(&all)));
    let mut text: String = changes.iter().map(|(field, value)| format!("{field}: {value}\n")).collect();
    text.extend(steps.iter().map(show));
    let tally = timeline.tally();
    let lost =
        Loss::ALL.into_iter().filter(|&why| tally.lost_by(why) > 0).map(|why| format!(", {} lost: {}", tally.lost_by(why), why.words()));
    text += &format!("{} sent, {} duplicated, {} delivered", tally.sent, tally.duplicated, tally.delivered);
    text.extend(lost);
    text += &format!(", {} undelivered; {} searches skipped\n", tally.in_flight, tally.skipped);
    golden(&format!("semantics/{name}.txt"), &text);
}

/// n2 is away from 120 to 460.
const AWAY: &str = "[(at: \"120ns\", what: Crash(who: Nodes([2]), restart_after: \"340ns\"))]";
/// n2 is away from 120 to 600, and n0 from 210 to 480.
const BOTH_AWAY: &str = "[(at: \"120ns\", what: Crash(who: Nodes([2]), restart_after: \"480ns\")), \
                         (at: \"210ns\", what: Crash(who: Nodes([0]), restart_after: \"270ns\"))]";

#[track_caller]
fn check_absence(name: &str, faults: &str, absence: &str) {
    check(name, &[("faults", faults), ("absence", absence)]);
}

#[track_caller]
fn check_faults(name: &str, faults: &str) {
    check(name, &[("faults", faults)]);
}

#[test]
fn messages_to_an_absent_node_are_lost() {
    check_absence("messages-lost", AWAY, "(messages: Lost)");
}

#[test]
fn messages_to_an_absent_node_are_sent_again() {
    check_absence("messages-retry", AWAY, "(messages: Retry(every: \"120ns\", at_most: 2))");
}

#[test]
fn messages_to_an_absent_node_wait_in_its_mailbox() {
    check_absence("messages-mailbox", AWAY, "(messages: Mailbox(at_most: 10, age: \"1us\"))");
    check_absence("mailbox-full", AWAY, "(messages: Mailbox(at_most: 2, age: \"1us\"))");
    check_absence("mailbox-expired", AWAY, "(messages: Mailbox(at_most: 10, age: \"250ns\"))");
}

#[test]
fn messages_of_a_node_that_left_arrive_or_are_cut() {
    // n1 searches at 200 and leaves at 220: its messages would arrive at 250.
    let left = "[(at: \"220ns\", what: Crash(who: Nodes([1]), restart_after: \"100ns\"))]";
    check_absence("in-flight-delivered", left, "(in_flight: Delivered)");
    check_absence("in-flight-cut", left, "(in_flight: Cut)");
}

#[test]
fn searches_in_an_absence_are_skipped_or_paused_or_caught_up() {
    // n2 would search at 300, 600 and 900.
    let long = "[(at: \"120ns\", what: Crash(who: Nodes([2]), restart_after: \"530ns\"))]";
    check_absence("timers-skipped", long, "(timers: Skipped)");
    check_absence("timers-paused", long, "(timers: Paused)");
    check_absence("timers-caught-up", long, "(timers: CaughtUp)");
}

#[test]
fn retries_in_an_absence_of_their_sender_are_skipped_or_paused_or_caught_up() {
    let retry = |timers| format!("(messages: Retry(every: \"100ns\", at_most: 4), timers: {timers})");
    check_absence("retries-skipped", BOTH_AWAY, &retry("Skipped"));
    check_absence("retries-paused", BOTH_AWAY, &retry("Paused"));
    check_absence("retries-caught-up", BOTH_AWAY, &retry("CaughtUp"));
}

#[test]
fn a_node_returns_with_or_without_its_model_and_history() {
    check_absence("state-kept", AWAY, "(state: Kept)");
    check_absence("state-model-lost", AWAY, "(state: ModelLost)");
    check_absence("state-all-lost", AWAY, "(state: AllLost)");
}

#[test]
fn a_node_returns_as_itself_or_as_somebody_else() {
    // Back at 440: what n0 sends at 400, to who n2 was, arrives at 450.
    let away = "[(at: \"120ns\", what: Crash(who: Nodes([2]), restart_after: \"320ns\"))]";
    check_absence("identity-same", away, "(messages: Mailbox(at_most: 10, age: \"1us\"), identity: Same)");
    check_absence("identity-new", away, "(messages: Mailbox(at_most: 10, age: \"1us\"), identity: New)");
}

#[test]
fn a_partition_separates_until_it_heals() {
    check_faults("partition", "[(at: \"220ns\", what: Partition(Nodes([[0], [1, 2]]))), (at: \"530ns\", what: Heal)]");
    check_faults("partition-shares", "[(at: \"220ns\", what: Partition(Shares([0.34])))]");
}

#[test]
fn one_way_lets_the_other_way_through() {
    check_faults("one-way", "[(at: \"220ns\", what: OneWay(from: Nodes([0]), to: Nodes([1, 2]))), (at: \"530ns\", what: Heal)]");
}

#[test]
fn what_is_held_arrives_on_release_in_order() {
    check_faults("hold", "[(at: \"220ns\", what: Hold(Nodes([1]))), (at: \"630ns\", what: Release)]");
}

#[test]
fn crashed_nodes_restart() {
    check_faults("crash", "[(at: \"220ns\", what: Crash(who: Nodes([1]))), (at: \"530ns\", what: Restart(Nodes([1])))]");
    check_faults("crash-random", "[(at: \"220ns\", what: Crash(who: Random(0.67), restart_after: \"200ns\"))]");
}

#[test]
fn a_region_goes_dark() {
    let regions = ("regions", "Weights([(London, 1.0), (Tokyo, 1.0)])");
    check("dark", &[regions, ("faults", "[(at: \"220ns\", what: Dark(region: London, lasts: \"300ns\"))]")]);
}

#[test]
fn delays_are_multiplied_for_a_while() {
    check_faults("slow", "[(at: \"150ns\", what: Slow(times: 6.0, lasts: \"200ns\"))]");
}

#[test]
fn losses_are_multiplied_for_a_while() {
    // 0.1 becomes certain.
    check("lossy", &[("loss", "0.1"), ("faults", "[(at: \"150ns\", what: Lossy(times: 10.0, lasts: \"300ns\"))]")]);
}

#[test]
fn transfers_wait_for_each_other_or_share_the_speed() {
    // A message weighs 64 + 4 · 46 = 248 bytes: 40 ns up, 20 ns down.
    let limited = |sharing| format!("Limited(upload: \"49.6Gbit/s\", download: \"99.2Gbit/s\", sharing: {sharing})");
    check("bandwidth-first-come", &[("bandwidth", &limited("FirstCome"))]);
    check("bandwidth-fair", &[("bandwidth", &limited("Fair"))]);
    let unequal = "Limited(upload: \"49.6Gbit/s\", download: \"99.2Gbit/s\", spread: 0.7)";
    check("bandwidth-unequal", &[("bandwidth", unequal)]);
    // n1 leaves in the middle of its upload, which begins at 200.
    let cut = [("absence", "(in_flight: Cut)"), ("faults", "[(at: \"230ns\", what: Crash(who: Nodes([1]), restart_after: \"100ns\"))]")];
    check("bandwidth-fair-cut", &[&[("bandwidth", limited("Fair").as_str())], &cut[..]].concat());
}

#[test]
fn losses_come_in_bursts() {
    check("bursts", &[("bursts", "GilbertElliott(good: \"300ns\", bad: \"300ns\", loss_in_bad: 1.0)")]);
}

#[test]
fn messages_overtake_or_stay_in_line() {
    // What n0 sends at 400 takes 400 ns, what it sends at 700 takes 50.
    let slow = ("faults", "[(at: \"350ns\", what: Slow(times: 8.0, lasts: \"100ns\"))]");
    check("order-as-they-come", &[("order", "AsTheyCome"), slow]);
    check("order-fifo", &[("order", "FifoPerLink"), slow]);
}

#[test]
fn messages_arrive_twice() {
    check("duplicates", &[("duplicates", "0.5"), ("latency", "Uniform(min: \"20ns\", max: \"220ns\")")]);
}

#[test]
fn a_message_made_at_its_delivery_is_made_once() {
    let attacker = [("malicious_share", "0.3"), ("attack", "Shrink(c: 0.5, knowledge: AtDelivery)")];
    check("duplicates-crafted", &[&attacker[..], &[("duplicates", "1.0"), ("stop", "Sessions(4)")]].concat());
}
