//! Rules that pool several received models with the own one: trimming, clipping, medians, and picking by distance.
//!
//! Each rule takes the own model and the pooled ones, and returns the new model with the effective weight of each pooled model.
//! The own model has the rest of the weight, up to 1.

use super::Mix;
use crate::fields::declare;

/// The result of merging a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// The new model.
    pub theta: Vec<f64>,
    /// The effective weights of the pooled models.
    pub mix: Mix,
}

/// CWTM: for each coordinate, the mean of all values but the `f` smallest and the `f` largest.
pub fn trimmed_mean(own: Option<&[f64]>, buffer: &[&[f64]], f: usize) -> Pooled {
    let n = buffer.len() + usize::from(own.is_some());
    // f is lowered until at least one value is left.
    let f = f.min((n - 1) / 2);
    by_coordinate(own, buffer, f..n - f)
}

/// The coordinate-wise median of the buffer and the own model.
pub fn median(own: &[f64], buffer: &[&[f64]]) -> Pooled {
    let n = buffer.len() + 1;
    by_coordinate(Some(own), buffer, (n - 1) / 2..n / 2 + 1)
}

/// For each coordinate, averages the values whose places in sorted order are in `kept`.
fn by_coordinate(own: Option<&[f64]>, buffer: &[&[f64]], kept: std::ops::Range<usize>) -> Pooled {
    let d = buffer[0].len();
    let models: Vec<&[f64]> = buffer.iter().copied().chain(own).collect();
    let mut weights = vec![vec![0.0; d]; models.len()];
    let mut order: Vec<usize> = Vec::with_capacity(models.len());
    let theta = (0..d)
        .map(|c| {
            order.clear();
            order.extend(0..models.len());
            order.sort_by(|&a, &b| models[a][c].total_cmp(&models[b][c]));
            let middle = &order[kept.clone()];
            middle.iter().for_each(|&m| weights[m][c] = 1.0 / kept.len() as f64);
            middle.iter().map(|&m| models[m][c]).sum::<f64>() / kept.len() as f64
        })
        .collect();
    weights.truncate(buffer.len());
    Pooled { theta, mix: Mix::PoolByCoordinate(weights) }
}

declare! {
    /// What distances are measured from.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Center {
        /// The node's own model, as in the authors' code of both rules.
        // CHOICE(center): the paper says "a robust center".
        #[default]
        Own,
        /// The coordinate-wise median of the buffer and the own model.
        Median,
    }
}

declare! {
    /// What a sum of kept differences is divided by.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Divisor {
        /// All models, kept or not, and the own one.
        // CHOICE(divisor): the paper does not say.
        #[default]
        All,
        /// The kept models and the own one.
        Kept,
    }
}

/// GTS: the mean of the models nearest to the centre.
///
/// Around the own model, θ_u moves by the kept differences. Around the median, the k + 1 − f nearest models are averaged; the own model is
/// one of the candidates.
pub fn nearest_mean(own: &[f64], buffer: &[&[f64]], f: usize, center: Center, divisor: Divisor) -> Pooled {
    let k = buffer.len();
    let f = f.min(k - 1);
    match center {
        Center::Own => {
            let kept = &by_distance(own, buffer)[..k - f];
            let n = match divisor {
                Divisor::All => k + 1,
                Divisor::Kept => k + 1 - f,
            } as f64;
            let mut weights = vec![0.0; k];
            kept.iter().for_each(|&j| weights[j] = 1.0 / n);
            shifted(own, buffer, weights)
        }
        Center::Median => {
            let models: Vec<&[f64]> = buffer.iter().copied().chain([own]).collect();
            let center = median(own, buffer).theta;
            let kept = &by_distance(&center, &models)[..k + 1 - f];
            let mut weights = vec![0.0; k + 1];
            kept.iter().for_each(|&j| weights[j] = 1.0 / kept.len() as f64);
            weights.truncate(k);
            shifted(own, buffer, weights)
        }
    }
}

