//! Links between nodes: how fast they are, whether messages may overtake each other, and whether losses come in bursts.

use crate::fields::declare;
use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{BitRate, Duration, NodeId};

declare! {
    /// How fast nodes send and receive.
    ///
    /// A message takes its way in this order: the draw of its loss, the sender's upload, the latency, the receiver's download, and then
    /// its arrival. Two things are not modelled: a sender that is slowed down by its receiver, and speeds that change over time.
    /// A message that is lost on its way is uploaded all the same. If the receiver leaves during a download, the download goes on, and the
    /// message then finds its receiver away.
    #[derive(Clone, Copy, PartialEq, Default)]
    pub enum Bandwidth {
        /// A message takes no time but its latency.
        #[default]
        Unlimited,
        /// Transfers take time before and after the latency. A message has 64 bytes and 4 more per weight of its model; LETOR data needs
        /// `dataset.features`, so that this size is known before the data is read.
        Limited {
            /// How fast a node sends. With a `spread` it is the speed of the median node.
            #[limits(above(0.0).or("without limits choose bandwidth: Unlimited"))]
            #[example("5Mbit/s")]
            upload: BitRate,
            /// How fast a node receives. With a `spread` it is the speed of the median node.
            #[limits(above(0.0).or("without limits choose bandwidth: Unlimited"))]
            #[example("20Mbit/s")]
            download: BitRate,
            /// How unequal nodes are: speeds are log-normal over the nodes, and this is the standard deviation of their logarithm. At 0 all
            /// nodes are equal. A node's upload and download differ from the median by the same factor.
            #[serde(default)]
            #[limits(between(0.0, 10.0))]
            #[example(0.8)]
            spread: f64,
            /// How simultaneous transfers of a node share its speed.
            #[serde(default)]
            #[example(Fair)]
            sharing: Sharing,
        },
    }
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

declare! {
    /// How simultaneous transfers of one node share its upload, or its download.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Sharing {
        /// One after another, each at full speed: uploads in the order of sending, downloads in the order of arrival.
        #[default]
        FirstCome,
        /// All at once, each at an equal part of the speed, which changes whenever one begins or ends. A broadcast to ten takes as long as with
        /// `FirstCome`, but its messages end together.
        Fair,
    }
}

declare! {
    /// Whether a message may overtake an earlier one.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Sequence {
        /// Every message has its own delay, and may overtake others.
        #[default]
        AsTheyCome,
        /// A message arrives no earlier than those sent before it from the same sender to the same receiver. For a message that is sent
        /// again, the last sending counts. If bandwidth is limited, a download that goes on while its receiver is away may end after a
        /// later message was taken from the mailbox.
        FifoPerLink,
    }
}

declare! {
    /// Whether losses come in bursts.
    #[derive(Clone, Copy, PartialEq, Default)]
    pub enum Bursts {
        /// Losses are independent, with the probability `loss`.
        #[default]
        Never,
        /// Each sender's connection is good and bad in turn, for exponential times, and begins in the stationary state. While it is good
        /// its messages are lost with probability `loss`, while it is bad with `loss_in_bad`.
        GilbertElliott {
            /// How long a connection is good, on average.
            #[limits(above(0.0))]
            #[example("10min")]
            good: Duration,
            /// How long a connection is bad, on average.
            #[limits(above(0.0))]
            #[example("10s")]
            bad: Duration,
            /// The probability that a message is lost while its sender's connection is bad.
            #[limits(between(0.0, 1.0))]
            #[example(0.5)]
            loss_in_bad: f64,
        },
    }
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
