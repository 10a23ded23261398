//! The steps of the reader that need vector instructions: finding tokens in 64 bytes, and turning four of them into numbers.
//!
//! All `unsafe` code of the reader is here. A value of type `Wide` proves that the processor has the instructions.
#![allow(unsafe_code, reason = "vector instructions and unchecked reads; each block says why it is sound")]

use super::names::Names;
use super::tokens::is_blank;
use super::weights::{KEEP, POINTS};
use std::ops::Range;

/// Work that is compiled for the processor. It is not a closure, because a closure cannot be forced inline, and without that nothing is
/// gained.
pub trait Work {
    /// The result of the work.
    type Result;
    /// Does the work, with wide instructions if the processor has them.
    fn run(self, wide: Option<Wide>) -> Self::Result;
}

/// Does the work with the widest instructions that the processor has.
#[inline(always)]
pub fn run<W: Work>(work: W) -> W::Result {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = Wide::detect() {
        // SAFETY: `detect` saw AVX2, BMI1 and BMI2.
        return unsafe { run_avx2(wide, work) };
    }
    work.run(None)
}

/// Proof that the processor has AVX2, BMI1 and BMI2.
#[derive(Debug, Clone, Copy)]
pub struct Wide(());

impl Wide {
    fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
            return Some(Self(()));
        }
        None
    }

    /// The tokens of `text` from `start`, which is the blank before the first of them; `None` if too few bytes stand before or after it.
    #[inline(always)]
    pub fn tokens(self, text: &[u8], start: usize) -> Option<Tokens<'_>> {
        let last = text.len().checked_sub(80)?;
        (start >= 8).then_some(Tokens { wide: self, text, start, last, end: start, ends: 0, marked: start })
    }

    /// Two words: one with a bit for each byte that ends a token, one with a bit for each point.
    #[inline(always)]
    fn ends_and_points(self, block: &[u8; 64]) -> (u64, u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { ends_and_points_avx2(block) };
        #[cfg(not(target_arch = "x86_64"))]
        (blanks(block), 0)
    }

    /// The value of the last `n` bytes of `tail`, if they are one to fifteen digits with at most one point among them, negated if asked.
    #[inline(always)]
    pub fn decimal(self, tail: &[u8; 16], n: usize, negative: bool) -> Option<f64> {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { decimal_avx2(tail, n, negative) };
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Whether four tokens begin with these names.
    #[inline(always)]
    fn begin(self, heads: [[u8; 8]; 4], names: Names<4>) -> bool {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { begin_avx2(heads, names) };
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    #[inline(always)]
    fn number(self, around: &[u8; 16], masks: [&[u8; 16]; 3]) -> Number {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { number_avx2(around, masks) };
        #[cfg(not(target_arch = "x86_64"))]
        Number { digits: *around, signs: *masks[0] }
    }

    /// The values of four numbers, if they consist of digits only.
    #[inline(always)]
    fn values(self, numbers: [Number; 4]) -> Option<[f64; 4]> {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { values_avx2(numbers) };
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

/// Two words with a bit for each of 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    /// Where tokens end: at blanks, comments and line ends.
    ends: u64,
    /// Where each token has its first point, or its end if it has no point.
    points: u64,
}

impl Marks {
    #[inline(always)]
    fn new(ends: u64, points: u64) -> Self {
        // A bit added at the first byte of a token is carried to the next byte that is an end or a point.
        let stops = ends | points;
        Self { ends, points: (ends << 1 | 1).wrapping_add(!stops) & stops }
    }

    /// Takes the token from `start` to the next end, and moves `start` to the token after it.
    #[inline(always)]
    fn take(&mut self, start: &mut usize) -> Token {
        let (point, end) = (self.points.trailing_zeros() as usize, self.ends.trailing_zeros() as usize);
        self.points &= self.points.wrapping_sub(1);
        self.ends &= self.ends.wrapping_sub(1);
        Token { start: std::mem::replace(start, end + 1), point, end }
    }

    #[inline(always)]
    fn has_four(self) -> bool {
        let second = self.ends & self.ends.wrapping_sub(1);
        let third = second & second.wrapping_sub(1);
        third & third.wrapping_sub(1) != 0
    }
}

/// The tokens of a body, separated by blanks. Between two adjacent blanks there is an empty token.
// This is not an `Iterator`, because adapters would not be inlined into the code for the processor.
pub struct Tokens<'a> {
    wide: Wide,
    text: &'a [u8],
    /// The byte before the next token, or the end of the body. Invariant: it is at least 8.
    start: usize,
    /// The last place that is followed by 80 bytes of text.
    last: usize,
    /// The end of the body.
    end: usize,
    /// The ends, among the 64 bytes from `marked`, of tokens that are still to be taken one by one.
    ends: u64,
    marked: usize,
}

/// The places of a token's parts among 64 bytes.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    /// Its first point, or its end.
    point: usize,
    end: usize,
}

