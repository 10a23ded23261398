//! The weights that nodes give, as the paper's theory sees them: their mean and variance, and the effective in-degree.

use serde::Serialize;

/// Mean and variance of α over many judgements, gathered one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(into = "Shown")]
pub struct Weights {
    /// How many judgements there were.
    pub n: u64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

/// Weights as they are written down.
#[derive(Serialize)]
struct Shown {
    n: u64,
    mean: f64,
    variance: f64,
    effective_in_degree: Option<f64>,
}

impl From<Weights> for Shown {
    fn from(weights: Weights) -> Self {
        let (mean, variance) = (weights.mean(), weights.variance());
        Shown { n: weights.n, mean, variance, effective_in_degree: weights.effective_in_degree() }
    }
}

impl Weights {
    /// Counts one judgement, by Welford's recurrence.
    pub fn add(&mut self, alpha: f64) {
        self.n += 1;
        let before = alpha - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (alpha - self.mean);
    }

    /// These judgements and others.
    #[must_use]
    pub fn and(self, other: Weights) -> Weights {
        if self.n == 0 || other.n == 0 {
            return if self.n == 0 { other } else { self };
        }
        let n = self.n + other.n;
        let (apart, share) = (other.mean - self.mean, other.n as f64 / n as f64);
        let squares = self.squares + other.squares + apart * apart * self.n as f64 * share;
        Weights { n, mean: self.mean + apart * share, squares }
    }

    /// The mean â.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance v of all judgements, divided by n: they are the whole, not a sample of it.
    pub fn variance(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.squares / self.n as f64 }
    }

    /// The mean of α², which is â² + v.
    pub fn mean_square(&self) -> f64 {
        self.mean * self.mean + self.variance()
    }

    /// What the squared weights of a merge sum to on average: E((1 − α)² + α²) = (1 − â)² + â² + 2v.
    pub fn squared_weights(&self) -> f64 {
        (1.0 - self.mean) * (1.0 - self.mean) + self.mean * self.mean + 2.0 * self.variance()
    }

    /// The effective in-degree s* = (2â(1 − â) − 2v) / ((1 − â)² + â² + 2v); `None` without a judgement. It is 1 if every α is ½, and 0 if
    /// every α is 0 or 1.
    // PAPER: the effective in-degree of the theorem on convergence
    pub fn effective_in_degree(&self) -> Option<f64> {
        let (a, v) = (self.mean, self.variance());
        (self.n > 0).then(|| (2.0 * a * (1.0 - a) - 2.0 * v) / self.squared_weights())
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
            // As v = E[α²] − â², the numerator is 2 E[α(1 − α)] ≤ ½, and the denominator E[(1 − α)² + α²] ≥ ½.
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&s), "{s}");
            let squared = alphas.iter().map(|a| (1.0 - a).powi(2) + a * a).sum::<f64>() / alphas.len() as f64;
            prop_assert!((weights.squared_weights() - squared).abs() < 1e-12 && (1.0 / (s + 1.0) - squared).abs() < 1e-12);
        }

        #[test]
        fn judgements_can_be_counted_in_parts(alphas in prop::collection::vec(0.0..=1.0f64, 0..50), at in 0..50usize) {
            let (first, second) = alphas.split_at(at.min(alphas.len()));
            let (parts, whole) = (of(first).and(of(second)), of(&alphas));
            prop_assert_eq!(parts.n, whole.n);
            prop_assert!((parts.mean() - whole.mean()).abs() < 1e-12 && (parts.variance() - whole.variance()).abs() < 1e-12);
        }
    }
}
