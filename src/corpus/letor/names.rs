//! `12:` as the bytes a token begins with, so that the expected feature costs one comparison instead of being read.

#[derive(Clone, Copy)]
pub struct Name {
    bytes: u64,
    mask: u64,
    pub len: usize,
}

impl Name {
    /// Of the feature after `last`, which is the usual next one.
    #[inline(always)]
    pub fn after(last: u32) -> Option<&'static Self> {
        NAMES.get(last as usize)
    }

    #[inline(always)]
    pub fn four_after(last: u32) -> Option<&'static [Self; 4]> {
        NAMES.get(last as usize..)?.first_chunk()
    }

    #[inline(always)]
    pub fn begins(&self, head: [u8; 8]) -> bool {
        u64::from_le_bytes(head) & self.mask == self.bytes
    }
}

/// Of the features 1 to 1,024.
static NAMES: [Name; 1024] = names();

const fn names() -> [Name; 1024] {
    let mut names = [Name { bytes: 0, mask: 0, len: 0 }; 1024];
    let mut i = 0;
    while i < names.len() {
        let mut name = Name { bytes: b':' as u64, mask: 0xFF, len: 1 };
        let mut rest = i as u64 + 1;
        while rest > 0 {
            name = Name { bytes: name.bytes << 8 | (b'0' as u64 + rest % 10), mask: name.mask << 8 | 0xFF, len: name.len + 1 };
            rest /= 10;
        }
        names[i] = name;
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
            assert_eq!(Name::after(last).expect("a name").begins(*head), begins, "{last}");
        }
        assert!(Name::after(1024).is_none());
    }
}
