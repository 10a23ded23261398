//! The order of rows by their steps. A window's steps follow each other closely, so a row's place is looked up instead of compared.

/// A table of places may have this many entries for each row. If rows are sampled, few steps have one.
const ENTRIES_PER_ROW: usize = 16;
/// The entry of a step without a row.
const NONE: u32 = u32::MAX;

/// The places of rows in the order of their steps: first the place of the row with the smallest step. Each step has one row at most, so the
/// order is unique. The rows stay where they are, because they are large.
pub fn order_by_step<R>(rows: &[R], step: impl Fn(&R) -> i64) -> Vec<u32> {
    let steps = || rows.iter().map(&step);
    let (Some(first), Some(last)) = (steps().min(), steps().max()) else { return Vec::new() };
    let n_steps = usize::try_from(last - first).map_or(usize::MAX, |n| n.saturating_add(1));
    if n_steps > rows.len().saturating_mul(ENTRIES_PER_ROW) {
        let mut places: Vec<u32> = (0..rows.len() as u32).collect();
        places.sort_unstable_by_key(|place| step(&rows[*place as usize]));
        return places;
    }
    let mut places = vec![NONE; n_steps];
    (0..).zip(steps()).for_each(|(place, step)| places[(step - first) as usize] = place);
    places.retain(|place| *place != NONE);
    places
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
            let order = order_by_step(&rows, |row| row.parse().expect("it is a number"));
            prop_assert_eq!(order.into_iter().map(|place| rows[place as usize].clone()).collect::<Vec<_>>(), sorted);
        }
    }

    #[test]
    fn steps_at_both_ends_of_the_range_do_not_overflow() {
        assert_eq!(order_by_step(&[i64::MAX - 1, 0, 5], |row| *row), [1, 2, 0]);
        assert!(order_by_step(&[], |row: &i64| *row).is_empty());
    }
}
