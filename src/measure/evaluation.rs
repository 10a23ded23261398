//! Evaluates how well models rank the test queries.

use super::curve::Coverage;
use super::distinct::Distinct;
use super::sample::sample;
use crate::corpus::{Query, Split};
use crate::ltr::kernel::{self, Gains, TILE, TopList, WHOLE};
use crate::ltr::neural::Packed;
use crate::ltr::{ModelShape, Ndcg, ndcg};
use crate::pulse::{Pulse, Stopwatch};
use crate::rng::{Purpose, Seed};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Test queries per task. Each task makes its own sum, and the sums are added in the order of the tasks, so threads do not change the
/// result.
const TASK: usize = 16;

/// Groups of models that are evaluated together. The sums of all tasks are held at the same time, so this bounds their memory.
const GROUPS: usize = 32;

/// Copies of models at one moment. Of models that are equal bit for bit one copy is kept.
pub struct Snapshot {
    shape: ModelShape,
    groups: Vec<Group>,
    /// By model, the number of its copy.
    copies: Vec<u32>,
}

/// Up to [`kernel::GROUP`] models. Linear models lie side by side in lanes, neural ones one after another.
enum Group {
    Linear(kernel::Group),
    /// Up to [`WHOLE`] models.
    Neural(Vec<Packed>),
}

impl Group {
    /// Copies models. All groups but the last are full.
    fn all(models: &[&[f32]], shape: ModelShape) -> Vec<Self> {
        let packed = |models: &[&[f32]], n_features| models.iter().map(|theta| Packed::new(theta, n_features)).collect();
        match shape {
            ModelShape::Linear { n_features } => kernel::Group::all(models, n_features).into_iter().map(Self::Linear).collect(),
            ModelShape::Neural { n_features, .. } => models.chunks(WHOLE).map(|models| Self::Neural(packed(models, n_features))).collect(),
        }
    }

    fn n_lanes(&self) -> usize {
        match self {
            Self::Linear(models) => models.n_lanes(),
            Self::Neural(_) => WHOLE,
        }
    }
}

impl Snapshot {
    /// Copies models of one shape.
    pub fn of<'a>(shape: ModelShape, models: impl Iterator<Item = &'a [f32]>) -> Self {
        let Distinct { models, numbers } = Distinct::of(models.collect());
        Self { shape, groups: Group::all(&models, shape), copies: numbers }
    }
}

/// The test queries that count, those with a relevant document, or a sample of them.
pub struct TestSet<'a> {
    queries: Vec<TestQuery<'a>>,
    /// How many queries count.
    n_counting: usize,
    ndcg: Ndcg,
}

struct TestQuery<'a> {
    rows: &'a [f32],
    gains: Gains,
    ideal: f64,
    /// The DCG if all documents have equal scores, that is by descending index.
    tied: f64,
    /// The expected nDCG of random rankings.
    random: f64,
}

impl<'a> TestSet<'a> {
    /// The test queries of a split, for nDCG of the first `cutoff` positions.
    pub fn new(test: &'a Split, cutoff: usize) -> Self {
        let ndcg = Ndcg::at(cutoff);
        let queries: Vec<TestQuery> =
            test.queries().filter(|query| ndcg.ideal(query.grades) > 0.0).map(|query| TestQuery::new(query, &ndcg)).collect();
        Self { n_counting: queries.len(), queries, ndcg }
    }

    /// The same with a sample of `n` queries, drawn from the seed.
    pub fn sampled(self, n: u32, seed: Seed) -> Self {
        let chosen = sample(seed, Purpose::EvaluatedQueries, 0..self.queries.len() as u32, n);
        let mut nth = 0..;
        let is_chosen = |_: &TestQuery| nth.next().is_some_and(|nth| chosen.binary_search(&nth).is_ok());
        Self { queries: self.queries.into_iter().filter(is_chosen).collect(), ..self }
    }

    /// The expected nDCG of random rankings.
    pub fn random(&self) -> f64 {
        self.queries.iter().map(|query| query.random).sum::<f64>() / self.queries.len().max(1) as f64
    }

    /// What an evaluation covers while `n_honest` honest nodes have joined.
    pub(crate) fn coverage(&self, n_honest: usize) -> Coverage {
        Coverage { n_honest, n_queries: self.queries.len(), n_queries_of: self.n_counting, random: self.random() }
    }

