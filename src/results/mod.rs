//! The layout of a result folder.

mod folders;
mod identity;
mod leftovers;
mod lock;
mod manifest;
mod opened;
mod ours;
mod staging;
mod target;

pub use identity::{COMMIT, Identity, Inputs, VERSION, models_hash};
pub use leftovers::Leftovers;
pub use manifest::{Manifest, Messages, Summary, write_side_file};
pub use opened::Results;
pub use ours::TIMING_NAME;
pub use staging::Staging;
