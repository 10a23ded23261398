//! The three readings of the paper, and what cannot be known from here.

use super::super::document::{Chapter, Part, Table};
use super::super::found::OnData;
use crate::report::list;

/// Why there are three readings.
pub fn chapter() -> Chapter {
    let rows = [
        [
            "what it takes",
            "the text, word for word",
            "the text, except that attackers do not merge",
            "choices that give the figures of the paper's tables",
        ],
        ["attackers merge what they receive (`malicious_aggregate`)", "`Always`", "`Never`", "`PooledOnly`"],
        ["malicious models assumed in a pool of seven", "2 (20 % of 7, rounded up)", "2", "2"],
        ["centre of CS and GTS", "the own model", "the own model", "the coordinate-wise median"],
        ["LIE's z", "hides attackers in a majority: 0.286", "the same", "Φ⁻¹(1 − β) = 0.842"],
        ["what IPM sends to θ", "θ − ε η g, an honest step turned round", "the same", "−ε θ, the model turned round"],
    ];
    let table = Table {
        head: ["", "literal", "detached", "as-reported"].map(String::from).to_vec(),
        rows: rows.iter().map(|row| row.map(String::from).to_vec()).collect(),
        n_words: 4,
    };
    let parts = vec![
        Part::text(
            "The paper's text and its figures contradict each other, so every experiment in which it matters is done under three readings; none is hidden in a default.",
        ),
        Part::Table(table),
        Part::text(
            "**What the text says.** Malicious nodes \"follow the protocol but send carefully crafted model updates\". The protocol includes merging the models that one receives. \
             So attackers merge: `literal`. **What the figures need.** The paper shows FLIP without a defence far below a random ranking. This does not happen if attackers merge, because \
             honest models draw them back. So they do not merge: `detached`. **The two contradict each other**, and no reading removes that.",
        ),
        Part::text(
            "The reading `as-reported` is an inference: its choices were found by trying about sixty combinations on stand-in data (MQ2008 for MQ2007, a small sample for WEB30K) and comparing with \
             the paper's outputs, after the fact. It shows that some reading can give most of the figures, not that the authors did this. No single form of IPM fits all rows.",
        ),
    ];
    Chapter::new("readings", "Three readings of the paper", parts)
}

/// What cannot be known from here.
pub fn limits(all: &[OnData]) -> Chapter {
    let there: Vec<&str> = all.iter().filter(|data| data.caution.is_none()).map(OnData::set).collect();
    let missing: Vec<String> =
        ["WEB30K", "MQ2007", "Yahoo", "Istella"].into_iter().filter(|set| !there.contains(set)).map(String::from).collect();
    let mut lines = Vec::new();
    if !missing.is_empty() {
        lines.push(format!(
            "**The paper's own data.** {} {} not among the real data of this report, so no figure here can be the same as the paper's; `data/README.md` says where the sets come from, \
             and `rankguard data verify` checks them.",
            list(&missing),
            if missing.len() == 1 { "is" } else { "are" }
        ));
    }
    let small: Vec<&str> = [
        ("MSLR", "the MSLR sample 43 for training and 43 for testing"),
        ("ClueWeb09", "ClueWeb09 61 in all, 12 or 13 of them for testing"),
    ]
    .into_iter()
    .filter(|(set, _)| there.contains(set))
    .map(|(_, size)| size)
    .collect();
    if !small.is_empty() {
        lines.push(format!("**Small sets.** Of queries {}: what they show is a pattern at best.", small.join(", and ")));
    }
    lines.extend(
        [
            "**What the authors ran.** Their code is not at hand. Where text and figures disagree, it cannot be decided from outputs which of them the code followed.",
            "**Six cells of the paper** (None under IPM with all users: 0.259(0) on MQ2007 and 0.542(0) on Yahoo) look like NaN that has spread; here a model that is not finite is rejected, so they cannot be reproduced. They are among the cells that are compared.",
            "**Seeds.** The paper gives no number of seeds; its deviations are best matched by those across nodes. Seeds differ more than nodes do, so its differences may be less sure than they look.",
            "**The theorem.** Its statement is not at hand; only its effective in-degree s* is, and what can be derived from it.",
            "**Thresholds.** Where the paper says \"collapse\", \"competitive\" or \"indistinguishable\", the rules above draw a line that the paper does not draw.",
        ]
        .map(String::from),
    );
    Chapter::new("limits", "What cannot be known from here", vec![Part::List(lines)])
}
