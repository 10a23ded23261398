//! Draws from the gamma distribution, for latencies and for lengths of periods.

use crate::math;
use crate::rng::{Pcg64, uniform};

/// A draw of Gamma(shape, 1) by the squeeze of Marsaglia and Tsang. A shape below 1 is reduced to a shape larger by 1.
pub(super) fn sample_gamma(shape: f64, rng: &mut Pcg64) -> f64 {
    if shape < 1.0 {
        let larger = sample_gamma(shape + 1.0, rng);
        return larger * math::pow(uniform(rng), 1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = math::normal_quantile(uniform(rng));
        let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if v > 0.0 && math::ln(uniform(rng)) < 0.5 * x * x + d - d * v + d * math::ln(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn gamma_draws_have_their_mean_and_variance() {
        for shape in [0.3, 1.0, 4.5] {
            let mut rng = Seed(6).rng(Purpose::Churn, 0, 0);
            let draws: Vec<f64> = (0..40_000).map(|_| sample_gamma(shape, &mut rng)).collect();
            let (mean, sd) = math::mean_sd(&draws);
            assert!((mean - shape).abs() < 5.0 * sd / 200.0 && (sd * sd / shape - 1.0).abs() < 0.1, "{shape}: {mean}, {sd}");
        }
    }
}
