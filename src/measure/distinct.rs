//! Finds models that are equal bit for bit, so that each is evaluated once.

use xxhash_rust::xxh3::xxh3_64;

/// The different ones among some models.
pub(super) struct Distinct<'a> {
    /// The models that differ from all models before them.
    pub models: Vec<&'a [f32]>,
    /// By given model, the number of its equal among these.
    pub numbers: Vec<u32>,
}

impl<'a> Distinct<'a> {
    pub fn of(models: Vec<&'a [f32]>) -> Self {
        let firsts = firsts(&models, xxh3_64);
        let mut distinct = Self { models: Vec::new(), numbers: vec![0; models.len()] };
        for (i, (model, first)) in models.into_iter().zip(firsts).enumerate() {
            if first == i {
                distinct.numbers[i] = distinct.models.len() as u32;
                distinct.models.push(model);
            } else {
                distinct.numbers[i] = distinct.numbers[first];
            }
        }
        distinct
    }
}

/// By model, the first model that is equal to it. Models of one hash are compared.
fn firsts(models: &[&[f32]], hash: impl Fn(&[u8]) -> u64) -> Vec<usize> {
    let bytes = |i: usize| bytemuck::cast_slice::<f32, u8>(models[i]);
    let mut by_hash: Vec<(u64, usize)> = (0..models.len()).map(|i| (hash(bytes(i)), i)).collect();
    by_hash.sort_unstable();
    let mut firsts = vec![0; models.len()];
    for run in by_hash.chunk_by(|(a, _), (b, _)| a == b) {
        for &(_, i) in run {
            firsts[i] = run.iter().map(|&(_, other)| other).find(|&other| bytes(other) == bytes(i)).expect("it equals itself");
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_bits_are_one_model() {
        let models: [&[f32]; 6] = [&[1.0, 2.0], &[0.0, 0.0], &[1.0, 2.0], &[-0.0, 0.0], &[f32::NAN, 0.0], &[f32::NAN, 0.0]];
        let distinct = Distinct::of(models.to_vec());
        assert_eq!(distinct.numbers, [0, 1, 0, 2, 3, 3]);
        assert_eq!(distinct.models.len(), 4);
    }

    proptest! {
        #[test]
        fn a_model_goes_with_its_first_equal_whatever_the_hash(models in prop::collection::vec(prop::collection::vec(0u8..3, 2), 0..30)) {
            let models: Vec<Vec<f32>> = models.iter().map(|model| model.iter().map(|&w| f32::from(w)).collect()).collect();
            let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
            let want: Vec<usize> = models.iter().map(|model| models.iter().position(|other| other == model).expect("it is there")).collect();
            prop_assert_eq!(&firsts(&borrowed, xxh3_64), &want);
            prop_assert_eq!(firsts(&borrowed, |_| 7), want, "all hashes collide");
        }
    }
}
