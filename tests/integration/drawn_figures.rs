//! Drawings of figures: golden files of each kind, names that would do harm, numbers that cannot be shown, and colours that can be seen.
//! `tests/browser.sh` looks at the page that is written here.

use crate::example_figures::{accuracy, all, bars, differences, figure, heat_map, page, panels, series, wave};
use crate::support::golden;
use proptest::prelude::*;
use rankguard::report::draw::{STYLE, csv, html, pgfplots, svg};
use rankguard::report::{Axis, Bar, Bars, Colour, Figure, HeatMap, Interval, Intervals, Lines, Mark, Plot, Series, Stroke, Unit};

#[test]
fn drawings_stay_as_they_were_seen() {
    for figure in all() {
        golden(&format!("figures/{}.svg", figure.id), &svg(&figure));
    }
    for figure in [accuracy(), panels(), differences(), heat_map(), bars()] {
        golden(&format!("figures/{}.html", figure.id), &html(&figure));
    }
}

#[test]
fn numbers_leave_in_full() {
    for figure in [accuracy(), panels(), differences(), heat_map(), bars()] {
        golden(&format!("figures/{}.csv", figure.id), &csv(&figure));
        golden(&format!("figures/{}.tex", figure.id), &pgfplots(&figure, &format!("{}.csv", figure.id)));
    }
}

#[test]
fn a_page_of_figures_is_small() {
    let page = page();
    assert!(page.len() < 300_000, "{} bytes", page.len());
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/figures.html"), page).expect("the folder for tests is writable");
}

/// A name that would do harm if it were not escaped.
const HARMFUL: &str = "</script><script>alert('x')</script>\"'&";

#[test]
fn no_name_is_markup() {
    let name = |text: &mut String| *text = HARMFUL.into();
    let mut figures = all();
    for figure in &mut figures {
        for text in [&mut figure.id, &mut figure.title, &mut figure.caption] {
            name(text);
        }
        figure.notes.push(HARMFUL.into());
        match &mut figure.plot {
            Plot::Lines(lines) => lines_named(lines),
            Plot::Panels(panels) => panels.iter_mut().for_each(|(title, lines)| {
                name(title);
                lines_named(lines);
            }),
            Plot::Intervals(plot) => plot.rows.iter_mut().for_each(|row| (row.label, row.text) = (HARMFUL.into(), HARMFUL.into())),
            Plot::HeatMap(map) => {
                [&mut map.columns.0, &mut map.rows.0, &mut map.value.label].into_iter().for_each(name);
                map.columns.1.iter_mut().chain(&mut map.rows.1).for_each(name);
            }
            Plot::Bars(plot) => plot.bars.iter_mut().for_each(|bar| bar.label = HARMFUL.into()),
        }
    }
    for figure in &figures {
        for text in [html(figure), svg(figure)] {
            assert!(!text.contains("<script") && !text.contains("alert('"), "{text}");
        }
        assert!(html(figure).contains("&lt;script&gt;alert(&#39;x&#39;)"));
    }
}

fn lines_named(lines: &mut Lines) {
    (lines.x.label, lines.y.label) = (HARMFUL.into(), HARMFUL.into());
    lines.series.iter_mut().for_each(|series| series.name = HARMFUL.into());
    lines.marks.iter_mut().for_each(|mark| mark.label = HARMFUL.into());
    lines.second = lines.second.take().map(|(_, pairs)| (HARMFUL.into(), pairs));
}

/// Attributes of an SVG that must be numbers.
#[track_caller]
fn check(figure: &Figure) {
    let text = svg(figure);
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    let drawn = text.split_once("</style>").expect("a style").1;
    for attribute in drawn.split(" d=\"").skip(1).chain(drawn.split("width=\"").skip(1)).chain(drawn.split(" x=\"").skip(1)) {
        let value = attribute.split_once('"').expect("a quote").0;
        assert!(value.chars().all(|c| c.is_ascii_digit() || " .-Mlhz".contains(c)) && value.len() < 100_000, "{value}");
    }
    for text in [html(figure), csv(figure), pgfplots(figure, "a.csv")] {
        assert!(!text.contains("inf,") && !text.contains("NaN\""), "{text}");
    }
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -1.0f64..1.0, Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::MAX), Just(5e-324), 0.0f64..1e15]
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let units = prop::sample::select(vec![Unit::Number, Unit::Share, Unit::Count, Unit::Time, Unit::Bytes]);
    (units, prop::option::of((numbers(), numbers())), any::<bool>()).prop_map(|(unit, range, is_logarithmic)| Axis {
        label: "axis".into(),
        unit,
        range,
        is_logarithmic,
    })
}

