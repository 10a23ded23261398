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
    /// The sums and counts of these weights.
    pub fn of(alphas: &Alphas) -> Self {
        let mut totals = Self::default();
        totals.add(alphas);
        totals
    }

    /// Adds later weights one by one, so that sums do not depend on how receipts were divided into windows.
    pub fn add(&mut self, alphas: &Alphas) {
        for ((sum, n), more) in [(&mut self.honest, &alphas.honest), (&mut self.malicious, &alphas.malicious)] {
            *sum = more.iter().fold(*sum, |sum, alpha| sum + alpha);
            *n += more.len() as u64;
        }
        self.n_implausible += alphas.n_implausible;
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
            totals.add(&alphas);
        }
        assert_eq!((totals.honest(), totals.malicious()), (Some((0.2 + 0.4) / 2.0), Some(0.1)));
        assert_eq!(Totals::default().honest(), None);
    }
}
