//! Floating-point numbers, as their bytes. They hardly ever repeat in a way that an encoding would see; zstd finds the rest.

use super::{Bound, Summary, Values};
use bytemuck::Pod;
use parquet::basic::Encoding;

/// Numbers that are compared side by side.
const LANES: usize = 8;

/// Numbers of a page.
#[derive(Clone, Default)]
pub struct Numbers<F>(pub Vec<F>);

/// `f32` or `f64`.
pub trait Number: Bound + Pod + Default {
    const ZERO: Self;
    const INFINITY: Self;
    const NEGATIVE_INFINITY: Self;
    const NEGATIVE_ZERO: Self;

    fn is_nan(self) -> bool;
}

macro_rules! numbers {
    ($($number:ident)+) => {$(
        impl Number for $number {
            const ZERO: Self = 0.0;
            const INFINITY: Self = $number::INFINITY;
            const NEGATIVE_INFINITY: Self = $number::NEG_INFINITY;
            const NEGATIVE_ZERO: Self = -0.0;

            #[inline(always)]
            fn is_nan(self) -> bool {
                $number::is_nan(self)
            }
        }
    )+};
}

numbers! { f32 f64 }

impl<F: Number> Extend<F> for Numbers<F> {
    fn extend<I: IntoIterator<Item = F>>(&mut self, numbers: I) {
        self.0.extend(numbers);
    }
}

impl<F: Number> Values for Numbers<F> {
    type Bound = F;
    const ENCODING: Encoding = Encoding::PLAIN;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<F> {
        // The format is little-endian, and so is every machine that this program is built for.
        const { assert!(cfg!(target_endian = "little")) };
        page.extend_from_slice(bytemuck::cast_slice(&self.0));
        let summary = summary(&self.0);
        self.0.clear();
        summary
    }
}

/// The bounds of all numbers that are numbers. Zero has two signs; the format wants one as the smallest and the other as the largest value.
pub fn summary<F: Number>(numbers: &[F]) -> Summary<F> {
    let (mut smallest, mut largest, mut n_numbers) = ([F::INFINITY; LANES], [F::NEGATIVE_INFINITY; LANES], [0u64; LANES]);
    let mut add = |lane: usize, number: F| {
        // NaN is neither smaller nor larger.
        smallest[lane] = if number < smallest[lane] { number } else { smallest[lane] };
        largest[lane] = if number > largest[lane] { number } else { largest[lane] };
        n_numbers[lane] += u64::from(!number.is_nan());
    };
    let (blocks, rest) = numbers.as_chunks::<LANES>();
    for block in blocks {
        (0..LANES).for_each(|lane| add(lane, block[lane]));
    }
    rest.iter().enumerate().for_each(|(lane, number)| add(lane, *number));

    let smallest = smallest.into_iter().reduce(|a, b| if b < a { b } else { a }).filter(|bound| *bound != F::ZERO);
    let largest = largest.into_iter().reduce(|a, b| if b > a { b } else { a }).filter(|bound| *bound != F::ZERO);
    let n_numbers: u64 = n_numbers.into_iter().sum();
    let bounds = [smallest.unwrap_or(F::NEGATIVE_ZERO), largest.unwrap_or(F::ZERO)];
    Summary { bounds: (n_numbers > 0).then_some(bounds), n_nan: numbers.len() as u64 - n_numbers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(numbers: &[f64], bounds: Option<[f64; 2]>, n_nan: u64) {
        let Summary { bounds: found, n_nan: n } = summary(numbers);
        assert_eq!((found.map(|bounds| bounds.map(f64::to_bits)), n), (bounds.map(|bounds| bounds.map(f64::to_bits)), n_nan));
    }

    #[test]
    fn bounds_by_hand() {
        check(&[], None, 0);
        check(&[f64::NAN, f64::NAN], None, 2);
        check(&[1.5, f64::NAN, -2.0], Some([-2.0, 1.5]), 1);
        check(&[0.0], Some([-0.0, 0.0]), 0);
        check(&[-0.0, -3.0], Some([-3.0, 0.0]), 0);
        check(&[f64::INFINITY], Some([f64::INFINITY; 2]), 0);
    }

    proptest! {
        #[test]
        fn bounds_are_those_of_a_plain_loop(numbers in prop::collection::vec(prop_oneof![4 => -9.0..9.0, 1 => Just(f64::NAN)], 0..40)) {
            let real = || numbers.iter().copied().filter(|number: &f64| !number.is_nan());
            let plain = real().reduce(f64::min).zip(real().reduce(f64::max)).map(|(smallest, largest)| [smallest, largest]);
            let n_nan = (numbers.len() - real().count()) as u64;
            prop_assert_eq!(summary(&numbers), Summary { bounds: plain, n_nan });
        }
    }

    #[test]
    fn numbers_stand_as_their_bytes() {
        let (mut values, mut page) = (Numbers(vec![1.0f32, -2.5]), vec![7]);
        assert_eq!(values.encode(&mut page), Summary { bounds: Some([-2.5, 1.0]), n_nan: 0 });
        assert_eq!((page, values.0), ([&[7][..], &1.0f32.to_le_bytes(), &(-2.5f32).to_le_bytes()].concat(), vec![]));
    }
}
