//! The mathematics of learning to rank, as pure functions on slices. This module knows neither time nor nodes nor files.

mod model_shape;
pub mod kernel;
pub mod linear;
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
