//! Paths of SVG in few bytes: relative steps in tenths of a pixel, counted in whole tenths so that rounding never adds up.

/// A line through places, interrupted where a place is missing. A place that stands alone becomes a dot.
pub fn line(places: &[Option<(f64, f64)>]) -> String {
    places.split(Option::is_none).map(|run| polyline(run.iter().flatten().copied(), "h0")).collect()
}

/// A closed area between its upper and its lower edge.
pub fn area(upper: &[(f64, f64)], lower: &[(f64, f64)]) -> String {
    let around = polyline(upper.iter().chain(lower.iter().rev()).copied(), "");
    if around.is_empty() { around } else { around + "z" }
}

/// A coordinate or a length, rounded to a tenth.
pub fn tenth(v: f64) -> String {
    shown(tenths(v))
}

fn polyline(places: impl Iterator<Item = (f64, f64)>, alone: &str) -> String {
    let (mut path, mut at, mut n) = (String::new(), (0, 0), 0);
    for (x, y) in places {
        let to = (tenths(x), tenths(y));
        match n {
            0 => path = format!("M{}{}", shown(to.0), following(to.1)),
            1 => path += &format!("l{}{}", shown(to.0 - at.0), following(to.1 - at.1)),
            _ => path += &format!("{}{}", following(to.0 - at.0), following(to.1 - at.1)),
        }
        (at, n) = (to, n + 1);
    }
    if n == 1 { path + alone } else { path }
}

/// Whole tenths, within what any figure needs.
fn tenths(v: f64) -> i64 {
    (v.clamp(-1e5, 1e5) * 10.0).round() as i64
}

fn shown(tenths: i64) -> String {
    let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
    match (size / 10, size % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, rest) => format!("{sign}.{rest}"),
        (whole, rest) => format!("{sign}{whole}.{rest}"),
    }
}

/// A number behind another: a minus sign separates them already.
fn following(tenths: i64) -> String {
    let text = shown(tenths);
    if text.starts_with('-') { text } else { format!(" {text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_are_short() {
        assert_eq!(line(&[Some((1.0, 2.0)), Some((2.04, 1.5)), Some((3.0, 1.5))]), "M1 2l1-.5 1 0");
        assert_eq!(line(&[Some((1.0, 2.0)), None, Some((3.0, 4.0)), Some((4.0, 4.0))]), "M1 2h0M3 4l1 0");
        assert_eq!(line(&[]), "");
        assert_eq!(line(&[None, None]), "");
        assert_eq!(area(&[(0.0, 1.0), (5.0, 1.0)], &[(0.0, 3.0), (5.0, 3.0)]), "M0 1l5 0 0 2-5 0z");
        assert_eq!(area(&[], &[]), "");
        assert_eq!([0.04, -0.06, 12.0, 12.25, f64::NAN].map(tenth), ["0", "-.1", "12", "12.3", "0"]);
    }

    /// Reads a path back, as the script of the page does.
    fn ends(path: &str) -> (f64, f64) {
        let spaced: String = path.replace(['M', 'l'], " ").replace('-', " -");
        let numbers: Vec<f64> = spaced.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        numbers.chunks(2).fold((0.0, 0.0), |at, by| (at.0 + by[0], at.1 + by[1]))
    }

    proptest! {
        #[test]
        fn rounding_never_adds_up(places in prop::collection::vec((0.0f64..640.0, -50.0f64..300.0), 2..200)) {
            let path = line(&places.iter().copied().map(Some).collect::<Vec<_>>());
            let (end, last) = (ends(&path), places[places.len() - 1]);
            prop_assert!((end.0 - last.0).abs() < 0.051 && (end.1 - last.1).abs() < 0.051, "{path}");
        }
    }
}
