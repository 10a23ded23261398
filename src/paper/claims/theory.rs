//! The claim about the effective in-degree.

use super::super::found::OnData;
use super::answer::{Answer, Finding};

/// s* of runs in which every α is ½.
pub fn in_degree(data: &OnData) -> Vec<Finding> {
    let Some((n, s)) = data.theory.as_ref().and_then(|theory| theory.undefended()) else { return Vec::new() };
    let answer = if (s - 1.0).abs() < 1e-9 { Answer::Yes } else { Answer::No };
    vec![Finding {
        reading: String::new(),
        answer,
        evidence: format!("the in-degree is {s} over {n} recorded judgements of all runs under None"),
    }]
}
