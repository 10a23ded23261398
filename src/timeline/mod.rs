//! The control plane: a virtual clock that decides who does what at which moment, in a total order, and emits this as steps.
//!
//! Searches, joins and leaves, and messages on their way are events in a queue. [`Timeline::advance`] takes them in order and appends
//! [`Step`]s. No weight, click or document is ever seen here, so the same network runs under every defence.
//!
//! A timeline is a [`Plan`], which never changes, and a [`State`], which is plain data and can be written down. The state belongs to
//! processes. Each process has its own file and state, and gets a context with the plan, the moment, the queue and the emitted steps:
//!
//! - `presence`: who is online, who comes and goes, who has ever joined;
//! - `node_schedule`: the next search of every node, and its broadcasts between searches;
//! - `peers`: whom a node sends to;
//! - `transit`: messages from their sending to their delivery or loss;
//! - `faults`: the timed list of faults;
//! - `evaluation`: when the models are evaluated, and when the run ends.
//!
//! `clock` has the one `match` that hands every event to its process.
//!
//! ```
//! use rankguard::network::{Absence, Arrivals, Bandwidth, Bursts, Churn, Fanout, Latency, Network, Nodes, PeerPool, Peers, Regions,
//! Sequence};
//! use rankguard::rng::Seed;
//! use rankguard::timeline::{Action, Behaviour, Plan, Timeline};
//! use rankguard::units::{Duration, Extent};
//!
//! // Three people search in turn, a round takes a minute, and each person sends the model to one other.
//! let (seed, n_nodes, regions) = (Seed(1), 3, Regions::Uniform);
//! let arrivals = Arrivals::RoundRobin { period: Duration::from_secs(60) };
//! let nodes = Nodes { seed, n_nodes, regions: &regions };
//! let network = Network::load(&arrivals, &Latency::Zero, &Churn::AlwaysOnline, nodes).expect("no file is read");
//! let plan = Plan {
//!     seed,
//!     n_nodes,
//!     stop: Extent::Sessions(6),
//!     evaluate_every: Extent::Sessions(3),
//!     network: network.into(),
//!     peers: Peers { among: PeerPool::All, fanout: Fanout::Fixed(1) },
//!     behaviours: vec![Behaviour::default(); 3],
//! #   evaluate_last: None,
//! #   loss: 0.0,
//! #   bursts: Bursts::Never,
//! #   bandwidth: Bandwidth::Unlimited,
//! #   message_bytes: 64,
//! #   order: Sequence::AsTheyCome,
//! #   duplicates: 0.0,
//! #   absence: Absence::default(),
//! #   faults: vec![],
//! #   crowded: vec![],
//! #   peer_bias: 1.0,
//!     regions, // and losses, bandwidth, absences, faults …
//! };
//! let mut timeline = Timeline::new(plan.clone());
//! let mut steps = Vec::new();
//! while timeline.advance(4, &mut steps) {
//!     // At any of these moments the state can be written down; here it is only copied.
//!     timeline = Timeline::resume(plan.clone(), timeline.state().clone());
//! }
//! let n_received = steps.iter().filter(|step| matches!(step.action, Action::Receive { .. })).count();
//! assert_eq!((n_received, timeline.tally().delivered), (6, 6));
//! ```

mod behaviour;
mod biased_peers;
mod clock;
mod context;
mod evaluation;
mod event;
mod faults;
mod fingerprint;
mod joined;
mod node_schedule;
mod node_set;
mod peers;
mod plan;
mod presence;
mod queue;
mod radix_heap;
mod step;
mod tally;
mod transit;

pub use behaviour::{Behaviour, Conduct};
pub use clock::{State, Timeline};
pub use plan::{LastEvaluations, Plan};
pub use queue::{EventQueue, Order, Pending};
pub use step::{Action, Loss, Slot, Step, Wait};
pub use tally::Tally;
pub use transit::BETWEEN;
