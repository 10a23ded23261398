//! The mathematics of learning to rank: pure functions on slices. Nothing here knows time, nodes or files.

pub mod kernel;
pub mod linear;
mod model_shape;
pub mod ndcg;
pub mod neural;
pub mod pdgd;
pub mod plackett_luce;
pub mod preferences;
pub mod session_score;

pub use model_shape::ModelShape;
pub use ndcg::Ndcg;
pub use plackett_luce::Slate;
pub use preferences::Preference;
