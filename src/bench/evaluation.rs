//! The evaluation of models on test queries, compared with the bare product of the same documents and models.

use super::bounds::{GroupProduct, TileProduct};
use super::desk::{self, SHAPES};
use super::{Effort, Group, Meter, Subject};
use crate::corpus::{Corpus, Shape, Split};
use crate::ltr::ModelShape;
use crate::ltr::kernel::tiles;
use crate::measure::{Snapshot, TestSet};
use crate::rng::{Purpose, Seed, uniform};
use rayon::ThreadPool;

/// The number of honest nodes in the paper's setting.
const MODELS: usize = 80;

/// Documents of the test queries.
const DOCUMENTS: u32 = 24_000;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) {
    let shapes = if effort == Effort::Quick { &SHAPES[1..2] } else { &SHAPES[..] };
    for &shape in shapes {
        measure_linear(shape, effort, meter);
    }
    let corpus = corpus(SHAPES[1], 1_200);
    neural(&corpus, effort.choose(1, 4, 16), meter);
}

/// Measures linear models on documents of one shape.
pub(super) fn measure_linear(shape: Shape, effort: Effort, meter: &mut impl Meter) {
    let corpus = corpus(shape, effort.choose(DOCUMENTS / 4, DOCUMENTS, DOCUMENTS));
    let shape = ModelShape::Linear { n_features: corpus.test.n_features() };
    let evaluation = Evaluation::new(shape, MODELS, &corpus);
    let product = GroupProduct::new(evaluation.rows, shape.n_features(), MODELS);
    let queries: Vec<&[f32]> = counted(&corpus.test).collect();
    let subject = evaluation.subject("linear", "product with all models", 1.0);
    let one = pool(1);
    meter.measure(&subject, || (), |()| one.install(|| evaluation.run()), || queries.iter().for_each(|rows| product.run(rows)));
}

fn neural(corpus: &Corpus, n_models: usize, meter: &mut impl Meter) {
    let (n_features, hidden) = (corpus.test.n_features(), 64);
    let evaluation = Evaluation::new(ModelShape::Neural { n_features, hidden }, n_models, corpus);
    let tiles = tiles(evaluation.rows, n_features);
    let mut product = TileProduct::new(&tiles, n_features, hidden);
    let subject = evaluation.subject("neural", "product with all hidden units", n_models as f64);
    let one = pool(1);
    meter.measure(&subject, || (), |()| one.install(|| evaluation.run()), || product.run(&tiles));
}

/// The evaluation of the models of many nodes.
pub(super) struct Evaluation<'a> {
    test: TestSet<'a>,
    snapshot: Snapshot,
    rows: &'a [f32],
    shape: ModelShape,
    n_models: usize,
    n_documents: usize,
}

impl<'a> Evaluation<'a> {
    /// As many models as in the paper's setting, all different.
    pub fn of_linear(corpus: &'a Corpus) -> Self {
        Self::new(ModelShape::Linear { n_features: corpus.test.n_features() }, MODELS, corpus)
    }

    fn new(shape: ModelShape, n_models: usize, corpus: &'a Corpus) -> Self {
        let model = |m: u64| {
            let mut rng = Seed(1).rng(Purpose::Init, m, 0);
            shape.initial(|| uniform(&mut rng))
        };
        let models: Vec<Vec<f32>> = (0..n_models as u64).map(model).collect();
        let rows = corpus.test.features().to_slice().expect("a split is in standard layout");
        Self {
            test: TestSet::new(&corpus.test, 10),
            snapshot: Snapshot::of(shape, models.iter().map(Vec::as_slice)),
            rows,
            shape,
            n_models,
            n_documents: counted(&corpus.test).map(|rows| rows.len() / shape.n_features()).sum(),
        }
    }

    /// Evaluates all models.
    pub fn run(&self) {
        std::hint::black_box(self.test.evaluate(&self.snapshot));
    }

    fn subject(&self, what: &str, bound: &str, bound_times: f64) -> Subject {
        let (d, n_pieces) = (self.shape.n_features(), self.n_models * self.n_documents);
        let n_units = if self.shape.is_linear() { 1 } else { self.shape.n_weights() / (d + 2) };
        Subject {
            group: Group::Evaluation,
            what: what.into(),
            size: vec![("d", d as u64), ("models", self.n_models as u64), ("documents", self.n_documents as u64)],
            per: "document and model",
            pieces: n_pieces as f64,
            bound: bound.into(),
            bound_times,
            flops: 2.0 * (d * n_units * n_pieces) as f64,
        }
    }
}

/// Documents with about this many in the test queries.
pub(super) fn corpus(shape: Shape, n_documents: u32) -> Corpus {
    let per_query = crate::corpus::synthetic::outline(shape).documents_per_query as u32;
    desk::corpus(shape, 1, n_documents / per_query)
}

/// The documents of each query that counts: those with a relevant document.
fn counted(split: &Split) -> impl Iterator<Item = &[f32]> {
    split.queries().filter(|query| query.grades.iter().any(|grade| *grade > 0)).map(|query| query.rows())
}

/// So many threads.
pub(super) fn pool(n_threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads start")
}
