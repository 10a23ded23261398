//! Statistics of the weights α, which show how well a defence tells honest from malicious senders.

use serde::{Deserialize, Serialize};

/// The weights that honest nodes gave since the last evaluation, by kind of sender.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Alphas {
    honest: Vec<f64>,
    malicious: Vec<f64>,
    pub n_implausible: u64,
}

impl Alphas {
    /// Adds one weight.
    pub fn push(&mut self, sender_is_malicious: bool, alpha: f64) {
        if sender_is_malicious { self.malicious.push(alpha) } else { self.honest.push(alpha) }
    }

    /// Adds all weights of `other`.
    pub fn append(&mut self, mut other: Self) {
        self.honest.append(&mut other.honest);
        self.malicious.append(&mut other.malicious);
        self.n_implausible += other.n_implausible;
    }

    /// Sums and counts, for means over a whole run.
    pub fn totals(&self) -> Totals {
        let total = |alphas: &[f64]| (alphas.iter().sum(), alphas.len() as u64);
        Totals { honest: total(&self.honest), malicious: total(&self.malicious), n_implausible: self.n_implausible }
    }

    /// The area under the ROC curve of α: the probability that an honest model gets more weight than a malicious one. Ties count half.
    pub fn auc(&self) -> Option<f64> {
        if self.honest.is_empty() || self.malicious.is_empty() {
            return None;
        }
        let mut malicious = self.malicious.clone();
        malicious.sort_by(f64::total_cmp);
        let beaten = |&alpha: &f64| {
            let below = malicious.partition_point(|&other| other < alpha);
            let equal = malicious.partition_point(|&other| other <= alpha) - below;
            below as f64 + 0.5 * equal as f64
        };
        let pairs = self.honest.len() as f64 * malicious.len() as f64;
        Some(self.honest.iter().map(beaten).sum::<f64>() / pairs)
    }
}

/// Sums and counts of weights by kind of sender.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    honest: (f64, u64),
    malicious: (f64, u64),
    pub n_implausible: u64,
}

impl Totals {
    /// Adds the sums of `other`.
    pub fn add(&mut self, other: Self) {
        for (sum, more) in [(&mut self.honest, other.honest), (&mut self.malicious, other.malicious)] {
            sum.0 += more.0;
            sum.1 += more.1;
        }
        self.n_implausible += other.n_implausible;
    }

    /// The mean weight of honest senders.
    pub fn honest(&self) -> Option<f64> {
        mean(self.honest)
    }

    /// The mean weight of malicious senders.
    pub fn malicious(&self) -> Option<f64> {
        mean(self.malicious)
    }
}

fn mean((sum, n): (f64, u64)) -> Option<f64> {
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(honest: &[f64], malicious: &[f64], expect: Option<f64>) {
        let alphas = Alphas { honest: honest.to_vec(), malicious: malicious.to_vec(), n_implausible: 0 };
        assert_eq!(alphas.auc(), expect);
    }

    #[test]
    fn auc_by_hand() {
        check(&[0.9, 0.8], &[0.1, 0.2], Some(1.0));
        check(&[0.1], &[0.9], Some(0.0));
        check(&[0.5, 0.5], &[0.5], Some(0.5));
        check(&[0.9, 0.1], &[0.5, 0.1], Some((2.0 + 0.5) / 4.0));
        check(&[0.9], &[], None);
    }

    #[test]
    fn means_are_over_all_that_came() {
        let mut totals = Totals::default();
        for (is_malicious, alpha) in [(false, 0.2), (false, 0.4), (true, 0.1)] {
            let mut alphas = Alphas::default();
            alphas.push(is_malicious, alpha);
            totals.add(alphas.totals());
        }
        assert_eq!((totals.honest(), totals.malicious()), (Some((0.2 + 0.4) / 2.0), Some(0.1)));
        assert_eq!(Totals::default().honest(), None);
    }
}
