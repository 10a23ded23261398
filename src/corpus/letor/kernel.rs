//! The steps of the reader that need instructions plain Rust does not reach: finding blanks in 64 bytes, and turning 16 bytes into a number.
//!
//! The only `unsafe` of the reader is here. `Wide` stands for the knowledge that the processor has the instructions.

use super::weights::{KEEP, POINTS};
use std::ops::Range;

/// Something to be compiled for the processor. Not a closure, because those cannot be told to be inlined, without which nothing is gained.
pub trait Work {
    type Result;
    fn run(self, wide: Option<Wide>) -> Self::Result;
}

/// Does the work with the widest instructions there are.
#[inline(always)]
pub fn run<W: Work>(work: W) -> W::Result {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = Wide::detect() {
        // SAFETY: `detect` saw AVX2, BMI1 and BMI2.
        return unsafe { run_avx2(wide, work) };
    }
    work.run(None)
}

/// A processor with AVX2.
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

    /// The tokens of `text[body]`; nothing if it is too near to either end of the text for loading whole words around each token.
    #[inline(always)]
    pub fn tokens(self, text: &[u8], body: Range<usize>) -> Option<Tokens<'_>> {
        let inside = body.start >= 16 && body.start <= body.end && body.end < text.len().saturating_sub(64);
        inside.then_some(Tokens { wide: self, text, start: body.start, end: body.end })
    }

    #[inline(always)]
    fn blanks(self, block: &[u8; 64]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { blanks_avx2(block) };
        #[cfg(not(target_arch = "x86_64"))]
        blanks(block)
    }

    /// The last `n` bytes of `tail`, negated if asked, if they are one to fifteen digits with at most one point among them.
    #[inline(always)]
    pub fn decimal(self, tail: &[u8; 16], n: usize, negative: bool) -> Option<f64> {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Wide` comes from `detect` only.
        return unsafe { decimal_avx2(tail, n, negative) };
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

/// What stands between blanks, and between them and the ends of the body; empty where two blanks meet.
// Not an `Iterator`, whose adapters would not be inlined into code for the processor.
pub struct Tokens<'a> {
    wide: Wide,
    text: &'a [u8],
    /// Of the next token. Invariant: it lies in the body, or at its end, or one beyond when all is read.
    start: usize,
    /// Of the body.
    end: usize,
}

pub struct Token<'a> {
    pub start: usize,
    pub end: usize,
    /// The eight bytes from its start.
    pub head: [u8; 8],
    /// The sixteen bytes before its end.
    pub tail: &'a [u8; 16],
}

impl<'a> Tokens<'a> {
    /// The next four, if they end within 64 bytes.
    ///
    /// A fixed number at a time: how many ends 64 bytes hold cannot be guessed, and each wrong guess costs as much as reading a token.
    #[inline(always)]
    pub fn four(&mut self) -> Option<[Token<'a>; 4]> {
        let first = self.ends(self.start);
        let second = first & first.wrapping_sub(1);
        let third = second & second.wrapping_sub(1);
        let fourth = third & third.wrapping_sub(1);
        let from = self.start;
        (fourth != 0).then(|| [first, second, third, fourth].map(|ends| self.until(from + ends.trailing_zeros() as usize)))
    }

    /// The next one.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Token<'a>> {
        for block in (self.start..=self.end).step_by(64) {
            let ends = self.ends(block);
            if ends != 0 {
                return Some(self.until(block + ends.trailing_zeros() as usize));
            }
        }
        None
    }

    /// A bit for each blank among the 64 bytes from `at` that belong to the body. Its end counts as one more blank.
    #[inline(always)]
    fn ends(&self, at: usize) -> u64 {
        if at > self.end {
            return 0;
        }
        // SAFETY: `Wide::tokens` saw that 64 bytes follow the end of the body in the text, and `at` is not beyond it.
        let blanks = self.wide.blanks(unsafe { &*self.text.as_ptr().add(at).cast() });
        match self.end - at {
            left @ 0..64 => (blanks | 1 << left) & (!0 >> (63 - left)),
            _ => blanks,
        }
    }

    /// The token from `start` to `end`, which `ends` has found.
    #[inline(always)]
    fn until(&mut self, end: usize) -> Token<'a> {
        let start = std::mem::replace(&mut self.start, end + 1);
        // SAFETY: both lie in the body or at its end. 64 bytes follow that in the text, and 16 come before the body: `Wide::tokens` saw it.
        let (head, tail) = unsafe { (self.text.as_ptr().add(start).cast::<[u8; 8]>().read(), &*self.text.as_ptr().add(end - 16).cast()) };
        Token { start, end, head, tail }
    }
}

/// Bit i is set if byte i is a space or a tab, of at most 64; for any processor.
pub fn blanks(block: &[u8]) -> u64 {
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
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
fn blanks_avx2(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{__m256i, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8};
    let halves: [__m256i; 2] = bytemuck::cast(*block);
    let (space, tab) = (_mm256_set1_epi8(b' ' as i8), _mm256_set1_epi8(b'\t' as i8));
    let [low, high] = halves.map(|half| {
        let blank = _mm256_or_si256(_mm256_cmpeq_epi8(half, space), _mm256_cmpeq_epi8(half, tab));
        u64::from(_mm256_movemask_epi8(blank) as u32)
    });
    low | high << 32
}

/// No branch depends on where the point is or how long the number is: both differ from token to token, and a wrong guess costs more than the
/// arithmetic.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
fn decimal_avx2(tail: &[u8; 16], n: usize, negative: bool) -> Option<f64> {
    use std::arch::x86_64::*;
    // Sixteen digits could exceed 2⁵³, below which everything here is exact.
    let keep = KEEP.get(n).filter(|_| n > 0)?;
    let x = _mm_sub_epi8(bytemuck::cast(*tail), _mm_set1_epi8(b'0' as i8));
    let x = _mm_and_si128(x, bytemuck::cast(keep.bytes));
    let at_points = _mm_movemask_epi8(_mm_cmpeq_epi8(x, bytemuck::cast(keep.point)));
    let point = &POINTS[(at_points | 0x1_0000).trailing_zeros() as usize];
    // The first point becomes 0; a second one, like anything else that is no digit, is above 9.
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
    // Both exact, so their quotient is the correctly rounded value.
    Some(mantissa / point.divisor[usize::from(negative)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The number after sixteen bytes of something else, as in a line.
    fn read(wide: Wide, text: &str) -> Option<f64> {
        let line = format!("0.9 1:9.9 2:9.9 {text}");
        let digits = text.strip_prefix('-').unwrap_or(text);
        wide.decimal(line.as_bytes().last_chunk().expect("16 bytes"), digits.len(), digits.len() < text.len())
    }

    #[test]
    fn what_is_no_plain_decimal_is_left_alone() {
        let Some(wide) = Wide::detect() else { return };
        for text in [
            "",
            "-",
            ".",
            "-.",
            "..",
            "1..2",
            "1.2.3",
            "--1",
            "+1",
            "1e3",
            "nan",
            "1:2",
            "1/",
            "/",
            "-/",
            "\u{7f}",
            "1234567890123456",
            "1\u{e9}",
        ] {
            assert_eq!(read(wide, text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_what_stands_between_blanks(text in "([ \\t]?[1:.]{0,9}){30,60}[1 ]{81}", start in 16..40usize, length in 0..236usize, by_four: bool) {
            let Some(wide) = Wide::detect() else { return Ok(()) };
            let body = start..start + length;
            let text = text.as_bytes();
            let Some(mut tokens) = wide.tokens(text, body.clone()) else {
                prop_assert!(body.end + 64 >= text.len());
                return Ok(());
            };
            let mut read = Vec::new();
            loop {
                match (by_four && read.len() % 5 == 0).then(|| tokens.four()).flatten() {
                    Some(four) => read.extend(four),
                    None => match tokens.next() {
                        Some(token) => read.push(token),
                        None => break,
                    },
                }
            }
            let mut start = body.start;
            let mut expect = text[body].split(|&b| b == b' ' || b == b'\t');
            for token in read {
                let end = start + expect.next().expect("one more").len();
                prop_assert_eq!((token.start, token.end), (start, end));
                prop_assert_eq!(&token.head[..], &text[start..start + 8]);
                prop_assert_eq!(&token.tail[..], &text[end - 16..end]);
                start = end + 1;
            }
            prop_assert!(expect.next().is_none());
        }

        #[test]
        fn blanks_are_spaces_and_tabs(bytes in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'\t'), any::<u8>()], 64)) {
            let Some(wide) = Wide::detect() else { return Ok(()) };
            prop_assert_eq!(wide.blanks(bytes.first_chunk().expect("64 bytes")), blanks(&bytes));
        }

        #[test]
        fn plain_decimals_are_read_as_the_standard_library_reads_them(text in "-?([0-9]{1,15}|[0-9]{1,7}\\.[0-9]{0,7}|[0-9]{0,7}\\.[0-9]{1,7})") {
            let Some(wide) = Wide::detect() else { return Ok(()) };
            prop_assert_eq!(read(wide, &text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{}", text);
        }

        #[test]
        fn no_byte_but_a_digit_is_one(byte: u8, negative: bool) {
            let Some(wide) = Wide::detect() else { return Ok(()) };
            let digit = byte.is_ascii_digit().then(|| f64::from(byte.wrapping_sub(b'0')));
            prop_assert_eq!(wide.decimal(&[byte; 16], 1, negative).map(f64::abs), digit);
        }

        #[test]
        fn what_is_read_is_a_number(text in "[-+0-9.eE:/ x]{0,16}") {
            let Some(wide) = Wide::detect() else { return Ok(()) };
            if let Some(value) = read(wide, &text) {
                prop_assert_eq!(Some(value.to_bits()), text.parse().ok().map(f64::to_bits), "{}", text);
            }
        }
    }
}
