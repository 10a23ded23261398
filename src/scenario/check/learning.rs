//! Data, users, ranker, defence, history, and what is recorded.

use super::Problems;
use crate::adversary::Attack;
use crate::corpus::{ClickTable, Dataset, Users, synthetic};
use crate::node::defend::pooled::Center;
use crate::node::{Defense, Keep, Ranker};
use crate::record::{Models, Sampling};
use crate::scenario::{Scenario, Start};
use crate::units::counted;

const MAX_QUERIES: u32 = 1_000_000;
const MAX_HIDDEN: u32 = 65_536;
/// Of a defence's constants: beyond it a rule takes everything or nothing.
const MAX_CONSTANT: f64 = 1e6;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    check_dataset(&scenario.dataset, p);
    check_users(&scenario.users, p);
    check_grades(scenario, p);
    check_ranker(scenario.ranker, p);
    check_defense(scenario.defense, p);
    p.require(
        scenario.history != Keep::Last(0),
        "history",
        "Last(0)",
        "at least Last(1); a node that never judges has defense: Undefended or Local",
    );
    let limit = scenario.weight_limit();
    p.require(limit > 0.0, "weight_limit", limit, "above 0; inf takes models of any size");
    if let Start::Models { path, .. } = &scenario.start {
        p.require(!path.trim().is_empty(), "start.path", "empty", "the result folder of an earlier run");
    }
    check_record(scenario, p);
}

fn check_dataset(dataset: &Dataset, p: &mut Problems) {
    match dataset {
        Dataset::Letor { path, features, grades, .. } => {
            p.require(!path.trim().is_empty(), "dataset.path", "empty", "the folder that holds train.txt and test.txt");
            p.require(*features != Some(0), "dataset.features", 0, "at least 1, or left out to take the highest number seen");
            let grades = grades.unwrap_or(2);
            p.require((2..=24).contains(&grades), "dataset.grades", grades, "between 2 and 24, or left out");
        }
        Dataset::Synthetic { train_queries, test_queries, .. } => {
            for (field, queries) in [("dataset.train_queries", *train_queries), ("dataset.test_queries", *test_queries)] {
                p.require((1..=MAX_QUERIES).contains(&queries), field, queries, &format!("between 1 and {MAX_QUERIES}"));
            }
        }
    }
}

fn check_users(users: &Users, p: &mut Problems) {
    let Users::Custom { click, stop } = users else { return };
    p.require(click.len() >= 2, "users.click", format!("a list of {}", click.len()), "at least 2 numbers, one per grade");
    p.require(
        stop.len() == click.len(),
        "users.stop",
        format!("a list of {}", stop.len()),
        &format!("{} numbers, as many as users.click", click.len()),
    );
    for (field, numbers) in [("users.click", click), ("users.stop", stop)] {
        numbers.iter().enumerate().for_each(|(grade, &number)| p.probability(&format!("{field}[{grade}]"), number));
    }
}

/// Users and attackers need a click table for the number of grades, where the scenario tells it.
fn check_grades(scenario: &Scenario, p: &mut Problems) {
    let Some(grades) = n_grades(&scenario.dataset) else { return };
    p.refuse_if(scenario.users.table(grades).is_none(), || match &scenario.users {
        Users::Custom { click, .. } => {
            format!("users.click has {}; it must have {grades}, one per grade of the dataset", counted(click.len() as u64, "number"))
        }
        named => {
            format!("users is {named:?}, who know 2, 3 or 5 grades, but the dataset has {grades}; choose users: Custom(click: …, stop: …)")
        }
    });
    let flips = scenario.attack.parts().contains(&&Attack::Flip);
    p.refuse_if(flips && ClickTable::poison(grades).is_none(), || {
        format!("attack is Flip, which knows 2, 3 or 5 grades, but the dataset has {grades}; set attack: NoAttack or choose other data")
    });
}

fn n_grades(dataset: &Dataset) -> Option<u8> {
    match dataset {
        Dataset::Letor { grades, .. } => grades.filter(|grades| (2..=24).contains(grades)).map(|grades| grades as u8),
        Dataset::Synthetic { like, .. } => Some(synthetic::outline(*like).n_grades),
    }
}

