//! The data plane's executor: it turns a window of steps into turns of nodes, and lets each begin as soon as its inputs are ready.
//!
//! Each node is a lane that executes its own steps in the timeline's order. This module knows neither the clock nor the event queue: a step
//! holds everything that its execution needs. The state between two windows is plain data (`execute::State`, `window::PlanState`).

mod alphas;
mod execute;
mod lane;
mod learner;
mod model;
mod provenance;
mod rules;
mod stale_versions;
mod step_order;
mod window;

pub(crate) use alphas::{Alphas, Given};
pub(crate) use execute::{Change, Learned, Learning, State};
pub(crate) use lane::Lane;
pub(crate) use provenance::Content;
pub(crate) use window::{PlanState, Planner, Window};
