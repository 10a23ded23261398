//! The effects of an absence on messages to the node, on its planned searches, on its model, and on its identity.

use crate::fields::declare;
use crate::units::Duration;

declare! {
    /// What becomes of messages, plans, knowledge and names when a node is away, whether by churn, by a first join or by a fault.
    ///
    /// The defaults are the simplest network. A node that joins for the first time has lost nothing. `attackers.always_online` says whether
    /// malicious nodes come and go; faults concern them in either case.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    #[serde(default)]
    pub struct Absence {
        /// What becomes of a message to a node that is away.
        #[example(Retry(every: "1min", at_most: 5))]
        pub messages: Unreached,
        /// What becomes of messages whose sender leaves.
        #[example(Cut)]
        pub in_flight: InFlight,
        /// What becomes of a search, a broadcast of an attacker or a retry that falls into an absence of its node.
        #[example(Paused)]
        pub timers: Timers,
        /// What a node still knows when it is back.
        #[example(ModelLost)]
        pub state: State,
        /// Who a node is when it is back.
        #[example(New)]
        pub identity: Identity,
    }
}

declare! {
    /// What becomes of a message that arrives while its receiver is away.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Unreached {
        /// It is lost.
        #[default]
        Lost,
        /// The sender sends it again. Each time it takes its whole way, with a new delay and a new risk of loss.
        Retry {
            /// How long a sender waits before it sends again.
            #[limits(above(0.0))]
            #[example("1min")]
            every: Duration,
            /// How often it is sent again.
            // The addresses of draws have room for this many attempts.
            #[limits(between(1.0, 1e6).or("without retries choose messages: Lost"))]
            #[example(5)]
            at_most: u32,
        },
        /// It waits for its receiver. A node that returns first gets all messages that wait for it, oldest first.
        Mailbox {
            /// How many messages may wait; if there are more, the oldest is lost.
            #[limits(at_least(1.0).or("without a mailbox choose messages: Lost"))]
            #[example(10)]
            at_most: u32,
            /// How long a message waits in a mailbox before it is lost.
            #[limits(above(0.0).or("without a mailbox choose messages: Lost"))]
            #[example("1h")]
            age: Duration,
        },
    }
}

declare! {
    /// What becomes of the messages on their way when their sender leaves.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum InFlight {
        /// A message arrives whether or not its sender is still there.
        #[default]
        Delivered,
        /// Messages on their way, uploads included, are lost when their sender leaves. They are counted when they would have arrived.
        Cut,
    }
}

declare! {
    /// What becomes of searches and repeated messages that fall into an absence of their node.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Timers {
        /// They do not take place. A skipped retry counts as one.
        #[default]
        Skipped,
        /// The first missed search takes place at the return, and the other searches of that absence do not. A message whose retry was
        /// missed is sent at the return. No node makes up for the time before its first join.
        WhenBack,
        /// The node's clock stands still while it is away: a pause that the absence interrupted goes on after the return.
        Paused,
        /// Everything that was missed takes place at the return, in order: searches with their messages, and each retry that was due.
        CaughtUp,
    }
}

declare! {
    /// What a node still knows when it is back.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum State {
        /// A node comes back as it left.
        #[default]
        Kept,
        /// It begins again with a fresh model, the initial learning rate and an empty pool. Its history is kept.
        ModelLost,
        /// It keeps neither its model nor its history.
        AllLost,
    }
}

declare! {
    /// Who a node is when it is back.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Identity {
        /// Others recognise it.
        #[default]
        Same,
        /// Others take it for a new node (`life` in the table `presence`): messages to its old identity are lost, also those that wait for
        /// it. `state` says what it still knows; with `Kept` only its name changes.
        New,
    }
}