    /// The mean nDCG of each model over the queries, with the same bits at every number of threads.
    pub fn evaluate(&self, snapshot: &Snapshot) -> Vec<f64> {
        let (never, mut tell) = (AtomicBool::new(false), |_| ControlFlow::Continue(()));
        self.evaluate_unless_stopped(snapshot, &Pulse::new(&never, &mut tell)).expect("nobody stops it")
    }

    /// The same, or `None` if the run is stopped meanwhile.
    pub(crate) fn evaluate_unless_stopped(&self, snapshot: &Snapshot, pulse: &Pulse) -> Option<Vec<f64>> {
        let parts = snapshot.groups.par_chunks(GROUPS);
        pulse.begin_queries((parts.len() * self.queries.len()) as u64);
        let means: Option<Vec<Vec<f64>>> = parts.map(|groups| self.means(groups, snapshot.shape, pulse)).collect();
        let means = means?.concat();
        Some(snapshot.copies.iter().map(|&copy| means[copy as usize]).collect())
    }

    /// The mean nDCG of each lane of some groups.
    fn means(&self, groups: &[Group], shape: ModelShape, pulse: &Pulse) -> Option<Vec<f64>> {
        let sums = |queries: &[TestQuery]| {
            let clock = Stopwatch::start();
            let sums = self.sums(queries, groups, shape, pulse);
            pulse.note_evaluating(clock.elapsed());
            sums
        };
        let tasks: Option<Vec<Vec<f64>>> = self.queries.par_chunks(TASK).map(sums).collect();
        let mut total = vec![0.0; groups.iter().map(Group::n_lanes).sum()];
        for task in tasks? {
            total.iter_mut().zip(task).for_each(|(total, sum)| *total += sum);
        }
        Some(total.iter().map(|sum| sum / self.queries.len().max(1) as f64).collect())
    }

    fn sums(&self, queries: &[TestQuery], groups: &[Group], shape: ModelShape, pulse: &Pulse) -> Option<Vec<f64>> {
        let mut all_sums = vec![0.0; groups.iter().map(Group::n_lanes).sum()];
        let mut top = TopList::new(self.ndcg.cutoff());
        for query in queries {
            let tiles = if shape.is_linear() { Vec::new() } else { kernel::tiles(query.rows, shape.n_features()) };
            let mut rest = all_sums.as_mut_slice();
            for group in groups {
                // Checked within a query, because one query takes seconds in a large network of large models.
                if pulse.is_stopped() {
                    return None;
                }
                let dcg = match group {
                    Group::Linear(models) => top.dcg(query.rows, &query.gains, models, self.ndcg.discounts()),
                    Group::Neural(models) => top.dcg_of_scores(&side_by_side(&tiles, models), &query.gains, self.ndcg.discounts()),
                };
                let sums;
                (sums, rest) = rest.split_at_mut(group.n_lanes());
                for (sum, dcg) in sums.iter_mut().zip(dcg) {
                    *sum += if dcg.is_nan() { query.tied } else { dcg } / query.ideal;
                }
            }
            pulse.beat_query();
        }
        Some(all_sums)
    }
}

/// The scores of every document under all models of a group.
fn side_by_side(tiles: &[[f32; TILE]], models: &[Packed]) -> Vec<[f32; WHOLE]> {
    let (mut all, mut scores) = (Vec::new(), Vec::new());
    for (lane, model) in models.iter().enumerate() {
        model.score_tiles(tiles, &mut scores);
        all.resize(scores.len(), [0.0; WHOLE]);
        all.iter_mut().zip(&scores).for_each(|(document, score)| document[lane] = *score);
    }
    all
}

