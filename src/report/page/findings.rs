//! What curves say, in words. A finding is told only where the numbers have it.

use super::words::{three, time};
use crate::record::CurveRow;

/// By how much an nDCG may lie below the best one of its run and still count as kept.
pub const KEPT_WITHIN: f64 = 0.01;
/// The share of what was gained in all that counts as most of it.
const MOST: f64 = 0.95;
/// A smaller gain over a random ranking is none to speak of.
const SMALL_GAIN: f64 = 0.02;
/// A mean α below this is almost no weight.
const ALMOST_NOTHING: f64 = 0.01;

/// The evaluation with the highest mean.
pub fn best(curve: &[CurveRow]) -> Option<&CurveRow> {
    curve
        .iter()
        .filter(|point| point.ndcg_mean.is_finite())
        .reduce(|best, point| if point.ndcg_mean > best.ndcg_mean { point } else { best })
}

/// How accuracy went: below a random ranking, up and down, or up.
pub fn accuracy(curve: &[CurveRow]) -> Option<String> {
    let (last, best) = (curve.last()?, best(curve)?);
    match last.ndcg_mean {
        end if end < last.ndcg_random => below_random(curve),
        end if end < best.ndcg_mean - KEPT_WITHIN => {
            Some(format!("Accuracy peaks at {} after {} and ends at {}", three(best.ndcg_mean), time(best.at_ns as f64), three(end)))
        }
        _ => most_gained(curve, last),
    }
}

/// Since when accuracy has been below that of a random ranking.
fn below_random(curve: &[CurveRow]) -> Option<String> {
    let since = curve.iter().rev().take_while(|point| point.ndcg_mean < point.ndcg_random).last()?;
    let from = if since.evaluation == curve[0].evaluation { String::new() } else { format!(" from {} on", time(since.at_ns as f64)) };
    Some(format!("Accuracy is below that of a random ranking{from}"))
}

fn most_gained(curve: &[CurveRow], last: &CurveRow) -> Option<String> {
    let gained = last.ndcg_mean - last.ndcg_random;
    let most = curve.iter().find(|point| point.ndcg_mean >= last.ndcg_random + MOST * gained)?;
    let says = gained > SMALL_GAIN && most.at_ns > 0;
    says.then(|| format!("Most of the final gain over a random ranking (95\u{202f}%) is there after {}", time(most.at_ns as f64)))
}

/// What weight malicious senders got, next to honest ones.
pub fn weights(curve: &[CurveRow]) -> Option<String> {
    let judged: Vec<(i64, f64)> = curve.iter().filter_map(|point| Some((point.at_ns, point.alpha_malicious?))).collect();
    let ((_, malicious), honest) = (*judged.last()?, curve.last()?.alpha_honest?);
    let calm = judged.iter().rev().take_while(|(_, alpha)| *alpha < ALMOST_NOTHING).count();
    Some(match judged.len() - calm {
        _ if honest < ALMOST_NOTHING && malicious < ALMOST_NOTHING => "Almost no model gets any weight at the end".into(),
        0 => "Malicious models get almost no weight from the start".into(),
        // The mean of an interval stands at its end, where the calm begins.
        loud if calm >= 2 => format!("Malicious models get almost no weight after {}", time(judged[loud - 1].0 as f64)),
        _ if malicious > honest => {
            format!("Malicious models get more weight than honest ones: {} against {}", three(malicious), three(honest))
        }
        _ if three(malicious) == three(honest) => format!("Malicious models get as much weight as honest ones: {}", three(malicious)),
        _ => format!("At the end malicious models get {} where honest ones get {}", three(malicious), three(honest)),
    })
}

/// Which way malicious content works.
pub fn pull(pull: f64) -> String {
    let effect = match pull {
        pull if pull < -1.0 => "turns honest models round",
        pull if pull < -0.05 => "works against honest models",
        pull if pull > 0.05 => "works with honest models",
        _ => "hardly turns honest models",
    };
    format!("Malicious content {effect}: pull {}", three(pull))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::Sample;

    /// An evaluation every hour, where a random ranking has 0.2.
    fn curve(ndcg: &[f64], alphas: &[(f64, Option<f64>)]) -> Vec<CurveRow> {
        let point = |nth: usize| CurveRow {
            evaluation: nth as i32,
            at_ns: 3_600_000_000_000 * nth as i64,
            ndcg_mean: ndcg.get(nth).copied().unwrap_or(0.5),
            ndcg_random: 0.2,
            alpha_honest: alphas.get(nth).map(|(honest, _)| *honest),
            alpha_malicious: alphas.get(nth).and_then(|(_, malicious)| *malicious),
            ..CurveRow::sample(&mut || 7)
        };
        (0..ndcg.len().max(alphas.len())).map(point).collect()
    }

    #[track_caller]
    fn check(found: Option<String>, expect: &str) {
        assert_eq!(found.unwrap_or_default().replace('\u{202f}', " "), expect);
    }

    #[test]
    fn accuracy_is_told_as_it_went() {
        check(accuracy(&curve(&[0.2, 0.3, 0.4, 0.49, 0.5], &[])), "Most of the final gain over a random ranking (95 %) is there after 3 h");
        check(accuracy(&curve(&[0.2, 0.3, 0.6, 0.5], &[])), "Accuracy peaks at 0.600 after 2 h and ends at 0.500");
        check(accuracy(&curve(&[0.3, 0.1, 0.25, 0.1, 0.05], &[])), "Accuracy is below that of a random ranking from 3 h on");
        check(accuracy(&curve(&[0.1, 0.1], &[])), "Accuracy is below that of a random ranking");
        check(accuracy(&curve(&[0.2, 0.21], &[])), "");
        check(accuracy(&curve(&[f64::NAN], &[])), "");
        check(accuracy(&[]), "");
    }

    #[test]
    fn weights_are_told_only_if_they_stay() {
        let told = |malicious: &[f64]| weights(&curve(&[], &malicious.iter().map(|alpha| (0.2, Some(*alpha))).collect::<Vec<_>>()));
        check(told(&[0.3, 0.1, 0.001, 0.0]), "Malicious models get almost no weight after 60 min");
        check(told(&[0.0, 0.001]), "Malicious models get almost no weight from the start");
        check(told(&[0.0, 0.1, 0.0]), "At the end malicious models get 0.000 where honest ones get 0.200");
        check(told(&[0.1, 0.2]), "Malicious models get as much weight as honest ones: 0.200");
        check(told(&[0.1, 0.3]), "Malicious models get more weight than honest ones: 0.300 against 0.200");
        check(weights(&curve(&[], &[(0.2, None)])), "");
        check(weights(&curve(&[], &[(0.001, Some(0.002))])), "Almost no model gets any weight at the end");
    }

    #[test]
    fn pull_is_told_by_its_size() {
        for (value, expect) in
            [(-1.5, "turns honest models round: pull −1.500"), (-0.5, "works against honest"), (0.0, "hardly"), (0.5, "works with")]
        {
            assert!(pull(value).contains(expect), "{}", pull(value));
        }
    }
}
