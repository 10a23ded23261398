//! Where nodes live: nine regions of the world and the mean latencies between them.

use crate::fields::declare;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};

declare! {
    /// A region of the built-in table.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Region {
        /// North America, 6 hours behind universal time.
        Dallas,
        /// North America, 5 hours behind universal time.
        WashingtonDc,
        /// South America, 3 hours behind universal time.
        SaoPaulo,
        /// Europe, at universal time.
        London,
        /// Europe, 1 hour ahead of universal time.
        Frankfurt,
        /// Europe, 1 hour ahead of universal time.
        Madrid,
        /// Asia, 5.5 hours ahead of universal time.
        Mumbai,
        /// Asia, 9 hours ahead of universal time.
        Tokyo,
        /// Australia, 10 hours ahead of universal time.
        Sydney,
    }
}

declare! {
    /// How nodes are spread over the regions; the region of each node is drawn from the seed.
    #[derive(Clone, PartialEq, Default)]
    pub enum Regions {
        /// All nine regions are equally likely.
        #[default]
        Uniform,
        /// A region is likely in proportion to its weight; a region that is not named has no nodes.
        // Within the limits, nine weights add up without overflow.
        Weights(
            #[limits(between(0.0, 1e9))]
            #[example([(London, 2.0), (Tokyo, 1.0)])]
            Vec<(Region, f64)>
        ),
    }
}

/// Mean round trips in milliseconds, from the row's region to the column's. Within a region, one way takes about 1 ms.
#[rustfmt::skip]
const ROUND_TRIPS: [[u32; 9]; 9] = [
    [  2,  32, 142, 113, 123, 119, 249, 145, 186],
    [ 31,   2, 122,  76,  86,  89, 218, 142, 215],
    [141, 124,   2, 181, 192, 211, 338, 283, 325],
    [113,  76, 181,   2,  13,  26, 118, 238, 261],
    [124,  86, 191,  13,   2,  29, 118, 229, 250],
    [118,  88, 215,  26,  29,   2, 130, 253, 276],
    [248, 219, 343, 120, 121, 129,   2, 132, 152],
    [145, 139, 284, 239, 228, 253, 131,   2, 101],
    [187, 216, 327, 260, 249, 275, 152, 101,   2],
];

impl Region {
    /// All regions, in the order of the table.
    pub const ALL: [Region; 9] = [
        Region::Dallas,
        Region::WashingtonDc,
        Region::SaoPaulo,
        Region::London,
        Region::Frankfurt,
        Region::Madrid,
        Region::Mumbai,
        Region::Tokyo,
        Region::Sydney,
    ];

    /// The name that a scenario writes.
    pub fn name(self) -> &'static str {
        match self {
            Region::Dallas => "Dallas",
            Region::WashingtonDc => "WashingtonDc",
            Region::SaoPaulo => "SaoPaulo",
            Region::London => "London",
            Region::Frankfurt => "Frankfurt",
            Region::Madrid => "Madrid",
            Region::Mumbai => "Mumbai",
            Region::Tokyo => "Tokyo",
            Region::Sydney => "Sydney",
        }
    }

    /// The mean one-way latency: half of the round trip. The two directions differ a little.
    pub fn one_way(self, to: Region) -> Duration {
        Duration::from_ns(u64::from(ROUND_TRIPS[self as usize][to as usize]) * 500_000)
    }

    /// How many hours local time is ahead of universal time, without daylight saving.
    pub fn hours_ahead(self) -> f64 {
        [-6.0, -5.0, -3.0, 0.0, 1.0, 1.0, 5.5, 9.0, 10.0][self as usize]
    }
}

impl Regions {
    /// The share of nodes in each region, in the order of [`Region::ALL`].
    pub fn shares(&self) -> [f64; 9] {
        let Regions::Weights(weights) = self else { return [1.0 / 9.0; 9] };
        let mut shares = [0.0; 9];
        weights.iter().for_each(|&(region, weight)| shares[region as usize] += weight);
        let total: f64 = shares.iter().sum();
        shares.map(|share| share / total)
    }
}

/// The region of `node`. It depends only on the seed and the weights.
pub fn region_of(seed: Seed, node: NodeId, regions: &Regions) -> Region {
    let u = seed.uniform(Purpose::Region, node.0.into(), 0);
    let shares = regions.shares();
    let mut below = 0.0;
    let found = Region::ALL.into_iter().zip(shares).find(|&(_, share)| {
        below += share;
        u < below
    });
    // Rounding may leave the sum of all shares a little below 1.
    let last = Region::ALL.into_iter().zip(shares).rfind(|&(_, share)| share > 0.0);
    found.or(last).map_or(Region::London, |(region, _)| region)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(regions: &Regions, n: u32) -> [u32; 9] {
        let mut counts = [0; 9];
        (0..n).for_each(|node| counts[region_of(Seed(1), NodeId(node), regions) as usize] += 1);
        counts
    }

    #[test]
    fn nodes_are_spread_as_the_weights_say() {
        // χ² with 8 degrees of freedom at 99.9 %: 26.1.
        let chi2: f64 = counts(&Regions::Uniform, 9_000).iter().map(|&c| (f64::from(c) - 1_000.0).powi(2) / 1_000.0).sum();
        assert!(chi2 < 26.1, "χ² = {chi2}");
        let weights = Regions::Weights(vec![(Region::Tokyo, 3.0), (Region::Madrid, 1.0), (Region::Dallas, 0.0)]);
        let counts = counts(&weights, 4_000);
        assert_eq!(counts[Region::Tokyo as usize] + counts[Region::Madrid as usize], 4_000);
        // Five standard deviations of a binomial count.
        assert!(counts[Region::Tokyo as usize].abs_diff(3_000) < 137, "{counts:?}");
    }

    #[test]
    fn latencies_are_half_the_round_trips() {
        assert_eq!(Region::Tokyo.one_way(Region::Sydney), Duration::from_ns(50_500_000));
        assert_eq!(Region::WashingtonDc.one_way(Region::Dallas), Duration::from_ns(15_500_000));
        for (i, region) in Region::ALL.into_iter().enumerate() {
            assert_eq!((region as usize, region.one_way(region)), (i, Duration::from_ns(1_000_000)));
        }
    }
}
