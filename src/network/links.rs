//! Links between nodes: how fast they are, whether messages may overtake each other, and whether losses come in bursts.

use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{BitRate, Duration, NodeId};
use serde::{Deserialize, Serialize};

/// How fast nodes send and receive.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bandwidth {
    #[default]
    Unlimited,
    /// Half of the nodes have at least this upload and this download; transfers take their time before and after the latency.
    Limited {
        upload: BitRate,
        download: BitRate,
        /// Speeds are log-normal over the nodes: the standard deviation of their logarithm. 0: all are alike.
        #[serde(default)]
        spread: f64,
        #[serde(default)]
        sharing: Sharing,
    },
}

impl Bandwidth {
    /// The speed of `node`, if the median node has `rate`. Upload and download of a node differ from the median by the same factor.
    pub fn at(&self, seed: Seed, node: NodeId, rate: BitRate) -> BitRate {
        match *self {
            Bandwidth::Limited { spread, .. } if spread > 0.0 => {
                let times = math::exp(spread * math::normal_quantile(seed.uniform(Purpose::Speed, node.0.into(), 0)));
                BitRate::from_bits((rate.bits() as f64 * times).max(1.0) as u64)
            }
            Bandwidth::Unlimited | Bandwidth::Limited { .. } => rate,
        }
    }
}

/// How transfers of one node at one time share its upload, or its download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sharing {
    /// One after another, each at full speed.
    #[default]
    FirstCome,
    /// All at once, each at an equal part of the speed.
    Fair,
}

/// Whether a message may overtake an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sequence {
    #[default]
    AsTheyCome,
    /// Not on its way between the same two nodes.
    FifoPerLink,
}

/// Whether losses come in bursts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bursts {
    #[default]
    Never,
    /// Each sender's connection is good and bad in turn, exponentially long, begun in the stationary state. While it is bad, messages
    /// are lost with another probability.
    GilbertElliott { good: Duration, bad: Duration, loss_in_bad: f64 },
}

impl Bursts {
    /// Whether the connection of `sender` is bad at the beginning.
    pub fn begins_bad(&self, seed: Seed, sender: NodeId) -> bool {
        let Bursts::GilbertElliott { good, bad, .. } = self else { return false };
        // No period has this number.
        seed.uniform(Purpose::Bursts, sender.0.into(), u64::MAX) < bad.secs() / (good.secs() + bad.secs())
    }

    /// How long the `nth` state of `sender` lasts. Lengths are exponential, so the rest of the first state is drawn like any other length.
    pub fn period(&self, seed: Seed, sender: NodeId, nth: u64, is_bad: bool) -> Duration {
        let Bursts::GilbertElliott { good, bad, .. } = self else { return Duration::from_ns(u64::MAX) };
        let mean = if is_bad { bad } else { good };
        let length = mean.secs() * -math::ln(seed.uniform(Purpose::Bursts, sender.0.into(), nth));
        Duration::from_ns(Duration::from_secs_f64(length).ns().max(1))
    }

    /// The long-run probability of loss, given the probability `loss` outside of bursts.
    pub fn mean_loss(&self, loss: f64) -> f64 {
        match self {
            Bursts::Never => loss,
            Bursts::GilbertElliott { good, bad, loss_in_bad } => {
                (loss * good.secs() + loss_in_bad * bad.secs()) / (good.secs() + bad.secs())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_log_normal_over_the_nodes_around_the_given_one() {
        let rate = BitRate::from_bits(5_000_000);
        let limited = |spread| Bandwidth::Limited { upload: rate, download: rate, spread, sharing: Sharing::Fair };
        assert_eq!(limited(0.0).at(Seed(1), NodeId(3), rate), rate);
        let mut speeds: Vec<f64> = (0..10_000).map(|node| limited(0.8).at(Seed(1), NodeId(node), rate).bits() as f64).collect();
        crate::network::ks(&mut speeds, |x| 0.5 * libm::erfc(-math::ln(x / 5e6) / (0.8 * std::f64::consts::SQRT_2)));
    }
}
