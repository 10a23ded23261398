//! Checks data, users, defence and recorded tables.

use super::Problems;
use crate::adversary::Attack;
use crate::corpus::{ClickTable, Dataset, Users, synthetic};
use crate::node::Defense;
use crate::node::defend::pooled::Center;
use crate::record::Models;
use crate::scenario::Scenario;
use crate::units::counted;

pub fn check(scenario: &Scenario, p: &mut Problems) {
    check_users(&scenario.users, p);
    check_grades(scenario, p);
    if let Defense::Gts { center: Center::Median, divisor: Some(divisor), .. } = scenario.defense {
        p.refuse_if(true, || {
            format!(
                "defense.divisor is {divisor:?}, but around center: Median the kept models are averaged, whatever it says; leave it out"
            )
        });
    }
    check_models(scenario, p);
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
}

/// Checks that users and attackers have a click table for the number of grades, if the scenario gives this number.
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

fn check_models(scenario: &Scenario, p: &mut Problems) {
    let Models::Every { nodes, .. } = &scenario.record.models else { return };
    for (i, node) in nodes.iter().enumerate().filter(|(_, node)| **node >= scenario.nodes) {
        let must_be = format!("below nodes, {}: nodes are numbered from 0", scenario.nodes);
        p.require(false, &format!("record.models.nodes[{i}]"), node, &must_be);
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
        refuse(DATASET, "Letor(path: \"\", normalize: AsIs)", "dataset.path is \"\"; it must be the folder");
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
        refuse("loss: 0.001", "history: Last(0)", "history is Last(0); it must be at least 1; a node that never judges");
        accept("loss: 0.001", "history: Last(1)");
        refuse("loss: 0.001", "weight_limit: 0", "weight_limit is 0; it must be above 0");
        refuse("loss: 0.001", "weight_limit: NaN", "weight_limit is NaN; it must be above 0");
        accept("loss: 0.001", "weight_limit: inf");
        refuse("loss: 0.001", "start: Models(path: \" \")", "start.path is \" \"; it must be the result folder");
        refuse("receipts: OneIn(10)", "receipts: OneIn(0)", "record.receipts is OneIn(0); it must be at least 1…Nothing");
        for table in ["evaluations", "receipts", "searches", "presence", "faults", "curve", "histograms", "outcomes"] {
            refuse("receipts: OneIn(10)", &format!("{table}: OneIn(0)"), &format!("record.{table} is OneIn(0); it must be at least 1"));
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
