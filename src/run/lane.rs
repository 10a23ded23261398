//! A lane: one node executing its own steps in order. What it does is a pure function of its state, the models it is handed and keyed draws.

use super::progress::Stopwatch;
use super::window::{Letter, SearchStep, Turn};
use crate::adversary::Attack;
use crate::corpus::ClickTable;
use crate::node::{Node, Outcome, Protocol, Reason, Received, Scratch, Verdict};
use crate::record::{ReceiptRow, Record, SearchRow};
use crate::units::NodeId;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What all lanes go by.
pub(super) struct Rules<'a> {
    pub protocol: Protocol<'a>,
    pub attack: Attack,
    pub honest_clicks: ClickTable,
    pub poison_clicks: Option<ClickTable>,
    pub is_malicious: Vec<bool>,
    pub record: Record,
}

pub(super) struct Lane {
    pub node: Node,
    is_malicious: bool,
    /// Whether the node merges what it receives at all.
    merges: bool,
    fingerprint: u64,
}

/// What one turn of a lane left behind.
#[derive(Default)]
pub(super) struct Done {
    pub searches: Vec<SearchRow>,
    pub receipts: Vec<ReceiptRow>,
    pub alphas: AlphaSums,
    pub searching: Duration,
    pub judging: Duration,
}

/// α that honest nodes gave, by kind of sender.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AlphaSums {
    honest: (f64, u64),
    malicious: (f64, u64),
    pub n_not_finite: u64,
}

impl AlphaSums {
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [(&mut self.honest, other.honest), (&mut self.malicious, other.malicious)] {
            sum.0 += more.0;
            sum.1 += more.1;
        }
        self.n_not_finite += other.n_not_finite;
    }

    pub fn honest(&self) -> Option<f64> {
        (self.honest.1 > 0).then(|| self.honest.0 / self.honest.1 as f64)
    }

    pub fn malicious(&self) -> Option<f64> {
        (self.malicious.1 > 0).then(|| self.malicious.0 / self.malicious.1 as f64)
    }

    fn count(&mut self, sender_is_malicious: bool, verdict: &Verdict) {
        let sum = if sender_is_malicious { &mut self.malicious } else { &mut self.honest };
        sum.0 += verdict.alpha;
        sum.1 += 1;
        self.n_not_finite += u64::from(verdict.outcome == Outcome::Rejected(Reason::NotFinite));
    }
}

impl Lane {
    pub fn new(node: Node, is_malicious: bool, merges: bool) -> Self {
        Self { node, is_malicious, merges, fingerprint: 0 }
    }

    /// Empties the inbox in arrival order, then searches if it is time to.
    pub fn take_turn(&mut self, turn: Turn, rules: &Rules, scratch: &mut Scratch) -> Done {
        let mut done = Done::default();
        let clock = Stopwatch::start();
        if !turn.inbox.is_empty() {
            self.receive(turn.node, &turn.inbox, rules, scratch, &mut done);
        }
        done.judging = clock.elapsed();
        if let Some(search) = turn.search {
            self.search(turn.node, search, rules, &mut done);
            done.searching = clock.elapsed() - done.judging;
        }
        done
    }

    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn receive(&mut self, node: NodeId, inbox: &[Letter], rules: &Rules, scratch: &mut Scratch, done: &mut Done) {
        let n_history = self.node.history().len() as i32;
        let verdicts: Vec<Option<Verdict>> = if self.merges {
            let received: Vec<Received> = inbox
                .iter()
                .map(|letter| Received { theta: letter.parcel.theta(), is_malicious: rules.is_malicious[letter.from.idx()] })
                .collect();
            self.node.on_receive(&rules.protocol, &received, scratch).into_iter().map(Some).collect()
        } else {
            vec![None; inbox.len()]
        };
        for (letter, verdict) in inbox.iter().zip(verdicts) {
            let sender_malicious = rules.is_malicious[letter.from.idx()];
            let alpha = verdict.map_or(0.0, |verdict| verdict.alpha);
            self.hash(&[b"receive".as_slice(), &letter.from.0.to_le_bytes(), &alpha.to_bits().to_le_bytes()]);
            if let Some(verdict) = verdict.filter(|_| !self.is_malicious) {
                done.alphas.count(sender_malicious, &verdict);
            }
            if rules.record.receipts.keeps(letter.step) {
                let (outcome, reason) = words(verdict);
                done.receipts.push(ReceiptRow {
                    step: letter.step as i64,
                    at_ns: letter.at.0 as i64,
                    sent_ns: letter.sent.0 as i64,
                    receiver: node.0 as i32,
                    receiver_malicious: self.is_malicious,
                    sender: letter.from.0 as i32,
                    sender_malicious,
                    outcome,
                    reason,
                    history: n_history,
                    t: verdict.and_then(|verdict| verdict.t),
                    alpha,
                });
            }
        }
    }

    fn search(&mut self, node: NodeId, step: SearchStep, rules: &Rules, done: &mut Done) {
        let search = match (&rules.poison_clicks, self.is_malicious) {
            (Some(poison), true) => rules.attack.turn(&mut self.node, &rules.protocol, &rules.honest_clicks, poison),
            _ => self.node.on_search(&rules.protocol, &rules.honest_clicks),
        };
        let theta = self.node.theta().to_vec();
        self.hash(&[b"search".as_slice(), &search.query.to_le_bytes(), bytemuck::cast_slice(&theta)]);
        if let Some(parcel) = step.parcel {
            parcel.fill(theta);
        }
        if rules.record.searches.keeps(step.number) {
            done.searches.push(SearchRow {
                step: step.number as i64,
                at_ns: step.at.0 as i64,
                node: node.0 as i32,
                malicious: self.is_malicious,
                query: search.query as i32,
                candidates: search.n_candidates as i32,
                clicks: search.n_clicks as i32,
                pairs: search.n_pairs as i32,
                ndcg: search.ndcg,
                sent: step.n_sent as i32,
                lost: step.n_lost as i32,
            });
        }
    }

    fn hash(&mut self, parts: &[&[u8]]) {
        self.fingerprint = parts.iter().fold(self.fingerprint, |hash, part| xxh3_64_with_seed(part, hash));
    }
}

/// How the `receipts` table says it.
fn words(verdict: Option<Verdict>) -> (&'static str, Option<&'static str>) {
    match verdict.map(|verdict| verdict.outcome) {
        None => ("ignored", None),
        Some(Outcome::Merged) => ("merged", None),
        Some(Outcome::Discarded) => ("discarded", None),
        Some(Outcome::Rejected(reason)) => ("rejected", Some(reason.word())),
    }
}
