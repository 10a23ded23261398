//! The smallest and the largest value of a page or a column, by which readers skip what cannot hold what they look for.

use parquet::basic::Type;
use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// A value that can be such a bound.
pub trait Bound: Clone + PartialOrd + Send {
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

/// Words are ordered by their bytes.
impl Bound for &str {
    const TYPE: Type = Type::BYTE_ARRAY;

    fn bytes(self) -> Vec<u8> {
        self.as_bytes().into()
    }

    fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, _: u64) -> Statistics {
        Statistics::ByteArray(value_statistics(bounds.map(|bounds| bounds.map(ByteArray::from)), n_nulls))
    }
}

/// Bytes of a long text that its bound has at most.
const CLIPPED_BYTES: usize = 64;

/// A bound of long texts, which may be shorter than they are.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub struct Clipped {
    text: String,
    is_exact: bool,
}

impl Clipped {
    /// The text or the beginning of it, which stands before it.
    pub fn before(text: &str) -> Self {
        let text_before = beginning(text);
        Self { text: text_before.into(), is_exact: text_before == text }
    }

    /// The text, or a short one that stands behind all texts with the same beginning.
    pub fn behind(text: &str) -> Self {
        let mut text_behind = beginning(text).to_string();
        if text_behind != text {
            while let Some(last) = text_behind.pop() {
                if let Some(next) = char::from_u32(u32::from(last) + 1) {
                    text_behind.push(next);
                    return Self { text: text_behind, is_exact: false };
                }
            }
        }
        Self { text: text.into(), is_exact: true }
    }
}

fn beginning(text: &str) -> &str {
    let end = (0..=CLIPPED_BYTES.min(text.len())).rfind(|end| text.is_char_boundary(*end));
    &text[..end.expect("every text has a boundary at 0")]
}

impl Bound for Clipped {
    const TYPE: Type = Type::BYTE_ARRAY;

    fn bytes(self) -> Vec<u8> {
        self.text.into()
    }

    fn statistics(bounds: Option<[Self; 2]>, n_nulls: u64, _: u64) -> Statistics {
        let [is_exact, is_exact_behind] = bounds.as_ref().map_or([true; 2], |[before, behind]| [before.is_exact, behind.is_exact]);
        let bounds = bounds.map(|bounds| bounds.map(|bound| ByteArray::from(bound.text.into_bytes())));
        Statistics::ByteArray(value_statistics(bounds, n_nulls).with_min_is_exact(is_exact).with_max_is_exact(is_exact_behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_texts_are_their_own_bounds() {
        let exact = |text: &str| Clipped { text: text.into(), is_exact: true };
        for text in ["", "FLIP", &"x".repeat(CLIPPED_BYTES), &char::MAX.to_string().repeat(40)] {
            assert_eq!(Clipped::behind(text), exact(text));
        }
        let long = "x".repeat(CLIPPED_BYTES + 1);
        assert_eq!(Clipped::before(&long), Clipped { text: "x".repeat(CLIPPED_BYTES), is_exact: false });
        assert_eq!(Clipped::behind(&long), Clipped { text: "x".repeat(CLIPPED_BYTES - 1) + "y", is_exact: false });
    }

    proptest! {
        #[test]
        fn a_text_stands_between_its_bounds(text in ".{0,80}") {
            let [before, behind] = [Clipped::before(&text), Clipped::behind(&text)].map(Bound::bytes);
            prop_assert!(before.as_slice() <= text.as_bytes() && text.as_bytes() <= behind.as_slice());
            prop_assert!(before.len() <= CLIPPED_BYTES && behind.len() <= CLIPPED_BYTES + 3);
        }
    }
}
