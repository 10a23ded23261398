//! A second implementation of the paper's loop, used by `lockstep_rounds`: slow, in f64, from the formulas alone. It shares only the draws.

use rankguard::adversary;
use rankguard::corpus::Corpus;
use rankguard::node::{Defense, Ranker};
use rankguard::rng::{Purpose, RngExt, Seed, uniform};
use rankguard::scenario::Scenario;

/// A past session: what was shown and clicked, and the paired documents of each preference with its ρ.
struct Session {
    query: usize,
    ranking: Vec<usize>,
    clicked: Vec<bool>,
    preferences: Vec<Preference>,
}

/// Winner, loser and ρ.
type Preference = (Vec<f64>, Vec<f64>, f64);

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
    let honest: Vec<f64> = models(scenario, corpus, rounds).iter().flatten().map(|theta| test_ndcg(theta, corpus)).collect();
    honest.iter().sum::<f64>() / honest.len() as f64
}

/// The models then, by node; `None` for malicious ones.
pub fn models(scenario: &Scenario, corpus: &Corpus, rounds: u64) -> Vec<Option<Vec<f64>>> {
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
                    receive(&mut peers[v], &sent, is_malicious[u], scenario.defense, corpus, seed);
                }
            }
        }
    }
    peers.into_iter().zip(is_malicious).map(|(peer, is_malicious)| (!is_malicious).then_some(peer.theta)).collect()
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
    let preferences = learn(&mut peer.theta, &documents, &ranking, &clicked);
    peer.history.push(Session { query: q, ranking, clicked, preferences });
}

