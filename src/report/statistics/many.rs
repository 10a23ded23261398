//! Many tests at once, and pairs by which of the two is better.

/// p-values adjusted by Holm's method: with all of them below a bound, the probability of even one false finding is below it.
/// The order is kept.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let (mut adjusted, mut largest) = (vec![0.0; p.len()], 0.0_f64);
    for (rank, i) in order.into_iter().enumerate() {
        largest = largest.max(((p.len() - rank) as f64 * p[i]).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}

/// The share of pairs (first, second) in which the second is better; ties count half. `None` without pairs.
pub fn improvement(pairs: &[(f64, f64)], larger_is_better: bool) -> Option<f64> {
    let score = |(first, second): &(f64, f64)| match second.total_cmp(first) {
        // −0 and 0 are equal.
        _ if second == first => 0.5,
        order => f64::from(u8::from(order.is_gt() == larger_is_better)),
    };
    (!pairs.is_empty()).then(|| pairs.iter().map(score).sum::<f64>() / pairs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(p: &[f64], expect: &[f64]) {
        let adjusted = holm(p);
        assert!(adjusted.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-15) && adjusted.len() == expect.len(), "{adjusted:?}");
    }

    #[test]
    fn holm_by_hand() {
        check(&[], &[]);
        check(&[0.2], &[0.2]);
        check(&[0.01, 0.04, 0.03], &[0.03, 0.06, 0.06]);
        check(&[0.04, 0.01], &[0.04, 0.02]);
        check(&[0.6, 0.5, 0.001], &[1.0, 1.0, 0.003]);
        check(&[0.02, 0.02], &[0.04, 0.04]);
    }

    #[test]
    fn ties_count_half() {
        let pairs = [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (0.5, 1.0)];
        assert_eq!((improvement(&pairs, true), improvement(&pairs, false)), (Some(0.625), Some(0.375)));
        // Never reached is later than any time, and no better than never.
        let times = [(1.0, f64::INFINITY), (f64::INFINITY, f64::INFINITY), (f64::INFINITY, 5.0)];
        assert_eq!(improvement(&times, false), Some(0.5));
        assert_eq!((improvement(&[], true), improvement(&[(0.0, -0.0)], true)), (None, Some(0.5)));
    }
}
