//! Hosts between which messages travel: the built-in regions, a measured matrix, or coordinates. Each node is at one of them.

use super::Missing;
use crate::error::Result;
use crate::network::files::{Line, Text};
use crate::network::load::Nodes;
use crate::network::regions::{Region, region_of};
use crate::rng::Purpose;
use crate::units::{NodeId, counted};

/// The delays between hosts, and the host of each node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hosts {
    distances: Distances,
    /// By node: the number of its host.
    host_of: Vec<u32>,
}

/// How the delay between two hosts is known.
#[derive(Debug, Clone, PartialEq)]
enum Distances {
    Measured(Matrix),
    Computed(Coordinates),
}

impl Hosts {
    /// Every region is one host, and a node is at the host of its region.
    pub fn regions(nodes: &Nodes) -> Self {
        let host_of = (0..nodes.n_nodes).map(|node| region_of(nodes.seed, NodeId(node), nodes.regions) as u32).collect();
        let rows = Region::ALL.map(|from| Region::ALL.map(|to| from.one_way(to).secs()).to_vec());
        Self { distances: Distances::Measured(Matrix::of(rows.to_vec())), host_of }
    }

    /// Reads a matrix of latencies. A number of 1 in the file means `seconds` one way.
    pub fn matrix(path: &str, seconds: f64, missing: Missing, nodes: &Nodes) -> Result<Self> {
        let matrix = Matrix::read(path, seconds, missing)?;
        Ok(Self { host_of: nodes.deal(Purpose::Host, matrix.n), distances: Distances::Measured(matrix) })
    }

    /// Reads coordinates. A distance of 1 in the file means `seconds` one way.
    pub fn coordinates(path: &str, seconds: f64, nodes: &Nodes) -> Result<Self> {
        let coordinates = Coordinates::read(path, seconds)?;
        Ok(Self { host_of: nodes.deal(Purpose::Host, coordinates.n()), distances: Distances::Computed(coordinates) })
    }

    pub fn host_of(&self, node: NodeId) -> Option<u32> {
        self.host_of.get(node.idx()).copied()
    }

    /// Seconds from the host of one node to the host of another.
    pub fn seconds(&self, sender: NodeId, receiver: NodeId) -> f64 {
        let (from, to) = (self.host_of[sender.idx()], self.host_of[receiver.idx()]);
        match &self.distances {
            Distances::Measured(matrix) => matrix.seconds(from, to),
            Distances::Computed(coordinates) => coordinates.seconds(from, to),
        }
    }

    /// Mean seconds between two hosts.
    pub fn mean(&self) -> f64 {
        match &self.distances {
            Distances::Measured(matrix) => matrix.mean(),
            Distances::Computed(coordinates) => coordinates.mean(),
        }
    }
}

/// Seconds one way, from the row's host to the column's.
#[derive(Debug, Clone, PartialEq)]
struct Matrix {
    n: usize,
    seconds: Vec<f64>,
}

impl Matrix {
    fn of(rows: Vec<Vec<f64>>) -> Self {
        Self { n: rows.len(), seconds: rows.into_iter().flatten().collect() }
    }

    /// Reads a line per host with a number per host, separated by commas, tabs or blanks. A number of 1 means `seconds` one way.
    fn read(path: &str, seconds: f64, missing: Missing) -> Result<Self> {
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

    fn seconds(&self, from: u32, to: u32) -> f64 {
        self.seconds[from as usize * self.n + to as usize]
    }

    /// The mean over all pairs of different hosts.
    fn mean(&self) -> f64 {
        let pairs = (0..self.n).flat_map(|from| (0..self.n).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs.map(|(from, to)| self.seconds[from * self.n + to]).sum::<f64>() / (self.n * (self.n - 1)).max(1) as f64
    }
}

/// The numbers of host `i`. Its latency to itself may be missing and is then 0.
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

/// Replaces a missing number by the number of the other direction, or by the median of the host's other numbers.
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

/// Points in space. The latency between two hosts is their distance plus both heights.
#[derive(Debug, Clone, PartialEq)]
struct Coordinates {
    n_dimensions: usize,
    /// In seconds, host by host.
    points: Vec<f64>,
    heights: Vec<f64>,
}

impl Coordinates {
    /// A line per host: its name, its coordinates, and optionally `h` and its height, separated by blanks.
    fn read(path: &str, seconds: f64) -> Result<Self> {
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

    fn n(&self) -> usize {
        self.heights.len()
    }

    fn seconds(&self, from: u32, to: u32) -> f64 {
        let point = |host: u32| &self.points[host as usize * self.n_dimensions..][..self.n_dimensions];
        let squares: f64 = point(from).iter().zip(point(to)).map(|(a, b)| (a - b) * (a - b)).sum();
        // CHOICE(latency): two nodes at one host go through its access link twice, like others.
        squares.sqrt() + self.heights[from as usize] + self.heights[to as usize]
    }

    /// The mean over three pairs per host, which is enough to tell milliseconds from seconds.
    fn mean(&self) -> f64 {
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
        let refuse = |text: &str, expect: &str| refuse(|path| Matrix::read(path, 1.0, Missing::Refuse), text, expect);
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
        // Nothing was measured between the first and the third host: each takes the median of its other numbers.
        let matrix = Matrix::read(&path, 0.5, Missing::Fill).expect("it is a matrix");
        assert_eq!(matrix.seconds, [0.0, 2.0, 2.0, 2.0, 0.0, 3.0, 4.0, 4.0, 0.0]);
        assert!((matrix.mean() - 17.0 / 6.0).abs() < 1e-9);
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
