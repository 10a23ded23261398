//! The evaluations of a run so far, as a small curve of block characters.

use rankguard::run::LastEvaluation;

/// Characters of the drawn curve.
const WIDTH: usize = 12;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Mean nDCG of every evaluation that was heard of.
#[derive(Debug, Default)]
pub struct Curve {
    last: Option<i32>,
    values: Vec<f64>,
}

impl Curve {
    /// Notes an evaluation, and tells whether it is a new one.
    pub fn add(&mut self, evaluation: Option<LastEvaluation>) -> bool {
        let Some(LastEvaluation { evaluation, ndcg, .. }) = evaluation.filter(|new| Some(new.evaluation) != self.last) else {
            return false;
        };
        self.last = Some(evaluation);
        self.values.push(ndcg);
        true
    }

    /// The curve between its lowest and its highest value; empty before the second evaluation.
    pub fn draw(&self) -> String {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let block = |value: f64| BLOCKS[((value - low) / (high - low).max(1e-9) * 7.0).round().clamp(0.0, 7.0) as usize];
        match self.values.len() {
            0 | 1 => String::new(),
            n if n <= WIDTH => self.values.iter().map(|value| block(*value)).collect(),
            n => (0..WIDTH).map(|nth| block(self.values[nth * (n - 1) / (WIDTH - 1)])).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f64], expect: &str) {
        let mut curve = Curve::default();
        for (evaluation, ndcg) in (0..).zip(values) {
            let new = Some(LastEvaluation { evaluation, at_ns: 0, sessions: 0, ndcg: *ndcg, ndcg_worst5: 0.0 });
            assert!(curve.add(new) && !curve.add(new) && !curve.add(None), "each counts once");
        }
        assert_eq!(curve.draw(), expect);
    }

    #[test]
    fn a_curve_reaches_from_its_lowest_to_its_highest_value() {
        check(&[], "");
        check(&[0.5], "");
        check(&[0.1, 0.5], "▁█");
        check(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], "▁▂▃▄▅▆▇█");
        check(&[0.7, 0.0, 0.35], "█▁▅");
        check(&[0.3, 0.3, 0.3], "▁▁▁");
    }

    #[test]
    fn a_long_curve_is_thinned_with_both_ends() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        check(&values, "▁▂▂▃▄▄▅▅▆▇▇█");
    }
}
