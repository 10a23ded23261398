//! The claim about the share of malicious nodes.

use super::super::found::{OnData, difference, ndcg};
use super::answer::{Answer, Finding, shown};

/// Differences up to this are not seen in a plot.
// CHOICE(indistinguishable): the paper gives no margin; a hundredth of nDCG is about the width of a line in its figure.
const MARGIN: f64 = 0.01;
const EXPERIMENT: &str = "share";
/// Three attacks with five shares each.
const N_THREATS: usize = 15;

/// RankGuard with perfect users under every share against no attack.
pub fn does_not_matter(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let of = |threat: &str| data.values(EXPERIMENT, name, &[("users", "perfect"), ("threat", threat)], ndcg);
        let calm = of("no attack");
        let threats: Vec<String> = data.labels(EXPERIMENT, name, "threat").into_iter().filter(|threat| threat != "no attack").collect();
        let differences: Vec<_> = threats.iter().map(|threat| (threat, difference(&calm, &of(threat)))).collect();
        let answers: Vec<Answer> = differences.iter().map(|(_, interval)| Answer::between(*interval, -MARGIN, MARGIN)).collect();
        let size =
            |interval: &Option<_>| interval.as_ref().map_or(0.0, |interval: &crate::report::statistics::Interval| interval.mean.abs());
        let largest = differences.iter().max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));
        let largest = largest.map_or(String::new(), |(threat, interval)| format!("; largest under {threat}: {}", shown(*interval)));
        let within = super::answer::count(&answers, Answer::Yes);
        let evidence = format!("within ±{MARGIN} for {within} of {} shares and attacks{largest}", answers.len());
        // A share that was not run could still matter.
        let all = if answers.len() < N_THREATS { Answer::Open } else { Answer::Yes };
        Finding { reading: name.into(), answer: all.and(Answer::at_least(1.0, &answers)), evidence }
    };
    data.sweeps_of(EXPERIMENT).into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::found::made;
    use super::*;

    #[test]
    fn every_share_must_stay_within_the_margin() {
        let of = |n_threats: usize, last: f64| {
            let threats =
                (0..n_threats).map(|nth| (format!("FLIP {nth}"), 0.505)).chain([("LIE 0.5".into(), last), ("no attack".into(), 0.5)]);
            let runs = threats.flat_map(|(threat, ndcg)| made::runs("share", "literal", &format!("users=perfect, threat={threat}"), ndcg));
            does_not_matter(&made::data(runs.collect())).remove(0)
        };
        assert_eq!(of(14, 0.495).answer, Answer::Yes);
        assert_eq!(of(2, 0.495).answer, Answer::Open, "other shares were not run");
        let beyond = of(14, 0.45);
        assert_eq!(beyond.answer, Answer::No);
        let says = "within ±0.01 for 14 of 15 shares and attacks; largest under LIE 0.5: −0.050";
        assert!(beyond.evidence.starts_with(says), "{}", beyond.evidence);
    }
}
