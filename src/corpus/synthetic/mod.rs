//! Makes data that is shaped like a public set, for experiments where the real data is not at hand.
//!
//! A *world* is drawn once: the hidden factors of documents, how much each of them matters, and how each feature sees them. A query draws
//! its own slant on what matters and the generosity of its judges; its documents draw their factors. The merit of a document is a weighted
//! sum of factors, products of factors and noise, so no linear ranker is perfect. Thresholds turn merit into grades with the public set's
//! label shares. Every feature sees one common factor, as all term statistics see how much text matches. Families of features also see a
//! main factor of their own, as one statistic does in title, body and URL; a few factors are the main factor of many families. Some
//! features are heavy-tailed, sparse, flags or constant. At the end every query is normalised to [0, 1] as `Normalize::PerQuery` does it.
//!
//! **What it imitates**, besides dimension, number of grades, label shares and list lengths, is redundancy. Within queries of the MSLR
//! sample, the covariance of 136 features has an effective dimension (tr C)² / tr C² of 7.0 and a top eigenvalue with 30 % of the variance;
//! MQ2008's 46 features have 7.3 and 28 %, ClueWeb09's have 3.6; somewhat more than half of the values are below 0.05. Here the dimension
//! is 6 to 9 and the share 30 to 36 %. On such data, rankers that different people learned from different queries agree on new queries. On
//! independent features they do not, and a defence that compares rankers would trust nobody.
//!
//! **It is not the real data.** Real eigenvalues fall less abruptly after the first, the redundancy of Yahoo and Istella is a guess, and
//! the generator decides which ranker wins and by how much: its constants were chosen so that learning together is clearly better than
//! learning alone and honest rankers are recognisable. Its figures must not be compared with a paper's; `Dataset::caution` says so next to
//! each of them.
//!
//! Every query has draws of its own. Queries are therefore made in parallel, and a query does not depend on the number of threads or of
//! other queries.

mod profile;
mod query;
mod world;

use super::dataset::{Corpus, Shape, Split};
use crate::rng::{Pcg64, Purpose, Seed};
use ndarray::Array2;
use profile::Profile;
use rayon::prelude::*;
use world::World;

/// The dimensions of a shape, known before any data is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    /// The number of features of a document.
    pub n_features: usize,
    /// The number of relevance grades.
    pub n_grades: u8,
    /// The mean number of documents of a query.
    pub documents_per_query: usize,
}

/// The dimensions of a data set like `shape`.
pub fn outline(shape: Shape) -> Outline {
    let profile = Profile::of(shape);
    Outline {
        n_features: profile.n_features,
        n_grades: profile.label_shares.len() as u8,
        documents_per_query: profile.mean_length().round() as usize,
    }
}

/// Makes a data set like `shape` with `train_queries` and `test_queries` queries.
pub fn generate(shape: Shape, train_queries: u32, test_queries: u32, seed: Seed) -> Corpus {
    let profile = Profile::of(shape);
    let world = World::draw(&profile, seed);
    Corpus {
        // Train and test queries are numbered in two streams, so that more queries of one kind change none of the other.
        train: split(&world, &profile, seed, 0, train_queries),
        test: split(&world, &profile, seed, 1, test_queries),
        n_grades: outline(shape).n_grades,
    }
}

fn split(world: &World, profile: &Profile, seed: Seed, stream: u64, n_queries: u32) -> Split {
    // The first draw of a query is its length. Once all lengths are known, every query fills its rows in place.
    let (lengths, rngs): (Vec<usize>, Vec<Pcg64>) = (0..u64::from(n_queries))
        .map(|q| {
            let mut rng = seed.rng(Purpose::SyntheticQuery, stream, q);
            (world::length(profile, &mut rng), rng)
        })
        .unzip();
    let mut starts = vec![0];
    starts.extend(lengths.iter().scan(0, |end, length| {
        *end += *length as u32;
        Some(*end)
    }));
    let mut features = Array2::zeros((lengths.iter().sum(), profile.n_features));
    let rows = blocks(features.as_slice_mut().expect("rows in order"), profile.n_features, &lengths);
    let grades: Vec<Vec<u8>> = rows
        .into_par_iter()
        .zip(rngs)
        .map_init(Vec::new, |raw, (rows, mut rng)| query::draw(world, profile, &mut rng, raw, rows))
        .collect();
    Split::new(features, grades.concat(), starts)
}