fn check_ranker(ranker: Ranker, p: &mut Problems) {
    let (eta, decay) = match ranker {
        Ranker::Linear { eta, decay } => (eta, decay),
        Ranker::Neural { eta, decay, hidden } => {
            p.require((1..=MAX_HIDDEN).contains(&hidden), "ranker.hidden", hidden, "between 1 and 65536");
            (eta, decay)
        }
    };
    // On features between 1e-10 and 1e10 learning happens well within.
    let must_be = "between 1e-12 and 1e6; smaller steps vanish in rounding, larger ones overflow, and nothing would be learned";
    p.require((1e-12..=1e6).contains(&eta), "ranker.eta", eta, must_be);
    let must_be = "between 0.01 and 1; a smaller one ends learning with the first session";
    p.require((0.01..=1.0).contains(&decay), "ranker.decay", decay, must_be);
}

fn check_defense(defense: Defense, p: &mut Problems) {
    let (kappa, share, when_undecided) = match defense {
        Defense::RankGuard { kappa, when_undecided, .. } => (kappa, 1.0, when_undecided),
        Defense::RankGuardRand { kappa, share, when_undecided, .. } => (kappa, share, when_undecided),
        Defense::ZenoPs { zeta, gamma, e } => {
            let either_way = -MAX_CONSTANT..=MAX_CONSTANT;
            p.require(either_way.contains(&zeta), "defense.zeta", zeta, "between -1e6 and 1e6");
            p.require((-1.0..=MAX_CONSTANT).contains(&gamma), "defense.gamma", gamma, "between -1 and 1e6");
            p.require(either_way.contains(&e), "defense.e", e, "between -1e6 and 1e6");
            return;
        }
        Defense::Gts { center: Center::Median, divisor: Some(divisor), .. } => {
            p.refuse_if(true, || {
                format!(
                    "defense.divisor is {divisor:?}, but around center: Median the kept models are averaged, whatever it says; leave it out"
                )
            });
            return;
        }
        Defense::FlTrust
        | Defense::Cs { .. }
        | Defense::Gts { .. }
        | Defense::Cwtm { .. }
        | Defense::Krum { .. }
        | Defense::Median
        | Defense::GeometricMedian
        | Defense::Ubar { .. }
        | Defense::Oracle
        | Defense::Undefended
        | Defense::Local => return,
    };
    p.require((0.0..=MAX_CONSTANT).contains(&kappa), "defense.kappa", kappa, "between 0 and 1e6, where α is a step already");
    p.require(share > 0.0 && share <= 1.0, "defense.share", share, "above 0 and at most 1");
    p.probability("defense.when_undecided", when_undecided);
}

