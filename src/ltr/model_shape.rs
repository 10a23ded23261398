//! The meaning of a flat vector of weights: how it scores documents, and how the scores change with the weights.

use super::kernel::{self, TILE};
use super::neural::Buffers;
use super::{linear, neural};
use crate::math;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The shape of a run's models. All models of a run have the same shape, so that they can be interpolated weight by weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelShape {
    /// f(d) = θᵀd.
    Linear {
        /// The number of features of a document.
        n_features: usize,
    },
    /// f(d) = w₂ᵀ σ(W₁ᵀd + b₁); θ is W₁ feature by feature, then b₁, then w₂.
    Neural {
        /// The number of features of a document.
        n_features: usize,
        /// The number of hidden units.
        hidden: usize,
    },
}

/// Several models of one shape, laid out for scoring tiles.
pub enum Batch<'a> {
    /// Linear models as they are.
    Linear(&'a [&'a [f32]]),
    /// Neural models with their units in blocks.
    Neural(Vec<neural::Packed>),
}

impl Batch<'_> {
    /// Scores documents in tiles of [`ModelShape::lanes`] under each model. `scores[m]` gets a score for each lane of each tile, from place
    /// `first` on.
    pub fn score_tiles(&self, tiles: &[f32], first: usize, scores: &mut [Vec<f32>]) {
        match self {
            Batch::Linear(models) => kernel::score_tiles(tiles.as_chunks().0, models, first, scores),
            Batch::Neural(models) => {
                let mut of_model = Vec::new();
                for (model, scores) in models.iter().zip(scores) {
                    model.score_tiles(tiles.as_chunks().0, &mut of_model);
                    scores[first..][..of_model.len()].copy_from_slice(&of_model);
                }
            }
        }
    }
}

impl ModelShape {
    /// The number of features of a document.
    pub fn n_features(self) -> usize {
        match self {
            ModelShape::Linear { n_features } | ModelShape::Neural { n_features, .. } => n_features,
        }
    }

    /// The length of θ.
    pub fn n_weights(self) -> usize {
        match self {
            ModelShape::Linear { n_features } => n_features,
            ModelShape::Neural { n_features, hidden } => (n_features + 2) * hidden,
        }
    }

    /// The places of each layer in θ: all of a linear model, or W₁, b₁ and w₂.
    pub fn layers(self) -> Vec<Range<usize>> {
        match self {
            ModelShape::Linear { n_features } => vec![0..n_features; 1],
            ModelShape::Neural { n_features, hidden } => {
                let first = n_features * hidden;
                vec![0..first, first..first + hidden, first + hidden..first + 2 * hidden]
            }
        }
    }

    /// An initial model, drawn with uniform numbers from (0, 1).
    pub fn initial(self, mut uniform: impl FnMut() -> f64) -> Vec<f32> {
        let mut normal = || math::normal_quantile(uniform());
        match self {
            // A random unit vector times 0.01.
            ModelShape::Linear { n_features } => {
                let direction: Vec<f64> = (0..n_features).map(|_| normal()).collect();
                let norm = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
                direction.iter().map(|v| (0.01 * v / norm) as f32).collect()
            }
            // Normal weights with the standard deviation 1 / fan-in.
            ModelShape::Neural { n_features, hidden } => {
                let fan_in = |i: usize| if i < (n_features + 1) * hidden { n_features } else { hidden };
                (0..self.n_weights()).map(|i| (normal() / fan_in(i) as f64) as f32).collect()
            }
        }
    }

    /// The scores of documents given row after row.
    pub fn scores(self, rows: &[f32], theta: &[f32]) -> Vec<f64> {
        let mut scores = Vec::new();
        self.scores_into(rows, theta, &mut Buffers::default(), &mut scores);
        scores
    }

    /// The same, without allocations once the buffers are large enough.
    pub fn scores_into(self, rows: &[f32], theta: &[f32], buffers: &mut Buffers, scores: &mut Vec<f64>) {
        match self {
            ModelShape::Linear { .. } => linear::scores(rows, theta, scores),
            ModelShape::Neural { n_features, .. } => neural::scores(rows, n_features, theta, buffers, scores),
        }
    }

    /// The scores, computed in f64 throughout.
    pub fn wide_scores(self, rows: &[f32], theta: &[f64]) -> Vec<f64> {
        match self {
            ModelShape::Linear { n_features } => rows.chunks_exact(n_features).map(|row| linear::wide_score(row, theta)).collect(),
            ModelShape::Neural { n_features, .. } => rows.chunks_exact(n_features).map(|row| neural::wide_score(row, theta)).collect(),
        }
    }

    /// The number of documents in a tile.
    pub fn lanes(self) -> usize {
        match self {
            ModelShape::Linear { .. } => kernel::LANES,
            ModelShape::Neural { .. } => TILE,
        }
    }

