//! The two products that take most of a run's time: history × received models ([`mod@tiles`]), and test documents × all models ([`ranking`]).
//! Between the scores of a history and its judgement stand the [`margins`].
//!
//! The score of a document under a model is one sum in feature order, multiply then add, in one vector lane. A score therefore has the same
//! bits alone and in a batch, and on every instruction set; the instruction set only decides how many lanes are computed at once.

pub mod margins;
pub mod ranking;
pub mod tiles;

pub use margins::{SHOWN, Span};
pub use ranking::{GROUP, Gains, Group, TopList, WHOLE, score_only};
pub use tiles::{BATCH, LANES, TILE, score_tiles, tiles};
