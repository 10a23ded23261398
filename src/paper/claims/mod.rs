//! The paper's claims as checks. Each has a statement, the rule by which it is checked, the evidence, and a verdict.
//!
//! A check answers yes, no, or leaves it open: intervals over paired seeds (or folds) decide, never a mean alone. Where a claim is about many
//! settings, each setting has an answer of its own, and the rule says how many must agree. Checks of the table of robustness are also made
//! on the paper's own figures: a rule that these would not pass says nothing about ours.

mod answer;
mod history;
mod neural;
mod robustness;
mod runtime;
mod share;
mod theory;
mod weights;

pub(super) use answer::signed;
pub use answer::{Answer, Finding, Verdict};
pub(super) use robustness::RULES;

use super::found::OnData;
use crate::report::Published;

/// A claim of the paper.
#[derive(Debug)]
pub struct Claim {
    /// Names it in links.
    pub id: &'static str,
    /// What the paper says.
    pub says: &'static str,
    /// How that is checked.
    pub rule: &'static str,
    /// The experiment that it rests on.
    pub experiment: &'static str,
    /// Whether it follows from definitions, so that runs can only confirm the arithmetic.
    pub is_arithmetic: bool,
    check: fn(&OnData) -> Vec<Finding>,
    /// The same rule on the paper's own table.
    own: Option<fn(&Published) -> Finding>,
}

/// All claims, in the paper's order.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "flip-below-random",
        says: "Without a defence, FLIP turns models round: nDCG@10 falls from 0.42 to 0.09 (motivation figure, WEB30K).",
        rule: "None under FLIP, with perfect users, ends below a random ranking.",
        experiment: "motivation",
        is_arithmetic: false,
        check: robustness::below_random,
        own: None,
    },
    Claim {
        id: "none-collapses",
        says: "Without a defence accuracy collapses under every attack.",
        rule: "None ends below 0.9 times Local in at least three quarters of the settings (users × attacks).",
        experiment: "robustness",
        is_arithmetic: false,
        check: robustness::none_collapses,
        own: Some(robustness::published_none),
    },
    Claim {
        id: "statistics-collapse",
        says: "Rules that compare models statistically (CS, GTS, CWTM) collapse under LIE and IPM.",
        rule: "They end below 0.9 times Local in at least three quarters of the settings (rules × users × LIE, IPM).",
        experiment: "robustness",
        is_arithmetic: false,
        check: robustness::statistics_collapse,
        own: Some(robustness::published_statistics),
    },
    Claim {
        id: "rankguard-first",
        says: "RankGuard is the best of the seven rules in the majority of settings.",
        rule: "It is better than every other rule in more than half of the settings (users × attacks).",
        experiment: "robustness",
        is_arithmetic: false,
        check: robustness::rankguard_first,
        own: Some(robustness::published_first),
    },
    Claim {
        id: "local-competes",
        says: "Learning alone (Local) is competitive.",
        rule: "Local is better than at least half of the seven rules in more than half of the settings.",
        experiment: "robustness",
        is_arithmetic: false,
        check: robustness::local_competes,
        own: Some(robustness::published_local),
    },
    Claim {
        id: "alpha-separates",
        says: "RankGuard gives honest models more weight than malicious ones under FLIP and IPM, and less clearly so under LIE.",
        rule: "α of honest less α of malicious senders, over the end of the run, is above 0 under FLIP and IPM, as it is over the whole run, and smaller under LIE than under both.",
        experiment: "alpha",
        is_arithmetic: false,
        check: weights::separates,
        own: None,
    },
    Claim {
        id: "adapt-defeats-rankguard",
        says: "ADAPT defeats RankGuard and does not defeat RankGuard-Rand (20 % of the history).",
        rule: "Under ADAPT RankGuard ends below Local, and RankGuard-Rand above it.",
        experiment: "adapt",
        is_arithmetic: false,
        check: weights::adapt_defeats,
        own: None,
    },
    Claim {
        id: "rand-overtakes",
        says: "Under ADAPT, RankGuard-Rand's weight for honest models overtakes that for malicious ones.",
        rule: "α of honest less α of malicious senders is below 0 over the first tenth of the run and above 0 over its end.",
        experiment: "adapt",
        is_arithmetic: false,
        check: weights::rand_overtakes,
        own: None,
    },
    Claim {
        id: "share-does-not-matter",
        says: "With perfect users RankGuard's accuracy is the same for any share of malicious nodes up to a half.",
        rule: "The difference from no attack is within ±0.01 for every attack and share.",
        experiment: "share",
        is_arithmetic: false,
        check: share::does_not_matter,
        own: None,
    },
    Claim {
        id: "neural-slower",
        says: "A neural ranker converges 1.5 to 3 times slower than a linear one.",
        rule: "The sessions until 90 % of its rise, divided by those of the linear ranker, are between 1.5 and 3, averaged over attacks (RankGuard).",
        experiment: "neural",
        is_arithmetic: false,
        check: neural::slower,
        own: None,
    },
    Claim {
        id: "neural-higher",
        says: "A neural ranker ends slightly higher than a linear one.",
        rule: "Its nDCG at the end is higher, averaged over attacks (RankGuard).",
        experiment: "neural",
        is_arithmetic: false,
        check: neural::higher,
        own: None,
    },
    Claim {
        id: "faster-than-replay",
        says: "Judging a model by 1,000 sessions, RankGuard is 62 times as fast as FLTrust with a linear ranker, and 11 times with a neural one.",
        rule: "The ratios here are within a factor of 2 of these.",
        experiment: "runtime",
        is_arithmetic: false,
        check: runtime::faster,
        own: None,
    },
    Claim {
        id: "sessions-needed",
        says: "A minimally poisoned model gets no weight after about 40 sessions (ε = 1), or 10 (ε = 10).",
        rule: "The mean α falls below 0.05 for good at a number of sessions within a factor of 2 of these.",
        experiment: "sessions-needed",
        is_arithmetic: false,
        check: history::needed,
        own: None,
    },
    Claim {
        id: "in-degree-one",
        says: "If every α is ½, the effective in-degree s* is 1.",
        rule: "s* of all judgements under None, where α is ½ by definition, is 1.",
        experiment: "theory",
        is_arithmetic: true,
        check: theory::in_degree,
        own: None,
    },
];

