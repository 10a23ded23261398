//! Statistics of the weights α, which show how well a defence tells honest from malicious senders.

use crate::learn::Alphas;
use serde::{Deserialize, Serialize};

/// The area under the ROC curve of α: the probability that an honest model gets more weight than a malicious one. Ties count half.
pub(crate) fn auc(alphas: &Alphas) -> Option<f64> {
    if alphas.honest.is_empty() || alphas.malicious.is_empty() {
        return None;
    }
    let mut malicious = alphas.malicious.clone();
    malicious.sort_by(f64::total_cmp);
    let beaten = |&alpha: &f64| {
        let below = malicious.partition_point(|&other| other < alpha);
        let equal = malicious.partition_point(|&other| other <= alpha) - below;
        below as f64 + 0.5 * equal as f64
    };
    let pairs = alphas.honest.len() as f64 * malicious.len() as f64;
    Some(alphas.honest.iter().map(beaten).sum::<f64>() / pairs)
}

/// Sums and counts of weights by kind of sender.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    honest: (f64, u64),
    malicious: (f64, u64),
    pub n_implausible: u64,
}

impl Totals {
    /// Sums and counts, for means over a whole run.
    pub fn of(alphas: &Alphas) -> Self {
        let total = |alphas: &[f64]| (alphas.iter().sum(), alphas.len() as u64);
        Self { honest: total(&alphas.honest), malicious: total(&alphas.malicious), n_implausible: alphas.n_implausible }
    }

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
        assert_eq!(auc(&alphas), expect);
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
            if is_malicious {
                alphas.malicious.push(alpha)
            } else {
                alphas.honest.push(alpha)
            }
            totals.add(Totals::of(&alphas));
        }
        assert_eq!((totals.honest(), totals.malicious()), (Some((0.2 + 0.4) / 2.0), Some(0.1)));
        assert_eq!(Totals::default().honest(), None);
    }
}
