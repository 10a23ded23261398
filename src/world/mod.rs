//! From a scenario to a world that can be run.

mod plan;

pub use plan::{plan, protocol, roles};
