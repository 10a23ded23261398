//! Numbers of few bits, as Parquet's encodings write them: least significant bit first.

/// Numbers that are packed at a time.
pub const GROUP: usize = 64;

/// Writes seven bits per byte; all bytes but the last have their highest bit set.
pub fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7F {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a signed number as a varint in which the sign is the lowest bit.
pub fn write_zigzag(number: i64, out: &mut Vec<u8>) {
    write_varint(((number << 1) ^ (number >> 63)).cast_unsigned(), out);
}

/// The number of bits that a number needs.
pub fn width_of(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Packs 64 numbers, none of which needs more than `width` bits, into as many words of 64 bits.
#[inline(always)]
pub fn pack(numbers: &[u64; GROUP], width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let (mut words, mut n_words) = ([0; GROUP], 0);
    let (mut word, mut n_bits) = (0, 0);
    for &number in numbers {
        word |= number << n_bits;
        n_bits += width;
        if n_bits >= u64::BITS {
            words[n_words % GROUP] = word.to_le();
            n_words += 1;
            n_bits -= u64::BITS;
            word = number.checked_shr(width - n_bits).unwrap_or(0);
        }
    }
    out.extend_from_slice(bytemuck::cast_slice(&words[..width as usize]));
}

/// Packs flags, each of which is 0 or 1, into bits. The last byte is filled up with zeros.
pub fn pack_flags(flags: &[u8], out: &mut Vec<u8>) {
    // Moves the lowest bit of byte i to bit 56 + i; no two bits meet.
    let byte = |eight: [u8; 8]| (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
    let (eights, rest) = flags.as_chunks();
    out.extend(eights.iter().copied().map(byte));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        out.push(byte(last));
    }
}

/// Writes `n` equal numbers as one run of Parquet's hybrid of runs and packed numbers.
pub fn write_run(number: u64, width: u32, n: usize, out: &mut Vec<u8>) {
    write_varint((n as u64) << 1, out);
    out.extend(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Announces `n` packed numbers in that hybrid. They are counted in groups of eight, and the last group is filled up.
pub fn begin_packed(n: usize, out: &mut Vec<u8>) {
    write_varint((n.div_ceil(8) as u64) << 1 | 1, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out);
        out
    }

    #[test]
    fn by_hand() {
        for (number, bytes) in [(0, &[0][..]), (127, &[0x7F]), (128, &[0x80, 1]), (300, &[0xAC, 2])] {
            assert_eq!(written(|out| write_varint(number, out)), bytes);
        }
        for (number, zigzag) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1), (i64::MIN, u64::MAX)] {
            assert_eq!(written(|out| write_zigzag(number, out)), written(|out| write_varint(zigzag, out)));
        }
        assert_eq!([0, 1, 2, 255, 256, u64::MAX].map(width_of), [0, 1, 2, 8, 9, 64]);
        assert_eq!(written(|out| pack_flags(&[1, 0, 0, 0, 0, 0, 1, 1, 0, 1], out)), [0b1100_0001, 0b10]);
        // The example of the Parquet specification: 0 to 7 with three bits each.
        let mut numbers = [0; GROUP];
        (0..8).for_each(|i| numbers[i] = i as u64);
        assert_eq!(written(|out| pack(&numbers, 3, out))[..3], [0b1000_1000, 0b1100_0110, 0b1111_1010]);
        assert_eq!(written(|out| write_run(5, 3, 100, out)), [200, 1, 5]);
        assert_eq!(written(|out| write_run(0, 0, 3, out)), [6]);
        assert_eq!(written(|out| begin_packed(17, out)), [3 << 1 | 1]);
    }

    proptest! {
        #[test]
        fn packed_numbers_stand_one_behind_the_other(numbers in prop::array::uniform(any::<u64>()), width in 0..=64u32) {
            let numbers: [u64; GROUP] = numbers.map(|number: u64| number.checked_shr(64 - width).unwrap_or(0));
            let packed = written(|out| pack(&numbers, width, out));
            prop_assert_eq!(packed.len(), 8 * width as usize);
            let bit = |at: u32| u64::from(packed[(at / 8) as usize] >> (at % 8) & 1);
            for (i, number) in (0..).zip(numbers) {
                prop_assert_eq!((0..width).map(|b| bit(i * width + b) << b).sum::<u64>(), number);
            }
        }
    }
}