impl Claim {
    /// What the runs on some data say: a finding for each reading of the paper; none if the experiment was not run.
    pub fn findings(&self, data: &OnData) -> Vec<Finding> {
        (self.check)(data)
    }

    /// What the same rule says of the paper's own figures, where it can be applied to them.
    pub fn on_the_papers_figures(&self, published: &Published) -> Option<Finding> {
        self.own.map(|own| own(published))
    }
}

#[cfg(test)]
mod tests {
    use super::super::published::robustness;
    use super::super::{DATA_SETS, EXPERIMENTS};
    use super::*;

    #[test]
    fn claims_have_names_of_their_own_and_rest_on_experiments() {
        for (nth, claim) in CLAIMS.iter().enumerate() {
            assert!(CLAIMS[..nth].iter().all(|other| other.id != claim.id), "{}", claim.id);
            assert!(EXPERIMENTS.iter().any(|experiment| experiment.name == claim.experiment), "{}", claim.id);
            assert!(claim.findings(&OnData::default()).is_empty(), "{}: nothing was run", claim.id);
        }
    }

    #[test]
    fn the_papers_own_figures_pass_every_rule_that_can_be_applied_to_them() {
        for set in ["WEB30K", "MQ2007", "Yahoo", "Istella"] {
            assert!(DATA_SETS.iter().any(|known| known.name == set));
            let published = robustness(set).expect("the paper has it");
            for claim in CLAIMS {
                if let Some(finding) = claim.on_the_papers_figures(&published) {
                    assert_eq!(finding.answer, Answer::Yes, "{} on {set}: {}", claim.id, finding.evidence);
                }
            }
        }
    }
}