fn check_record(scenario: &Scenario, p: &mut Problems) {
    let record = &scenario.record;
    let tables = [
        ("evaluations", record.evaluations),
        ("receipts", record.receipts),
        ("searches", record.searches),
        ("presence", record.presence),
        ("faults", record.faults),
        ("curve", record.curve),
        ("histograms", record.histograms),
        ("outcomes", record.outcomes),
    ];
    for (table, sampling) in tables {
        p.require(
            sampling != Sampling::OneIn(0),
            &format!("record.{table}"),
            "OneIn(0)",
            "at least OneIn(1); to keep no rows write Nothing",
        );
    }
    if let Models::Every { evaluations, nodes } = &record.models {
        p.require(*evaluations > 0, "record.models.evaluations", evaluations, "at least 1");
        for (i, node) in nodes.iter().enumerate().filter(|(_, node)| **node >= scenario.nodes) {
            p.require(
                false,
                &format!("record.models.nodes[{i}]"),
                node,
                &format!("below nodes, {}: nodes are numbered from 0", scenario.nodes),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, refuse};

    const DATASET: &str = "Synthetic(like: Web30k, train_queries: 100, test_queries: 10)";

    #[test]
    fn data_sets_have_content() {
        refuse("train_queries: 100", "train_queries: 0", "dataset.train_queries is 0; it must be between 1 and 1000000");
        refuse("test_queries: 10", "test_queries: 1000001", "dataset.test_queries is 1000001");
        refuse(DATASET, "Letor(path: \"\", normalize: AsIs)", "dataset.path is empty; it must be the folder");
        refuse(DATASET, "Letor(path: \"d\", normalize: AsIs, features: 0)", "dataset.features is 0; it must be at least 1");
        refuse(DATASET, "Letor(path: \"d\", normalize: AsIs, grades: 1)", "dataset.grades is 1; it must be between 2 and 24");
        refuse(DATASET, "Letor(path: \"d\", normalize: AsIs, grades: 33)", "dataset.grades is 33");
    }

    #[test]
    fn click_tables_fit_the_grades() {
        refuse("users: Perfect", "users: Custom(click: [0.1], stop: [0.1])", "users.click is a list of 1; it must be at least 2 numbers");
        refuse("users: Perfect", "users: Custom(click: [0, 0, 0, 0, 1], stop: [0.1])", "users.stop is a list of 1; it must be 5 numbers");
        refuse(
            "users: Perfect",
            "users: Custom(click: [0, 0, 0, 0, 2], stop: [0, 0, NaN, 0, 0])",
            "users.click[4] is 2;…users.stop[2] is NaN;",
        );
        refuse("users: Perfect", "users: Custom(click: [0, 1, 1], stop: [0, 0, 0])", "users.click has 3 numbers; it must have 5");
        refuse(
            DATASET,
            "Letor(path: \"d\", normalize: AsIs, grades: 4)",
            "users is Perfect, who know 2, 3 or 5 grades…has 4…attack is Flip",
        );
        accept("users: Perfect", "users: Custom(click: [0, 0.1, 0.2, 0.3, 1], stop: [0, 0, 0, 0, 0])");
        accept("like: Web30k", "like: Mq2007");
    }

    #[test]
    fn rankers_and_defences_have_sane_numbers() {
        for eta in ["0.0", "-1.0", "inf", "NaN", "1e308", "1e-320"] {
            refuse("eta: 0.1", &format!("eta: {eta}"), "ranker.eta is…it must be between 1e-12 and 1e6;…nothing would be learned");
        }
        refuse("eta: 0.1", "eta: 0.1, decay: 0.0", "ranker.decay is 0; it must be between 0.01 and 1");
        refuse("eta: 0.1", "eta: 0.1, decay: 1.1", "ranker.decay is 1.1");
        refuse("kappa: 4.0", "kappa: -1.0", "defense.kappa is -1; it must be between 0 and 1e6");
        refuse("kappa: 4.0", "kappa: inf", "defense.kappa is inf");
        refuse("kappa: 4.0", "kappa: 4.0, when_undecided: 1.5", "defense.when_undecided is 1.5; it must be between 0 and 1");
        refuse("RankGuard(kappa: 4.0)", "RankGuardRand(kappa: 4.0, share: 0.0)", "defense.share is 0; it must be above 0 and at most 1");
        refuse("RankGuard(kappa: 4.0)", "RankGuardRand(kappa: 4.0, share: 1.1)", "defense.share is 1.1");
        accept("kappa: 4.0", "kappa: 0.0");
    }

    #[test]
    fn history_start_and_records_are_possible() {
        refuse("loss: 0.001", "history: Last(0)", "history is Last(0); it must be at least Last(1)");
        accept("loss: 0.001", "history: Last(1)");
        refuse("loss: 0.001", "weight_limit: 0", "weight_limit is 0; it must be above 0");
        refuse("loss: 0.001", "weight_limit: NaN", "weight_limit is NaN; it must be above 0");
        accept("loss: 0.001", "weight_limit: inf");
        refuse("loss: 0.001", "start: Models(path: \" \")", "start.path is empty");
        refuse("receipts: OneIn(10)", "receipts: OneIn(0)", "record.receipts is OneIn(0); it must be at least OneIn(1)…Nothing");
        for table in ["evaluations", "receipts", "searches", "presence", "faults", "curve", "histograms", "outcomes"] {
            refuse(
                "receipts: OneIn(10)",
                &format!("{table}: OneIn(0)"),
                &format!("record.{table} is OneIn(0); it must be at least OneIn(1)"),
            );
        }
        refuse("receipts: OneIn(10)", "models: Every(evaluations: 0)", "record.models.evaluations is 0; it must be at least 1");
        refuse(
            "receipts: OneIn(10)",
            "models: Every(evaluations: 1, nodes: [0, 100])",
            "record.models.nodes[1] is 100; it must be below nodes, 100",
        );
        accept("receipts: OneIn(10)", "models: Every(evaluations: 1, nodes: [0, 99])");
    }
}
