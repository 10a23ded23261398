//! What each byte of a number weighs, by its length and by the place of its point, so that reading one needs no branch on either.
//!
//! A number is the last n of sixteen bytes. Neighbouring bytes are added up in pairs, fours, eights and both halves; around a point, which counts
//! as a byte that is 0, the weights are ten times smaller.

/// Of a number of n bytes.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
pub struct Keep {
    /// All bits of its bytes.
    pub bytes: [u8; 16],
    /// What a point is after subtracting b'0'. A point alone is no number, so there something else is looked for.
    pub point: [u8; 16],
}

/// Of a number whose point is at byte p.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Point {
    /// The point, after subtracting b'0'.
    pub itself: [u8; 16],
    pub ones: [u8; 16],
    pub pairs: [i16; 8],
    /// Twice the same four.
    pub fours: [i16; 8],
    pub eights: [f64; 2],
    /// By sign.
    pub divisor: [f64; 2],
}

const POINT: u8 = b'.'.wrapping_sub(b'0');

pub static KEEP: [Keep; 16] = keeps();

/// The last is for numbers without a point.
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
    // A byte that does equal this is no digit either, with or without the point taken away.
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
        // The upper part of two weighs less if the point is within the two of ones, or in the lower part of larger ones.
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
