//! The mathematics of learning to rank, as pure functions on slices. This module knows neither time nor nodes nor files.
//!
//! RankGuard, for example, weighs a received model by how much better it explains each past session than the own model does:
//!
//! ```
//! use rankguard::ltr::session_score::{alpha, evidence};
//!
//! let x = [0.2, 0.1, 0.3, 0.2];
//! assert!(alpha(evidence(&x), 4.0, 0.5) > 0.99);
//! assert_eq!(alpha(evidence(&[]), 4.0, 0.5), 0.5); // without a history nothing is decided
//! ```

pub mod kernel;
pub mod linear;
mod model_shape;
pub mod ndcg;
pub mod neural;
pub mod parts;
pub mod pdgd;
pub mod plackett_luce;
pub mod preferences;
pub mod session_score;

pub use model_shape::{Batch, ModelShape};
pub use ndcg::Ndcg;
pub use plackett_luce::Slate;
pub use preferences::Preference;
