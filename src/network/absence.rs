//! What an absence means for messages to the node, for its planned searches, for its model, and for its identity.

use crate::units::Duration;
use serde::{Deserialize, Serialize};

/// The defaults are the simplest network: what arrives during an absence is lost, what was planned in it does not take place, and a node
/// comes back as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Absence {
    pub messages: Unreached,
    pub in_flight: InFlight,
    pub timers: Timers,
    pub state: State,
    pub identity: Identity,
}

/// What becomes of a message that arrives while its receiver is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Unreached {
    #[default]
    Lost,
    /// The sender sends it again `every` so often, `at_most` so many times.
    Retry { every: Duration, at_most: u32 },
    /// It waits for its receiver: the newest `at_most` messages, none longer than `age`.
    Mailbox { at_most: u32, age: Duration },
}

/// What becomes of the messages on their way when their sender leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InFlight {
    #[default]
    Delivered,
    Cut,
}

/// What becomes of searches and repeated messages that fall into an absence of their node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Timers {
    #[default]
    Skipped,
    /// The first search missed takes place at the return, the others of that absence do not; what was to be sent again is. Nobody missed
    /// what was before the first join.
    WhenBack,
    /// The node's clock stands still while it is away: what is left of a pause is waited after the return.
    Paused,
    /// All that was missed takes place at the return, in order.
    CaughtUp,
}

/// What a node still knows when it is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum State {
    #[default]
    Kept,
    /// It begins with a fresh model; its history is kept.
    ModelLost,
    /// Neither model nor history.
    AllLost,
}

/// Who a node is when it is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Identity {
    #[default]
    Same,
    /// Somebody else to all others: what was sent to who it was does not reach it.
    New,
}
