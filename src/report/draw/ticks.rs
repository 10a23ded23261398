//! Ticks of axes: 4 to 6 round numbers with labels that tell them apart.

use super::super::Unit;
use super::numbers::{self, THIN_SPACE, TIME_UNITS};
use super::scale::Range;
use crate::units::size;

/// A place on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The value there.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

impl Range {
    /// Round values within the range with their labels.
    pub fn ticks(&self) -> Vec<Tick> {
        let values = if self.is_logarithmic { self.powers() } else { None };
        match values {
            Some(values) => values.into_iter().map(|at| Tick { at, label: self.label(at, at) }).collect(),
            None => self.even_ticks(),
        }
    }

    /// The unit of time in which all labels of this axis are written.
    pub fn time_unit(&self) -> (&'static str, f64) {
        let step = self.step();
        let is_whole = |length: f64| (step / length).fract() == 0.0;
        let fits = |(_, length): &&(&str, f64)| step >= *length && (is_whole(*length) || step >= 20.0 * length);
        *TIME_UNITS.iter().find(fits).unwrap_or(&TIME_UNITS[7])
    }

    fn even_ticks(&self) -> Vec<Tick> {
        let step = self.step();
        let (first, last) = self.multiples(step);
        let count = (last - first).clamp(-1.0, 20.0) as i64;
        (0..=count).map(|i| (first + i as f64) * step).map(|at| Tick { at, label: self.label(at, step) }).collect()
    }

    /// The first and the last multiple of a step within the range.
    fn multiples(&self, step: f64) -> (f64, f64) {
        ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor())
    }

    /// The round distance of ticks that comes nearest to five of them.
    pub fn step(&self) -> f64 {
        let distance = |step: &f64| {
            let (first, last) = self.multiples(*step);
            (last - first + 1.0 - 5.0).abs()
        };
        let candidates = self.steps();
        candidates.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1.0)
    }

    fn steps(&self) -> Vec<f64> {
        let rough = self.high / 5.0 - self.low / 5.0;
        if self.unit == Unit::Time && (1e9..6.048e14).contains(&rough) {
            return time_steps();
        }
        // From a week on, time is counted in weeks; below a second in powers of ten.
        let is_weeks = self.unit == Unit::Time && rough >= 6.048e14;
        let base = if is_weeks { 6.048e14 } else { 1.0 };
        let whole = is_weeks || matches!(self.unit, Unit::Count | Unit::Bytes);
        let power = magnitude(rough / base);
        let steps = (power - 1..=power + 1).flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|digit| digit * power_of_ten(power) * base));
        let steps: Vec<f64> =
            steps.filter(|step| !whole || (step / base).fract() == 0.0).filter(|step| *step > 0.0 && step.is_finite()).collect();
        if steps.is_empty() { vec![1.0] } else { steps }
    }

    /// Powers of ten, with their doubles and fives if they are few; `None` if there are fewer than three.
    fn powers(&self) -> Option<Vec<f64>> {
        if self.unit == Unit::Time {
            return self.round_times();
        }
        let (first, last) = (magnitude(self.low), magnitude(self.high));
        let every = (last - first) / 6 + 1;
        let of = |digits: &[f64]| -> Vec<f64> {
            let all = (first..=last).step_by(every.max(1) as usize).flat_map(|power| digits.iter().map(move |d| d * power_of_ten(power)));
            all.filter(|v| (self.low..=self.high).contains(v)).collect()
        };
        [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]].into_iter().map(of).find(|values| values.len() >= 3)
    }

    /// Times that are about ten times each other and have a unit of their own.
    fn round_times(&self) -> Option<Vec<f64>> {
        let (second, minute, hour, day, week) = (1e9, 6e10, 3.6e12, 8.64e13, 6.048e14);
        let short = (0..9).map(power_of_ten);
        let long = [second, 10.0 * second, minute, 10.0 * minute, hour, 6.0 * hour, day, week, 10.0 * week, 100.0 * week];
        let inside: Vec<f64> = short.chain(long).filter(|v| (self.low..=self.high).contains(v)).collect();
        let every = inside.len().div_ceil(7).max(1);
        (inside.len() >= 3).then(|| inside.into_iter().step_by(every).collect())
    }

    /// A label with as many decimals as tell neighbours apart.
    fn label(&self, v: f64, step: f64) -> String {
        match self.unit {
            Unit::Number => plain(v, step),
            Unit::Share => format!("{}{THIN_SPACE}%", plain(v * 100.0, step * 100.0)),
            Unit::Count => plain(v, step.max(1.0)),
            Unit::Time if self.is_logarithmic => numbers::time_in(v, *TIME_UNITS.iter().find(|unit| v >= unit.1).unwrap_or(&TIME_UNITS[7])),
            Unit::Time => numbers::time_in(v, self.time_unit()),
            Unit::Bytes if v < 0.0 => format!("−{}", size(v)),
            Unit::Bytes => size(v).replace(".00 ", " ").replace(".0 ", " ").replace(' ', &THIN_SPACE.to_string()),
        }
    }
}

fn plain(v: f64, step: f64) -> String {
    let power = magnitude(step);
    if !(-4..9).contains(&power) {
        return if v == 0.0 { "0".into() } else { numbers::scientific(v) };
    }
    // 2.5 needs a decimal more than 2.
    let more = i32::from((step / power_of_ten(power) * 2.0).round() % 2.0 == 1.0);
    numbers::fixed(v, (more - power).max(0) as usize)
}