/// CS+: differences clipped to the distance of the (k − 2f)-th nearest model.
///
/// Around the own model, they move θ_u by 1/(k+1) of their sum. Around the median, the centre moves by their mean, which includes the own
/// model. With f = 0 nothing is clipped. If too many are assumed malicious (k ≤ 2f around the own model, k < 2f around the median), nothing
/// changes.
// CHOICE(cs-plus): the paper says CS; of that rule's forms this is CS+.
pub fn clipped_mean(own: &[f64], buffer: &[&[f64]], f: usize, center: Center) -> Pooled {
    let k = buffer.len();
    match center {
        Center::Own if k <= 2 * f => shifted(own, buffer, vec![0.0; k]),
        Center::Median if k < 2 * f => shifted(own, buffer, vec![0.0; k]),
        Center::Own => {
            let factors = clip_factors(own, buffer, k - 2 * f, f);
            shifted(own, buffer, factors.iter().map(|factor| factor / (k + 1) as f64).collect())
        }
        Center::Median => {
            let models: Vec<&[f64]> = buffer.iter().copied().chain([own]).collect();
            let center = median(own, buffer);
            let factors = clip_factors(&center.theta, &models, k + 1 - 2 * f, f);
            let n = models.len() as f64;
            let theta = (0..own.len())
                .map(|c| {
                    center.theta[c] + models.iter().zip(&factors).map(|(m, factor)| factor * (m[c] - center.theta[c])).sum::<f64>() / n
                })
                .collect();
            // The centre is itself a mix of the models. The weight that clipping takes from a model goes to the centre.
            let left = 1.0 - factors.iter().sum::<f64>() / n;
            let Mix::PoolByCoordinate(mut weights) = center.mix else { unreachable!("a median is made coordinate by coordinate") };
            for (weights, factor) in weights.iter_mut().zip(&factors) {
                weights.iter_mut().for_each(|weight| *weight = factor / n + left * *weight);
            }
            Pooled { theta, mix: Mix::PoolByCoordinate(weights) }
        }
    }
}

/// min(1, τ / distance) for each model. τ is the distance of the `nearest`-th model, or ∞ if none is assumed malicious.
fn clip_factors(center: &[f64], models: &[&[f64]], nearest: usize, f: usize) -> Vec<f64> {
    let distances: Vec<f64> = models.iter().map(|model| squared_distance(center, model).sqrt()).collect();
    let mut sorted = distances.clone();
    sorted.sort_by(f64::total_cmp);
    let tau = if f == 0 { f64::INFINITY } else { sorted[nearest - 1] };
    distances.iter().map(|&distance| if distance <= tau { 1.0 } else { tau / distance }).collect()
}

/// Krum: moves halfway to the model, among all k + 1, that has the smallest sum of squared distances to its k + 1 − f − 2 nearest others.
pub fn krum(own: &[f64], buffer: &[&[f64]], f: usize) -> Pooled {
    let models: Vec<&[f64]> = buffer.iter().copied().chain([own]).collect();
    let n_nearest = (models.len()).saturating_sub(f + 2).max(1).min(models.len() - 1);
    let score = |i: usize| -> f64 {
        let mut distances: Vec<f64> = (0..models.len()).filter(|&j| j != i).map(|j| squared_distance(models[i], models[j])).collect();
        distances.sort_by(f64::total_cmp);
        distances[..n_nearest].iter().sum()
    };
    let scores: Vec<f64> = (0..models.len()).map(score).collect();
    let chosen = (0..models.len()).min_by(|&a, &b| scores[a].total_cmp(&scores[b])).expect("the own model is there");
    let mut weights = vec![0.0; models.len()];
    weights[chosen] = 0.5;
    weights.truncate(buffer.len());
    shifted(own, buffer, weights)
}

/// The geometric median of the buffer and the own model, by Weiszfeld's iteration smoothed at 1e-8.
pub fn geometric_median(own: &[f64], buffer: &[&[f64]]) -> Pooled {
    const SMOOTH: f64 = 1e-8;
    const MOST: usize = 100;
    let models: Vec<&[f64]> = buffer.iter().copied().chain([own]).collect();
    let n = models.len();
    let mut weights = vec![1.0 / n as f64; n];
    let mut theta = shifted(own, buffer, weights[..n - 1].to_vec()).theta;
    for _ in 0..MOST {
        let inverse: Vec<f64> = models.iter().map(|model| 1.0 / squared_distance(&theta, model).sqrt().max(SMOOTH)).collect();
        let total: f64 = inverse.iter().sum();
        weights = inverse.iter().map(|w| w / total).collect();
        let next = shifted(own, buffer, weights[..n - 1].to_vec()).theta;
        let moved = squared_distance(&theta, &next).sqrt();
        theta = next;
        if moved <= SMOOTH {
            break;
        }
    }
    weights.truncate(buffer.len());
    Pooled { theta, mix: Mix::Pool(weights) }
}

