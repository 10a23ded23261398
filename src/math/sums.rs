//! Sums of many values at once: value i belongs to partial sum i mod 8, and the partial sums are added pairwise. The order is fixed, so the
//! bits are the same at every vector width.

use crate::instructions::kernel;

/// The number of partial sums.
pub const LANES: usize = 8;

/// The number of values beyond the last group that [`group_sums`] may look at.
pub const BEYOND: usize = LANES;

/// By n: a mask that keeps the first n values of a block.
const FIRST: [[u64; LANES]; LANES + 1] = {
    let mut masks = [[0; LANES]; LANES + 1];
    let mut n = 0;
    while n <= LANES {
        let mut lane = 0;
        while lane < n {
            masks[n][lane] = u64::MAX;
            lane += 1;
        }
        n += 1;
    }
    masks
};

/// The sum of the partial sums.
#[inline(always)]
pub fn total(mut sums: [f64; LANES]) -> f64 {
    for half in [4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    sums[0]
}

/// Σ f(value). The last block is filled up with nothing.
#[inline(always)]
fn sum_of(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        for lane in 0..LANES {
            sums[lane] += f(block[lane]);
        }
    }
    sums.iter_mut().zip(rest).for_each(|(sum, &value)| *sum += f(value));
    total(sums)
}

kernel! {
    /// The mean of at least two values, and their standard deviation, which divides by n − 1.
    pub fn mean_sd_of_many(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = sum_of(values, |value| value) / n;
        let squares = sum_of(values, |value| (value - mean) * (value - mean));
        (mean, (squares / (n - 1.0)).sqrt())
    }

    /// For each group of values, their sum goes to the end of `sums`. Groups follow each other and have these sizes; there must be
    /// [`BEYOND`] more values than all groups have, of any kind.
    pub fn group_sums(sizes: &[u32], values: &[f64], sums: &mut Vec<f64>) {
        let (mut first, n_before) = (0, sums.len());
        sums.resize(n_before + sizes.len(), 0.0);
        for (sum, &size) in sums[n_before..].iter_mut().zip(sizes) {
            let (mut partial, mut rest) = ([0.0; LANES], size as usize);
            for block in 0..rest.div_ceil(LANES) {
                let block: &[f64; LANES] = values[first + block * LANES..].first_chunk().expect("there are more values");
                let mask = &FIRST[rest.min(LANES)];
                for lane in 0..LANES {
                    partial[lane] += f64::from_bits(block[lane].to_bits() & mask[lane]);
                }
                rest = rest.saturating_sub(LANES);
            }
            first += size as usize;
            *sum = total(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use crate::math::mean_sd;
    use proptest::prelude::*;

    #[track_caller]
    fn check_near(got: f64, want: f64, size: f64) {
        assert!((got - want).abs() <= 1e-14 * size, "{got}, not {want}");
    }

    fn values(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * i * 37) % 101) as f64 * 0.13 - 5.0).collect()
    }

    proptest! {
        #[test]
        fn many_values_have_the_plain_mean_and_deviation(values in prop::collection::vec(-1e3..1e3f64, 2..100)) {
            let ((mean, sd), plain) = (mean_sd_of_many(&values), mean_sd(&values));
            check_near(mean, plain.0, 1e3);
            check_near(sd, plain.1, 1e3);
        }

        #[test]
        fn groups_have_their_sums(sizes in prop::collection::vec(0u32..30, 0..20)) {
            let n = sizes.iter().sum::<u32>() as usize;
            let mut values = values(n);
            values.resize(n + BEYOND, f64::NAN);
            let (mut sums, mut rest) = (vec![7.0], &values[..n]);
            group_sums(&sizes, &values, &mut sums);
            prop_assert_eq!(sums.len(), sizes.len() + 1);
            for (&size, &sum) in sizes.iter().zip(&sums[1..]) {
                let (group, others) = rest.split_at(size as usize);
                check_near(sum, group.iter().sum(), 30.0 * 10.0);
                rest = others;
            }
        }
    }

    #[test]
    fn every_set_of_instructions_gives_the_same_bits() {
        let values = values(300);
        let on = |set: Instructions| {
            set.use_at_most();
            let mut sums = Vec::new();
            group_sums(&[0, 1, 7, 8, 9, 100, 64], &values, &mut sums);
            (mean_sd_of_many(&values[..251]), sums)
        };
        let [baseline, avx2, avx512] = Instructions::ALL.map(on);
        assert!(baseline == avx2 && baseline == avx512);
    }
}
