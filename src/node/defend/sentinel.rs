//! Sentinel: three stages that look at the direction of a received model, at its loss on the own history, and at its length.
//!
//! It is from Feng, Huertas Celdrán, Baltensperger, Martínez Beltrán, Sánchez Sánchez, Bovet, Stiller: "Sentinel: An Aggregation Function to
//! Secure Decentralized Federated Learning", ECAI 2024. Its form here, for one received model:
//!
//! 1. The cosine between θ_v and θ_u, averaged over the layers of the model, must be at least τ_S.
//! 2. With the losses L_u and L_v of both models on the own history, the trust is exp(−max(L_v − L_u, 0) / max(L_u, 0.001)). It must be
//!    at least τ_L.
//! 3. Each layer of θ_v is multiplied by min(1, ‖θ_u‖ / ‖θ_v‖) of that layer. The own model has trust 1, so
//!    θ_u ← (θ_u + trust · θ′_v) / (1 + trust): the received model gets at most one half.
//!
//! Stage 3 never lengthens a model, so every merge of models at an angle shortens the own one. A round of the original does this once; here
//! every received model does. With several merges per search, models stay so short that their last few steps make up most of them.

use super::{Mix, Reason};
use crate::math;
use std::ops::Range;

/// The least own loss that a difference is compared with, as in the authors' code.
const LEAST_LOSS: f64 = 0.001;

/// Stage 1: the cosine between two models, averaged over layers.
// CHOICE(sentinel-layers): one cosine per layer. The authors' code also averages over the rows of a matrix, which have no counterpart in a
// linear model.
// CHOICE(no-evidence): a layer of zeros has no direction; its cosine counts as 0, as in the authors' code.
pub fn similarity(own: &[f32], received: &[f32], layers: &[Range<usize>]) -> f64 {
    let cosine = |layer: &Range<usize>| {
        let (u, v) = (&own[layer.clone()], &received[layer.clone()]);
        let norms = norm(u) * norm(v);
        if norms > 0.0 { dot(u, v) / norms } else { 0.0 }
    };
    layers.iter().map(cosine).sum::<f64>() / layers.len() as f64
}

/// Stage 2: the trust in a model with this loss, if it is at least `least`.
// CHOICE(sentinel-loss): the loss is −S, averaged over the own sessions. The paper has a validation set, and averages the losses of each
// neighbour over all rounds; here senders change with every message, and nothing is remembered about them.
// CHOICE(no-evidence): without pairs in the history both losses are 0, and the trust is 1.
pub fn trust(own_loss: f64, loss: f64, least: f64) -> Result<f64, Reason> {
    if !loss.is_finite() {
        return Err(Reason::NotFinite);
    }
    let trust = math::exp(-(loss - own_loss).max(0.0) / own_loss.max(LEAST_LOSS));
    if trust > 0.0 && trust >= least { Ok(trust) } else { Err(Reason::HighLoss) }
}

/// Stage 3: shortens the layers of a received model to those of the own one, and merges it.
pub fn merge(own: &mut [f32], received: &[f32], layers: Vec<Range<usize>>, trust: f64) -> Mix {
    let scale = |layer: Range<usize>| {
        let scale = shortening(norm(&own[layer.clone()]), norm(&received[layer.clone()]));
        (layer, scale)
    };
    let mix = Mix::Rescaled { weight: trust / (1.0 + trust), scales: layers.into_iter().map(scale).collect() };
    mix.apply(own, &[received]);
    mix
}

/// min(1, own / received), for two lengths.
// CHOICE(sentinel-norm): the paper bounds a model by the length of the own one. The authors' code has the inverse ratio, which would shorten
// short models and leave long ones.
fn shortening(own: f64, received: f64) -> f64 {
    if received > own { own / received } else { 1.0 }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
}