/// The rows of each query.
fn blocks<'a>(mut features: &'a mut [f32], n_features: usize, lengths: &[usize]) -> Vec<&'a mut [f32]> {
    let block = |length: &usize| features.split_off_mut(..length * n_features).expect("as many rows as the lengths add up to");
    lengths.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Axis, s};

    const SHAPES: [Shape; 4] = [Shape::Web30k, Shape::Mq2007, Shape::Yahoo, Shape::Istella];

    #[track_caller]
    fn check(shape: Shape, n_features: usize, mean_length: f64, n_queries: u32) {
        let corpus = generate(shape, n_queries, 2, Seed(5));
        let train = &corpus.train;
        let shares = Profile::of(shape).label_shares;
        assert_eq!((train.n_features(), train.n_queries()), (n_features, n_queries as usize));
        let length = train.n_documents() as f64 / f64::from(n_queries);
        assert!((length / mean_length - 1.0).abs() < 0.1, "{length} documents a query, not {mean_length}");
        assert!((outline(shape).documents_per_query as f64 / mean_length - 1.0).abs() < 0.03);
        for (grade, share) in shares.iter().enumerate() {
            let got = train.grades().iter().filter(|&&g| usize::from(g) == grade).count() as f64 / train.n_documents() as f64;
            assert!((got - share).abs() < 0.03, "grade {grade}: {got}, not {share}");
        }
    }

    #[test]
    fn web30k_keeps_its_shape() {
        check(Shape::Web30k, 136, 120.0, 400);
    }

    #[test]
    fn mq2007_keeps_its_shape() {
        check(Shape::Mq2007, 46, 41.0, 800);
    }

    #[test]
    fn yahoo_keeps_its_shape() {
        check(Shape::Yahoo, 700, 24.0, 400);
    }

    #[test]
    fn istella_keeps_its_shape() {
        check(Shape::Istella, 220, 317.0, 150);
    }

    /// Effective dimension and the top eigenvalue's share of the covariance within queries.
    fn redundancy(split: &Split) -> (f64, f64) {
        let mut centred = split.features().mapv(f64::from);
        for bounds in split.starts().windows(2) {
            let mut query = centred.slice_mut(s![bounds[0] as usize..bounds[1] as usize, ..]);
            let mean = query.mean_axis(Axis(0)).expect("a document");
            query -= &mean;
        }
        let c = centred.t().dot(&centred);
        let trace = c.diag().sum();
        let mut v = Array1::from_elem(split.n_features(), 1.0);
        let mut top = 0.0;
        for _ in 0..30 {
            v = c.dot(&v);
            top = v.dot(&v).sqrt();
            v /= top;
        }
        (trace * trace / c.iter().map(|x| x * x).sum::<f64>(), top / trace)
    }

    #[test]
    fn features_are_as_redundant_as_real_ones() {
        for shape in SHAPES {
            let (dimension, top_share) = redundancy(&generate(shape, 40, 1, Seed(7)).train);
            assert!((5.0..12.0).contains(&dimension), "{shape:?}: effective dimension {dimension}");
            assert!((0.2..0.45).contains(&top_share), "{shape:?}: top eigenvalue with {top_share} of the variance");
        }
    }

    #[test]
    fn half_of_the_values_are_near_0() {
        for shape in SHAPES {
            let split = generate(shape, 40, 1, Seed(7)).train;
            let share = split.features().iter().filter(|&&x| x < 0.05).count() as f64 / split.features().len() as f64;
            assert!((0.4..0.65).contains(&share), "{shape:?}: {share} of the values are below 0.05");
        }
    }

    #[test]
    fn features_lie_between_0_and_1_and_most_vary() {
        for shape in SHAPES {
            let split = generate(shape, 20, 1, Seed(3)).train;
            assert!(split.features().iter().all(|x| (0.0..=1.0).contains(x)));
            let varying = split.features().columns().into_iter().filter(|column| column.iter().any(|&x| x != column[0])).count();
            let share = varying as f64 / split.n_features() as f64;
            assert!((0.85..1.0).contains(&share), "{shape:?}: {share} of the features vary");
        }
    }

    #[test]
    fn the_number_of_threads_does_not_show() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| generate(Shape::Mq2007, 30, 10, Seed(1)))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!((one.train, one.test), (three.train, three.test));
    }

    #[test]
    fn queries_do_not_depend_on_how_many_there_are() {
        let (few, many) = (generate(Shape::Mq2007, 5, 3, Seed(1)), generate(Shape::Mq2007, 50, 9, Seed(1)));
        assert_eq!(few.train.query(4).rows(), many.train.query(4).rows());
        assert_eq!(few.test.query(2).rows(), many.test.query(2).rows());
    }

    #[test]
    fn seeds_and_splits_differ() {
        let (a, b) = (generate(Shape::Mq2007, 5, 5, Seed(1)), generate(Shape::Mq2007, 5, 5, Seed(2)));
        assert_ne!(a.train, b.train);
        assert_ne!(a.train, a.test);
    }
}
