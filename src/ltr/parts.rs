//! A model as the sum of two parts, θ = H + M: products of the parts, and steps that belong to one of them.

use crate::instructions::kernel;
use crate::math::{LANES, total};

/// Σ f(a, b) of functions f with f(0, 0) = 0, in the order of `math::sums`: value i belongs to partial sum i mod 8.
#[inline(always)]
fn sums_of<const N: usize>(a: &[f32], b: &[f32], f: impl Fn(f64, f64) -> [f64; N] + Copy) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        add(&mut sums, a, b, f);
    }
    // The last block is filled up with zeros.
    let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
    a[..a_rest.len()].copy_from_slice(a_rest);
    b[..b_rest.len()].copy_from_slice(b_rest);
    add(&mut sums, &a, &b, f);
    sums.map(total)
}

#[inline(always)]
fn add<const N: usize>(sums: &mut [[f64; LANES]; N], a: &[f32; LANES], b: &[f32; LANES], f: impl Fn(f64, f64) -> [f64; N]) {
    for lane in 0..LANES {
        let values = f(f64::from(a[lane]), f64::from(b[lane]));
        for n in 0..N {
            sums[n][lane] += values[n];
        }
    }
}

kernel! {
    /// ⟨M, M⟩, ⟨M, H⟩ and ⟨H, H⟩ of the model θ = H + M.
    pub fn products(malicious: &[f32], theta: &[f32]) -> [f64; 3] {
        sums_of(malicious, theta, |m, w| [m * m, m * (w - m), (w - m) * (w - m)])
    }

    /// |after − before|, summed in index order.
    pub fn step_length(before: &[f32], after: &[f32]) -> f64 {
        let squares = before.iter().zip(after).map(|(&before, &after)| {
            let step = f64::from(after) - f64::from(before);
            step * step
        });
        squares.fold(0.0, |sum, square| sum + square).sqrt()
    }

    /// M ← M + (after − before).
    pub fn add_step(malicious: &mut [f32], before: &[f32], after: &[f32]) {
        for ((malicious, &before), &after) in malicious.iter_mut().zip(before).zip(after) {
            *malicious = (f64::from(*malicious) + (f64::from(after) - f64::from(before))) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // M = (1, 2), H = (3, −1).
        assert_eq!(products(&[1.0, 2.0], &[4.0, 1.0]), [5.0, 1.0, 10.0]);
        assert_eq!(step_length(&[1.0, 1.0], &[4.0, -3.0]), 5.0);
        let mut m = [0.5, 0.5];
        add_step(&mut m, &[1.0, 1.0], &[4.0, -3.0]);
        assert_eq!(m, [3.5, -3.5]);
        assert_eq!((products(&[], &[]), step_length(&[], &[])), ([0.0; 3], 0.0));
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_plain_loop_on_every_set(m in prop::collection::vec(-9.0..9.0f32, 0..60), theta in prop::collection::vec(-9.0..9.0f32, 60)) {
            let theta = &theta[..m.len()];
            let plain = m.iter().zip(theta).fold([0.0; 3], |[mm, mh, hh], (&m, &w)| {
                let (m, h) = (f64::from(m), f64::from(w) - f64::from(m));
                [mm + m * m, mh + m * h, hh + h * h]
            });
            let on = |set: Instructions| {
                set.use_at_most();
                (products(&m, theta), step_length(&m, theta))
            };
            let [baseline, avx2, avx512] = Instructions::ALL.map(on);
            prop_assert!(baseline == avx2 && baseline == avx512);
            for (got, want) in baseline.0.into_iter().zip(plain).chain([(baseline.1 * baseline.1, plain[2])]) {
                prop_assert!((got - want).abs() <= 1e-12 * (1.0 + want.abs() + plain[0] + plain[2]), "{} is not {}", got, want);
            }
        }
    }
}
