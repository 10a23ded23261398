//! The mathematics of learning to rank: pure functions on slices. Nothing here knows time, nodes or files.

mod form;
pub mod kernel;
pub mod linear;
pub mod ndcg;
pub mod neural;
pub mod pdgd;
pub mod plackett_luce;
pub mod preferences;
pub mod session_score;

pub use form::Form;
pub use ndcg::Ndcg;
pub use plackett_luce::Slate;
pub use preferences::Preference;
