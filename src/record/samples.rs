//! Random rows of any table, for tests that write and read them, and Arrow's own arrays of the same rows.

use super::cell::Cell;
use arrow::array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;
use std::sync::Arc;

/// A value made of random bits. Edge cases come often.
pub trait Sample {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self;
}

/// A row of which Arrow makes columns.
pub trait SampleRow: Sample + Sized {
    fn batch(rows: &[Self]) -> RecordBatch;
}

/// A cell of which Arrow makes a column.
pub trait SampleCell: Sized {
    fn array(cells: Vec<Self>) -> ArrayRef;
}

macro_rules! arrays {
    ($($cell:ty => $array:ident;)+) => {$(
        impl SampleCell for $cell {
            fn array(cells: Vec<Self>) -> ArrayRef {
                Arc::new($array::from(cells))
            }
        }
    )+};
}

arrays! {
    i64 => Int64Array;
    i32 => Int32Array;
    f64 => Float64Array;
    f32 => Float32Array;
    bool => BooleanArray;
    &'static str => StringArray;
    String => StringArray;
    Option<i64> => Int64Array;
    Option<i32> => Int32Array;
    Option<f64> => Float64Array;
    Option<&'static str> => StringArray;
}

impl<T: SampleCell + Clone> SampleCell for Vec<T>
where
    Self: Cell,
{
    fn array(cells: Vec<Self>) -> ArrayRef {
        let DataType::List(element) = Self::data_type() else { unreachable!("it is a list") };
        let lengths = OffsetBuffer::from_lengths(cells.iter().map(Vec::len));
        Arc::new(ListArray::new(element, lengths, T::array(cells.concat()), None))
    }
}

/// `n` values, drawn from a seed.
pub fn sample<S: Sample>(seed: u64, n: usize) -> Vec<S> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 33)
    };
    (0..n).map(|_| S::sample(&mut draw)).collect()
}

const WORDS: [&str; 5] = ["merged", "receiver offline", "São Paulo", "", "FLIP"];

impl Sample for i64 {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        let bits = draw();
        [0, i64::MIN, i64::MAX, -1].get((bits % 8) as usize).copied().unwrap_or(bits.cast_signed())
    }
}

impl Sample for i32 {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        i64::sample(draw) as i32
    }
}

impl Sample for f64 {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        let bits = draw();
        [f64::NAN, f64::INFINITY, -0.0, 0.1].get((bits % 8) as usize).copied().unwrap_or(f64::from_bits(bits))
    }
}

impl Sample for f32 {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        f64::sample(draw) as f32
    }
}

impl Sample for bool {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        draw().is_multiple_of(2)
    }
}

impl Sample for &'static str {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        WORDS[(draw() % 5) as usize]
    }
}

impl Sample for String {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        format!("{}{}", <&str>::sample(draw), draw())
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        if draw().is_multiple_of(3) { None } else { Some(T::sample(draw)) }
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
        (0..draw() % 4).map(|_| T::sample(draw)).collect()
    }
}
