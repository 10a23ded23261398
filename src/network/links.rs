//! What lies between two nodes: how fast a message is handed over, whether it may overtake, get lost in a burst, or arrive twice.

use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{BitRate, Duration, NodeId};
use serde::{Deserialize, Serialize};

/// How fast nodes send and receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bandwidth {
    #[default]
    Unlimited,
    /// Every node has this upload and this download; transfers take their time before and after the latency.
    Limited {
        upload: BitRate,
        download: BitRate,
        #[serde(default)]
        sharing: Sharing,
    },
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
    /// Whether the connection of `sender` begins badly.
    pub fn begins_bad(&self, seed: Seed, sender: NodeId) -> bool {
        let Bursts::GilbertElliott { good, bad, .. } = self else { return false };
        // The address of no period.
        seed.uniform(Purpose::Bursts, sender.0.into(), u64::MAX) < bad.secs() / (good.secs() + bad.secs())
    }

    /// How long the `nth` state of `sender` lasts. What is left of the first one is as long as any: it has no memory.
    pub fn period(&self, seed: Seed, sender: NodeId, nth: u64, is_bad: bool) -> Duration {
        let Bursts::GilbertElliott { good, bad, .. } = self else { return Duration::from_ns(u64::MAX) };
        let mean = if is_bad { bad } else { good };
        let length = mean.secs() * -math::ln(seed.uniform(Purpose::Bursts, sender.0.into(), nth));
        Duration::from_ns(Duration::from_secs_f64(length).ns().max(1))
    }

    /// The long-run probability of loss, where messages are otherwise lost with probability `loss`.
    pub fn mean_loss(&self, loss: f64) -> f64 {
        match self {
            Bursts::Never => loss,
            Bursts::GilbertElliott { good, bad, loss_in_bad } => {
                (loss * good.secs() + loss_in_bad * bad.secs()) / (good.secs() + bad.secs())
            }
        }
    }
}
