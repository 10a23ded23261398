//! Simulated users. They follow the simplified dynamic Bayesian network of the click-simulation literature.

use crate::fields::declare;
use crate::rng::{Pcg64, uniform};

declare! {
    /// How honest users click.
    ///
    /// Users read from the top. They click with a probability that depends on the grade, and after a click may stop reading. The named tables
    /// know 2, 3 or 5 grades; other data needs `Custom`.
    #[derive(Clone, PartialEq)]
    pub enum Users {
        /// They read everything and click by relevance: never on grade 0, always on the highest.
        Perfect,
        /// They look for one good result and mostly stop there.
        Navigational,
        /// They click a lot, on irrelevant results too.
        Informational,
        /// A table with one number per grade, from grade 0 on.
        Custom {
            /// P(click) for every grade.
            #[limits(between(0.0, 1.0))]
            #[example([0.05, 0.3, 0.5, 0.7, 0.95])]
            click: Vec<f64>,
            /// P(stop after a click) for every grade.
            #[limits(between(0.0, 1.0))]
            #[example([0.2, 0.3, 0.5, 0.7, 0.9])]
            stop: Vec<f64>,
        },
    }
}

/// Click and stop probabilities by relevance grade.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickTable {
    click: Vec<f64>,
    stop: Vec<f64>,
}

impl Users {
    /// Its name in scenarios and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Users::Perfect => "Perfect",
            Users::Navigational => "Navigational",
            Users::Informational => "Informational",
            Users::Custom { .. } => "Custom",
        }
    }

    /// The table for data with `n_grades` grades. The named users have one for 2, 3 or 5 grades, custom users for as many as they list.
    pub fn table(&self, n_grades: u8) -> Option<ClickTable> {
        match self {
            Users::Perfect => by_grades(n_grades, [0.0, 0.5, 1.0], [0.0; 3], [0.0, 0.2, 0.4, 0.8, 1.0], [0.0; 5]),
            Users::Navigational => {
                by_grades(n_grades, [0.05, 0.5, 0.95], [0.2, 0.5, 0.9], [0.05, 0.3, 0.5, 0.7, 0.95], [0.2, 0.3, 0.5, 0.7, 0.9])
            }
            Users::Informational => {
                by_grades(n_grades, [0.4, 0.7, 0.9], [0.1, 0.3, 0.5], [0.4, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5])
            }
            Users::Custom { click, stop } => {
                (click.len() == n_grades as usize).then(|| ClickTable { click: click.clone(), stop: stop.clone() })
            }
        }
    }
}

impl ClickTable {
    /// The table of a malicious user, who clicks most on the least relevant documents.
    // CHOICE(poison-clicks): with 5 grades the paper gives no table; this is one public fork's.
    pub fn poison(n_grades: u8) -> Option<Self> {
        by_grades(n_grades, [1.0, 0.5, 0.0], [0.0; 3], [1.0, 0.8, 0.6, 0.2, 0.0], [0.0; 5])
    }

    /// The clicks of a user who reads the shown documents from top to bottom. Each is clicked with the probability of its grade; after a
    /// click, and only then, the user may stop.
    ///
    /// Every position draws two numbers whether it needs them or not, so that a changed document moves no draw of another one.
    pub fn clicks(&self, shown_grades: impl Iterator<Item = u8>, rng: &mut Pcg64) -> impl Iterator<Item = bool> {
        let mut reading = true;
        shown_grades.map(move |grade| {
            let (u_click, u_stop) = (uniform(rng), uniform(rng));
            let clicked = reading && u_click < self.click[grade as usize];
            reading &= !(clicked && u_stop < self.stop[grade as usize]);
            clicked
        })
    }
}

/// The table for a number of grades. Two grades take the outer columns of the table for three.
// CHOICE(two-grades): the paper's data has three or five.
fn by_grades(n_grades: u8, click3: [f64; 3], stop3: [f64; 3], click5: [f64; 5], stop5: [f64; 5]) -> Option<ClickTable> {
    let (click, stop) = match n_grades {
        2 => (vec![click3[0], click3[2]], vec![stop3[0], stop3[2]]),
        3 => (click3.to_vec(), stop3.to_vec()),
        5 => (click5.to_vec(), stop5.to_vec()),
        _ => return None,
    };
    Some(ClickTable { click, stop })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    /// Share of clicks at each position over many readings of `grades`.
    fn shares(table: &ClickTable, grades: &[u8]) -> Vec<f64> {
        let n = 20_000;
        let mut counts = vec![0.0; grades.len()];
        for nth in 0..n {
            let mut rng = Seed(1).rng(Purpose::Clicks, 0, nth);
            let clicks = table.clicks(grades.iter().copied(), &mut rng);
            counts.iter_mut().zip(clicks).for_each(|(count, clicked)| *count += f64::from(u8::from(clicked)) / n as f64);
        }
        counts
    }

    #[track_caller]
    fn check(table: ClickTable, grades: &[u8], expect: &[f64]) {
        for (got, want) in shares(&table, grades).iter().zip(expect) {
            assert!((got - want).abs() < 5.0 * (0.25f64 / 20_000.0).sqrt(), "{got}, not {want}");
        }
    }

    #[test]
    fn perfect_users_click_by_grade_and_read_everything() {
        check(Users::Perfect.table(3).unwrap(), &[0, 1, 2, 1, 0], &[0.0, 0.5, 1.0, 0.5, 0.0]);
        check(Users::Perfect.table(5).unwrap(), &[0, 1, 2, 3, 4], &[0.0, 0.2, 0.4, 0.8, 1.0]);
    }

    #[test]
    fn navigational_users_stop_after_a_click_only() {
        // P(reading on after grade 2) = 1 − .95·.9; after an unclicked grade 0 they always read on: 1 − .05·.2.
        check(Users::Navigational.table(3).unwrap(), &[2, 0, 2], &[0.95, 0.145 * 0.05, 0.145 * 0.99 * 0.95]);
    }

    #[test]
    fn informational_users_click_a_lot() {
        check(Users::Informational.table(3).unwrap(), &[1, 2], &[0.7, 0.79 * 0.9]);
    }

    #[test]
    fn binary_data_uses_the_outer_columns() {
        check(Users::Navigational.table(2).unwrap(), &[1, 1], &[0.95, (1.0 - 0.95 * 0.9) * 0.95]);
    }

    #[test]
    fn poison_reverses_preference() {
        check(ClickTable::poison(3).unwrap(), &[0, 1, 2], &[1.0, 0.5, 0.0]);
        check(ClickTable::poison(5).unwrap(), &[0, 1, 2, 3, 4], &[1.0, 0.8, 0.6, 0.2, 0.0]);
    }

    #[test]
    fn other_grade_counts_need_a_custom_table() {
        assert!(Users::Perfect.table(4).is_none() && ClickTable::poison(7).is_none());
        let custom = Users::Custom { click: vec![0.0, 0.1, 0.2, 1.0], stop: vec![0.0; 4] };
        check(custom.table(4).unwrap(), &[3, 1], &[1.0, 0.1]);
        assert!(custom.table(5).is_none());
    }
}