impl<'a> TestQuery<'a> {
    fn new(query: Query<'a>, ndcg: &Ndcg) -> Self {
        Self {
            rows: query.rows(),
            gains: query.grades.iter().map(|&grade| ndcg::gain(grade) as f32).collect::<Vec<_>>().into(),
            ideal: ndcg.ideal(query.grades),
            tied: ndcg.dcg(query.grades.iter().rev().copied()),
            random: ndcg.of_random(query.grades).unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltr::kernel::GROUP;
    use crate::math;
    use ndarray::Array2;

    /// Queries of 9, 1, 30 and 50 documents; the first two have no relevant one.
    fn split(d: usize) -> Split {
        let n_docs = 90;
        let features = Array2::from_shape_fn((n_docs, d), |(i, f)| ((i * 31 + f * 17 + i * f) % 11) as f32 / 3.0);
        let grades: Vec<u8> = (0..n_docs).map(|i| (i * 7 % 4 / 2) as u8 * (i > 9) as u8).collect();
        Split::new(features, grades, vec![0, 9, 10, 40, 90])
    }

    fn models(n: usize, shape: ModelShape) -> Vec<Vec<f32>> {
        (0..n).map(|m| (0..shape.n_weights()).map(|f| ((m * 13 + f * 5) % 9) as f32 - 4.0).collect()).collect()
    }

    #[test]
    fn all_models_at_once_give_what_each_gives_alone() {
        let d = 5;
        let split = split(d);
        for shape in [ModelShape::Linear { n_features: d }, ModelShape::Neural { n_features: d, hidden: 7 }] {
            let models = models(19, shape);
            let together = TestSet::new(&split, 10).evaluate(&Snapshot::of(shape, models.iter().map(Vec::as_slice)));
            for (theta, got) in models.iter().zip(together) {
                let values: Vec<f64> = split
                    .queries()
                    .filter_map(|query| {
                        let scores: Vec<f32> = shape.scores(query.rows(), theta).iter().map(|&s| s as f32).collect();
                        Ndcg::at(10).of_scores(&scores, query.grades)
                    })
                    .collect();
                assert_eq!(values.len(), 2, "queries without a relevant document are skipped");
                assert!((got - math::mean_sd(&values).0).abs() < 1e-15, "{shape:?}");
            }
        }
    }
    #[test]
    fn any_number_of_models_gives_each_what_it_gets_alone() {
        let (split, shape) = (split(5), ModelShape::Linear { n_features: 5 });
        let test = TestSet::new(&split, 10);
        // Each model twice, so that equal ones meet; more than are evaluated together at the end.
        let models: Vec<Vec<f32>> =
            (0..2 * GROUPS * GROUP + 5).map(|m| (0..5).map(|f| ((m / 2 * 7 + f * m / 2) % 997) as f32 - 400.0).collect()).collect();
        let alone: Vec<f64> = models.iter().map(|theta| test.evaluate(&Snapshot::of(shape, [theta.as_slice()].into_iter()))[0]).collect();
        for n in [0, 1, 8, 9, 16, 17, 24, 25, 80, 81, models.len()] {
            let together = test.evaluate(&Snapshot::of(shape, models[..n].iter().map(Vec::as_slice)));
            assert_eq!(together, alone[..n], "{n} models");
        }
    }

    #[test]
    fn equal_models_are_copied_once() {
        let shape = ModelShape::Linear { n_features: 5 };
        let models = models(3, shape);
        let snapshot = Snapshot::of(shape, models.iter().cycle().take(100).map(Vec::as_slice));
        assert_eq!((snapshot.groups.len(), snapshot.copies.len()), (1, 100));
    }

    #[test]
    fn a_sample_of_all_queries_is_the_whole() {
        let (split, shape) = (split(5), ModelShape::Linear { n_features: 5 });
        let models = models(4, shape);
        let snapshot = Snapshot::of(shape, models.iter().map(Vec::as_slice));
        let (all, same) = (TestSet::new(&split, 10), TestSet::new(&split, 10).sampled(2, Seed(1)));
        assert_eq!((all.evaluate(&snapshot), all.random()), (same.evaluate(&snapshot), same.random()));
        let halves: Vec<TestSet> = (0..20).map(|seed| TestSet::new(&split, 10).sampled(1, Seed(seed))).collect();
        assert!(halves.iter().all(|half| half.coverage(9).n_queries == 1 && half.coverage(9).n_queries_of == 2));
        // Each half is one of the two queries, and the whole is their mean.
        let values: std::collections::BTreeSet<u64> = halves.iter().map(|half| half.evaluate(&snapshot)[1].to_bits()).collect();
        let mean = values.iter().map(|bits| f64::from_bits(*bits)).sum::<f64>() / 2.0;
        assert!(values.len() == 2 && (mean - all.evaluate(&snapshot)[1]).abs() < 1e-15);
    }
}
