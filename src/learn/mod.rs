//! The data plane's executor: windows of steps become levels of turns, and lanes execute them side by side.

mod lane;
mod learner;
mod stale_versions;
mod window;

pub(crate) use lane::{Lane, Rules};
pub(crate) use window::{Window, execute};
