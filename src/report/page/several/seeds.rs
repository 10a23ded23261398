//! Means over seeds with their intervals.

use super::super::super::statistics::of_mean;
use super::course::Course;
use super::experiments::Experiment;
use crate::math;

/// How often an interval holds the true mean.
const LEVEL: f64 = 0.95;

/// What the bands of a figure show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    /// There is one seed.
    Nothing,
    /// The lowest and the highest run of two.
    LowestToHighest,
    /// Student's interval of the mean over three or more seeds.
    Student,
}

/// A line and its band.
type Drawn = (Vec<(f64, Option<f64>)>, Vec<(f64, f64, f64)>);

impl Band {
    /// One kind of band for all experiments of a figure.
    pub fn of(experiments: &[&Experiment]) -> Self {
        match experiments.iter().map(|experiment| experiment.runs.len()).filter(|n| *n > 1).min() {
            None => Self::Nothing,
            Some(2) => Self::LowestToHighest,
            Some(_) => Self::Student,
        }
    }

    /// What a caption says of the band.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "; there is one seed, so there is no band and differences may be chance",
            Self::LowestToHighest => "; bands reach from the lowest to the highest seed",
            Self::Student => "; bands are 95 % intervals of the mean by Student's t",
        }
    }

    fn around(self, values: &[f64]) -> Option<(f64, f64)> {
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match self {
            Self::Nothing => None,
            Self::LowestToHighest => (values.len() > 1).then_some((lowest, highest)),
            Self::Student => interval(values).map(|(mean, half)| (mean - half, mean + half)),
        }
    }
}

/// The mean over seeds and half the width of its 95 % interval; `None` for fewer than two seeds.
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    of_mean(values, LEVEL).map(|interval| (interval.mean, interval.half_width()))
}

/// The mean over seeds at each evaluation, up to the last one that all seeds have.
pub fn over_seeds(courses: &[Course], band: Band) -> Drawn {
    let there: Vec<&Course> = courses.iter().filter(|course| !course.points.is_empty()).collect();
    let n = there.iter().map(|course| course.points.len()).min().unwrap_or(0);
    let (mut points, mut bands) = (Vec::new(), Vec::new());
    for nth in 0..n {
        let at = math::mean_sd(&there.iter().map(|course| course.points[nth].0).collect::<Vec<_>>()).0;
        let values: Vec<f64> = there.iter().map(|course| course.points[nth].2).collect();
        points.push((at, Some(math::mean_sd(&values).0)));
        bands.extend(band.around(&values).map(|(low, high)| (at, low, high)));
    }
    (points, bands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(values: &[f64]) -> Course {
        Course { points: values.iter().enumerate().map(|(nth, value)| (nth as f64, 0.0, *value)).collect(), ..Course::default() }
    }

    #[test]
    fn lines_are_means_over_seeds_and_bands_what_they_say() {
        let courses = [course(&[0.1, 0.2, 0.9]), course(&[0.3, 0.2])];
        let (points, bands) = over_seeds(&courses, Band::LowestToHighest);
        assert_eq!(points, [(0.0, Some(0.2)), (1.0, Some(0.2))]);
        assert_eq!(bands, [(0.0, 0.1, 0.3), (1.0, 0.2, 0.2)]);
        assert_eq!(over_seeds(&courses[..1], Band::Nothing).1, []);
        assert_eq!(over_seeds(&[], Band::Student), (Vec::new(), Vec::new()));
    }

    #[test]
    fn students_interval_of_three_seeds_is_known() {
        // The 97.5 % quantile of t with two degrees of freedom is 4.302653.
        let (mean, half) = interval(&[1.0, 2.0, 3.0]).expect("three seeds");
        assert!((mean - 2.0).abs() < 1e-12 && (half - 4.302_653 / 3.0_f64.sqrt()).abs() < 1e-5, "{mean} ± {half}");
        assert_eq!(interval(&[1.0]), None);
    }
}
