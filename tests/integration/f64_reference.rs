//! A second implementation of the paper's loop, used by `lockstep_rounds`: slow, in f64, from the formulas alone. It shares only the draws.

use rankguard::adversary;
use rankguard::corpus::Corpus;
use rankguard::node::{Defense, Ranker};
use rankguard::rng::{Purpose, RngExt, Seed, uniform};
use rankguard::scenario::Scenario;

/// A past session: the paired documents of each preference and its ρ.
struct Session {
    preferences: Vec<(Vec<f64>, Vec<f64>, f64)>,
}

struct Peer {
    theta: Vec<f64>,
    history: Vec<Session>,
}

/// f(d), and ∇f(d): θᵀd, or units side by side after W₁ feature by feature, b₁ and w₂.
fn score(x: &[f64], theta: &[f64]) -> f64 {
    if theta.len() == x.len() { dot(x, theta) } else { dot(&units(x, theta), &theta[theta.len() - HIDDEN..]) }
}

fn slope(x: &[f64], theta: &[f64]) -> Vec<f64> {
    if theta.len() == x.len() {
        return x.to_vec();
    }
    let h = units(x, theta);
    let back: Vec<f64> = (0..HIDDEN).map(|u| theta[theta.len() - HIDDEN + u] * h[u] * (1.0 - h[u])).collect();
    x.iter().chain(&[1.0]).flat_map(|x| back.iter().map(move |b| x * b)).chain(h.iter().copied()).collect()
}

fn units(x: &[f64], theta: &[f64]) -> Vec<f64> {
    let sum = |u: usize| theta[x.len() * HIDDEN + u] + x.iter().enumerate().map(|(f, x)| x * theta[f * HIDDEN + u]).sum::<f64>();
    (0..HIDDEN).map(|u| sigmoid(sum(u))).collect()
}

const HIDDEN: usize = 64;

/// Mean nDCG@10 of the honest nodes after `rounds` rounds of perfect users under FLIP on data with three grades.
pub fn mean_ndcg(scenario: &Scenario, corpus: &Corpus, rounds: u64) -> f64 {
    let (seed, n) = (Seed(scenario.seed), scenario.nodes as usize);
    let is_malicious = adversary::malicious(seed, scenario.nodes, scenario.malicious_share);
    let d = corpus.train.n_features();
    let mut peers: Vec<Peer> = (0..n as u64).map(|id| Peer { theta: initial(seed, id, d, scenario.ranker), history: Vec::new() }).collect();
    let fanout = (n as f64).log2().ceil() as usize;
    for round in 0..rounds {
        for u in 0..n {
            let click = if is_malicious[u] { [1.0, 0.5, 0.0] } else { [0.0, 0.5, 1.0] };
            search(&mut peers[u], corpus, seed, u as u64, round, click);
            let sent = peers[u].theta.clone();
            let drawn = rand::seq::index::sample(&mut seed.rng(Purpose::Peers, u as u64, round), n - 1, fanout);
            for peer in drawn {
                let v = if peer < u { peer } else { peer + 1 };
                if !is_malicious[v] {
                    receive(&mut peers[v], &sent, is_malicious[u], scenario.defense);
                }
            }
        }
    }
    let honest: Vec<f64> = (0..n).filter(|&u| !is_malicious[u]).map(|u| test_ndcg(&peers[u].theta, corpus)).collect();
    honest.iter().sum::<f64>() / honest.len() as f64
}

