//! Declares the order of floating-point columns in the way that today's readers know.
//!
//! Our Parquet library declares that such columns are ordered by IEEE 754's total order. Readers that do not know this order yet (pyarrow
//! among them) must ignore the columns' smallest and largest values, and so read everything where they could skip. The order that every
//! reader knows differs only for NaN, which the statistics leave out in both orders, and for -0, where readers are told to be careful.
//! So the declaration in the footer is replaced by the old one, which has the same length; nothing else in the file changes.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::Path;

/// The two orders in Thrift's compact encoding: the union's field 1 or 2, an empty struct, the union's end.
const TYPE_DEFINED: [u8; 3] = [0x1C, 0, 0];
const TOTAL: [u8; 3] = [0x2C, 0, 0];

/// The bytes at the end of every file: the footer's length in four bytes, and the magic word.
const TAIL: u64 = 8;

/// Declares the order of all columns in a finished file to be the one that their types define.
pub fn declare_type_defined(path: &Path, n_columns: usize) -> Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    // The orders are the footer's last field: a triple for each column, and the footer's end.
    let len = 3 * n_columns + 1;
    let Some(at) = file.metadata()?.len().checked_sub(TAIL + len as u64) else { return Ok(()) };
    let mut orders = vec![0; len];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut orders)?;
    if exchange(&mut orders) {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&orders)?;
    }
    Ok(())
}

/// Replaces the orders. Returns false and changes nothing if the bytes are not orders, because a later version of the library may write
/// them elsewhere.
fn exchange(orders: &mut [u8]) -> bool {
    let Some((0, triples)) = orders.split_last_mut().map(|(end, triples)| (*end, triples)) else { return false };
    let known = |triple: &[u8]| triple == TYPE_DEFINED || triple == TOTAL;
    if !triples.chunks(3).all(known) {
        return false;
    }
    triples.chunks_mut(3).for_each(|triple| triple.copy_from_slice(&TYPE_DEFINED));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_orders_are_exchanged() {
        for (bytes, expect) in [
            (&[0x1C, 0, 0, 0x2C, 0, 0, 0][..], Some(&[0x1C, 0, 0, 0x1C, 0, 0, 0][..])),
            (&[0x1C, 0, 0, 0x2C, 0, 0, 1], None),
            (&[0x1C, 0, 0, 0x3C, 0, 0, 0], None),
            (&[0x2C, 0, 7, 0], None),
            (&[], None),
        ] {
            let mut orders = bytes.to_vec();
            assert_eq!(exchange(&mut orders), expect.is_some(), "{bytes:?}");
            assert_eq!(orders, expect.unwrap_or(bytes));
        }
    }
}
