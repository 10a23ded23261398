//! What the paper's theory says of the weights that nodes give: their mean and variance, and the effective in-degree.

use serde::Serialize;

/// Mean and variance of α over many judgements, gathered one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Weights {
    /// How many judgements there were.
    pub n: u64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Weights {
    /// Counts one judgement, by Welford's recurrence.
    pub fn add(&mut self, alpha: f64) {
        self.n += 1;
        let before = alpha - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (alpha - self.mean);
    }

    /// The mean â.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance v of all judgements, divided by n: they are the whole, not a sample of it.
    pub fn variance(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.squares / self.n as f64 }
    }

    /// The effective in-degree s* = (2â(1 − â) − 2v) / ((1 − â)² + â² + 2v); `None` without a judgement. It is 1 if every α is ½, and 0 if
    /// every α is 0 or 1.
    // PAPER: the effective in-degree of the theorem on convergence
    pub fn effective_in_degree(&self) -> Option<f64> {
        let (a, v) = (self.mean, self.variance());
        (self.n > 0).then(|| (2.0 * a * (1.0 - a) - 2.0 * v) / ((1.0 - a) * (1.0 - a) + a * a + 2.0 * v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(alphas: &[f64]) -> Weights {
        let mut weights = Weights::default();
        alphas.iter().for_each(|&alpha| weights.add(alpha));
        weights
    }

    #[test]
    fn half_weights_have_an_in_degree_of_one() {
        assert_eq!(of(&[0.5; 7]).effective_in_degree(), Some(1.0));
        assert_eq!(of(&[]).effective_in_degree(), None);
        assert_eq!(of(&[0.0; 3]).effective_in_degree(), Some(0.0));
        // â = ½, v = ¼: all or nothing mixes nothing.
        assert!(of(&[0.0, 1.0]).effective_in_degree().is_some_and(|s| s.abs() < 1e-15));
        // â = 0.25, v = 0: 0.375 / 0.625.
        assert_eq!(of(&[0.25; 4]).effective_in_degree(), Some(0.6));
    }

    proptest! {
        #[test]
        fn the_recurrence_agrees_with_two_passes(alphas in prop::collection::vec(0.0..=1.0f64, 1..50)) {
            let weights = of(&alphas);
            let mean = alphas.iter().sum::<f64>() / alphas.len() as f64;
            let variance = alphas.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / alphas.len() as f64;
            prop_assert!((weights.mean() - mean).abs() < 1e-12 && (weights.variance() - variance).abs() < 1e-12);
            let s = weights.effective_in_degree().expect("there are judgements");
            // 2v = 2 E[α²] − 2â², so that the numerator is 2 E[α(1 − α)] and the denominator E[(1 − α)² + α²] + v ≥ ½.
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&s), "{s}");
        }
    }
}