/// The bytes of a possible number, each less b'0': eight bytes before its point and eight from the point on. Bytes outside of it are 0.
#[derive(Clone, Copy)]
struct Number {
    digits: Bytes,
    /// All bits set where a sign is, and also where the digit is 0.
    signs: Bytes,
}

#[cfg(target_arch = "x86_64")]
type Bytes = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Bytes = [u8; 16];

impl Tokens<'_> {
    /// The values of the next four tokens, if these have the given names, are plain decimals and end within 64 bytes. Otherwise it returns
    /// `None`, and the tokens are still to be read.
    ///
    /// It always takes four tokens: the number of tokens in 64 bytes cannot be predicted, and each wrong prediction costs as much as
    /// reading a token. Names and decimals hold no byte that ends a body, so this may be called before that end is known.
    #[inline(always)]
    pub fn four(&mut self, names: Names<4>) -> Option<[f64; 4]> {
        if self.start > self.last {
            return None;
        }
        // SAFETY: a start that is not beyond `last` has 8 bytes before it and 80 bytes after it.
        let around = Around(unsafe { &*self.text.as_ptr().add(self.start - 8).cast() });
        let mut marks = around.marks(self.wide);
        if !marks.has_four() {
            return None;
        }
        let mut start = 0;
        let [a, b, c, d] = [marks.take(&mut start), marks.take(&mut start), marks.take(&mut start), marks.take(&mut start)];
        if !self.wide.begin([around.head(a), around.head(b), around.head(c), around.head(d)], names) {
            return None;
        }
        let [k, l, m, n] = *names.lens;
        let number = |token, name_len| around.number(self.wide, token, name_len);
        let values = self.wide.values([number(a, k)?, number(b, l)?, number(c, m)?, number(d, n)?])?;
        self.start += start;
        Some(values)
    }

    /// The range of the next token.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Range<usize>> {
        if self.start >= self.end {
            return None;
        }
        if self.ends == 0 {
            self.mark();
        }
        let end = match self.ends {
            0 => self.far_end(),
            ends => self.marked + ends.trailing_zeros() as usize,
        };
        self.ends &= self.ends.wrapping_sub(1);
        Some(std::mem::replace(&mut self.start, end) + 1..end)
    }

    /// The value of a token, if it has this name and is a decimal of up to fifteen digits.
    #[inline(always)]
    pub fn value(&self, token: &Range<usize>, name: Names<1>) -> Option<f64> {
        let head = *self.text[token.start..].first_chunk()?;
        if !name.begins(head) {
            return None;
        }
        let negative = (u64::from_le_bytes(head) >> (8 * name.len())) as u8 == b'-';
        let tail = self.text[..token.end].last_chunk()?;
        self.wide.decimal(tail, token.len().wrapping_sub(name.len() + usize::from(negative)), negative)
    }

    /// Sets the end of the body, which `end` computes from the place of the next token. This must happen before tokens are taken one by
    /// one.
    pub fn end_at(&mut self, end: impl FnOnce(usize) -> usize) {
        self.end = end(self.start);
        self.ends = 0;
    }

    /// Finds ends among the next 64 bytes, as far as these belong to the body and the text.
    #[inline(always)]
    fn mark(&mut self) {
        self.marked = self.start + 1;
        let Some(block) = self.text[self.marked..].first_chunk() else { return };
        let (ends, _) = self.wide.ends_and_points(block);
        let ends = match self.end - self.marked {
            left @ 0..64 => (ends | 1 << left) & (!0 >> (63 - left)),
            _ => ends,
        };
        // Here too, a fixed number of tokens is taken.
        let after_four = (0..4).fold(ends, |ends: u64, _| ends & ends.wrapping_sub(1));
        self.ends = ends ^ after_four;
    }

    /// The end of a token that `mark` did not find: a long one, or one near the end of the text.
    #[cold]
    fn far_end(&self) -> usize {
        let rest = &self.text[self.start + 1..self.end];
        rest.iter().position(|&byte| is_blank(byte)).map_or(self.end, |end| self.start + 1 + end)
    }
}

/// The bytes around some tokens. The ninth byte is the blank before the first token, and places are counted from the byte after it. The
/// other bytes are needed to load whole words.
struct Around<'a>(&'a [u8; 88]);