/// Seconds to weeks as clocks and calendars divide them.
fn time_steps() -> Vec<f64> {
    let (second, minute, hour, day, week) = (1e9, 6e10, 3.6e12, 8.64e13, 6.048e14);
    let of = |unit: f64, counts: &[f64]| counts.iter().map(|count| count * unit).collect::<Vec<f64>>();
    let sixtieths = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0];
    [
        of(second, &sixtieths),
        of(minute, &sixtieths),
        of(hour, &[1.0, 2.0, 3.0, 4.0, 6.0, 12.0]),
        of(day, &[1.0, 2.0, 3.0]),
        of(week, &[1.0, 2.0]),
    ]
    .concat()
}

/// The power of ten of a number's first digit, read from its exact decimal form.
fn magnitude(v: f64) -> i32 {
    let text = format!("{:e}", v.abs());
    text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::Axis;
    use super::*;
    use proptest::prelude::*;

    fn axis(unit: Unit, range: Option<(f64, f64)>, is_logarithmic: bool) -> Axis {
        Axis { label: String::new(), unit, range, is_logarithmic }
    }

    #[track_caller]
    fn check(unit: Unit, low: f64, high: f64, expect: &str) {
        let range = Range::exact(&axis(unit, Some((low, high)), false), std::iter::empty());
        assert_eq!(show(&range), expect);
    }

    fn show(range: &Range) -> String {
        let labels: Vec<String> = range.ticks().into_iter().map(|tick| tick.label.replace(THIN_SPACE, "_")).collect();
        labels.join(" ")
    }

    #[test]
    fn ticks_are_round() {
        check(Unit::Number, 0.0, 1.0, "0.00 0.25 0.50 0.75 1.00");
        check(Unit::Number, 0.2, 0.58, "0.2 0.3 0.4 0.5");
        check(Unit::Number, -0.04, 0.06, "−0.04 −0.02 0.00 0.02 0.04 0.06");
        check(Unit::Share, 0.0, 0.42, "0_% 10_% 20_% 30_% 40_%");
        check(Unit::Count, 0.0, 100_000.0, "0 25_000 50_000 75_000 100_000");
        check(Unit::Count, 0.0, 2.0, "0 1 2");
        check(Unit::Bytes, 0.0, 4_200_000.0, "0_B 1_MB 2_MB 3_MB 4_MB");
        check(Unit::Number, 0.0, 4e-7, "0 1e−7 2e−7 3e−7 4e−7");
    }

    #[test]
    fn time_is_divided_as_clocks_do() {
        let (minute, hour, day) = (6e10, 3.6e12, 8.64e13);
        check(Unit::Time, 0.0, 90e9, "0_s 20_s 40_s 60_s 80_s");
        check(Unit::Time, 0.0, 90.0 * minute, "0_min 20_min 40_min 60_min 80_min");
        check(Unit::Time, 0.0, 30.0 * hour, "0_h 6_h 12_h 18_h 24_h 30_h");
        check(Unit::Time, 0.0, 7.0 * day, "0_d 2_d 4_d 6_d");
        check(Unit::Time, 0.0, 70.0 * day, "0_w 2_w 4_w 6_w 8_w 10_w");
        check(Unit::Time, 0.0, 2.0 * 365.0 * day, "0_w 25_w 50_w 75_w 100_w");
        check(Unit::Time, 0.0, 400e6, "0_ms 100_ms 200_ms 300_ms 400_ms");
        check(Unit::Time, 0.0, 1.2e9, "0_ms 250_ms 500_ms 750_ms 1000_ms");
    }

    #[test]
    fn logarithmic_axes_have_powers() {
        let log = |low, high| show(&Range::exact(&axis(Unit::Number, Some((low, high)), true), std::iter::empty()));
        assert_eq!(log(0.001, 1000.0), "0.001 0.1 10 1000");
        assert_eq!(log(1.0, 100.0), "1 10 100");
        assert_eq!(log(2.0, 30.0), "3 10 30");
        assert_eq!(log(2.0, 3.0), "2.00 2.25 2.50 2.75 3.00");
        let times = Range::exact(&axis(Unit::Time, Some((5e5, 4e11)), true), std::iter::empty());
        assert_eq!(show(&times), "1_ms 10_ms 100_ms 1_s 10_s 1_min");
        assert_eq!(log(1e-12, 1e12), "1e−12 1e−7 0.01 1000 100_000_000");
    }

    fn units() -> impl Strategy<Value = Unit> {
        prop::sample::select(vec![Unit::Number, Unit::Share, Unit::Count, Unit::Time, Unit::Bytes])
    }

    proptest! {
        #[test]
        fn every_range_has_a_few_ticks_within(unit in units(), a in -1e18f64..1e18, span in 1e-3f64..1e18, is_log: bool) {
            let range = Range::exact(&axis(unit, None, is_log), [a, a + span].into_iter());
            let ticks = range.ticks();
            prop_assert!((1..=9).contains(&ticks.len()), "{range:?} {ticks:?}");
            for tick in &ticks {
                let fraction = range.fraction(tick.at).expect("a tick can be shown");
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&fraction), "{range:?} {tick:?}");
            }
        }

        #[test]
        fn axes_from_zero_have_four_to_six_ticks(unit in units(), high in 4.0f64..1e15) {
            let range = Range::exact(&axis(unit, Some((0.0, high)), false), std::iter::empty());
            prop_assert!((4..=6).contains(&range.ticks().len()), "{:?}", range.ticks());
        }
    }
}
