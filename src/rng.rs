//! Random numbers by address. No part of the program draws from a shared stream: each draw names the generator for its purpose.
//!
//! A change of the defence therefore changes no draw: no delay, no peer, no absence, nor the number behind a click.
//! This is the only file that builds generators.
//!
//! ```
//! use rankguard::rng::{Purpose, Seed};
//!
//! let loss = |node, message| Seed(1).uniform(Purpose::Loss, node, message);
//! assert_eq!(loss(3, 0), loss(3, 0)); // an address always gives the same number
//! assert_ne!(loss(3, 0), loss(3, 1));
//! ```

use rand::SeedableRng;
pub use rand::{Rng, RngExt};
pub use rand_pcg::Pcg64;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

/// The seed of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

/// The purpose of a draw. Results depend on these numbers: never reuse or reorder them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    /// Which nodes are malicious.
    Malicious = 1,
    /// The model that a node begins with.
    Init = 2,
    /// The query of a search.
    Query = 3,
    /// The ranking that a user is shown.
    Ranking = 4,
    /// The clicks of a user.
    Clicks = 5,
    /// The sessions by which RankGuard-Rand judges a received model.
    Subset = 6,
    /// The pause before the next search.
    Arrival = 7,
    /// The receivers of a broadcast.
    Peers = 8,
    /// The delay of a message.
    Latency = 9,
    /// Whether a message is lost on its way.
    Loss = 10,
    /// The lengths of online and offline periods.
    Churn = 11,
    /// The hidden structure of synthetic data.
    SyntheticWorld = 12,
    /// The documents of a synthetic query.
    SyntheticQuery = 13,
    /// The query of an IPM step.
    CraftQuery = 14,
    /// The ranking of an IPM step.
    CraftRanking = 15,
    /// The clicks of an IPM step.
    CraftClicks = 16,
    /// The noise that a Noise attacker adds to a model.
    Noise = 17,
    /// Which attack of a mix each malicious node plays.
    Roles = 18,
    /// When an attacker joins in a burst.
    FirstJoin = 19,
    /// The bucket and the sign of each weight in SketchGuard's sketches.
    Sketch = 20,
    /// The region of a node.
    Region = 30,
    /// The time zone of a node.
    Zone = 31,
    /// The measured host at which a node is.
    Host = 32,
    /// The factor by which the delay of one message varies.
    Jitter = 33,
    /// How often a user searches, compared with others.
    Rate = 34,
    /// Whether a sitting goes on after a search.
    Sitting = 35,
    /// The logged user that a node follows.
    SearchLog = 36,
    /// The line of a churn trace that a node follows, and where in it the node begins.
    ChurnTrace = 37,
    /// The churn before the run begins, which gives the state at its beginning.
    ChurnPast = 38,
    /// The nodes of a crowd, and when each of them comes or goes.
    Crowd = 39,
    /// The nodes that a fault concerns.
    FaultNodes = 40,
    /// When the connection of a sender is bad.
    Bursts = 41,
    /// Whether the network makes a second copy of a message.
    Duplicate = 42,
    /// The bandwidth of a node.
    Speed = 43,
    /// The honest nodes whose models are evaluated.
    EvaluatedNodes = 44,
    /// The test queries that models are evaluated on.
    EvaluatedQueries = 45,
}

impl Seed {
    /// The generator for the `nth` draw of `node` for `purpose`.
    ///
    /// Both halves of the generator come from the hash: PCG's stream parameter alone does not give independent streams.
    pub fn rng(self, purpose: Purpose, node: u64, nth: u64) -> Pcg64 {
        let address = self.address(purpose, node, nth);
        let mut seed = [0; 32];
        seed[..16].copy_from_slice(&xxh3_128_with_seed(&address, 0).to_le_bytes());
        seed[16..].copy_from_slice(&xxh3_128_with_seed(&address, 1).to_le_bytes());
        Pcg64::from_seed(seed)
    }

    /// One uniform number in the open interval (0, 1), for draws that need no generator; it costs a fraction of [`Seed::rng`].
    pub fn uniform(self, purpose: Purpose, node: u64, nth: u64) -> f64 {
        open_unit(xxh3_64_with_seed(&self.address(purpose, node, nth), 2))
    }

    fn address(self, purpose: Purpose, node: u64, nth: u64) -> [u8; 32] {
        let mut address = [0; 32];
        for (word, bytes) in [self.0, purpose as u64, node, nth].into_iter().zip(address.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        address
    }
}

/// Maps the upper 52 bits of `bits` to the middle of their cell in (0, 1). The result is never 0, so its logarithm is finite, and never 1.
pub fn open_unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// The next uniform number in (0, 1) of a generator.
pub fn uniform(rng: &mut impl Rng) -> f64 {
    open_unit(rng.next_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_one_generator_and_its_neighbours_others() {
        let draw = |seed: u64, purpose, node, nth| Seed(seed).rng(purpose, node, nth).next_u64();
        let reference = draw(1, Purpose::Query, 2, 3);
        assert_eq!(reference, draw(1, Purpose::Query, 2, 3));
        for other in
            [draw(2, Purpose::Query, 2, 3), draw(1, Purpose::Clicks, 2, 3), draw(1, Purpose::Query, 3, 3), draw(1, Purpose::Query, 2, 4)]
        {
            assert_ne!(reference, other);
        }
    }

    #[test]
    fn neighbouring_addresses_are_uniform_together() {
        // χ² over 64 cells of 64,000 first draws along each axis of the address; 103.4 is its 99.9 % point at 63 degrees of freedom.
        for axis in 0..4u64 {
            let mut cells = [0u32; 64];
            for i in 0..64_000u64 {
                let (seed, node, nth) = (u64::from(axis == 0) * i, u64::from(axis == 1) * i, u64::from(axis == 2) * i);
                let u =
                    if axis == 3 { Seed(7).uniform(Purpose::Loss, 3, i) } else { uniform(&mut Seed(seed).rng(Purpose::Query, node, nth)) };
                cells[(u * 64.0) as usize] += 1;
            }
            let chi2: f64 = cells.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
            assert!(chi2 < 103.4, "axis {axis}: χ² = {chi2}");
        }
    }

    #[test]
    fn the_open_unit_interval_excludes_its_ends() {
        assert!(open_unit(0) > 0.0);
        assert!(open_unit(u64::MAX) < 1.0);
    }
}