impl Around<'_> {
    #[inline(always)]
    fn marks(&self, wide: Wide) -> Marks {
        let (ends, points) = wide.ends_and_points(self.0[9..].first_chunk().expect("of 79 bytes"));
        Marks::new(ends, points)
    }

    /// Eight bytes, beginning with the byte before a token.
    #[inline(always)]
    fn head(&self, token: Token) -> [u8; 8] {
        debug_assert!(token.start <= 64);
        // SAFETY: a token starts after an end among 64 bytes, so at most at 64: the last byte is the 80th of 88.
        unsafe { self.0.as_ptr().add(8 + token.start).cast::<[u8; 8]>().read() }
    }

    /// The part of a token after its name, if it has at most eight bytes before the point and seven after it, so that all steps to its
    /// value are exact. Whether these bytes are digits is not checked yet.
    #[inline(always)]
    fn number(&self, wide: Wide, token: Token, name_len: usize) -> Option<Number> {
        // This is one less than the number of its bytes before the point, because the name includes the blank before the token.
        let at_whole = token.point.wrapping_sub(token.start + name_len);
        let n_after = token.end - token.point;
        let masks = [WHOLE.from(at_whole)?, DECIMALS.from(8usize.wrapping_sub(n_after))?, SIGN.from(at_whole)?];
        debug_assert!(token.point <= 64);
        // SAFETY: a point is among 64 bytes, or 64 if there is none: the last byte is the 81st of 88.
        let around = unsafe { &*self.0.as_ptr().add(1 + token.point).cast() };
        Some(wide.number(around, masks))
    }
}

/// Masks for all lengths of a number. The mask of a length is the sixteen bytes from a place that depends on it. Each window is
/// within one cache line.
#[repr(align(32))]
struct Window<const N: usize>([u8; N]);

impl<const N: usize> Window<N> {
    #[inline(always)]
    fn from(&self, at: usize) -> Option<&[u8; 16]> {
        if at > N - 16 { None } else { self.0[at..].first_chunk() }
    }
}

