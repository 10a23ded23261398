//! Where labels go so that none covers another: names at the ends of lines, and marks in rows.

use super::text::width;

/// Heights as near as possible to the wanted ones, at least `gap` apart, and within the limits while there is room.
///
/// Labels that would touch form a cluster around the mean of what they want: isotonic regression of the wanted heights less their gaps.
pub fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut clusters: Vec<(f64, usize)> = Vec::new();
    for (rank, i) in order.iter().enumerate() {
        let (mut sum, mut count) = (wanted[*i] - rank as f64 * gap, 1);
        while let Some((before, n)) = clusters.pop_if(|(before, n)| *before / *n as f64 > sum / count as f64) {
            (sum, count) = (sum + before, count + n);
        }
        clusters.push((sum, count));
    }
    let highest = (high - gap * (wanted.len() as f64 - 1.0)).max(low);
    let starts = clusters.iter().flat_map(|(sum, n)| std::iter::repeat_n((sum / *n as f64).clamp(low, highest), *n));
    let mut heights = vec![0.0; wanted.len()];
    for (rank, (i, start)) in order.iter().zip(starts).enumerate() {
        heights[*i] = start + rank as f64 * gap;
    }
    heights
}

/// The row of a label beside a mark, and on which side of it the label stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The row, counted from the top.
    pub row: usize,
    /// Whether the label ends at its mark instead of beginning there.
    pub is_left: bool,
}

/// A place for each label at its x, in the order of x, as far up as none covers another; `None` where all rows are taken.
pub fn rows(labels: &[(f64, &str)], right: f64, most: usize) -> Vec<Option<Place>> {
    let mut ends: Vec<f64> = Vec::new();
    let mut place = |(x, label): &(f64, &str)| {
        let length = width(label) + 6.0;
        let is_left = x + length > right;
        let from = if is_left { x - length } else { *x };
        let row = ends.iter().position(|end| *end <= from).unwrap_or(ends.len());
        if row == most {
            return None;
        }
        ends.resize(ends.len().max(row + 1), f64::NEG_INFINITY);
        ends[row] = from + length + 4.0;
        Some(Place { row, is_left })
    };
    labels.iter().map(&mut place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_that_touch_move_apart_evenly() {
        assert_eq!(spread(&[50.0, 52.0], 10.0, (0.0, 100.0)), [46.0, 56.0]);
        assert_eq!(spread(&[90.0, 20.0], 10.0, (0.0, 100.0)), [90.0, 20.0], "nothing moves without need");
        assert_eq!(spread(&[99.0, 99.0, 99.0], 10.0, (0.0, 100.0)), [80.0, 90.0, 100.0]);
        assert_eq!(spread(&[], 10.0, (0.0, 100.0)), [0.0; 0]);
    }

    #[test]
    fn marks_take_the_first_free_row() {
        let place = |row, is_left| Some(Place { row, is_left });
        let labels = [(0.0, "outage"), (10.0, "crowd"), (20.0, "drift"), (200.0, "outage"), (395.0, "end")];
        assert_eq!(rows(&labels, 400.0, 2), [place(0, false), place(1, false), None, place(0, false), place(0, true)]);
    }

    proptest! {
        #[test]
        fn spread_labels_keep_their_gap_and_order(wanted in prop::collection::vec(0.0f64..200.0, 1..8)) {
            let heights = spread(&wanted, 14.0, (0.0, 200.0));
            let mut sorted: Vec<(f64, f64)> = wanted.iter().copied().zip(heights).collect();
            sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
            prop_assert!(sorted.windows(2).all(|pair| pair[1].1 - pair[0].1 > 13.999 && pair[0].0 <= pair[1].0), "{sorted:?}");
            prop_assert!(sorted.iter().all(|(_, y)| (-1e-9..=200.0 + 1e-9).contains(y)));
        }
    }
}
