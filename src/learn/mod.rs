//! The data plane's executor: it turns a window of steps into levels of turns, and lets the lanes of a level run side by side.
//!
//! Each node is a lane that executes its own steps in the timeline's order. Nothing here looks at the clock or the event queue: a step says
//! everything. Only plain data is kept from one window to the next (`execute::State`).

mod execute;
mod lane;
mod learner;
mod model;
mod rules;
mod stale_versions;
mod window;

pub(crate) use execute::Learning;
pub(crate) use lane::Lane;
