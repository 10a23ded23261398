//! A figure as data: what it shows, in words and in numbers. It is drawn as SVG, listed as a table, and written as comma-separated values
//! from the same numbers.

/// One figure of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Names files and anchors: lower-case words joined by hyphens, such as `accuracy-over-time`.
    pub id: String,
    /// A finding where one can be computed, else a plain noun.
    pub title: String,
    /// What the figure shows and how to read it.
    pub caption: String,
    /// The numbers.
    pub plot: Plot,
    /// Remarks below the figure: what was thinned, left out, or rests on one seed.
    pub notes: Vec<String>,
}

/// The kinds of figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Lines with bands.
    Lines(Lines),
    /// Several small figures with the same axes, each with its title.
    Panels(Vec<(String, Lines)>),
    /// Points with their intervals, one below the other.
    Intervals(Intervals),
    /// A value for each pair of labels.
    HeatMap(HeatMap),
    /// A bar for each label, or for each bin of a histogram.
    Bars(Bars),
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is measured, such as `nDCG@10`.
    pub label: String,
    /// How its values are written.
    pub unit: Unit,
    /// The range that is shown; by default that of the data, rounded outwards. Figures that are compared share one.
    pub range: Option<(f64, f64)>,
    /// Whether equal ratios have equal lengths. Values of 0 and below are not shown then.
    pub is_logarithmic: bool,
}

/// How the values of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number with three digits after the point, such as an nDCG.
    Number,
    /// A share, shown in per cent.
    Share,
    /// A whole number, grouped by thousands.
    Count,
    /// A length of virtual time in nanoseconds, shown in units that fit: 90 s, 36 h, 7 d.
    Time,
    /// A number of bytes.
    Bytes,
}

/// Lines over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The horizontal axis.
    pub x: Axis,
    /// A second scale above: its name, and its values at places of the horizontal axis in increasing order, such as sessions over time.
    pub second: Option<(String, Vec<(f64, f64)>)>,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, the most important first.
    pub series: Vec<Series>,
    /// Whether the lines are stacked on each other as areas.
    pub is_stacked: bool,
    /// Labelled moments on the horizontal axis, such as faults.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour, which means the same in every figure.
    pub colour: Colour,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Points in the order of x; a missing value interrupts the line.
    pub points: Vec<(f64, Option<f64>)>,
    /// A band around it: x, lower and upper value; empty if there is none.
    pub band: Vec<(f64, f64, f64)>,
    /// Whether the value holds until the next point, as a count of nodes does.
    pub is_step: bool,
}

/// How a line is drawn. No two lines of a figure differ by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// The main lines.
    Solid,
    /// Secondary lines of the same colour, such as the worst 5 %.
    Thin,
    /// References, such as a random ranking.
    Dashed,
    /// A further kind of line.
    Dotted,
}

/// Colours by meaning. Each has a shade for light and one for dark pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// What honest nodes do.
    Honest,
    /// What malicious nodes do.
    Malicious,
    /// Something to compare with.
    Reference,
    /// A defence, by its place in the list of all defences, or any other series by its number.
    Nth(usize),
}

/// A labelled moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where on the horizontal axis.
    pub at: f64,
    /// What happens there.
    pub label: String,
}

/// Points with intervals: a forest plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// The horizontal axis, on which 0 means no difference.
    pub x: Axis,
    /// The lines from top to bottom.
    pub rows: Vec<Interval>,
}

/// One line of a forest plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// What is compared.
    pub label: String,
    /// The mean difference.
    pub mean: f64,
    /// The interval; `None` if there are too few runs for one.
    pub interval: Option<(f64, f64)>,
    /// The difference of each pair, shown as dots.
    pub dots: Vec<f64>,
    /// What stands at the right end, such as `0.026 ± 0.009, n = 10`.
    pub text: String,
}

/// A value for each pair of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The name of the columns, and their labels.
    pub columns: (String, Vec<String>),
    /// The name of the rows, and their labels.
    pub rows: (String, Vec<String>),
    /// What is shown, with its range.
    pub value: Axis,
    /// The values by row and column; `None` where there is no run.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// Bars: one for each label.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What the labels are.
    pub x: String,
    /// The vertical axis of the bars' lengths.
    pub y: Axis,
    /// The bars from left to right, or from top to bottom where labels are long.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its label.
    pub label: String,
    /// Its length.
    pub value: f64,
    /// Its colour.
    pub colour: Colour,
}
