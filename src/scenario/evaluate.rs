//! Which models are evaluated, on which queries, and how often at the end.

use crate::fields::declare;
use crate::units::{Extent, count, counted};

declare! {
    /// What every evaluation covers. By default that is every honest node and every test query that counts.
    ///
    /// Samples are fixed: all evaluations of a run look at the same nodes and queries, so that its curves can be compared. The table `curve`
    /// says how many of how many they are. What is evaluated changes nothing else in a run.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    #[serde(default)]
    pub struct Evaluate {
        /// Whose models are evaluated. A sample is drawn from all honest nodes; its nodes are left out until they have joined.
        #[example(Sample(1000))]
        pub nodes: Sample,
        /// The test queries that models rank. A sample is drawn from those with a relevant document.
        #[example(Sample(500))]
        pub queries: Sample,
        /// The evaluations at the end of the run, if they are to be at another interval than `evaluate_every` says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[example((evaluations: 10, every: Sessions(100)))]
        pub last: Option<LastEvaluations>,
    }
}

declare! {
    /// How many nodes or queries are looked at.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Sample {
        /// All of them.
        #[default]
        All,
        /// So many of them, or all if there are fewer. They are drawn from the seed, and a larger sample contains the smaller ones.
        Sample(
            #[limits(at_least(1.0))]
            #[example(1000)]
            u32
        ),
    }
}

declare! {
    /// The last evaluations of a run. The last one is at its end.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct LastEvaluations {
        /// How many evaluations these are; fewer if the run is too short for them.
        #[limits(between(1.0, 1e6))]
        #[example(10)]
        pub evaluations: u32,
        /// How far they are apart. It is in searches or in virtual time, as `stop` and `evaluate_every` are.
        #[example(Sessions(100))]
        pub every: Extent,
    }
}

impl Evaluate {
    /// What a thinned evaluation covers, in words; `None` if it covers everything.
    pub(super) fn thinned(&self, n_honest: u32) -> Option<String> {
        let nodes = self.nodes.size().filter(|n| *n < n_honest).map(|n| format!("{} of {}", count(n.into()), nodes(n_honest)));
        let queries = self.queries.size().map(|n| format!("on at most {}", counted(n.into(), "test query")));
        let covered = [nodes.or(queries.as_ref().map(|_| self::nodes(n_honest))), queries];
        let covered: Vec<String> = covered.into_iter().flatten().collect();
        (!covered.is_empty()).then(|| format!("nDCG of {}", covered.join(" ")))
    }
}

impl Sample {
    /// The size of the sample; `None` if it is everything.
    pub fn size(self) -> Option<u32> {
        match self {
            Sample::All => None,
            Sample::Sample(n) => Some(n),
        }
    }

    /// How many of `n` are looked at.
    pub fn of(self, n: u32) -> u32 {
        self.size().map_or(n, |size| size.min(n))
    }
}

fn nodes(n_honest: u32) -> String {
    counted(n_honest.into(), "honest node")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_evaluation_says_what_it_covers() {
        let check = |nodes, queries, expect: Option<&str>| {
            assert_eq!(Evaluate { nodes, queries, last: None }.thinned(8_000).as_deref(), expect);
        };
        check(Sample::All, Sample::All, None);
        check(Sample::Sample(8_000), Sample::All, None);
        check(Sample::Sample(1_000), Sample::All, Some("nDCG of 1,000 of 8,000 honest nodes"));
        check(Sample::All, Sample::Sample(500), Some("nDCG of 8,000 honest nodes on at most 500 test queries"));
        check(Sample::Sample(1), Sample::Sample(1), Some("nDCG of 1 of 8,000 honest nodes on at most 1 test query"));
    }

    #[test]
    fn a_sample_is_never_larger_than_everything() {
        assert_eq!([Sample::All.of(7), Sample::Sample(3).of(7), Sample::Sample(9).of(7)], [7, 3, 7]);
    }
}
