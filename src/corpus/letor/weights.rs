//! The weight of each byte of a decimal number, by the number's length and the place of its point, so that reading it needs no branch on
//! either.
//!
//! A number is the last n of sixteen bytes. Neighbouring bytes are added up in pairs, then fours, then eights, then both halves. The point
//! counts as a byte that is 0, and the weights around it are ten times smaller.

/// Masks for a number of n bytes.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
pub struct Keep {
    /// All bits set in the bytes of the number.
    pub bytes: [u8; 16],
    /// The byte of a point after subtracting b'0'. A point alone is not a number, so for n = 1 this is a byte that never matches a point.
    pub point: [u8; 16],
}

/// Weights for a number whose point is at byte p.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Point {
    /// The byte of the point after subtracting b'0', at its place.
    pub itself: [u8; 16],
    /// Weights of single digits.
    pub ones: [u8; 16],
    /// Weights of pairs of digits.
    pub pairs: [i16; 8],
    /// Weights of groups of four digits; both halves hold the same four weights.
    pub fours: [i16; 8],
    /// Weights of groups of eight digits.
    pub eights: [f64; 2],
    /// The divisor of the sum, for positive and for negative numbers.
    pub divisor: [f64; 2],
}

const POINT: u8 = b'.'.wrapping_sub(b'0');

/// The masks by the length of a number.
pub static KEEP: [Keep; 16] = keeps();

/// The weights by the place of the point. The last entry is for numbers without a point.
pub static POINTS: [Point; 17] = points();

const fn keeps() -> [Keep; 16] {
    let mut keeps = [Keep { bytes: [0; 16], point: [POINT; 16] }; 16];
    let mut n = 0;
    while n < 16 {
        let mut i = 16 - n;
        while i < 16 {
            keeps[n].bytes[i] = 0xFF;
            i += 1;
        }
        n += 1;
    }
    // A byte that equals this value is not a digit either, so the number is refused as it should be.
    keeps[1].point = [0x7F; 16];
    keeps
}

const fn points() -> [Point; 17] {
    let none = Point { itself: [0; 16], ones: [0; 16], pairs: [0; 8], fours: [0; 8], eights: [0.0; 2], divisor: [0.0; 2] };
    let mut points = [none; 17];
    let mut p = 0;
    while p < 17 {
        points[p] = point(p);
        p += 1;
    }
    points
}

const fn point(p: usize) -> Point {
    let mut itself = [0; 16];
    if p < 16 {
        itself[p] = POINT;
    }
    let (mut ones, mut pairs, mut fours) = ([1; 16], [1; 8], [1; 8]);
    let mut i = 0;
    while i < 8 {
        // The upper half of a group weighs less if the point is anywhere in a pair of digits, or in the lower half of a larger group.
        ones[2 * i] = if p / 2 == i { 1 } else { 10 };
        if i % 2 == 0 {
            pairs[i] = if p / 2 == i + 1 { 10 } else { 100 };
            fours[i] = if p / 4 == i % 4 + 1 { 1_000 } else { 10_000 };
        }
        i += 1;
    }
    let mut divisor = 1.0;
    let mut decimal = p + 1;
    while decimal < 16 {
        divisor *= 10.0;
        decimal += 1;
    }
    Point { itself, ones, pairs, fours, eights: [if p / 8 == 1 { 1e7 } else { 1e8 }, 1.0], divisor: [divisor, -divisor] }
}