/// A PDGD step from one session; says its preferences.
fn learn(theta: &mut [f64], documents: &[Vec<f64>], ranking: &[usize], clicked: &[bool]) -> Vec<Preference> {
    let Some(last) = clicked.iter().rposition(|&c| c) else { return Vec::new() };
    let examined = (last + 2).min(ranking.len());
    let scores: Vec<f64> = documents.iter().map(|x| score(x, theta)).collect();
    let mut gradient = vec![0.0; theta.len()];
    let mut preferences = Vec::new();
    for i in (0..examined).filter(|&i| clicked[i]) {
        for j in (0..examined).filter(|&j| !clicked[j]) {
            let mut exchanged = ranking.to_vec();
            exchanged.swap(i, j);
            let rho = sigmoid(log_probability(&scores, &exchanged) - log_probability(&scores, ranking));
            let p = sigmoid(scores[ranking[i]] - scores[ranking[j]]);
            let (winner, loser) = (&documents[ranking[i]], &documents[ranking[j]]);
            for ((g, a), b) in gradient.iter_mut().zip(slope(winner, theta)).zip(slope(loser, theta)) {
                *g += rho * p * (1.0 - p) * (a - b);
            }
            preferences.push((winner.clone(), loser.clone(), rho));
        }
    }
    theta.iter_mut().zip(&gradient).for_each(|(w, g)| *w += 0.1 * g);
    preferences
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

fn receive(peer: &mut Peer, sent: &[f64], is_malicious: bool, defense: Defense, corpus: &Corpus, seed: Seed) {
    let mut sent = sent.to_vec();
    let alpha = match defense {
        Defense::Undefended => 0.5,
        Defense::Oracle => f64::from(u8::from(!is_malicious)) * 0.5,
        Defense::Balance { gamma, kappa, horizon, own_weight } => {
            let allowed = gamma * (-kappa * (peer.history.len() as f64 / f64::from(horizon)).min(1.0)).exp();
            if distance(&peer.theta, &sent) <= allowed * norm(&peer.theta) { 1.0 - own_weight } else { 0.0 }
        }
        Defense::SketchGuard { width, gamma, kappa, horizon, own_weight } => {
            let (own, other) = (sketch(&peer.theta, width, seed), sketch(&sent, width, seed));
            let allowed = gamma * (-kappa * (peer.history.len() as f64 / f64::from(horizon)).min(1.0)).exp();
            if distance(&own, &other) <= allowed * norm(&own) { 1.0 - own_weight } else { 0.0 }
        }
        Defense::ZenoPlusPlus { rho, epsilon } => zeno_factor(peer, &sent, rho, epsilon, corpus),
        Defense::Sentinel { least_similarity, least_trust } => sentinel_alpha(peer, &mut sent, least_similarity, least_trust),
        _ => rankguard_alpha(peer, &sent),
    };
    peer.theta.iter_mut().zip(&sent).for_each(|(w, v)| *w = (1.0 - alpha) * *w + alpha * v);
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// The bucket of each weight and its sign come from one draw.
fn sketch(theta: &[f64], width: u32, seed: Seed) -> Vec<f64> {
    let mut buckets = vec![0.0; width as usize];
    for (weight, nth) in theta.iter().zip(0..) {
        let half_buckets = (seed.uniform(Purpose::Sketch, 0, nth) * f64::from(width) * 2.0).floor();
        let is_second_half = half_buckets % 2.0 != 0.0;
        buckets[(half_buckets / 2.0).floor() as usize] += weight * if is_second_half { -1.0 } else { 1.0 };
    }
    buckets
}

/// The gradients of the paper, downhill; x − γ g̃ is so far on the way to the model that was sent.
fn zeno_factor(peer: &Peer, sent: &[f64], rho: f64, epsilon: f64, corpus: &Corpus) -> f64 {
    let (gamma, mut replayed) = (0.1, peer.theta.clone());
    for session in &peer.history {
        learn(&mut replayed, &documents(corpus, session.query), &session.ranking, &session.clicked);
    }
    let v: Vec<f64> = peer.theta.iter().zip(&replayed).map(|(x, after)| (x - after) / gamma).collect();
    let g: Vec<f64> = peer.theta.iter().zip(sent).map(|(x, sent)| (x - sent) / gamma).collect();
    if norm(&v) == 0.0 || norm(&g) == 0.0 {
        return 0.0;
    }
    let c = norm(&v) / norm(&g);
    let scaled: Vec<f64> = g.iter().map(|g| c * g).collect();
    if gamma * dot(&v, &scaled) - rho * dot(&scaled, &scaled) >= -gamma * epsilon { c } else { 0.0 }
}

/// What is sent loses the length by which its layers exceed those of the own model.
fn sentinel_alpha(peer: &Peer, sent: &mut [f64], least_similarity: f64, least_trust: f64) -> f64 {
    let d = peer.theta.len();
    let ends = if d.is_multiple_of(HIDDEN) { vec![d - 2 * HIDDEN, d - HIDDEN, d] } else { vec![d] };
    let layers: Vec<std::ops::Range<usize>> = ends.iter().scan(0, |from, &to| Some(std::mem::replace(from, to)..to)).collect();
    let cosines =
        layers.iter().map(|l| dot(&peer.theta[l.clone()], &sent[l.clone()]) / (norm(&peer.theta[l.clone()]) * norm(&sent[l.clone()])));
    let similarity = cosines.sum::<f64>() / layers.len() as f64;
    let loss =
        |theta: &[f64]| -peer.history.iter().map(|session| session_score(session, theta)).sum::<f64>() / peer.history.len().max(1) as f64;
    let (own, other) = (loss(&peer.theta), loss(sent));
    let trust = (-(other - own).max(0.0) / own.max(0.001)).exp();
    for l in layers {
        let longer = (norm(&sent[l.clone()]) / norm(&peer.theta[l.clone()])).max(1.0);
        sent[l].iter_mut().for_each(|w| *w /= longer);
    }
    if similarity >= least_similarity && trust >= least_trust { trust / (1.0 + trust) } else { 0.0 }
}

fn session_score(session: &Session, theta: &[f64]) -> f64 {
    session.preferences.iter().map(|(i, j, rho)| rho * sigmoid(score(i, theta) - score(j, theta)).ln()).sum()
}

fn rankguard_alpha(peer: &Peer, sent: &[f64]) -> f64 {
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
