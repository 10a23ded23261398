use super::*;
use crate::network::{Churn, End, Phase};
use crate::scenario::parse::tests::{GOOD, good};

/// The paper's setting without networks' troubles, with `extra` lines.
fn paper(extra: &str) -> Estimate {
    Estimate::of(&Scenario::parse(&paper_text(extra), "paper.ron").expect("it is a scenario"), None)
}

fn paper_text(extra: &str) -> String {
    let (head, _) = GOOD.split_once("    arrivals").expect("arrivals are in GOOD");
    format!("{head} arrivals: RoundRobin(period: \"100s\"), {extra})").replace("Time(\"1d\")", "Sessions(30000)")
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs(), "{got}, not {want}");
}

#[test]
fn the_papers_run_is_counted_exactly() {
    let estimate = paper("");
    near(estimate.seconds, 30_000.0);
    assert_eq!([estimate.searches, estimate.sent, estimate.delivered, estimate.changes], [30_000.0, 210_000.0, 210_000.0, 0.0]);
    assert_eq!(estimate.evaluations, 301.0);
    assert_eq!(estimate.rows.map(|(_, rows)| rows), [301.0 * 80.0, 210_000.0, 30_000.0, 100.0, 0.0, 301.0, 13.0, 9.0, 100.0, 0.0, 1.0]);
}

#[test]
fn memory_follows_the_sizes() {
    let memory = paper("").memory.expect("synthetic data has a size");
    near(memory.dataset, 110.0 * (120.0 * 545.0 + 4.0));
    // The own model and the one that was sent, each with what malicious nodes put into it, and a snapshot.
    near(memory.models, (2.0 * 200.0 + 100.0) * 136.0 * 4.0);
    let unrecorded = "record: (evaluations: Nothing, receipts: Nothing, curve: Nothing)";
    near(paper(unrecorded).memory.expect("as above").models, 300.0 * 136.0 * 4.0);
    near(memory.history, 30_000.0 * (9.0 * 544.0 + 15.0 * 12.0 + 60.0));
    near(paper("history: Last(30)").memory.expect("as above").history, memory.history / 10.0);
}

#[test]
fn histories_are_copied_as_long_as_they_are_small() {
    let of = |extra: &str| paper(extra).memory.map(|memory| (memory.copies_documents, memory.history)).expect("as above");
    let line = |name: &str, size: &str| format!("  {name:<20}{size:>14}\n");
    let (copied, referenced) = (30_000.0 * (9.0 * 544.0 + 240.0), 30_000.0 * 240.0);
    assert_eq!([of(""), of("history_rows: Copied")], [(true, copied); 2]);
    assert_eq!(of("history_rows: Referenced"), (false, referenced));
    assert!(paper("").to_string().contains(&line("histories, copied", "154 MB")), "{}", paper(""));
    // A million sessions would take 4.9 GB.
    let many = GOOD.replace("Time(\"1d\")", "Sessions(1000000)");
    let many = Estimate::of(&Scenario::parse(&many, "many.ron").expect("it is a scenario"), None);
    assert!(!many.copies_documents() && many.to_string().contains(&line("histories", "240 MB")), "{many}");
}

#[test]
fn data_that_was_not_read_leaves_memory_unknown() {
    let mut scenario = good();
    scenario.dataset = Dataset::Letor { path: "d".into(), normalize: crate::corpus::Normalize::AsIs, features: None, grades: None };
    assert_eq!(Estimate::of(&scenario, None).memory, None);
    assert!(Estimate::of(&scenario, None).to_string().ends_with("memory: unknown until the data is read\n"));
    let memory = Estimate::of(&scenario, Some(DataSize { features: 46, bytes: 1_000 })).memory.expect("it is known now");
    assert_eq!(memory.dataset, 1_000.0);
}

#[test]
fn absences_and_loss_take_their_share() {
    let scenario = good();
    let present = scenario.churn.availability().expect("it is parametric");
    let estimate = Estimate::of(&scenario, None);
    near(estimate.searches, 144.0 * 100.0 * present);
    near(estimate.sent, 7.0 * estimate.searches);
    near(estimate.delivered, estimate.sent * 0.999 * present);
    near(estimate.changes, scenario.churn.changes_per_second().expect("it is parametric") * 100.0 * 86_400.0);
    near(estimate.rows[1].1, estimate.delivered / 10.0);
}

#[test]
fn peers_that_are_online_get_every_message() {
    let online =
        Estimate::of(&Scenario::parse(&GOOD.replace("loss: 0.001", "peers: (among: Online, fanout: Fixed(5))"), "x").unwrap(), None);
    near(online.delivered, 5.0 * online.searches);
}

#[test]
fn recorded_models_are_counted() {
    assert_eq!(paper("record: (models: Last)").rows[9], ("models", 100.0));
    assert_eq!(paper("record: (models: Every(evaluations: 100, nodes: [1, 2]))").rows[9], ("models", 8.0));
}

#[test]
fn a_long_interval_evaluates_at_both_ends() {
    let text = GOOD.replace("Sessions(100)", "Time(\"30d\")");
    assert_eq!(Estimate::of(&Scenario::parse(&text, "x").unwrap(), None).evaluations, 2.0);
}

