//! The order of rows by their steps. A window's steps follow each other closely, so a row's place is looked up instead of compared.

/// A table of places may have this many entries for each row. If rows are sampled, few steps have one.
const ENTRIES_PER_ROW: usize = 16;
/// The entry of a step without a row.
const NONE: u32 = u32::MAX;

/// Brings rows into the order of their steps. Each step has one row at most, so the order is unique. Rows are large, so each is exchanged with
/// another once.
pub fn sort_by_step<R>(rows: &mut [R], step: impl Fn(&R) -> i64) {
    let steps = || rows.iter().map(&step);
    let (Some(first), Some(last)) = (steps().min(), steps().max()) else { return };
    let n_steps = usize::try_from(last - first).map_or(usize::MAX, |n| n.saturating_add(1));
    if n_steps > rows.len().saturating_mul(ENTRIES_PER_ROW) {
        return rows.sort_by_cached_key(step);
    }
    let mut places = vec![NONE; n_steps];
    (0..).zip(steps()).for_each(|(place, step)| places[(step - first) as usize] = place);
    places.retain(|place| *place != NONE);
    arrange(rows, &mut places);
}

/// Puts the row of `places[i]` at i, for every i.
fn arrange<R>(rows: &mut [R], places: &mut [u32]) {
    for i in 0..rows.len() {
        // A row that had to make way is where the row that took its place has come from.
        let mut place = places[i] as usize;
        while place < i {
            place = places[place] as usize;
        }
        places[i] = place as u32;
        rows.swap(i, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_however_far_apart_their_steps_are(mut steps in prop::collection::btree_set(-1000..1000i64, 0..200), spread in 1..50i64) {
            let sorted: Vec<String> = steps.iter().map(|step| (step * spread).to_string()).collect();
            let mut rows = Vec::new();
            // Rows of two threads, each in an order of its own.
            while let Some(step) = steps.pop_first() {
                rows.push((step * spread).to_string());
                rows.extend(steps.pop_last().map(|step| (step * spread).to_string()));
            }
            sort_by_step(&mut rows, |row| row.parse().expect("it is a number"));
            prop_assert_eq!(rows, sorted);
        }
    }

    #[test]
    fn steps_at_both_ends_of_the_range_do_not_overflow() {
        let mut rows = [i64::MAX - 1, 0, 5];
        sort_by_step(&mut rows, |row| *row);
        assert_eq!(rows, [0, 5, i64::MAX - 1]);
    }
}
