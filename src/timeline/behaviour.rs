//! How a node differs from an ordinary one: how it makes its messages, how often it sends, when it is online and when it attacks.

use crate::network::{Active, Knowledge, Meanwhile};
use crate::units::VirtualTime;

/// One node's behaviour. The default is that of an ordinary node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Behaviour {
    /// For a node that crafts each message for its receiver, the moment at which it looks at that receiver. `None` if it broadcasts one
    /// model.
    pub crafts: Option<Knowledge>,
    /// Number of evenly spaced broadcasts between two consecutive searches.
    pub n_between: u32,
    /// Whether neither churn nor a crowd takes it offline.
    pub never_leaves: bool,
    /// The node is absent until this moment and joins then for the first time. Without it, churn decides who is online at the start.
    pub first_join: Option<VirtualTime>,
    /// When it attacks. Outside of these windows it does what they name.
    pub active: Active,
    /// Whether the peer samplers of other nodes prefer it.
    pub is_favored: bool,
}

/// How a node acts at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// An honest node acts honestly, an attacker attacks.
    Own,
    /// An attacker is outside of its windows, and does this instead.
    Off(Meanwhile),
}

impl Behaviour {
    /// How the node acts at `now`.
    pub fn conduct(&self, now: VirtualTime) -> Conduct {
        match self.active.pause_at(now) {
            None => Conduct::Own,
            Some(meanwhile) => Conduct::Off(meanwhile),
        }
    }
}

impl Conduct {
    /// Whether the node sends nothing.
    pub fn is_silent(self) -> bool {
        self == Conduct::Off(Meanwhile::Silent)
    }

    /// Whether an attacker acts like an honest node.
    pub fn poses_as_honest(self) -> bool {
        self == Conduct::Off(Meanwhile::Honest)
    }
}
