//! A lane: one node executing its own steps in order. What it does is a pure function of its state, the models it is handed and keyed draws.

use super::detection::Alphas;
use super::origin::Origin;
use super::past::Past;
use super::progress::Stopwatch;
use super::window::{BroadcastStep, Content, CraftStep, Letter, ResetStep, SearchStep, Then, Turn};
use crate::adversary::{self, Attack, Cast};
use crate::corpus::ClickTable;
use crate::node::{Node, Outcome, Protocol, Reason, Received, Scratch, Verdict};
use crate::record::{ReceiptRow, Record, SearchRow};
use crate::timeline::Conduct;
use crate::units::{NodeId, VirtualTime};
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What all lanes go by.
pub(super) struct Rules<'a> {
    pub protocol: Protocol<'a>,
    /// The same without a defence, for attackers that merge whatever they receive.
    pub undefended: Option<Protocol<'a>>,
    pub cast: Arc<Cast>,
    pub honest_clicks: ClickTable,
    pub poison_clicks: Option<ClickTable>,
    pub record: Record,
}

pub(super) struct Lane {
    pub node: Node,
    pub is_malicious: bool,
    /// Whether the node judges what it receives by the run's rule.
    judges: bool,
    /// Of an attacker that sends what is stale: its own model as it was. It merges what it receives half and half.
    past: Option<Past>,
    origin: Origin,
    /// Of the models in the node's pool: whether their sender is malicious, and what they are made of.
    pooled: Vec<(bool, Origin)>,
    fingerprint: u64,
}

/// What one turn of a lane left behind.
#[derive(Default)]
pub(super) struct Done {
    pub searches: Vec<SearchRow>,
    pub receipts: Vec<ReceiptRow>,
    pub alphas: Alphas,
    pub searching: Duration,
    pub judging: Duration,
}

impl Lane {
    /// `judges` says whether the node judges what it receives by the run's rule.
    pub fn new(node: Node, attack: Option<&Attack>, judges: bool) -> Self {
        let past = attack.and_then(Attack::age).map(|age| Past::new(age, node.theta()));
        Self { node, is_malicious: attack.is_some(), judges, past, origin: Origin::START, pooled: Vec::new(), fingerprint: 0 }
    }

    /// Empties the inbox in arrival order, then searches if it is time to.
    pub fn take_turn(&mut self, turn: Turn, rules: &Rules, scratch: &mut Scratch) -> Done {
        let mut done = Done::default();
        let clock = Stopwatch::start();
        // Every version of a model that is kept belongs to the moment of its own letter.
        let together = if self.past.is_some() { 1 } else { turn.inbox.len().max(1) };
        for letters in turn.inbox.chunks(together) {
            self.receive(turn.node, letters, rules, scratch, &mut done);
            self.remember(letters[0].at);
        }
        done.judging = clock.elapsed();
        match turn.then {
            Then::Nothing => return done,
            Then::Search(step) => self.search(turn.node, step, rules, &mut done),
            Then::Broadcast(step) => self.broadcast(step),
            Then::Craft(step) => self.craft(step, rules),
            Then::Reset(step) => self.reset(step, rules),
        }
        done.searching = clock.elapsed() - done.judging;
        done
    }