/// UBAR: moves halfway to the mean of those models, among the k − f nearest, that explain the history at least as well as the own model, or
/// to the best of them if none does. `scores` are the mean session scores of the pooled models, `own_score` is that of the own model.
pub fn ubar(own: &[f64], buffer: &[&[f64]], f: usize, own_score: f64, scores: &[f64]) -> Pooled {
    let k = buffer.len();
    let near = &by_distance(own, buffer)[..k - f.min(k - 1)];
    let good: Vec<usize> = near.iter().copied().filter(|&j| scores[j] >= own_score).collect();
    let best = || near.iter().copied().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).into_iter().collect();
    let chosen: Vec<usize> = if good.is_empty() { best() } else { good };
    let mut weights = vec![0.0; k];
    chosen.iter().for_each(|&j| weights[j] = 0.5 / chosen.len() as f64);
    shifted(own, buffer, weights)
}

/// The model θ_u + Σ w_j (θ_j − θ_u).
fn shifted(own: &[f64], buffer: &[&[f64]], weights: Vec<f64>) -> Pooled {
    let used: Vec<(&[f64], f64)> = buffer.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0).collect();
    let theta = (0..own.len()).map(|c| own[c] + used.iter().map(|(model, w)| w * (model[c] - own[c])).sum::<f64>()).collect();
    Pooled { theta, mix: Mix::Pool(weights) }
}

