//! The names of features, such as ` 12:`, as bytes at the beginning of a token. One comparison checks the blank and the expected feature at
//! once.

/// The names of `N` features in a row.
#[derive(Clone, Copy)]
pub struct Names<const N: usize> {
    /// The bytes of each name, the blank before it included.
    pub bytes: &'static [u64; N],
    /// The bits that each name takes in its word.
    pub masks: &'static [u64; N],
    /// The length of each name: the blank, the number and the colon.
    pub lens: &'static [usize; N],
}

impl<const N: usize> Names<N> {
    /// The names of the `N` features after `last`, which usually come next; `None` if they are too large to have names here.
    #[inline(always)]
    pub fn after(last: u32) -> Option<Self> {
        let last = last as usize;
        if last > NAMED - N {
            return None;
        }
        Some(Self {
            bytes: NAMES.bytes[last..].first_chunk()?,
            masks: NAMES.masks[last..].first_chunk()?,
            lens: NAMES.lens[last..].first_chunk()?,
        })
    }
}

impl Names<1> {
    /// Whether a token begins with this name. The byte before the token does not matter.
    #[inline(always)]
    pub fn begins(&self, head: [u8; 8]) -> bool {
        u64::from_le_bytes(head) & (self.masks[0] >> 8) == self.bytes[0] >> 8
    }

    /// The length of the number and the colon.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.lens[0] - 1
    }
}

/// The highest feature that has a name here.
const NAMED: usize = 1024;

struct All {
    bytes: [u64; NAMED],
    masks: [u64; NAMED],
    lens: [usize; NAMED],
}

static NAMES: All = names();

const fn names() -> All {
    let mut names = All { bytes: [b':' as u64; NAMED], masks: [0xFF; NAMED], lens: [1; NAMED] };
    let mut i = 0;
    while i < NAMED {
        let mut rest = i as u64 + 1;
        while rest > 0 {
            names.bytes[i] = names.bytes[i] << 8 | (b'0' as u64 + rest % 10);
            names.masks[i] = names.masks[i] << 8 | 0xFF;
            names.lens[i] += 1;
            rest /= 10;
        }
        names.bytes[i] = names.bytes[i] << 8 | b' ' as u64;
        names.masks[i] = names.masks[i] << 8 | 0xFF;
        names.lens[i] += 1;
        i += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbers_and_a_colon() {
        for (last, head, begins) in
            [(0, b"1:0.5 2:", true), (0, b"11:0.5 2", false), (1023, b"1024:0.5", true), (9, b"10:0 11:", true), (9, b"100:0 11", false)]
        {
            assert_eq!(Names::after(last).expect("a name").begins(*head), begins, "{last}");
        }
        assert!(Names::<1>::after(1024).is_none());
        assert!(Names::<4>::after(1020).is_some() && Names::<4>::after(1021).is_none());
    }
}
