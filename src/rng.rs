//! Addressed draws. Nothing is drawn in sequence from a shared stream: every generator is named by what it is for.
//!
//! Changing the defence therefore changes no draw: not a delay, a peer, a session length, nor the number behind a click.
//! This is the only file that builds generators.

use rand::SeedableRng;
pub use rand::{Rng, RngExt};
pub use rand_pcg::Pcg64;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

/// The seed of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

/// What a draw decides. The numbers are part of the results: never reuse or reorder them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    Malicious = 1,
    Init = 2,
    Query = 3,
    Ranking = 4,
    Clicks = 5,
    Subset = 6,
    Arrival = 7,
    Peers = 8,
    Latency = 9,
    Loss = 10,
    Churn = 11,
    SyntheticWorld = 12,
    SyntheticQuery = 13,
    CraftQuery = 14,
    CraftRanking = 15,
    CraftClicks = 16,
    Noise = 17,
    Roles = 18,
    FirstJoin = 19,
    Region = 30,
    Zone = 31,
    Host = 32,
    Jitter = 33,
    Rate = 34,
    Sitting = 35,
    SearchLog = 36,
    ChurnTrace = 37,
    ChurnPast = 38,
    Crowd = 39,
    FaultNodes = 40,
    Bursts = 41,
    Duplicate = 42,
    Speed = 43,
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

    /// One addressed uniform number in the open interval (0, 1): for draws that need no more, at a fraction of the cost.
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

/// 52 bits of `bits` as the middle of their cell in (0, 1): never 0, so that its logarithm is finite, and never 1.
pub fn open_unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// A uniform number in (0, 1).
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