fn initial(seed: Seed, id: u64, d: usize, ranker: Ranker) -> Vec<f64> {
    let mut rng = seed.rng(Purpose::Init, id, 0);
    let mut normal = || rankguard::math::normal_quantile(uniform(&mut rng));
    if let Ranker::Neural { .. } = ranker {
        let fan_in = [d as f64].repeat((d + 1) * HIDDEN).into_iter().chain([HIDDEN as f64].repeat(HIDDEN));
        return fan_in.map(|fan_in| normal() / fan_in).collect();
    }
    let direction: Vec<f64> = (0..d).map(|_| normal()).collect();
    let norm = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    direction.iter().map(|v| 0.01 * v / norm).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn documents(corpus: &Corpus, q: usize) -> Vec<Vec<f64>> {
    let query = corpus.train.query(q);
    (0..query.n_documents()).map(|i| query.row(i).iter().map(|&x| f64::from(x)).collect()).collect()
}

fn search(peer: &mut Peer, corpus: &Corpus, seed: Seed, u: u64, round: u64, click: [f64; 3]) {
    let q = seed.rng(Purpose::Query, u, round).random_range(0..corpus.train.n_queries() as u32) as usize;
    let documents = documents(corpus, q);
    let scores: Vec<f64> = documents.iter().map(|x| score(x, &peer.theta)).collect();

    let mut rng = seed.rng(Purpose::Ranking, u, round);
    let mut keys: Vec<(f64, usize)> = scores.iter().enumerate().map(|(i, s)| (s - (-uniform(&mut rng).ln()).ln(), i)).collect();
    keys.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ranking: Vec<usize> = keys.iter().take(10).map(|&(_, i)| i).collect();

    let mut rng = seed.rng(Purpose::Clicks, u, round);
    let mut clicked = Vec::new();
    for &i in &ranking {
        clicked.push(uniform(&mut rng) < click[corpus.train.query(q).grades[i] as usize]);
        let _stop = uniform(&mut rng);
    }
    let Some(last) = clicked.iter().rposition(|&c| c) else {
        peer.history.push(Session { preferences: Vec::new() });
        return;
    };
    let examined = (last + 2).min(ranking.len());
    let mut gradient = vec![0.0; peer.theta.len()];
    let mut preferences = Vec::new();
    for i in (0..examined).filter(|&i| clicked[i]) {
        for j in (0..examined).filter(|&j| !clicked[j]) {
            let mut exchanged = ranking.clone();
            exchanged.swap(i, j);
            let rho = sigmoid(log_probability(&scores, &exchanged) - log_probability(&scores, &ranking));
            let p = sigmoid(scores[ranking[i]] - scores[ranking[j]]);
            let (winner, loser) = (&documents[ranking[i]], &documents[ranking[j]]);
            for ((g, a), b) in gradient.iter_mut().zip(slope(winner, &peer.theta)).zip(slope(loser, &peer.theta)) {
                *g += rho * p * (1.0 - p) * (a - b);
            }
            preferences.push((winner.clone(), loser.clone(), rho));
        }
    }
    peer.theta.iter_mut().zip(&gradient).for_each(|(w, g)| *w += 0.1 * g);
    peer.history.push(Session { preferences });
}

/// One document after another, each by its share of what is left.
fn log_probability(scores: &[f64], ranking: &[usize]) -> f64 {
    let mut left: Vec<usize> = (0..scores.len()).collect();
    let mut total = 0.0;
    for &i in ranking {
        total += scores[i] - left.iter().map(|&j| scores[j].exp()).sum::<f64>().ln();
        left.retain(|&j| j != i);
    }
    total
}

fn receive(peer: &mut Peer, sent: &[f64], is_malicious: bool, defense: Defense) {
    let alpha = match defense {
        Defense::Undefended => 0.5,
        Defense::Oracle => f64::from(u8::from(!is_malicious)) * 0.5,
        _ => rankguard_alpha(peer, sent),
    };
    peer.theta.iter_mut().zip(sent).for_each(|(w, v)| *w = (1.0 - alpha) * *w + alpha * v);
}

fn rankguard_alpha(peer: &Peer, sent: &[f64]) -> f64 {
    let session_score = |session: &Session, theta: &[f64]| -> f64 {
        session.preferences.iter().map(|(i, j, rho)| rho * sigmoid(score(i, theta) - score(j, theta)).ln()).sum()
    };
    let x: Vec<f64> = peer.history.iter().map(|session| session_score(session, sent) - session_score(session, &peer.theta)).collect();
    let n = x.len() as f64;
    if x.len() < 2 || x.iter().all(|&v| v == 0.0) {
        return 0.5;
    }
    let mean = x.iter().sum::<f64>() / n;
    let sd = (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    sigmoid(4.0 * n.sqrt() * mean / sd)
}

fn test_ndcg(theta: &[f64], corpus: &Corpus) -> f64 {
    let mut values = Vec::new();
    for query in corpus.test.queries() {
        let mut order: Vec<usize> = (0..query.n_documents()).collect();
        let scores: Vec<f64> =
            (0..query.n_documents()).map(|i| score(&query.row(i).iter().map(|&x| f64::from(x)).collect::<Vec<_>>(), theta)).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(b.cmp(&a)));
        let dcg = |grades: Vec<u8>| -> f64 {
            grades.iter().take(10).enumerate().map(|(p, &g)| (2f64.powi(g.into()) - 1.0) / (p as f64 + 2.0).log2()).sum()
        };
        let mut ideal = query.grades.to_vec();
        ideal.sort_by(|a, b| b.cmp(a));
        if ideal[0] > 0 {
            values.push(dcg(order.iter().map(|&i| query.grades[i]).collect()) / dcg(ideal));
        }
    }
    values.iter().sum::<f64>() / values.len() as f64
}
