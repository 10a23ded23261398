//! The smallest and the largest value of a page or a column, by which readers skip what cannot hold what they look for.

use parquet::basic::Type;
use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// A value that can be such a bound.
pub trait Bound: Copy + PartialOrd + Send {
    /// Its type in Parquet.
    const TYPE: Type;
    /// Whether there are values that are not a number, which no bound regards.
    const HAS_NAN: bool = false;

    /// The value as it stands in an index of pages.
    fn bytes(self) -> Vec<u8>;

    /// What a footer says about all values of a column.
    fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, n_nan: u64) -> Statistics;
}

/// The bounds of what two bounds hold.
pub fn union<B: Bound>([a, b]: [B; 2], [c, d]: [B; 2]) -> [B; 2] {
    [if c < a { c } else { a }, if d > b { d } else { b }]
}

fn value_statistics<T>(bounds: Option<[T; 2]>, n_nulls: u64) -> ValueStatistics<T> {
    let [smallest, largest] = bounds.map_or([None, None], |bounds| bounds.map(Some));
    ValueStatistics::new(smallest, largest, None, Some(n_nulls), false)
}

macro_rules! bounds {
    ($($value:ty => $TYPE:ident, $Statistics:ident, $has_nan:literal;)+) => {$(
        impl Bound for $value {
            const TYPE: Type = Type::$TYPE;
            const HAS_NAN: bool = $has_nan;

            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().into()
            }

            fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, n_nan: u64) -> Statistics {
                let statistics = value_statistics(bounds, n_nulls).with_backwards_compatible_min_max(true);
                Statistics::$Statistics(statistics.with_nan_count($has_nan.then_some(n_nan)))
            }
        }
    )+};
}

bounds! {
    i32 => INT32, Int32, false;
    i64 => INT64, Int64, false;
    f32 => FLOAT, Float, true;
    f64 => DOUBLE, Double, true;
}

impl Bound for bool {
    const TYPE: Type = Type::BOOLEAN;

    fn bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }

    fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, _: u64) -> Statistics {
        Statistics::Boolean(value_statistics(bounds, n_nulls).with_backwards_compatible_min_max(true))
    }
}

/// Texts are ordered by their bytes.
impl Bound for &str {
    const TYPE: Type = Type::BYTE_ARRAY;

    fn bytes(self) -> Vec<u8> {
        self.as_bytes().into()
    }

    fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, _: u64) -> Statistics {
        Statistics::ByteArray(value_statistics(bounds.map(|bounds| bounds.map(ByteArray::from)), n_nulls))
    }
}