    pub fn origin(&self) -> Origin {
        self.origin
    }

    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn receive(&mut self, node: NodeId, inbox: &[Letter], rules: &Rules, scratch: &mut Scratch, done: &mut Done) {
        let n_history = self.node.history().len() as i32;
        let merges = self.judges || self.past.is_some();
        let received: Vec<Option<Received>> = inbox
            .iter()
            .map(|letter| {
                let content = letter.parcel.content().filter(|_| merges)?;
                Some(Received { theta: &content.theta, is_malicious: rules.cast.is_malicious(letter.from) })
            })
            .collect();
        let judged: Vec<Received> = received.iter().flatten().copied().collect();
        let protocol = rules.undefended.as_ref().filter(|_| self.past.is_some()).unwrap_or(&rules.protocol);
        let mut verdicts = self.node.on_receive(protocol, &judged, scratch).into_iter();
        let verdicts: Vec<Option<Verdict>> = received.iter().map(|received| received.and_then(|_| verdicts.next())).collect();
        for (letter, verdict) in inbox.iter().zip(verdicts) {
            let sender_malicious = rules.cast.is_malicious(letter.from);
            let alpha = verdict.as_ref().map_or(0.0, |verdict| verdict.alpha);
            self.hash(&[b"receive".as_slice(), &letter.from.0.to_le_bytes(), &alpha.to_bits().to_le_bytes()]);
            let content = letter.parcel.content();
            let (origin, is_noop) = content.map_or((Origin::NOTHING, true), |content| (content.origin, content.is_noop));
            if let Some(verdict) = &verdict {
                self.account(sender_malicious, origin, is_noop, verdict, &mut done.alphas);
            }
            if rules.record.receipts.keeps(letter.step) {
                let (outcome, reason) = words(verdict.as_ref());
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
                    t: verdict.as_ref().and_then(|verdict| verdict.t),
                    alpha,
                    weights: verdict.map_or(Vec::new(), |verdict| verdict.weights),
                    noop: is_noop,
                    exposure: origin.exposure,
                    age_ns: origin.age_ns(letter.at),
                });
            }
        }
    }

    /// Follows what the own model is made of, and which weights honest nodes gave to whom.
    fn account(&mut self, sender_malicious: bool, origin: Origin, is_noop: bool, verdict: &Verdict, alphas: &mut Alphas) {
        let mut given: Vec<(f64, bool, Origin)> = Vec::new();
        match verdict.outcome {
            Outcome::Buffered => self.pooled.push((sender_malicious, origin)),
            Outcome::Pooled => {
                self.pooled.push((sender_malicious, origin));
                given.extend(
                    verdict
                        .weights
                        .iter()
                        .zip(self.pooled.drain(..))
                        .map(|(&weight, (is_malicious, origin))| (weight, is_malicious, origin)),
                );
            }
            Outcome::Merged | Outcome::Rejected(_) | Outcome::Discarded => given.push((verdict.alpha, sender_malicious, origin)),
        }
        self.origin.merge(given.iter().map(|&(weight, _, origin)| (weight, origin)));
        if !self.is_malicious && !is_noop {
            given.iter().for_each(|&(weight, is_malicious, _)| alphas.push(is_malicious, weight));
            let is_implausible = matches!(verdict.outcome, Outcome::Rejected(Reason::NotFinite | Reason::TooLarge));
            alphas.n_implausible += u64::from(is_implausible);
        }
    }

    fn search(&mut self, node: NodeId, step: SearchStep, rules: &Rules, done: &mut Done) {
        let attack = rules.cast.attack(node).filter(|_| step.conduct != Conduct::Honest);
        // An attacker that makes its messages for their receivers has no use for a search of its own.
        let is_idle = attack.is_some_and(|attack| attack.crafts().is_some());
        let flips = attack == Some(&Attack::Flip);
        let users = rules.poison_clicks.as_ref().filter(|_| flips).unwrap_or(&rules.honest_clicks);
        let search = if is_idle { self.node.skip_search() } else { self.node.on_search(&rules.protocol, users) };
        if search.n_pairs > 0 {
            self.origin.learn(step.at);
        }
        self.remember(step.at);
        let theta = self.node.theta().to_vec();
        self.hash(&[b"search".as_slice(), &search.query.to_le_bytes(), bytemuck::cast_slice(&theta)]);
        if let Some(parcel) = step.parcel {
            parcel.fill(if step.conduct == Conduct::Honest { self.current() } else { self.content(step.at) });
        }
        if rules.record.searches.keeps(step.number) {
            done.searches.push(SearchRow {
                step: step.number as i64,
                at_ns: step.at.0 as i64,
                node: node.0 as i32,
                malicious: self.is_malicious,
                query: if is_idle { -1 } else { search.query as i32 },
                candidates: search.n_candidates as i32,
                clicks: search.n_clicks as i32,
                pairs: search.n_pairs as i32,
                ndcg: search.ndcg,
                sent: step.n_sent as i64,
                lost: step.n_lost as i64,
            });
        }
    }

    fn broadcast(&mut self, step: BroadcastStep) {
        let content = self.content(step.at);
        self.hash(&[b"broadcast".as_slice(), bytemuck::cast_slice(&content.theta)]);
        step.parcel.fill(content);
    }

    /// What the node sends at this moment: its own model, or what that was.
    fn content(&self, at: VirtualTime) -> Content {
        match &self.past {
            Some(past) => {
                let (theta, origin) = past.at(at);
                Content { theta: theta.to_vec(), origin: origin.sent(self.is_malicious), is_noop: false }
            }
            None => self.current(),
        }
    }

    fn current(&self) -> Content {
        Content { theta: self.node.theta().to_vec(), origin: self.origin.sent(self.is_malicious), is_noop: false }
    }

    /// The model has just become what it is.
    fn remember(&mut self, at: VirtualTime) {
        if let Some(past) = &mut self.past {
            past.push(at, self.node.theta(), self.origin);
        }
    }

    /// This node is the victim: what is made for it depends on its model as of now.
    fn craft(&mut self, step: CraftStep, rules: &Rules) {
        let lie_z = rules.cast.lie_z(step.from);
        let population = step.survey.as_ref().map(|seen| (seen.get().expect("a survey comes before its level"), lie_z));
        let made = (step.turn, step.nth);
        let attack = rules.cast.attack(step.from).expect("only attackers make messages for others");
        let crafted = adversary::craft(attack, step.from, made, &self.node, &rules.protocol, &rules.honest_clicks, population);
        self.hash(&[b"craft".as_slice(), &step.from.0.to_le_bytes(), bytemuck::cast_slice(&crafted.theta)]);
        let origin = Origin { exposure: 1.0, learned_ns: step.at.0 as f64 };
        step.parcel.fill(Content { theta: crafted.theta, origin, is_noop: crafted.is_noop });
    }

    /// A fresh model is made of nothing, and as old as its return; a stale attacker has no older one to send.
    fn reset(&mut self, step: ResetStep, rules: &Rules) {
        self.node.restart(&rules.protocol, step.nth, step.history_lost);
        self.origin = Origin { exposure: 0.0, learned_ns: step.at.0 as f64 };
        self.pooled.clear();
        if let Some(past) = &mut self.past {
            past.begin_again(self.node.theta(), self.origin);
        }
        let theta = self.node.theta().to_vec();
        self.hash(&[b"reset".as_slice(), &step.nth.to_le_bytes(), bytemuck::cast_slice(&theta)]);
    }

    fn hash(&mut self, parts: &[&[u8]]) {
        self.fingerprint = parts.iter().fold(self.fingerprint, |hash, part| xxh3_64_with_seed(part, hash));
    }
}

/// How the `receipts` table says it.
fn words(verdict: Option<&Verdict>) -> (&'static str, Option<&'static str>) {
    let Some(verdict) = verdict else { return ("ignored", None) };
    match verdict.outcome {
        Outcome::Merged => ("merged", None),
        Outcome::Discarded => ("discarded", None),
        Outcome::Buffered => ("buffered", None),
        // The one that filled the pool is the last of it. Those before have their weights in its row.
        Outcome::Pooled => ("pooled", verdict.weights.last().filter(|weight| **weight == 0.0).map(|_| "trimmed")),
        Outcome::Rejected(reason) => ("rejected", Some(reason.word())),
    }
}
