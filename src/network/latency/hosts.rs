//! Latencies between hosts: measured ones in a square of numbers, or distances of coordinates.

use super::Missing;
use crate::error::Result;
use crate::network::files::{Line, Text};
use crate::units::counted;

/// Seconds one way, from the row's host to the column's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    n: usize,
    seconds: Vec<f64>,
}

impl Table {
    pub fn of(rows: Vec<Vec<f64>>) -> Self {
        Self { n: rows.len(), seconds: rows.into_iter().flatten().collect() }
    }

    /// One number per host and line, separated by commas, tabs or blanks; a number is so many seconds one way.
    pub fn read(path: &str, seconds: f64, missing: Missing) -> Result<Self> {
        let text = Text::read(path, "latency.path")?;
        let lines: Vec<Line> = text.lines().collect();
        let n = lines.len();
        if n == 0 {
            return Err(text.problem("holds no numbers; latency.path must name a square of them, a line per host"));
        }
        let mut rows = lines.iter().enumerate().map(|(i, line)| row(*line, i, n, missing)).collect::<Result<Vec<_>>>()?;
        if missing == Missing::Fill {
            fill(&mut rows);
        }
        Ok(Self::of(rows.into_iter().map(|row| row.into_iter().map(|number| number * seconds).collect()).collect()))
    }

    pub fn n(&self) -> usize {
        self.n
    }

    pub fn seconds(&self, from: u32, to: u32) -> f64 {
        self.seconds[from as usize * self.n + to as usize]
    }

    /// Between different hosts.
    pub fn mean(&self) -> f64 {
        let pairs = (0..self.n).flat_map(|from| (0..self.n).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs.map(|(from, to)| self.seconds[from * self.n + to]).sum::<f64>() / (self.n * (self.n - 1)).max(1) as f64
    }
}

/// The numbers of host `i`. What it says of itself may be missing, and is then 0.
fn row(line: Line, i: usize, n: usize, missing: Missing) -> Result<Vec<f64>> {
    let parts = line.parts();
    if parts.len() != n {
        return Err(line.problem(&format!(
            "has {}, but the file has {}; a matrix has one per host in both directions",
            counted(parts.len() as u64, "number"),
            counted(n as u64, "line")
        )));
    }
    let check = |(j, part): (usize, &str)| {
        let number = if part.is_empty() { f64::NAN } else { line.number(part)? };
        if (0.0..1e9).contains(&number) {
            Ok(number)
        } else if i == j {
            Ok(0.0)
        } else if number >= 1e9 {
            Err(line.problem_at(part, &format!("the latency {part} is beyond any network; correct it")))
        } else if missing == Missing::Fill {
            Ok(f64::NAN)
        } else {
            Err(line.problem_at(part, &format!("the latency {number} is no latency; if it stands for a missing one, say missing: Fill")))
        }
    };
    parts.into_iter().enumerate().map(check).collect()
}

/// The other direction, or the median of what the host has.
fn fill(rows: &mut [Vec<f64>]) {
    let given = rows.to_vec();
    for (i, row) in rows.iter_mut().enumerate() {
        let mut known: Vec<f64> = row.iter().enumerate().filter(|&(j, number)| j != i && !number.is_nan()).map(|(_, n)| *n).collect();
        known.sort_by(f64::total_cmp);
        let median = known.get(known.len() / 2).copied().unwrap_or(0.0);
        for (j, number) in row.iter_mut().enumerate().filter(|(_, number)| number.is_nan()) {
            *number = if given[j][i].is_nan() { median } else { given[j][i] };
        }
    }
}

/// Points whose distance, plus the height of both, is the latency.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coordinates {
    n_dimensions: usize,
    /// In seconds, host by host.
    points: Vec<f64>,
    heights: Vec<f64>,
}

impl Coordinates {
    /// A line per host: its name, its coordinates, and perhaps `h` and its height, separated by blanks.
    pub fn read(path: &str, seconds: f64) -> Result<Self> {
        let text = Text::read(path, "latency.path")?;
        let mut all = Self { n_dimensions: 0, points: Vec::new(), heights: Vec::new() };
        for line in text.lines() {
            let parts: Vec<&str> = line.text.split_whitespace().collect();
            let (point, height) = match parts[..] {
                [_, ref point @ .., "h", height] => (point, Some(height)),
                [_, ref point @ ..] => (point, None),
                [] => (&[][..], None),
            };
            if all.heights.is_empty() {
                all.n_dimensions = point.len();
            }
            if point.is_empty() || point.len() != all.n_dimensions {
                let (got, want) = (point.len(), all.n_dimensions.max(1));
                return Err(line.problem(&format!("has {got} coordinates, not {want}; a line is: host x y … h height")));
            }
            for part in point {
                all.points.push(finite(line, part)? * seconds);
            }
            let height = height.map(|part| positive(line, part)).transpose()?;
            all.heights.push(height.unwrap_or(0.0) * seconds);
        }
        if all.heights.is_empty() {
            return Err(text.problem("holds no coordinates; latency.path must name a file with a line per host: host x y … h height"));
        }
        Ok(all)
    }