/// At n − 1: selects the last n of the eight bytes before the point, and all bytes after them.
static WHOLE: Window<23> = Window([0, 0, 0, 0, 0, 0, 0, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A]);
/// At 8 − n: selects the eight bytes before the point, and n bytes from the point on.
static DECIMALS: Window<24> = Window([A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, 0, 0, 0, 0, 0, 0, 0, 0]);
/// At n − 1: holds a sign at the first of the n bytes before the point.
static SIGN: Window<23> = Window([0, 0, 0, 0, 0, 0, 0, MINUS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const A: u8 = 0xFF;
const MINUS: u8 = b'-'.wrapping_sub(b'0');

/// A word whose bit i is set if byte i of at most 64 bytes is a space or a tab; for any processor.
pub fn blanks(block: &[u8]) -> u64 {
    block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(is_blank(byte)))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn run_avx2<W: Work>(wide: Wide, work: W) -> W::Result {
    work.run(Some(wide))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn ends_and_points_avx2(block: &[u8; 64]) -> (u64, u64) {
    use std::arch::x86_64::*;
    let [low, high]: [__m256i; 2] = bytemuck::cast(*block);
    // Each byte is compared with the only end that has the same lower four bits.
    let ends = _mm256_broadcastsi128_si256(bytemuck::cast(*b"   #     \t\n     "));
    let ends_of = |bytes| _mm256_cmpeq_epi8(_mm256_shuffle_epi8(ends, bytes), bytes);
    let points_of = |bytes| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'.' as i8));
    (bits_avx2(ends_of(low), ends_of(high)), bits_avx2(points_of(low), points_of(high)))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn bits_avx2(low: std::arch::x86_64::__m256i, high: std::arch::x86_64::__m256i) -> u64 {
    use std::arch::x86_64::_mm256_movemask_epi8;
    u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn begin_avx2([a, b, c, d]: [[u8; 8]; 4], names: Names<4>) -> bool {
    use std::arch::x86_64::*;
    let heads = _mm256_set_epi64x(i64::from_le_bytes(d), i64::from_le_bytes(c), i64::from_le_bytes(b), i64::from_le_bytes(a));
    let others = _mm256_xor_si256(_mm256_and_si256(heads, bytemuck::cast(*names.masks)), bytemuck::cast(*names.bytes));
    _mm256_testz_si256(others, others) == 1
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn number_avx2(around: &[u8; 16], [whole, decimals, sign]: [&[u8; 16]; 3]) -> Number {
    use std::arch::x86_64::*;
    let digits = _mm_sub_epi8(bytemuck::cast(*around), _mm_set1_epi8(b'0' as i8));
    let digits = _mm_and_si128(_mm_and_si128(digits, bytemuck::cast(*whole)), bytemuck::cast(*decimals));
    Number { digits, signs: _mm_cmpeq_epi8(digits, bytemuck::cast(*sign)) }
}

/// The values of four numbers, if they consist of digits only.
///
/// No branch depends on the place of a point or the length of a number: both differ from token to token, and a mispredicted branch costs
/// more than the arithmetic.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn values_avx2([a, b, c, d]: [Number; 4]) -> Option<[f64; 4]> {
    use std::arch::x86_64::*;
    // The point itself counts as a digit 0. A sign must stand before a digit, not before the point.
    let pointless = _mm256_set_epi64x(!0xFF, !0, !0xFF, !0);
    let early = _mm256_set_epi64x(0, (1 << 56) - 1, 0, (1 << 56) - 1);
    // In this arrangement the four values come out in order.
    let first = _mm256_and_si256(_mm256_set_m128i(c.digits, a.digits), pointless);
    let second = _mm256_and_si256(_mm256_set_m128i(d.digits, b.digits), pointless);
    let first_signs = _mm256_and_si256(_mm256_and_si256(first, _mm256_set_m128i(c.signs, a.signs)), early);
    let second_signs = _mm256_and_si256(_mm256_and_si256(second, _mm256_set_m128i(d.signs, b.signs)), early);
    let (first, second) = (_mm256_xor_si256(first, first_signs), _mm256_xor_si256(second, second_signs));
    let others = _mm256_subs_epu8(_mm256_max_epu8(first, second), _mm256_set1_epi8(9));
    if _mm256_testz_si256(others, others) == 0 {
        return None;
    }
    let (tens, hundreds) = (_mm256_set1_epi16(i16::from_le_bytes([10, 1])), _mm256_set1_epi32(1 << 16 | 100));
    let first = _mm256_madd_epi16(_mm256_maddubs_epi16(first, tens), hundreds);
    let second = _mm256_madd_epi16(_mm256_maddubs_epi16(second, tens), hundreds);
    let eights = _mm256_madd_epi16(_mm256_packus_epi32(first, second), _mm256_set1_epi32(1 << 16 | 10_000));
    let mantissa = _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(10_000_000)), _mm256_srli_epi64(eights, 32));
    // The mantissa is below 2⁵². Put into the low bits of 2⁵² it is a float, from which 2⁵² is subtracted again.
    let large = _mm256_set1_pd((1u64 << 52) as f64);
    let mantissa = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(mantissa), large), large);
    let positive = _mm256_cmpeq_epi64(_mm256_unpacklo_epi64(first_signs, second_signs), _mm256_setzero_si256());
    let sign = _mm256_andnot_pd(_mm256_castsi256_pd(positive), _mm256_set1_pd(-0.0));
    // Both numbers are exact, so their quotient is the correctly rounded value.
    Some(bytemuck::cast(_mm256_div_pd(mantissa, _mm256_or_pd(sign, _mm256_set1_pd(1e7)))))
}

/// The value of the last `n` bytes of `tail`, if they are one to fifteen digits with at most one point among them, negated if asked.
///
/// No branch depends on the place of the point or the length of the number: both differ from token to token, and a mispredicted branch
/// costs more than the arithmetic.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn decimal_avx2(tail: &[u8; 16], n: usize, negative: bool) -> Option<f64> {
    use std::arch::x86_64::*;
    // Sixteen digits could exceed 2⁵³; below that all steps are exact.
    let keep = KEEP.get(n).filter(|_| n > 0)?;
    let x = _mm_sub_epi8(bytemuck::cast(*tail), _mm_set1_epi8(b'0' as i8));
    let x = _mm_and_si128(x, bytemuck::cast(keep.bytes));
    let at_points = _mm_movemask_epi8(_mm_cmpeq_epi8(x, bytemuck::cast(keep.point)));
    let point = &POINTS[(at_points | 0x1_0000).trailing_zeros() as usize];
    // The first point becomes 0. A second point is above 9, as is every other byte that is not a digit.
    let x = _mm_xor_si128(x, bytemuck::cast(point.itself));
    let others = _mm_subs_epu8(x, _mm_set1_epi8(9));
    if _mm_testz_si128(others, others) == 0 {
        return None;
    }
    let pairs = _mm_maddubs_epi16(x, bytemuck::cast(point.ones));
    let fours = _mm_madd_epi16(pairs, bytemuck::cast(point.pairs));
    let eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), bytemuck::cast(point.fours));
    let halves = _mm_mul_pd(_mm_cvtepi32_pd(eights), bytemuck::cast(point.eights));
    let mantissa = _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
    // Both numbers are exact, so their quotient is the correctly rounded value.
    Some(mantissa / point.divisor[usize::from(negative)])
}

#[cfg(test)]
mod tests;
