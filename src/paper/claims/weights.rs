//! Claims about the weights that RankGuard and RankGuard-Rand give, and about ADAPT.

use super::super::found::{self, Figures, OnData, Values, difference, mean, ndcg};
use super::answer::{Answer, Finding, shown};
use crate::report::statistics::Interval;
use crate::report::three;

/// α of honest less α of malicious senders.
fn gap(figures: &Figures) -> Option<f64> {
    Some(figures.alpha_honest? - figures.alpha_malicious?)
}

fn interval(values: &Values) -> Option<Interval> {
    let values: Vec<f64> = values.values().copied().collect();
    found::interval(&values)
}

/// FLIP and IPM against LIE.
pub fn separates(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let of = |attack: &str| data.values("alpha", name, &[("attack", attack), ("defense", "RankGuard")], |run| gap(&run.end));
        let auc = |attack: &str| mean(&data.values("alpha", name, &[("attack", attack), ("defense", "RankGuard")], |run| run.end.auc));
        let [flip, lie, ipm] = ["FLIP", "LIE", "IPM"].map(of);
        let whole =
            |attack: &str| interval(&data.values("alpha", name, &[("attack", attack), ("defense", "RankGuard")], |run| gap(&run.whole)));
        let gaps = [interval(&flip), interval(&ipm), whole("FLIP"), whole("IPM")];
        let is_apart = gaps.into_iter().fold(Answer::Yes, |all, gap| all.and(Answer::above(gap, 0.0)));
        let is_less = [&flip, &ipm].iter().fold(Answer::Yes, |all, gap| all.and(Answer::above(difference(&lie, gap), 0.0)));
        let text = |attack: &str, gap: &Values| {
            let (end, auc) = (shown(interval(gap)), auc(attack).map_or("–".into(), three));
            format!("{attack} {end} at the end (AUC {auc}), {} over the whole run", shown(whole(attack)))
        };
        let evidence = format!("α honest less malicious: {}; {}; {}", text("FLIP", &flip), text("LIE", &lie), text("IPM", &ipm));
        Finding { reading: name.into(), answer: is_apart.and(is_less), evidence }
    };
    data.sweeps_of("alpha").into_iter().map(finding).collect()
}

/// RankGuard and RankGuard-Rand against Local under ADAPT.
pub fn adapt_defeats(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let of = |defense: &str| data.values("adapt", name, &[("defense", defense)], ndcg);
        let local = of("Local");
        let [plain, rand] = ["RankGuard", "RankGuard-Rand 20 %"].map(|defense| difference(&local, &of(defense)));
        let answer = Answer::below(plain, 0.0).and(Answer::above(rand, 0.0));
        let evidence = format!("difference from Local: RankGuard {}, RankGuard-Rand {}", shown(plain), shown(rand));
        Finding { reading: String::new(), answer, evidence }
    };
    data.sweeps_of("adapt").into_iter().map(finding).collect()
}

/// RankGuard-Rand under ADAPT, early and late.
pub fn rand_overtakes(data: &OnData) -> Vec<Finding> {
    let finding = |name: &str| {
        let wanted = [("defense", "RankGuard-Rand 20 %")];
        let early = interval(&data.values("adapt", name, &wanted, |run| gap(&run.early)));
        let late = interval(&data.values("adapt", name, &wanted, |run| gap(&run.end)));
        let evidence = format!("α honest less malicious: {} over the first tenth, {} at the end", shown(early), shown(late));
        Finding { reading: String::new(), answer: Answer::below(early, 0.0).and(Answer::above(late, 0.0)), evidence }
    };
    data.sweeps_of("adapt").into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::found::{Outcome, made};
    use super::*;

    /// Three seeds of RankGuard under an attack, with these weights of honest and malicious senders.
    fn alphas(experiment: &'static str, labels: &str, [honest, malicious]: [f64; 2], early: [f64; 2]) -> Vec<Outcome> {
        let figures = |seed: u32, [honest, malicious]: [f64; 2]| Figures {
            alpha_honest: Some(honest + 0.001 * f64::from(seed)),
            alpha_malicious: Some(malicious),
            ..Figures::default()
        };
        let of = |seed: u32| {
            let mut run = made::run(experiment, "literal", labels, seed, figures(seed, [honest, malicious]));
            run.early = figures(seed, early);
            run
        };
        (1..4).map(of).collect()
    }

    fn answer(findings: &[Finding]) -> Answer {
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings[0].answer
    }

    #[test]
    fn weights_separate_if_lie_is_the_hardest() {
        let of = |flip: f64, lie: f64, ipm: f64| {
            let runs = [("FLIP", flip), ("LIE", lie), ("IPM", ipm)]
                .map(|(attack, gap)| alphas("alpha", &format!("attack={attack}, defense=RankGuard"), [0.2 + gap, 0.2], [0.0; 2]));
            answer(&separates(&made::data(runs.concat())))
        };
        assert_eq!(of(0.3, 0.1, 0.2), Answer::Yes);
        assert_eq!(of(0.3, 0.4, 0.2), Answer::No);
        assert_eq!(of(0.3, -0.2, -0.1), Answer::No);
        assert_eq!(of(0.3, 0.2, 0.2), Answer::No, "an equal gap is no smaller one");
    }

    #[test]
    fn honest_weights_overtake_if_they_begin_below_and_end_above() {
        let of = |early: [f64; 2], late: [f64; 2]| {
            answer(&rand_overtakes(&made::data(alphas("adapt", "defense=RankGuard-Rand 20 %", late, early))))
        };
        assert_eq!(of([0.1, 0.3], [0.4, 0.1]), Answer::Yes);
        assert_eq!(of([0.4, 0.3], [0.4, 0.1]), Answer::No);
        assert_eq!(of([0.1, 0.3], [0.1, 0.4]), Answer::No);
    }

    #[test]
    fn adapt_defeats_a_rule_that_ends_below_local() {
        let of = |plain: f64, rand: f64| {
            let runs = [("Local", 0.5), ("RankGuard", plain), ("RankGuard-Rand 20 %", rand)];
            answer(&adapt_defeats(&made::data(
                runs.map(|(rule, ndcg)| made::runs("adapt", "sweep", &format!("defense={rule}"), ndcg)).concat(),
            )))
        };
        assert_eq!((of(0.4, 0.6), of(0.6, 0.6), of(0.4, 0.4)), (Answer::Yes, Answer::No, Answer::No));
    }
}