fn any_lines() -> impl Strategy<Value = Lines> {
    let points = prop::collection::vec((numbers(), prop::option::of(numbers())), 0..12);
    let band = prop::collection::vec((numbers(), numbers(), numbers()), 0..6);
    let line = (points, band, any::<bool>()).prop_map(|(points, band, is_step)| Series {
        band,
        is_step,
        ..series("a series", Colour::Nth(3), Stroke::Solid, points)
    });
    let marks = prop::collection::vec(numbers().prop_map(|at| Mark { at, label: "mark".into() }), 0..5);
    let second = prop::option::of(prop::collection::vec((numbers(), numbers()), 0..5).prop_map(|pairs| ("second".to_string(), pairs)));
    (any_axis(), any_axis(), prop::collection::vec(line, 0..8), marks, second, any::<bool>())
        .prop_map(|(x, y, series, marks, second, is_stacked)| Lines { x, second, y, series, is_stacked, marks })
}

proptest! {
    #[test]
    fn any_lines_can_be_drawn(lines in any_lines(), n in 0usize..7) {
        check(&figure("any", "any", "any", Plot::Lines(lines.clone())));
        check(&figure("any", "any", "any", Plot::Panels(vec![("panel".into(), lines); n])));
    }

    #[test]
    fn any_intervals_can_be_drawn(
        x in any_axis(),
        rows in prop::collection::vec((numbers(), prop::option::of((numbers(), numbers())), prop::collection::vec(numbers(), 0..5)), 0..5),
    ) {
        let row = |(mean, interval, dots)| Interval { label: "a".into(), mean, interval, dots, text: "b".into() };
        check(&figure("any", "any", "any", Plot::Intervals(Intervals { x, rows: rows.into_iter().map(row).collect() })));
    }

    #[test]
    fn any_cells_can_be_drawn(value in any_axis(), n in 0usize..5, cells in prop::collection::vec(prop::collection::vec(prop::option::of(numbers()), 0..6), 0..6)) {
        let labels = vec!["label".to_string(); n];
        check(&figure("any", "any", "any", Plot::HeatMap(HeatMap { columns: ("c".into(), labels.clone()), rows: ("r".into(), labels), value, cells })));
    }

    #[test]
    fn any_bars_can_be_drawn(y in any_axis(), values in prop::collection::vec(numbers(), 0..30), label in "\\PC{0,30}") {
        let bars = values.into_iter().map(|value| Bar { label: label.clone(), value, colour: Colour::Honest }).collect();
        check(&figure("any", "any", "any", Plot::Bars(Bars { x: "x".into(), y, bars })));
    }
}

#[test]
fn long_lines_are_thinned_and_say_so() {
    let points: Vec<(f64, Option<f64>)> = (0..200_000).map(|i| (i as f64 * 1e9, Some(wave(i, 1)))).collect();
    let lines = Lines { series: vec![series("long", Colour::Honest, Stroke::Solid, points)], ..lines_of(accuracy()) };
    let figure = figure("long", "long", "long", Plot::Lines(lines));
    let text = html(&figure);
    assert!(text.len() < 60_000, "{} bytes", text.len());
    assert!(text.contains("More points than pixels") && text.contains("Evenly spaced rows"));
    assert_eq!(csv(&figure).lines().count(), 200_001);
}

fn lines_of(figure: Figure) -> Lines {
    let Plot::Lines(lines) = figure.plot else { panic!("{} has lines", figure.id) };
    lines
}

/// The relative luminance of a colour as WCAG defines it.
fn luminance(code: &str) -> f64 {
    let part = |i: usize| f64::from(u8::from_str_radix(&code[i..i + 2], 16).expect("two digits")) / 255.0;
    let linear = |v: f64| if v <= 0.039_28 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn texts_and_lines_stand_out_by_day_and_by_night() {
    for scheme in STYLE.split(":root {").skip(1).map(|rest| rest.split_once('}').expect("an end").0) {
        let colours: Vec<(&str, &str)> = scheme.split([';', '\n']).filter_map(|line| line.trim().split_once(": #")).collect();
        let of = |name: &str| format!("#{}", colours.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{name}")).1);
        for (name, code) in &colours {
            let below = if name.starts_with("--h") && name.ends_with("-text") && name.len() == 9 { of(&name[..4]) } else { of("--paper") };
            let least = match *name {
                name if name.ends_with("-text") || ["--ink", "--soft", "--link"].contains(&name) => 4.5,
                "--paper" | "--grid" | "--faint" | "--marked" => 1.0,
                name if name.len() == 4 && name.starts_with("--h") => 1.0,
                _ => 3.0,
            };
            let got = contrast(&format!("#{code}"), &below);
            assert!(got >= least - 0.005, "{name} has a contrast of {got:.2}");
        }
        for page in ["--faint", "--marked"] {
            assert!(contrast(&of("--ink"), &of(page)) >= 4.5, "{page}");
        }
    }
}