#[test]
fn the_last_evaluations_are_counted() {
    let count = |every: &str, last: &str| {
        let text = paper_text("").replace("evaluate_every: Sessions(100)", &format!("evaluate_every: {every}, evaluate: (last: {last})"));
        Estimate::of(&Scenario::parse(&text, "paper.ron").expect("it is a scenario"), None).evaluations
    };
    // 0, 1000, …, 29000, then nine more.
    assert_eq!(count("Sessions(1000)", "(evaluations: 10, every: Sessions(100))"), 40.0);
    // 29100 is a moment of both.
    assert_eq!(count("Sessions(9700)", "(evaluations: 10, every: Sessions(100))"), 13.0);
    assert_eq!(count("Sessions(100)", "(evaluations: 1, every: Sessions(7))"), 301.0);
    assert_eq!(count("Sessions(100)", "(evaluations: 1000000, every: Sessions(7))"), 4287.0);
}

#[test]
fn a_thinned_evaluation_needs_less() {
    let thinned = paper("evaluate: (nodes: Sample(20)),");
    assert_eq!(thinned.rows[0], ("evaluations", 301.0 * 20.0));
    near(thinned.memory.expect("as above").models, (2.0 * 200.0 + 20.0) * 136.0 * 4.0);
}

#[test]
fn an_estimate_reads_as_a_table() {
    let text = paper("").to_string();
    let widths: Vec<usize> = text.lines().filter(|line| line.starts_with("  ")).map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|&width| width == widths[0]), "{text}");
    assert!(text.contains("  searches             30.0 thousand\n"), "{text}");
}

/// The paper's attackers, doing this with time.
fn attackers(fields: &str) -> Estimate {
    paper(&format!("attackers: ({fields}),"))
}

#[test]
fn attackers_send_more_or_less() {
    // 6,000 of 30,000 searches are theirs.
    let often = attackers("rate: 2");
    near(often.between, 12_000.0);
    near(often.sent, 7.0 * 42_000.0);
    assert_eq!(often.searches, 30_000.0);
    assert!(often.to_string().contains("  extra broadcasts     12.0 thousand\n"));
    let quarter = "active: Windows(on: \"100s\", off: \"300s\", meanwhile: Silent)";
    near(attackers(quarter).sent, 7.0 * (24_000.0 + 1_500.0));
    near(attackers(&format!("rate: 2, {quarter}")).between, 3_000.0);
    near(attackers(&quarter.replace("Silent", "Honest")).sent, 210_000.0);
}

#[test]
fn a_burst_lengthens_a_run_of_searches() {
    // 80 nodes alone for 10,000 s, then all 100: 8,000 searches, and 22,000 more in 22,000 s.
    let estimate = attackers("join: Burst(at: \"9990s\", within: \"20s\")");
    near(estimate.seconds, 32_000.0);
    near(estimate.delivered, 210_000.0); // nobody sends to those who are yet to come
    assert_eq!(estimate.changes, 20.0);
}

#[test]
fn attackers_who_stay_do_not_churn() {
    let scenario = |attackers: &str| Scenario::parse(&GOOD.replace("loss: 0.001", attackers), "x").expect("it is a scenario");
    let (all, most) = (Estimate::of(&good(), None), Estimate::of(&scenario("attackers: (always_online: true)"), None));
    near(most.changes, 0.8 * all.changes);
    near(most.searches, 144.0 * (80.0 * good().churn.availability().expect("it is parametric") + 20.0));
}

#[test]
fn stale_attackers_keep_their_past() {
    let with = |attack: &str| {
        let text = GOOD.replace("attack: Flip", attack).replace("LogNormal(median: \"80ms\", sigma: 0.6)", "Zero");
        Estimate::of(&Scenario::parse(&text, "x").expect("it is a scenario"), None)
    };
    let models = |attack: &str| with(attack).memory.expect("synthetic data has a size").models / (136.0 * 4.0);
    let expected = with("attack: Flip");
    // Per node and day; two hours of it are kept, and one version more.
    let made = (expected.searches + expected.delivered) / 100.0;
    // Each with what malicious nodes put into it.
    near(models("attack: Stale(age: \"2h\")") - models("attack: Flip"), 2.0 * 20.0 * (1.0 + made / 12.0));
    let mix = "attack: Mix([(share: 0.5, attack: Flip), (share: 0.5, attack: Stale(age: \"30d\"))])";
    near(models(mix) - models("attack: Flip"), 2.0 * 10.0 * (1.0 + made));
}

#[test]
fn crowds_make_everybody_rarer() {
    let usual = Estimate::of(&good(), None);
    let with = |crowds: &str| {
        let text = GOOD.replace("loss: 0.001", &format!("loss: 0.001, crowds: {crowds}"));
        Estimate::of(&Scenario::parse(&text, "crowds.ron").expect("it is a scenario"), None)
    };
    let (join, leave) = (with("[Join(at: \"12h\", share: 0.5)]"), with("[Leave(at: \"6h\", share: 0.4, back_after: \"6h\")]"));
    near(join.searches, 0.75 * usual.searches);
    near(leave.searches, 0.9 * usual.searches);
    // A message finds those away who have left, but nobody is sent one before having come.
    near(join.delivered / join.sent, usual.delivered / usual.sent);
    near(leave.delivered / leave.sent, 0.9 * usual.delivered / usual.sent);
}

#[test]
fn what_only_a_file_knows_is_filled_in_later() {
    let scenario = Scenario { churn: Churn::Trace { path: "t.csv".into(), phase: Phase::Start, end: End::Loop }, ..good() };
    let means = Means { pause: 600.0, delay: 0.1, availability: 0.25, changes_per_second: 0.001 };
    near(
        Estimate::with(&scenario, None, means).searches,
        0.25 * Estimate::of(&Scenario { churn: Churn::AlwaysOnline, ..good() }, None).searches,
    );
    near(Estimate::with(&scenario, None, means).changes, 8_640.0);
}
