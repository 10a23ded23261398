//! Data made from the seed, shaped like a public set, for trying things where the real data may not go.
//!
//! A world is drawn once: hidden factors of documents, which of them matter, and how each feature sees them. A query draws its own slant on what
//! matters and how generous its judges are; its documents draw their factors. A document's merit is a weighted sum of factors, products of factors
//! and noise, so no linear ranker is perfect; merit becomes a grade by thresholds that give the public set's label shares. Features come in
//! families that see the same factors through different noise, as a term statistic seen in title, body and URL does; some are heavy-tailed,
//! sparse, binary or constant. At the end every query is brought to [0, 1] as `Normalize::PerQuery` does it.
//!
//! What it is not: the real data. Only dimension, number of grades, label shares and list lengths are taken from the public sets; which ranker wins
//! by how much is the generator's, tuned so that learning alone and learning together differ. Figures from it must not be compared with a paper's.
//!
//! Queries have their own draws, so they are made in parallel and are the same at any number of threads and for any number of other queries.

mod profile;
mod query;
mod world;

use super::dataset::{Corpus, Shape, Split};
use crate::rng::Seed;
use ndarray::Array2;
use profile::Profile;
use query::Candidates;
use rayon::prelude::*;
use world::World;

/// A data set like `shape` with so many queries.
pub fn generate(shape: Shape, train_queries: u32, test_queries: u32, seed: Seed) -> Corpus {
    let profile = Profile::of(shape);
    let world = World::draw(&profile, seed);
    Corpus {
        // Train and test queries count through two streams, so that asking for more of one moves none of the other.
        train: split(&world, &profile, seed, 0, train_queries),
        test: split(&world, &profile, seed, 1, test_queries),
        n_grades: profile.label_shares.len() as u8,
    }
}

fn split(world: &World, profile: &Profile, seed: Seed, stream: u64, n_queries: u32) -> Split {
    let queries: Vec<Candidates> =
        (0..u64::from(n_queries)).into_par_iter().map(|q| query::draw(world, profile, seed, stream, q)).collect();
    let mut features = Vec::with_capacity(queries.iter().map(|query| query.features.len()).sum());
    let mut grades = Vec::new();
    let mut starts = vec![0];
    for query in queries {
        features.extend_from_slice(&query.features);
        grades.extend_from_slice(&query.grades);
        starts.push(grades.len() as u32);
    }
    let features = Array2::from_shape_vec((grades.len(), profile.n_features), features).expect("one row per grade");
    Split::new(features, grades, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 4] = [Shape::Web30k, Shape::Mq2007, Shape::Yahoo, Shape::Istella];

    #[track_caller]
    fn check(shape: Shape, n_features: usize, mean_length: f64, n_queries: u32) {
        let corpus = generate(shape, n_queries, 2, Seed(5));
        let train = &corpus.train;
        let shares = Profile::of(shape).label_shares;
        assert_eq!((train.n_features(), train.n_queries()), (n_features, n_queries as usize));
        let length = train.n_documents() as f64 / f64::from(n_queries);
        assert!((length / mean_length - 1.0).abs() < 0.1, "{length} documents a query, not {mean_length}");
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