    /// Prepares models for scoring tiles.
    pub fn batch<'a>(self, models: &'a [&'a [f32]]) -> Batch<'a> {
        match self {
            ModelShape::Linear { .. } => Batch::Linear(models),
            ModelShape::Neural { n_features, .. } => {
                Batch::Neural(models.iter().map(|theta| neural::Packed::new(theta, n_features)).collect())
            }
        }
    }

    /// The gradient g = Σ weight · ∇f(d) over documents and their weights.
    pub fn gradient<'a, W: Copy + Into<f64>>(self, documents: impl Iterator<Item = (&'a [f32], f64)>, theta: &[W]) -> Vec<f64> {
        let mut gradient = Vec::new();
        self.gradient_into(documents, theta, &mut Buffers::default(), &mut gradient);
        gradient
    }

    /// The same, without allocations once the buffers are large enough.
    pub fn gradient_into<'a, W: Copy + Into<f64>>(
        self,
        documents: impl Iterator<Item = (&'a [f32], f64)>,
        theta: &[W],
        buffers: &mut Buffers,
        gradient: &mut Vec<f64>,
    ) {
        gradient.resize(theta.len(), 0.0);
        match self {
            ModelShape::Linear { .. } => linear::gradient(documents, gradient),
            ModelShape::Neural { n_features, .. } => neural::gradient(documents, theta, n_features, buffers, gradient),
        }
    }

    /// Whether the score under a mixture of models is the mixture of their scores.
    pub fn is_linear(self) -> bool {
        matches!(self, ModelShape::Linear { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed, uniform};

    const FORMS: [ModelShape; 3] = [
        ModelShape::Linear { n_features: 5 },
        ModelShape::Neural { n_features: 5, hidden: 6 },
        ModelShape::Neural { n_features: 5, hidden: 64 },
    ];

    #[test]
    fn models_begin_as_the_reference_code_has_it() {
        let mut rng = Seed(3).rng(Purpose::Init, 0, 0);
        let theta = ModelShape::Linear { n_features: 700 }.initial(|| uniform(&mut rng));
        assert!((theta.iter().map(|w| f64::from(w * w)).sum::<f64>().sqrt() - 0.01).abs() < 1e-8);

        let (d, hidden) = (50, 64);
        let theta = ModelShape::Neural { n_features: d, hidden }.initial(|| uniform(&mut rng));
        assert_eq!(theta.len(), 64 * d + 64 + 64);
        let sd = |part: &[f32]| math::mean_sd(&part.iter().copied().map(f64::from).collect::<Vec<_>>()).1;
        let (first, output) = theta.split_at((d + 1) * hidden);
        // The standard error of a standard deviation is σ / √(2n).
        assert!((sd(first) * d as f64 - 1.0).abs() < 5.0 / (2.0 * first.len() as f64).sqrt());
        assert!((sd(output) * hidden as f64 - 1.0).abs() < 5.0 / (2.0 * output.len() as f64).sqrt());
    }

    #[test]
    fn layers_follow_each_other_and_are_the_whole_model() {
        assert_eq!(ModelShape::Neural { n_features: 5, hidden: 6 }.layers(), [0..30, 30..36, 36..42]);
        for form in FORMS {
            assert_eq!(form.layers().into_iter().flatten().collect::<Vec<_>>(), (0..form.n_weights()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_gradient_of_a_score_agrees_with_finite_differences() {
        for form in FORMS {
            let mut rng = Seed(4).rng(Purpose::Init, 0, 0);
            let rows: Vec<f32> = (0..3 * 5).map(|_| 2.0 * uniform(&mut rng) as f32 - 1.0).collect();
            let theta: Vec<f64> = (0..form.n_weights()).map(|_| 2.0 * uniform(&mut rng) - 1.0).collect();
            let weights = [0.7, -1.1, 0.4];
            let value = |theta: &[f64]| form.wide_scores(&rows, theta).iter().zip(weights).map(|(s, w)| s * w).sum::<f64>();
            let gradient = form.gradient(rows.chunks_exact(5).zip(weights), &theta);
            for (c, got) in gradient.iter().enumerate() {
                let moved = |by: f64| value(&theta.iter().enumerate().map(|(i, w)| w + if i == c { by } else { 0.0 }).collect::<Vec<_>>());
                let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((got - want).abs() <= 1e-5 * want.abs().max(1e-4), "{form:?}, weight {c}: {got}, not {want}");
            }
        }
    }

    #[test]
    fn kernels_follow_their_f64_twins_and_a_batch_scores_like_each_model_alone() {
        for form in FORMS {
            let mut rng = Seed(5).rng(Purpose::Init, 0, 0);
            for n_documents in [1usize, 7, 8, 9, 16, 31] {
                let rows: Vec<f32> = (0..n_documents * 5).map(|_| 4.0 * uniform(&mut rng) as f32 - 2.0).collect();
                let models: Vec<Vec<f32>> =
                    (0..3).map(|_| (0..form.n_weights()).map(|_| 6.0 * uniform(&mut rng) as f32 - 3.0).collect()).collect();
                let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
                let lanes = form.lanes();
                let mut tiles = vec![0.0; n_documents.div_ceil(lanes) * lanes * 5];
                for (i, x) in rows.iter().enumerate() {
                    tiles[(i / 5 / lanes * 5 + i % 5) * lanes + i / 5 % lanes] = *x;
                }
                let mut together = vec![vec![0.0; tiles.len() / 5]; 3];
                form.batch(&borrowed).score_tiles(&tiles, 0, &mut together);
                for (theta, together) in models.iter().zip(&together) {
                    let alone = form.scores(&rows, theta);
                    assert!(alone.iter().zip(together).all(|(a, &b)| *a == f64::from(b)), "{form:?}");
                    let wide: Vec<f64> = theta.iter().copied().map(f64::from).collect();
                    for (got, want) in alone.iter().zip(form.wide_scores(&rows, &wide)) {
                        assert!((got - want).abs() <= 1e-4 * want.abs().max(1.0), "{form:?}: {got}, not {want}");
                    }
                }
            }
        }
    }
}
