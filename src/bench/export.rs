//! A small case with its results, by which a peer program shows that it computes the same before its speed is compared.

use super::desk::{self, RANKERS, RULES};
use crate::corpus::{ClickTable, Corpus, Query, Shape};
use crate::ltr::ModelShape;
use crate::measure::{Snapshot, TestSet};
use crate::node::{Node, Protocol, Received, Rehearsal, Scratch, SessionEvidence};
use crate::rng::{Purpose, Seed};
use crate::units::NodeId;
use serde::Serialize;

/// Inputs and results of judging, searching and evaluating with linear models.
#[derive(Debug, Serialize)]
pub struct Case {
    /// The number of features.
    d: usize,
    kappa: f64,
    eta: f64,
    /// θ_u before any model is judged.
    theta: Vec<f32>,
    /// The models that it judges, in this order.
    received: Vec<Vec<f32>>,
    evidence: Vec<Evidence>,
    sessions: Vec<Session>,
    /// The queries of the sessions.
    train: Vec<Documents>,
    rankguard: Verdicts,
    fltrust: Verdicts,
    searches: Vec<Search>,
    test: Vec<Documents>,
    /// The mean nDCG@10 of each received model on the test queries.
    ndcg: Vec<f64>,
}

/// What one session says about models: its documents row after row, and winner, loser and ρ of each preference.
#[derive(Debug, Serialize)]
struct Evidence {
    documents: Vec<f32>,
    preferences: Vec<(usize, usize, f64)>,
}

/// A session as a replay sees it.
#[derive(Debug, Serialize)]
struct Session {
    query: u32,
    ranking: Vec<u32>,
    clicks: Vec<bool>,
}

#[derive(Debug, Serialize)]
struct Documents {
    rows: Vec<f32>,
    grades: Vec<u8>,
}

/// The weight of each model in turn, its t, and θ_u after the last.
#[derive(Debug, Serialize)]
struct Verdicts {
    alpha: Vec<f64>,
    t: Vec<Option<f64>>,
    theta: Vec<f32>,
}

/// A session of θ_u that is played through.
#[derive(Debug, Serialize)]
struct Search {
    query: u32,
    ranking: Vec<u32>,
    clicks: Vec<bool>,
    preferences: Vec<(u8, u8, f64)>,
    gradient: Vec<f64>,
}

/// Makes the case.
pub fn export() -> Case {
    let corpus = desk::corpus(Shape::Mq2007, 12, 6);
    let [rankguard, fltrust] = [RULES[0].1, RULES[1].1].map(|rule| desk::pair(RANKERS[0].1, rule));
    let (protocol, users) = (rankguard.protocol(&corpus), desk::users(&rankguard, &corpus));
    let mut node = Node::fresh(NodeId(0), true, &protocol);
    desk::learn(&mut node, 15, &protocol, &users);
    // After this many searches the others know enough that each of them gets some weight by both rules.
    let received = desk::models(3, 100, &protocol, &users);
    Case {
        d: corpus.train.n_features(),
        kappa: protocol.defense.rankguard().map_or(0.0, |rule| rule.kappa),
        eta: protocol.ranker.eta(),
        theta: node.theta().to_vec(),
        evidence: node
            .history()
            .evidence(&corpus.train)
            .map(|SessionEvidence { documents, preferences }| Evidence { documents, preferences })
            .collect(),
        sessions: sessions(&node),
        train: corpus.train.queries().map(documents).collect(),
        rankguard: verdicts(&node, &protocol, &received),
        fltrust: verdicts(&node, &fltrust.protocol(&corpus), &received),
        searches: (0..4).map(|q| search(&node, q, &protocol, &users)).collect(),
        test: corpus.test.queries().map(documents).collect(),
        ndcg: ndcg(&corpus, protocol.shape(), &received),
        received,
    }
}

fn sessions(node: &Node) -> Vec<Session> {
    let clicks = |bits: u16, n: usize| (0..n).map(|position| bits >> position & 1 == 1).collect();
    let sessions = node.history().sessions().iter();
    sessions.map(|s| Session { query: s.query, ranking: s.ranking.to_vec(), clicks: clicks(s.clicks, s.ranking.len()) }).collect()
}

fn documents(query: Query) -> Documents {
    Documents { rows: query.rows().to_vec(), grades: query.grades.to_vec() }
}

fn verdicts(node: &Node, protocol: &Protocol, received: &[Vec<f32>]) -> Verdicts {
    let mut node = node.clone();
    let inbox: Vec<Received> = received.iter().map(|theta| Received { theta, is_malicious: false }).collect();
    let verdicts = node.on_receive(protocol, &inbox, &mut Scratch::default());
    Verdicts {
        alpha: verdicts.iter().map(|verdict| verdict.alpha).collect(),
        t: verdicts.iter().map(|verdict| verdict.t).collect(),
        theta: node.theta().to_vec(),
    }
}

fn search(node: &Node, query: u32, protocol: &Protocol, users: &ClickTable) -> Search {
    let rng = |purpose| Seed(1).rng(purpose, 0, query.into());
    let mut played = Rehearsal::default();
    node.rehearse(protocol, query, users, &mut rng(Purpose::Ranking), &mut rng(Purpose::Clicks), &mut played);
    Search {
        query,
        preferences: played.preferences.iter().map(|p| (p.winner, p.loser, p.rho)).collect(),
        ranking: played.ranking,
        clicks: played.clicks,
        gradient: played.gradient,
    }
}

fn ndcg(corpus: &Corpus, shape: ModelShape, models: &[Vec<f32>]) -> Vec<f64> {
    TestSet::new(&corpus.test, 10).evaluate(&Snapshot::of(shape, models.iter().map(Vec::as_slice)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_is_not_trivial() {
        let case = export();
        assert!(case.rankguard.alpha.iter().any(|alpha| (0.01..0.99).contains(alpha)), "{:?}", case.rankguard.alpha);
        assert!(case.fltrust.alpha.iter().all(|factor| *factor > 0.0), "{:?}", case.fltrust.alpha);
        assert!(case.searches.iter().any(|search| search.preferences.len() > 3));
        assert!(case.ndcg.iter().all(|ndcg| (0.05..0.95).contains(ndcg)), "{:?}", case.ndcg);
        assert_ne!(case.theta, case.rankguard.theta);
    }
}