    pub fn n(&self) -> usize {
        self.heights.len()
    }

    pub fn seconds(&self, from: u32, to: u32) -> f64 {
        let point = |host: u32| &self.points[host as usize * self.n_dimensions..][..self.n_dimensions];
        let squares: f64 = point(from).iter().zip(point(to)).map(|(a, b)| (a - b) * (a - b)).sum();
        // CHOICE(latency): two nodes at one host go through its access link twice, like others.
        squares.sqrt() + self.heights[from as usize] + self.heights[to as usize]
    }

    /// Of each host to the next few: enough to tell milliseconds from seconds.
    pub fn mean(&self) -> f64 {
        let n = self.n() as u32;
        let pairs = || (0..n).flat_map(move |from| [1, n / 3 + 1, n / 2 + 1].map(|step| (from, (from + step) % n)));
        pairs().map(|(from, to)| self.seconds(from, to)).sum::<f64>() / pairs().count() as f64
    }
}

fn finite(line: Line, part: &str) -> Result<f64> {
    let number = line.number(part)?;
    if number.abs() < 1e9 { Ok(number) } else { Err(line.problem_at(part, &format!("the coordinate {part} must be finite"))) }
}

fn positive(line: Line, part: &str) -> Result<f64> {
    let number = finite(line, part)?;
    if number >= 0.0 { Ok(number) } else { Err(line.problem_at(part, &format!("the height {part} must be at least 0"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::files::tests::file;

    #[track_caller]
    fn refuse<T>(read: impl Fn(&str) -> Result<T>, text: &str, expect: &str) {
        let (_folder, path) = file("m.csv", text.as_bytes());
        let message = read(&path).err().expect(text).to_string();
        assert!(message.contains(expect), "{message}");
    }

    #[test]
    fn wrong_matrices_say_where() {
        let refuse = |text: &str, expect: &str| refuse(|path| Table::read(path, 1.0, Missing::Refuse), text, expect);
        refuse("", "m.csv: holds no numbers");
        refuse("0,1\n2,0,3\n", "m.csv:2: has 3 numbers, but the file has 2 lines");
        refuse("0,1\n", "m.csv:1: has 2 numbers, but the file has 1 line");
        refuse("0,1\n-2,0\n", "m.csv:2:1: the latency -2 is no latency; if it stands for a missing one, say missing: Fill");
        refuse("0,NaN\n2,0\n", "m.csv:1:3: the latency NaN is no latency");
        refuse("0\t\n2\t0\n", "has 1 number, but the file has 2 lines");
        refuse("0,x\n2,0\n", "m.csv:1:3: `x` is not a number");
        refuse("0,inf\n2,0\n", "m.csv:1:3: the latency inf is beyond any network");
    }

    #[test]
    fn what_is_missing_is_filled_if_asked_for() {
        let (_folder, path) = file("m.csv", b"NaN,4,-1\n-0.5,-1,6\n,8,\n");
        // The first and third hosts know nothing of each other: each takes the median of what it knows.
        let table = Table::read(&path, 0.5, Missing::Fill).expect("it is a matrix");
        assert_eq!(table.seconds, [0.0, 2.0, 2.0, 2.0, 0.0, 3.0, 4.0, 4.0, 0.0]);
        assert!((table.mean() - 17.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn coordinates_are_distances_and_heights() {
        let (_folder, path) = file("v.txt", b"# hosts\n0 0 0 h 1\n1 3.0 -4.0 h 2\n2 0 0\n");
        let hosts = Coordinates::read(&path, 1e-3).expect("they are coordinates");
        assert!((hosts.seconds(0, 1) - 0.008).abs() < 1e-12 && (hosts.seconds(2, 0) - 0.001).abs() < 1e-12);
    }

    #[test]
    fn wrong_coordinates_say_where() {
        let refuse = |text: &str, expect: &str| refuse(|path| Coordinates::read(path, 1.0), text, expect);
        refuse("# none\n", "m.csv: holds no coordinates");
        refuse("0 1 2 h 1\n1 2 h 1\n", "m.csv:2: has 1 coordinates, not 2");
        refuse("0\n", "m.csv:1: has 0 coordinates");
        refuse("0 1 NaN\n", "m.csv:1:5: the coordinate NaN must be finite");
        refuse("0 1 2 h -3\n", "m.csv:1:9: the height -3 must be at least 0");
    }
}
