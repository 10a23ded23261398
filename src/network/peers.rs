//! To whom a node sends its model.

use crate::fields::declare;
use crate::rng::{Purpose, Seed, uniform};
use crate::units::NodeId;
use rand::seq::index;

declare! {
    /// A fresh uniform sample without replacement for every broadcast.
    ///
    /// The draws of a search (its peers, and the loss, delay and copies of each message) depend on the number of that search of its node:
    /// neither other messages of the node nor its silences change any of them.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct Peers {
        /// Which nodes may be drawn.
        #[example(All)]
        pub among: PeerPool,
        /// How many peers a broadcast reaches.
        #[example(Log2)]
        pub fanout: Fanout,
    }
}

declare! {
    /// Which nodes may be drawn.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum PeerPool {
        /// All other nodes that have ever joined, online or not: a message to an absent node is lost, unless `absence` says otherwise. A
        /// node that joins with a crowd or in a `Burst` exists from that moment on. Any other node exists from the start, even if it begins
        /// offline.
        All,
        /// The other nodes that are online when the message is sent.
        Online,
    }
}

declare! {
    /// How many peers a broadcast reaches.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Fanout {
        /// ⌈log₂ n⌉ in a network of n nodes, as in the paper.
        Log2,
        /// A number, at most n − 1; 0 means that nobody sends.
        Fixed(#[example(5)] u32),
    }
}

impl Fanout {
    /// The number of peers in a network of `n_nodes`.
    pub fn of(self, n_nodes: u32) -> u32 {
        match self {
            Fanout::Log2 => n_nodes.next_power_of_two().trailing_zeros(),
            Fanout::Fixed(fanout) => fanout,
        }
    }
}

/// Draws the peers for the `nth` broadcast of `node`: positions among `n_candidates`, in the order of the draws.
pub fn sample(seed: Seed, node: NodeId, nth: u64, fanout: u32, n_candidates: u32) -> impl Iterator<Item = u32> {
    let amount = fanout.min(n_candidates) as usize;
    let mut rng = seed.rng(Purpose::Peers, node.0.into(), nth);
    index::sample(&mut rng, n_candidates as usize, amount).into_iter().map(|i| i as u32)
}

/// Draws peers when some candidates are favored: each draw picks a favored candidate `times` likelier than another one that is left.
/// Returns for each pick whether it is favored, and its position in its group.
pub fn sample_biased(seed: Seed, node: NodeId, nth: u64, fanout: u32, times: f64, n_favored: u32, n_others: u32) -> Vec<(bool, u32)> {
    let mut rng = seed.rng(Purpose::Peers, node.0.into(), nth);
    let (mut favored_left, mut others_left) = (n_favored, n_others);
    // The group of each pick is drawn first, then the member: all members of a group are equally likely.
    let groups: Vec<bool> = (0..fanout.min(n_favored + n_others))
        .map(|_| {
            let weight = times * f64::from(favored_left);
            let is_favored = others_left == 0 || uniform(&mut rng) * (weight + f64::from(others_left)) < weight;
            *(if is_favored { &mut favored_left } else { &mut others_left }) -= 1;
            is_favored
        })
        .collect();
    let mut favored = index::sample(&mut rng, n_favored as usize, (n_favored - favored_left) as usize).into_iter();
    let mut others = index::sample(&mut rng, n_others as usize, (n_others - others_left) as usize).into_iter();
    let mut pick = |is_favored: bool| if is_favored { favored.next() } else { others.next() }.expect("as many as were counted") as u32;
    groups.into_iter().map(|is_favored| (is_favored, pick(is_favored))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_sends_to_seven_of_a_hundred() {
        let fanout = |n| Fanout::Log2.of(n);
        assert_eq!([fanout(1), fanout(2), fanout(3), fanout(64), fanout(65), fanout(100)], [0, 1, 2, 6, 7, 7]);
    }

    #[test]
    fn samples_are_distinct_and_uniform() {
        let mut counts = [0u32; 20];
        for nth in 0..10_000 {
            let mut drawn: Vec<u32> = sample(Seed(1), NodeId(0), nth, 5, 20).collect();
            drawn.iter().for_each(|&i| counts[i as usize] += 1);
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 5);
        }
        // χ² with 19 degrees of freedom at 99.9 %: 43.8; drawing without replacement only makes it smaller.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 2_500.0).powi(2) / 2_500.0).sum();
        assert!(chi2 < 43.8, "χ² = {chi2}");
    }

    #[test]
    fn a_small_network_reaches_everyone() {
        let mut drawn: Vec<u32> = sample(Seed(1), NodeId(0), 0, 7, 3).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, [0, 1, 2]);
    }

    /// χ² of `n_draws` samples of `fanout` of 3 favored and 5 other candidates against the probability of each ordered pair of first picks.
    #[track_caller]
    fn check_biased(times: f64, fanout: u32, limit: f64) {
        let (n_favored, n_others, n_draws) = (3u32, 5u32, 40_000u32);
        let n = (n_favored + n_others) as usize;
        let mut counts = vec![vec![0u32; n]; n];
        for nth in 0..u64::from(n_draws) {
            let place = |&(is_favored, i): &(bool, u32)| if is_favored { i } else { n_favored + i } as usize;
            let drawn: Vec<usize> = sample_biased(Seed(2), NodeId(1), nth, fanout, times, n_favored, n_others).iter().map(place).collect();
            let mut distinct = drawn.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert!(drawn.len() == fanout as usize && distinct.len() == drawn.len());
            counts[drawn[0]][drawn[1]] += 1;
        }
        let weight = |i: usize| if i < n_favored as usize { times } else { 1.0 };
        let total: f64 = (0..n).map(weight).sum();
        let mut chi2 = 0.0;
        for (first, row) in counts.iter().enumerate() {
            for (second, &count) in row.iter().enumerate().filter(|&(second, _)| second != first) {
                let want = f64::from(n_draws) * weight(first) / total * weight(second) / (total - weight(first));
                chi2 += (f64::from(count) - want).powi(2) / want;
            }
        }
        assert!(chi2 < limit, "χ² = {chi2} at {times}, {fanout}");
    }

    #[test]
    fn favored_peers_come_so_many_times_likelier() {
        // χ² with 8 · 7 − 1 = 55 degrees of freedom at 99.9 %: 93.2.
        for (times, fanout) in [(1.0, 2), (4.0, 2), (4.0, 5), (1.5, 8)] {
            check_biased(times, fanout, 93.2);
        }
    }

    #[test]
    fn a_strong_bias_leaves_nobody_out() {
        let drawn = sample_biased(Seed(1), NodeId(0), 0, 9, 1e6, 3, 4);
        assert_eq!((drawn.len(), drawn.iter().filter(|(is_favored, _)| *is_favored).count()), (7, 3));
        assert!(drawn[..3].iter().all(|(is_favored, _)| *is_favored));
        assert_eq!(sample_biased(Seed(1), NodeId(0), 0, 2, 5.0, 0, 1), [(false, 0)]);
        assert_eq!(sample_biased(Seed(1), NodeId(0), 0, 2, 5.0, 0, 0), []);
    }
}
