//! What a model is made of: how much of it comes from malicious nodes, and how old it is.
//!
//! Every merge is a weighted mean, so the malicious share of a model's content and the mean time at which it was learned obey the same
//! recursion as its weights. Two numbers per message tell why a defence failed.

use crate::units::VirtualTime;

/// The content of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Origin {
    /// 0 to 1: the share that malicious nodes sent.
    pub exposure: f64,
    /// Mean moment at which it was learned, in nanoseconds.
    pub learned_ns: f64,
}

impl Origin {
    /// A model nobody has taught anything.
    pub const START: Self = Self { exposure: 0.0, learned_ns: 0.0 };

    /// Of a message without content.
    pub const NOTHING: Self = Self { exposure: 1.0, learned_ns: 0.0 };

    /// An own step makes the model as new as it can be; it takes nothing of its exposure away.
    pub fn learn(&mut self, now: VirtualTime) {
        self.learned_ns = now.0 as f64;
    }

    /// Whatever a malicious node sends counts as malicious.
    pub fn sent(self, is_malicious: bool) -> Self {
        Self { exposure: if is_malicious { 1.0 } else { self.exposure }, ..self }
    }

    /// (1 − Σw) own + Σ w other.
    pub fn merge(&mut self, others: impl Iterator<Item = (f64, Self)> + Clone) {
        let own = 1.0 - others.clone().map(|(weight, _)| weight).sum::<f64>();
        self.exposure = own * self.exposure + others.clone().map(|(weight, other)| weight * other.exposure).sum::<f64>();
        self.learned_ns = own * self.learned_ns + others.map(|(weight, other)| weight * other.learned_ns).sum::<f64>();
    }

    pub fn age_ns(&self, now: VirtualTime) -> i64 {
        (now.0 as f64 - self.learned_ns) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_three_by_hand() {
        // A malicious node sends at 10 to b, who takes a quarter; b learns at 20 and sends to c, who takes a half at 30.
        let evil = Origin { exposure: 0.0, learned_ns: 10.0 }.sent(true);
        let mut b = Origin::START;
        b.merge([(0.25, evil)].into_iter());
        assert_eq!(b, Origin { exposure: 0.25, learned_ns: 2.5 });
        b.learn(VirtualTime(20));
        assert_eq!(b, Origin { exposure: 0.25, learned_ns: 20.0 });
        let mut c = Origin { exposure: 0.0, learned_ns: 6.0 };
        c.merge([(0.5, b.sent(false))].into_iter());
        assert_eq!(c, Origin { exposure: 0.125, learned_ns: 13.0 });
        assert_eq!(c.age_ns(VirtualTime(30)), 17);
    }

    #[test]
    fn a_pool_leaves_the_rest_to_the_own_model() {
        let mut own = Origin { exposure: 0.2, learned_ns: 100.0 };
        own.merge([(0.25, Origin { exposure: 1.0, learned_ns: 0.0 }), (0.25, Origin { exposure: 0.0, learned_ns: 200.0 })].into_iter());
        assert_eq!(own, Origin { exposure: 0.35, learned_ns: 100.0 });
    }
}