fn norm(a: &[f32]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn close(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-12, "{got}, not {want}");
    }

    #[test]
    fn similarity_by_hand() {
        let own = [3.0, 4.0, 0.0, 2.0];
        let whole = |received: [f32; 4]| similarity(&own, &received, &[0..4; 1]);
        close(whole(own.map(|w| 7.0 * w)), 1.0);
        close(whole(own.map(|w| -w)), -1.0);
        close(whole([4.0, -3.0, 5.0, 0.0]), 0.0);
        close(whole([0.0; 4]), 0.0);
        // The first two are one layer, and the others too: (24/25 + 3/5) / 2, and a layer of zeros counts as 0.
        let layers = [0..2, 2..4];
        close(similarity(&own, &[4.0, 3.0, 4.0, 3.0], &layers), 0.78);
        close(similarity(&own, &[3.0, 4.0, 0.0, 0.0], &layers), 0.5);
    }

    #[test]
    fn trust_by_hand() {
        let half = libm::log(2.0);
        close(trust(0.5, 0.2, 0.1).expect("it is better"), 1.0);
        close(trust(0.5, 0.5, 0.1).expect("it is as good"), 1.0);
        close(trust(0.5, 0.5 + 0.5 * half, 0.1).expect("it is a little worse"), 0.5);
        assert_eq!(trust(0.5, 0.5 + 0.5 * half, 0.51), Err(Reason::HighLoss));
        // exp(−2.3) = 0.1003, exp(−2.31) = 0.0993.
        assert!(trust(1.0, 3.3, 0.1).is_ok());
        assert_eq!(trust(1.0, 3.31, 0.1), Err(Reason::HighLoss));
        // A loss near 0 is not divided by.
        close(trust(0.0, 0.001 * half, 0.1).expect("nearly as good"), 0.5);
        close(trust(0.0, 0.0, 1.0).expect("nothing is known"), 1.0);
        assert_eq!(trust(0.5, f64::INFINITY, 0.0), Err(Reason::NotFinite));
        assert_eq!(trust(0.5, f64::NAN, 0.0), Err(Reason::NotFinite));
        assert_eq!(trust(0.001, 1e9, 0.0), Err(Reason::HighLoss));
        // A node whose own scores overflow takes what has a loss at all.
        close(trust(f64::INFINITY, 3.0, 0.1).expect("it is better"), 1.0);
        close(trust(f64::NAN, 3.0, 0.1).expect("it is better"), 1.0);
    }

    #[test]
    fn merging_by_hand() {
        // The first layer is twice as long as the own one and is halved; the second is shorter and stays.
        let mut own = [3.0, 4.0, 6.0];
        let mix = merge(&mut own, &[8.0, 6.0, 2.0], vec![0..2, 2..3], 1.0);
        assert_eq!((mix, own), (Mix::Rescaled { weight: 0.5, scales: vec![(0..2, 0.5), (2..3, 1.0)] }, [3.5, 3.5, 4.0]));
        // A third of the trust is a quarter of the weight.
        let mut own = [4.0, 0.0];
        merge(&mut own, &[0.0, 400.0], vec![0..2; 1], 1.0 / 3.0);
        assert_eq!(own, [3.0, 1.0]);
        // Nothing is divided by 0.
        let mut own = [0.0, 2.0];
        merge(&mut own, &[5.0, 0.0], vec![0..1, 1..2], 1.0);
        assert_eq!(own, [0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn nobody_makes_a_model_longer(
            own in prop::collection::vec(-2.0..2.0f32, 6),
            received in prop::collection::vec(-1e6..1e6f32, 6),
            trust in 0.01..1.0f64,
        ) {
            let mut moved = own.clone();
            merge(&mut moved, &received, vec![0..4, 4..6], trust);
            for layer in [0..4, 4..6] {
                prop_assert!(norm(&moved[layer.clone()]) <= norm(&own[layer]) * (1.0 + 1e-6));
            }
        }

        #[test]
        fn trust_falls_with_the_loss(own in 0.0..5.0f64, loss in 0.0..5.0f64, more in 0.0..5.0f64) {
            let trust = |loss| trust(own, loss, 0.0).unwrap_or(0.0);
            prop_assert!(trust(loss) >= trust(loss + more) && (0.0..=1.0).contains(&trust(loss)));
        }
    }
}