/// Indices of `models` by distance from `center`, nearest first. Models at equal distance stay in their order.
fn by_distance(center: &[f64], models: &[&[f64]]) -> Vec<usize> {
    let distances: Vec<f64> = models.iter().map(|model| squared_distance(center, model)).collect();
    let mut order: Vec<usize> = (0..models.len()).collect();
    order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]));
    order
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// ⌈k·m/n⌉ in integers: the number of k pooled models that are assumed malicious when m of n nodes are.
pub fn assumed_malicious(k: usize, n_malicious: u32, n_nodes: u32) -> usize {
    (k as u64 * u64::from(n_malicious)).div_ceil(n_nodes.into()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pools() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<f64>>, usize)> {
        (prop::collection::vec(-5.0..5.0f64, 3), prop::collection::vec(prop::collection::vec(-5.0..5.0f64, 3), 1..8), 0usize..4)
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    fn narrow(theta: &[f64]) -> Vec<f32> {
        theta.iter().map(|&w| w as f32).collect()
    }

    #[track_caller]
    fn close(got: &[f64], want: &[f64]) {
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?}, not {want:?}");
    }

    proptest! {
        #[test]
        fn trimming_drops_the_extremes_of_every_coordinate((own, models, f) in pools()) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let pooled = trimmed_mean(Some(&own), &buffer, f);
            let f = f.min(models.len() / 2);
            let want: Vec<f64> = (0..3)
                .map(|c| {
                    let mut values: Vec<f64> = models.iter().map(|m| m[c]).chain([own[c]]).collect();
                    for _ in 0..f {
                        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                        values.remove(values.iter().position(|&v| v == least).expect("it is there"));
                        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                        values.remove(values.iter().position(|&v| v == most).expect("it is there"));
                    }
                    values.iter().sum::<f64>() / values.len() as f64
                })
                .collect();
            close(&pooled.theta, &want);
        }

        #[test]
        fn the_nearest_are_those_with_fewer_than_k_minus_f_nearer((own, models, f) in pools()) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let (k, f) = (models.len(), f.min(models.len() - 1));
            let kept = |j: usize| (0..k).filter(|&i| distance(&own, &models[i]) < distance(&own, &models[j])).count() < k - f;
            let want: Vec<f64> = (0..3)
                .map(|c| own[c] + (0..k).filter(|&j| kept(j)).map(|j| models[j][c] - own[c]).sum::<f64>() / (k + 1) as f64)
                .collect();
            close(&nearest_mean(&own, &buffer, f, Center::Own, Divisor::All).theta, &want);
        }

        #[test]
        fn no_difference_moves_further_than_the_clipping_radius((own, models, f) in pools()) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let k = models.len();
            let f = f.clamp(1, 3.max(k) / 2);
            if k <= 2 * f {
                close(&clipped_mean(&own, &buffer, f, Center::Own).theta, &own);
                return Ok(());
            }
            let mut distances: Vec<f64> = models.iter().map(|m| distance(&own, m)).collect();
            distances.sort_by(f64::total_cmp);
            let tau = distances[k - 2 * f - 1];
            let want: Vec<f64> = (0..3)
                .map(|c| {
                    let clipped = |m: &Vec<f64>| (m[c] - own[c]) * (tau / distance(&own, m)).min(1.0);
                    own[c] + models.iter().map(clipped).sum::<f64>() / (k + 1) as f64
                })
                .collect();
            close(&clipped_mean(&own, &buffer, f, Center::Own).theta, &want);
        }

        #[test]
        fn krum_goes_halfway_to_the_model_with_the_closest_company((own, models, f) in pools()) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let all: Vec<&[f64]> = buffer.iter().copied().chain([own.as_slice()]).collect();
            let near = (all.len() as i64 - f as i64 - 2).clamp(1, all.len() as i64 - 1) as usize;
            let company = |i: usize| {
                let mut d: Vec<f64> = (0..all.len()).filter(|&j| j != i).map(|j| distance(all[i], all[j]).powi(2)).collect();
                d.sort_by(f64::total_cmp);
                d[..near].iter().sum::<f64>()
            };
            let least = (0..all.len()).map(company).fold(f64::INFINITY, f64::min);
            let got = krum(&own, &buffer, f).theta;
            let reached = (0..all.len()).filter(|&i| company(i) <= least + 1e-9).any(|i| {
                got.iter().zip(all[i]).zip(&own).all(|((got, chosen), own)| (got - 0.5 * (chosen + own)).abs() < 1e-9)
            });
            prop_assert!(reached);
        }

        #[test]
        fn no_point_near_the_geometric_median_is_nearer_to_all((own, models, _f) in pools(), by in prop::collection::vec(-0.1..0.1f64, 3)) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let total = |at: &[f64]| buffer.iter().copied().chain([own.as_slice()]).map(|m| distance(at, m)).sum::<f64>();
            let found = geometric_median(&own, &buffer).theta;
            let other: Vec<f64> = found.iter().zip(by).map(|(x, by)| x + by).collect();
            prop_assert!(total(&found) <= total(&other) + 1e-3 * total(&other), "{} > {}", total(&found), total(&other));
        }

        #[test]
        fn weights_are_shares_and_say_what_was_done((own, models, f) in pools()) {
            let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
            let scores: Vec<f64> = models.iter().map(|m| m[0]).collect();
            let results = [
                nearest_mean(&own, &buffer, f, Center::Own, Divisor::Kept),
                nearest_mean(&own, &buffer, f, Center::Median, Divisor::All),
                clipped_mean(&own, &buffer, f, Center::Own),
                clipped_mean(&own, &buffer, f, Center::Median),
                trimmed_mean(Some(&own), &buffer, f),
                trimmed_mean(None, &buffer, f),
                median(&own, &buffer),
                krum(&own, &buffer, f),
                geometric_median(&own, &buffer),
                ubar(&own, &buffer, f, 0.0, &scores),
            ];
            for pooled in results {
                let weights = pooled.mix.weights();
                prop_assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)) && weights.iter().sum::<f64>() <= 1.0 + 1e-12);
                let mut moved = narrow(&own);
                let others: Vec<Vec<f32>> = models.iter().map(|model| narrow(model)).collect();
                pooled.mix.apply(&mut moved, &others.iter().map(Vec::as_slice).collect::<Vec<_>>());
                prop_assert!(moved.iter().zip(&pooled.theta).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5), "{moved:?}, not {:?}", pooled.theta);
            }
        }
    }
}
