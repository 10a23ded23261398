//! The claim about running times.

use super::super::found::OnData;
use super::answer::{Answer, Finding};

/// FLTrust's time divided by RankGuard's, for both rankers.
pub fn faster(data: &OnData) -> Vec<Finding> {
    let Some(times) = &data.times else { return Vec::new() };
    let ratio = |ranker: &str| Some(times.seconds("FLTrust", ranker, 1_000)? / times.seconds("RankGuard", ranker, 1_000)?);
    let published = |ranker: &str| Some(times.published("FLTrust", ranker, 1_000)? / times.published("RankGuard", ranker, 1_000)?);
    let near = |ranker: &str| match ratio(ranker).zip(published(ranker)) {
        Some((ours, theirs)) if (0.5..=2.0).contains(&(ours / theirs)) => Answer::Yes,
        Some(_) => Answer::No,
        None => Answer::Open,
    };
    let text = |ranker: &str| match ratio(ranker).zip(published(ranker)) {
        Some((ours, theirs)) => format!("{ranker} {ours:.1} × (paper {theirs:.1})"),
        None => format!("{ranker} not measured"),
    };
    let evidence = format!("{}, {}; both rules are optimised here, and one model is judged at a time", text("linear"), text("neural"));
    vec![Finding { reading: String::new(), answer: near("linear").and(near("neural")), evidence }]
}
