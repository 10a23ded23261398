//! Integers as differences from one to the next. Steps, times and counts grow from row to row, and numbers of nodes lie close together: their
//! differences need few bits.

use super::bits::{GROUP, pack, width_of, write_varint, write_zigzag};
use super::{Bound, Summary, Values};
use crate::instructions::kernel;
use parquet::basic::Encoding;

/// Differences of a block, which share the smallest of them. Each group of a block has a width of its own.
const BLOCK: usize = 4 * GROUP;

/// Integers of a page.
#[derive(Clone, Default)]
pub struct Integers<I>(Vec<I>);

/// `i32` or `i64`.
pub trait Integer: Bound + Copy + Default + Ord + Into<i64> {
    /// The smallest integer, and the largest.
    const ENDS: [Self; 2];

    /// The difference of two integers, which may wrap around.
    fn minus(self, other: Self) -> Self;

    /// The same bits as a number without a sign.
    fn bits(self) -> u64;

    /// Writes integers as their differences, and returns the smallest and the largest one.
    fn write_all(integers: &[Self], page: &mut Vec<u8>) -> [Self; 2];
}

macro_rules! integers {
    ($($integer:ident, $write_all:ident;)+) => {$(
        impl Integer for $integer {
            const ENDS: [Self; 2] = [$integer::MIN, $integer::MAX];

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.cast_unsigned().into()
            }

            fn write_all(integers: &[Self], page: &mut Vec<u8>) -> [Self; 2] {
                $write_all(integers, page)
            }
        }

        kernel! {
            fn $write_all(integers: &[$integer], page: &mut Vec<u8>) -> [$integer; 2] {
                write_blocks(integers, page);
                bounds(integers)
            }
        }
    )+};
}

integers! {
    i32, write_all_i32;
    i64, write_all_i64;
}

impl<I: Integer> Extend<I> for Integers<I> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, integers: T) {
        self.0.extend(integers);
    }
}

impl<I: Integer + 'static> Values for Integers<I> {
    type Bound = I;
    const ENCODING: Encoding = Encoding::DELTA_BINARY_PACKED;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<I> {
        write_varint(BLOCK as u64, page);
        write_varint((BLOCK / GROUP) as u64, page);
        write_varint(self.0.len() as u64, page);
        write_zigzag(self.0.first().copied().unwrap_or_default().into(), page);
        let bounds = I::write_all(&self.0, page);
        let bounds = (!self.0.is_empty()).then_some(bounds);
        self.0.clear();
        Summary { bounds, n_nan: 0 }
    }
}

#[inline(always)]
fn bounds<I: Integer>(integers: &[I]) -> [I; 2] {
    let [smallest, largest] = I::ENDS;
    integers.iter().fold([largest, smallest], |[low, high], integer| [low.min(*integer), high.max(*integer)])
}

/// Writes the differences of integers from one to the next.
#[inline(always)]
fn write_blocks<I: Integer>(integers: &[I], page: &mut Vec<u8>) {
    let mut block = [I::default(); BLOCK];
    for from in (1..integers.len()).step_by(BLOCK) {
        let n = BLOCK.min(integers.len() - from);
        let (before, after) = (&integers[from - 1..from - 1 + n], &integers[from..from + n]);
        (0..n).for_each(|i| block[i] = after[i].minus(before[i]));
        write_block(&block[..n], page);
    }
}

/// Writes the smallest difference of a block, the widths of its groups, and what each difference is larger by.
#[inline(always)]
fn write_block<I: Integer>(differences: &[I], page: &mut Vec<u8>) {
    let [smallest, _] = bounds(differences);
    write_zigzag(smallest.into(), page);
    let widths = page.len();
    page.extend([0; BLOCK / GROUP]);
    for (nth, group) in differences.chunks(GROUP).enumerate() {
        let mut larger_by = [0; GROUP];
        (0..group.len()).for_each(|i| larger_by[i] = group[i].minus(smallest).bits());
        let width = width_of(larger_by.iter().fold(0, |all, one| all | one));
        page[widths + nth] = width as u8;
        pack(&larger_by, width, page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded<I: Integer + 'static>(integers: &[I]) -> (Vec<u8>, Option<[I; 2]>) {
        let (mut values, mut page) = (Integers(integers.to_vec()), Vec::new());
        let summary = values.encode(&mut page);
        assert!(values.0.is_empty());
        (page, summary.bounds)
    }

    /// 256 differences in a block, four groups, n integers.
    fn head(n: u8) -> [u8; 4] {
        [0x80, 2, 4, n]
    }

    #[test]
    fn by_hand() {
        assert_eq!(encoded::<i64>(&[]), ([&head(0)[..], &[0]].concat(), None));
        assert_eq!(encoded(&[-3i32]), ([&head(1)[..], &[5]].concat(), Some([-3, -3])));
        // The second example of the Parquet specification: 7, 5, 3, 1, 2, 3, 4, 5.
        let packed = [0b1100_0000, 0b11_1111];
        let page = [&head(8)[..], &[14, 3, 2, 0, 0, 0], &packed, &[0; 14]].concat();
        assert_eq!(encoded(&[7i64, 5, 3, 1, 2, 3, 4, 5]), (page, Some([1, 7])));
    }

    #[test]
    fn integers_of_32_bits_need_at_most_32_bits() {
        let (page, bounds) = encoded(&[i32::MIN, i32::MAX, i32::MIN, 0, -1]);
        assert_eq!(bounds, Some([i32::MIN, i32::MAX]));
        // The differences wrap around: -1, 1, i32::MIN, -1.
        let widths = 4 + 5 + 5;
        assert_eq!(page[widths..widths + 4], [32, 0, 0, 0]);
    }
}
