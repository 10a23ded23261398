//! Which of 64 bytes are blanks: the one place where the reader needs an instruction that plain Rust does not reach.

/// Bit i is set if byte i is a space or a tab.
#[inline(always)]
pub fn mask(block: &[u8; 64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 belongs to the x86-64 instruction set, so every processor that runs this has it.
        unsafe { mask_sse2(block) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    mask_words(block)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn mask_sse2(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8};
    let quarters: [__m128i; 4] = bytemuck::cast(*block);
    let (space, tab) = (_mm_set1_epi8(b' ' as i8), _mm_set1_epi8(b'\t' as i8));
    let mut mask = 0;
    for quarter in quarters.into_iter().rev() {
        let blank = _mm_or_si128(_mm_cmpeq_epi8(quarter, space), _mm_cmpeq_epi8(quarter, tab));
        mask = mask << 16 | u64::from(_mm_movemask_epi8(blank) as u16);
    }
    mask
}

/// The same in plain words, for other processors.
#[cfg_attr(target_arch = "x86_64", cfg(test))]
fn mask_words(block: &[u8; 64]) -> u64 {
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
    block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(is_blank(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mask_marks_spaces_and_tabs(bytes in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'\t'), any::<u8>()], 64)) {
            let block: &[u8; 64] = bytes.first_chunk().expect("64 bytes");
            prop_assert_eq!(mask(block), mask_words(block));
        }
    }
}
