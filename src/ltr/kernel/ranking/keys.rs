//! The best documents of a query, found six at a time: they are sorted by a network of comparisons and merged with the best so far.
//!
//! Score, index and gain of a document are packed in one number, its key. No two documents have equal keys, so the order of comparisons does
//! not matter, and a comparison is a minimum and a maximum. Letting six documents sink takes two to three times as many instructions.
//!
//! A key is an f64. Its upper half has the bits of the score, so keys of different scores are ordered as the scores are. Its lower half has
//! the [tag](tags) of the document, inverted if the score is negative, because there the larger bits belong to the smaller number. Hence of
//! equal scores that of the later document is the larger key.

/// The number of documents that enter a list together.
pub const DOCUMENTS: usize = 6;

/// The number of best documents that are kept.
pub const PLACES: usize = 10;

/// The key of a place that no document has: smaller than that of a score of −∞, and with a gain of 0.
pub const EMPTY: f64 = f64::MIN;

/// By document: its index and the upper half of its gain. Empty if an index or a gain needs more bits.
pub fn tags(gains: &[f32]) -> Vec<u32> {
    let fits = gains.len() <= 1 << 16 && gains.iter().all(|gain| gain.to_bits() << 16 == 0);
    let tag = |(index, gain): (usize, &f32)| (index as u32) << 16 | gain.to_bits() >> 16;
    if fits { gains.iter().enumerate().map(tag).collect() } else { Vec::new() }
}

/// Pairs of places. Comparing the keys of each pair, one after another, sorts all.
const SORT: [(usize, usize); 12] = [(0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)];

/// The same for keys that fall and then rise: a bitonic merge of 16 places, of which the last six hold infinity and need no comparison.
const MERGE: [(usize, usize); 15] =
    [(0, 8), (1, 9), (0, 4), (1, 5), (2, 6), (3, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 1), (2, 3), (4, 5), (6, 7), (8, 9)];

/// Lets documents enter the list of the best, which rises. `V` holds keys in several lanes, and `sorted` returns the smaller and the larger
/// of two keys.
#[inline(always)]
pub fn enter<V: Copy>(mut keys: [V; DOCUMENTS], places: &mut [V; PLACES], sorted: impl Fn(V, V) -> (V, V) + Copy) {
    compare(&SORT, &mut keys, sorted);
    let mut best = *places;
    // The largest new key competes with the smallest place, and so on. The winners are the best of all, and fall and then rise.
    for (place, key) in best.iter_mut().zip(keys.into_iter().rev()) {
        *place = sorted(*place, key).1;
    }
    compare(&MERGE, &mut best, sorted);
    *places = best;
}

#[inline(always)]
fn compare<V: Copy>(pairs: &[(usize, usize)], keys: &mut [V], sorted: impl Fn(V, V) -> (V, V)) {
    for &(low, high) in pairs {
        (keys[low], keys[high]) = sorted(keys[low], keys[high]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(a: u32, b: u32) -> (u32, u32) {
        (a.min(b), a.max(b))
    }

    #[test]
    fn the_network_sorts_all_sequences_of_zeros_and_ones() {
        // A network that sorts these sorts everything.
        for bits in 0..1u32 << DOCUMENTS {
            let mut keys: [u32; DOCUMENTS] = std::array::from_fn(|i| bits >> i & 1);
            compare(&SORT, &mut keys, sorted);
            assert!(keys.is_sorted(), "{bits:b}");
        }
    }

    proptest! {
        #[test]
        fn the_best_of_all_are_kept(all in prop::collection::vec(1u32..50, 0..60)) {
            let mut places = [0; PLACES];
            for six in all.chunks(DOCUMENTS) {
                enter(std::array::from_fn(|i| six.get(i).copied().unwrap_or(0)), &mut places, sorted);
            }
            let mut want = [vec![0; PLACES], all].concat();
            want.sort_unstable();
            prop_assert_eq!(&places[..], &want[want.len() - PLACES..]);
        }
    }

    #[test]
    fn a_tag_holds_the_gain_of_every_usual_grade() {
        let gains: Vec<f32> = (0..=8).map(|grade| (1u32 << grade) as f32 - 1.0).collect();
        let unpacked: Vec<(u32, f32)> = tags(&gains).iter().map(|tag| (tag >> 16, f32::from_bits(tag << 16))).collect();
        assert_eq!(unpacked, (0..).zip(gains).collect::<Vec<_>>());
        assert!(tags(&[1.0, 511.0]).is_empty() && tags(&[0.1]).is_empty());
        assert_eq!((tags(&vec![1.0; 65_536]).len(), tags(&vec![1.0; 65_537]).len()), (65_536, 0));
    }
}
