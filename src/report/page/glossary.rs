//! How to read the page: every quantity in one sentence.

use super::html::definitions;
use super::section::{Block, Section};

const TERMS: [(&str, &str); 19] = [
    (
        "session, search",
        "A user searches once: the node's model orders the documents of a query, the user clicks, the model learns and is sent to peers.",
    ),
    ("virtual time", "The clock of the simulated network; it has nothing to do with how long the run took to compute."),
    (
        "nDCG@k",
        "How well a model ranks the first k documents of test queries, from 0 (worst) to 1 (the ideal order), averaged over queries.",
    ),
    ("random", "The nDCG that a random order of the same documents has on average."),
    ("mean, sd, worst 5 %", "Mean, standard deviation and mean of the lowest twentieth, over the honest nodes that were evaluated."),
    ("5–95 %", "The range that holds the middle 90 % of the nodes."),
    ("evaluation", "A moment at which the models of honest nodes rank the test queries; it changes nothing in the network."),
    ("interval", "The time between two evaluations; the last interval ends with the last evaluation."),
    ("honest, malicious", "Honest nodes do what the protocol says; malicious nodes send models that are made to harm."),
    ("α", "The weight that a node gives to a received model when it merges it with its own: 0 ignores it, 1 takes it over."),
    ("AUC", "How often α is larger for a model of an honest sender than for one of a malicious sender: 0.5 is guessing, 1 is perfect."),
    ("exposure", "The part of a model that malicious nodes put in, |M| / (|M| + |H|) where the model is θ = H + M."),
    ("pull", "Which way that part works, ⟨M, H⟩ / |H|²: below 0 against what honest nodes taught, below −1 it turns the model round."),
    ("age", "How long ago what a model knows was learned, averaged over learning steps by their length."),
    ("delay, transfer", "Time from sending to delivery, and the part of it that a message spent in uploads, downloads and their queues."),
    ("online", "The share of the run that a node was there; a node that is offline neither searches nor receives."),
    ("performance profile", "For each x the share of honest nodes whose nDCG is at least x."),
    (
        "paired difference",
        "The difference of two runs with the same seed, which have the same searches, delays and absences, so that chance cancels out.",
    ),
    (
        "± and intervals",
        "Where nothing else is said, a 95 % interval of a mean over seeds by Student's t distribution; n is the number of seeds.",
    ),
];

pub fn glossary() -> Section {
    let terms = definitions(TERMS.iter().map(|(term, meaning)| (*term, meaning.to_string())));
    Section::new("reading", "How to read this", vec![Block::Html(terms)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_is_explained_in_one_sentence() {
        for (term, meaning) in TERMS {
            assert!(meaning.ends_with('.') && !meaning.trim_end_matches('.').contains(". "), "{term}: {meaning}");
        }
    }
}
