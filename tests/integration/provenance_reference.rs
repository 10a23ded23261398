//! A second computation of provenance, used by `lockstep_rounds`: it follows the honest part H in f64, while the simulator carries M.

use crate::lockstep_rounds::Peer;
use rankguard::node::{Defense, Outcome, Verdict};
use rankguard::record::MemoryRecorder;
use std::ops::Range;

/// H of a model, and mass and moment of what it learned.
#[derive(Clone, Default)]
pub struct Parts {
    honest: Vec<f64>,
    mass: f64,
    moment: f64,
}

/// Models that wait in a pool, with their parts.
pub type Pool = Vec<(Vec<f32>, Parts)>;

impl Parts {
    pub fn of_first(theta: &[f32]) -> Self {
        Self { honest: wide(theta), ..Self::default() }
    }

    pub fn learn(&mut self, before: &[f32], after: &[f32], at_ns: f64, is_honest: bool) {
        let step: Vec<f64> = wide(after).iter().zip(wide(before)).map(|(a, b)| a - b).collect();
        let length = dot(&step, &step).sqrt();
        self.mass += length;
        self.moment += length * at_ns;
        if is_honest {
            self.honest.iter_mut().zip(step).for_each(|(h, step)| *h += step);
        }
    }

    /// θ_u was `before` and is `after` it received `sent`.
    pub fn receive(
        &mut self,
        pool: &mut Pool,
        defense: &Defense,
        verdict: &Verdict,
        (before, after): (&[f32], &[f32]),
        (sent, parts): (Vec<f32>, Parts),
    ) {
        match verdict.outcome {
            Outcome::Rejected(_) | Outcome::Discarded => assert_eq!(before, after),
            Outcome::Merged if matches!(defense, Defense::Sentinel { .. }) => self.merge_shortened(verdict.alpha, before, &sent, parts),
            Outcome::Merged => {
                let weight = along(before, after, &sent).unwrap_or(verdict.alpha);
                self.merge(&vec![vec![weight]; before.len()], &[parts]);
            }
            Outcome::Buffered => pool.push((sent, parts)),
            Outcome::Pooled => {
                pool.push((sent, parts));
                let pool = std::mem::take(pool);
                let weights: Vec<Vec<f64>> = match defense {
                    // Four models and the own one: all but the smallest and the largest, or the middle one.
                    Defense::Cwtm { .. } => (0..before.len()).map(|c| middle(before[c], &pool, c, 1..4)).collect(),
                    Defense::Median => (0..before.len()).map(|c| middle(before[c], &pool, c, 2..3)).collect(),
                    _ => vec![verdict.pool_weights(); before.len()],
                };
                self.merge(&weights, &pool.into_iter().map(|(_, parts)| parts).collect::<Vec<_>>());
            }
        }
    }

    /// What was sent loses the length by which its layers exceed those of the own model.
    fn merge_shortened(&mut self, weight: f64, own: &[f32], sent: &[f32], mut parts: Parts) {
        let shorter = |l: &Range<usize>| (norm(&wide(&own[l.clone()])) / norm(&wide(&sent[l.clone()]))).min(1.0);
        let (mut total, d) = (0.0, own.len());
        for layer in layers(d) {
            let scale = shorter(&layer);
            total += scale * layer.len() as f64;
            parts.honest[layer].iter_mut().for_each(|h| *h *= scale);
        }
        parts.mass *= total / d as f64;
        parts.moment *= total / d as f64;
        self.merge(&vec![vec![weight]; d], &[parts]);
    }

    /// `weights[coordinate][model]`.
    fn merge(&mut self, weights: &[Vec<f64>], others: &[Parts]) {
        for (c, weights) in weights.iter().enumerate() {
            let own = self.honest[c];
            self.honest[c] += weights.iter().zip(others).map(|(w, other)| w * (other.honest[c] - own)).sum::<f64>();
        }
        let (mass, moment) = (self.mass, self.moment);
        for (j, other) in others.iter().enumerate() {
            let weight = (weights.iter().map(|weights| weights[j]).sum::<f64>() / weights.len() as f64).min(1.0);
            self.mass += weight * (other.mass - mass);
            self.moment += weight * (other.moment - moment);
        }
    }

    pub fn mean(all: &[&Parts]) -> Self {
        let n = all.len() as f64;
        let honest = (0..all[0].honest.len()).map(|c| all.iter().map(|parts| parts.honest[c]).sum::<f64>() / n).collect();
        let (mass, moment) = all.iter().fold((0.0, 0.0), |(mass, moment), parts| (mass + parts.mass, moment + parts.moment));
        Self { honest, mass: mass / n, moment: moment / n }
    }
}

/// How far the way from `before` to `sent` went to `after`, from the models alone.
fn along(before: &[f32], after: &[f32], sent: &[f32]) -> Option<f64> {
    let way: Vec<f64> = wide(sent).iter().zip(wide(before)).map(|(v, u)| v - u).collect();
    let gone: Vec<f64> = wide(after).iter().zip(wide(before)).map(|(a, u)| a - u).collect();
    (dot(&way, &way) > 0.0).then(|| dot(&gone, &way) / dot(&way, &way))
}

/// The weights of pooled models whose coordinate is at one of the sorted places `kept`, the own value last among equals.
fn middle(own: f32, pool: &[(Vec<f32>, Parts)], c: usize, kept: std::ops::Range<usize>) -> Vec<f64> {
    let mut values: Vec<(f32, usize)> = pool.iter().map(|(theta, _)| theta[c]).chain([own]).zip(0..).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut weights = vec![0.0; pool.len() + 1];
    values[kept.clone()].iter().for_each(|&(_, j)| weights[j] = 1.0 / kept.len() as f64);
    weights.truncate(pool.len());
    weights
}

/// The twelve weights of the tests' linear models, or W₁, b₁ and w₂ of 64 units.
fn layers(d: usize) -> Vec<Range<usize>> {
    if d == 12 { vec![0..d; 1] } else { vec![0..d - 128, d - 128..d - 64, d - 64..d] }
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn wide(theta: &[f32]) -> Vec<f64> {
    theta.iter().copied().map(f64::from).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The last evaluation's rows tell exposure, pull and age of the plain loop's models.
#[track_caller]
pub fn same_parts(name: &str, rows: &MemoryRecorder, peers: &[Peer]) {
    let last = rows.curve.last().expect("a run ends with an evaluation");
    for row in rows.evaluations.iter().filter(|row| row.evaluation == last.evaluation) {
        let Peer { node, parts, .. } = &peers[row.node as usize];
        let malicious: Vec<f64> = wide(node.theta()).iter().zip(&parts.honest).map(|(w, h)| w - h).collect();
        let (m, h) = (dot(&malicious, &malicious).sqrt(), dot(&parts.honest, &parts.honest).sqrt());
        let (exposure, pull) = (m / (m + h), dot(&malicious, &parts.honest) / (h * h));
        let close = |got: Option<f64>, want: f64| got.is_some_and(|got| (got - want).abs() <= 2e-3 * want.abs().max(1e-2));
        assert!(close(row.exposure, exposure), "{name}, node {}: exposure {:?}, not {exposure}", row.node, row.exposure);
        assert!(close(row.pull, pull), "{name}, node {}: pull {:?}, not {pull}", row.node, row.pull);
        let (age, want) = (row.age_ns.expect("it has learned") as f64, row.at_ns as f64 - parts.moment / parts.mass);
        assert!((age - want).abs() < 1e-4 * row.at_ns as f64, "{name}, node {}: age {age}, not {want}", row.node);
    }
}
