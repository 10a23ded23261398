//! Leaves out what cannot be seen: of many places in one column of pixels the first, the lowest, the highest and the last are kept.

/// Places of a line; `None` interrupts it.
pub type Places = Vec<Option<(f64, f64)>>;

/// The places that can be told apart. A gap within one column of pixels is as invisible as a place there.
pub fn thin(places: &[Option<(f64, f64)>]) -> Places {
    let column = |place: &Option<(f64, f64)>| place.map(|(x, _)| x.floor());
    let (mut seen, mut rest) = (Places::new(), places);
    while let Some(first) = rest.first() {
        let Some(here) = column(first) else {
            // One gap is as good as many, and a line does not begin with one.
            if seen.last().is_some_and(Option::is_some) {
                seen.push(None);
            }
            rest = &rest[1..];
            continue;
        };
        let together = rest.iter().take_while(|place| column(place).is_none_or(|other| other == here)).count();
        let length = rest[..together].iter().rposition(Option::is_some).map_or(1, |last| last + 1);
        seen.extend(extremes(&rest[..length]));
        rest = &rest[length..];
    }
    seen
}

/// The first, the lowest, the highest and the last of the places, in their order; all if there are no more than four.
fn extremes(places: &[Option<(f64, f64)>]) -> Places {
    if places.len() <= 4 {
        return places.to_vec();
    }
    let heights = || places.iter().enumerate().filter_map(|(i, place)| place.map(|(_, y)| (i, y)));
    let lowest = heights().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i);
    let highest = heights().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i);
    let mut kept = [0, lowest, highest, places.len() - 1];
    kept.sort_unstable();
    let mut kept = kept.to_vec();
    kept.dedup();
    kept.into_iter().map(|i| places[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some(places: &[(f64, f64)]) -> Places {
        places.iter().copied().map(Some).collect()
    }

    #[test]
    fn one_column_keeps_its_ends_and_extremes() {
        let places = some(&[(1.0, 5.0), (1.1, 9.0), (1.2, 6.0), (1.3, 2.0), (1.4, 5.0), (1.5, 7.0), (2.5, 1.0)]);
        assert_eq!(thin(&places), some(&[(1.0, 5.0), (1.1, 9.0), (1.3, 2.0), (1.5, 7.0), (2.5, 1.0)]));
    }

    #[test]
    fn gaps_stay_where_they_can_be_seen() {
        let gap = [some(&[(1.0, 5.0)]), vec![None, None], some(&[(3.0, 5.0)])].concat();
        assert_eq!(thin(&gap), [Some((1.0, 5.0)), None, Some((3.0, 5.0))]);
        let narrow: Places = (0..1000).map(|i| (i % 2 == 0).then_some((f64::from(i) / 500.0, f64::from(i % 7)))).collect();
        assert!(thin(&narrow).len() <= 10, "{:?}", thin(&narrow));
    }

    proptest! {
        #[test]
        fn what_is_kept_spans_the_same(heights in prop::collection::vec(prop::option::of(-5.0f64..5.0), 0..400), width in 1.0f64..50.0) {
            let n = heights.len() as f64;
            let places: Places = heights.iter().enumerate().map(|(i, y)| y.map(|y| (i as f64 * width / n, y))).collect();
            let kept = thin(&places);
            let span = |places: &Places| places.iter().flatten().fold((9.0f64, -9.0f64), |(a, b), (_, y)| (a.min(*y), b.max(*y)));
            prop_assert_eq!(span(&kept), span(&places));
            prop_assert!(kept.len() as f64 <= 5.0 * (width + 1.0));
        }
    }
}
