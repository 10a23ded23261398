//! A lane: one node executing its own steps in order. What it does is a pure function of its state, the models it is handed and keyed draws.

use crate::measure::Alphas;
use super::learner::{Arrived, Learner};
use super::stale_versions::StaleVersions;
use crate::run::Stopwatch;
use crate::measure::Provenance;
use super::window::{BroadcastStep, CraftStep, Letter, Model, ResetStep, SearchStep, Then, Turn};
use crate::adversary::{self, Attack, Roles};
use crate::corpus::ClickTable;
use crate::node::{Node, Outcome, Protocol, Scratch, Search, Verdict};
use crate::record::{ReceiptRow, Record, SearchRow};
use crate::timeline::Conduct;
use crate::units::{NodeId, VirtualTime};
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What all lanes go by.
pub(crate) struct Rules<'a> {
    pub protocol: Protocol<'a>,
    /// The same without a defence, for attackers that merge whatever they receive.
    pub undefended: Option<Protocol<'a>>,
    pub cast: Arc<Roles>,
    pub honest_clicks: ClickTable,
    pub poison_clicks: Option<ClickTable>,
    pub record: Record,
    /// Whether it is followed what models are made of.
    pub tracks_provenance: bool,
    /// Whether attackers pose as honest at times: FLIP then needs a model for each face.
    pub flips_at_times: bool,
}

pub(crate) struct Lane {
    own: Learner,
    /// The model that a FLIP attacker trains and sends while it attacks, where it poses as honest at other times: one cannot be both.
    poisoned: Option<Learner>,
    pub is_malicious: bool,
    /// Whether the node judges what it receives by the run's rule.
    judges: bool,
    /// Of an attacker that sends what is stale: its own model as it was. It merges what it receives half and half.
    past: Option<StaleVersions>,
    fingerprint: u64,
}

/// What one turn of a lane left behind.
#[derive(Default)]
pub(crate) struct Done {
    pub searches: Vec<SearchRow>,
    pub receipts: Vec<ReceiptRow>,
    pub alphas: Alphas,
    pub searching: Duration,
    pub judging: Duration,
}

impl Lane {
    /// `judges` says whether the node judges what it receives by the run's rule.
    pub fn new(node: Node, attack: Option<&Attack>, judges: bool, rules: &Rules) -> Self {
        let two_faced = rules.flips_at_times && attack == Some(&Attack::Flip);
        let poisoned = two_faced.then(|| Learner::new(node.clone(), rules.tracks_provenance));
        let own = Learner::new(node, rules.tracks_provenance);
        let past = attack.and_then(Attack::age).map(|age| StaleVersions::new(age, own.model()));
        Self { own, poisoned, is_malicious: attack.is_some(), judges, past, fingerprint: 0 }
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

    pub fn theta(&self) -> &[f32] {
        self.own.node.theta()
    }

    pub fn provenance(&self) -> Option<&Provenance> {
        self.own.provenance()
    }

    pub fn n_searches(&self) -> u64 {
        self.own.node.n_searches()
    }

    /// Its own model, and the one it attacks with if that is another.
    pub fn models(&self) -> impl Iterator<Item = &[f32]> {
        [Some(&self.own), self.poisoned.as_ref()].into_iter().flatten().map(|learner| learner.node.theta())
    }

    /// Everything that this node did.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn receive(&mut self, node: NodeId, inbox: &[Letter], rules: &Rules, scratch: &mut Scratch, done: &mut Done) {
        let merges = self.judges || self.past.is_some();
        let arrived: Vec<Arrived> = inbox
            .iter()
            .filter(|_| merges)
            .filter_map(|letter| Some(Arrived { model: letter.parcel.model()?, is_malicious: rules.cast.is_malicious(letter.from) }))
            .collect();
        let protocol = rules.undefended.as_ref().filter(|_| self.past.is_some()).unwrap_or(&rules.protocol);
        let mut alphas = Alphas::default();
        let mut verdicts = self.own.receive(protocol, &arrived, scratch, &mut alphas).into_iter();
        if let Some(poisoned) = &mut self.poisoned {
            poisoned.receive(protocol, &arrived, scratch, &mut Alphas::default());
        }
        if !self.is_malicious {
            done.alphas.append(alphas);
        }
        for letter in inbox {
            let verdict = letter.parcel.model().filter(|_| merges).and_then(|_| verdicts.next());
            let alpha = verdict.as_ref().map_or(0.0, |verdict| verdict.alpha).to_bits().to_le_bytes();
            self.fingerprint = hashed(self.fingerprint, &[b"receive".as_slice(), &letter.from.0.to_le_bytes(), &alpha]);
            if rules.record.receipts.keeps(letter.step) {
                done.receipts.push(self.receipt(node, letter, verdict.as_ref(), rules));
            }
        }
    }

    fn receipt(&self, node: NodeId, letter: &Letter, verdict: Option<&Verdict>, rules: &Rules) -> ReceiptRow {
        let (outcome, reason) = words(verdict);
        let model = letter.parcel.model();
        let provenance = model.and_then(|model| model.provenance.as_ref());
        let content = model.zip(provenance).and_then(|(model, provenance)| provenance.content(&model.theta));
        ReceiptRow {
            step: letter.step as i64,
            at_ns: letter.at.0 as i64,
            sent_ns: letter.sent.0 as i64,
            receiver: node.0 as i32,
            receiver_malicious: self.is_malicious,
            sender: letter.from.0 as i32,
            sender_malicious: rules.cast.is_malicious(letter.from),
            outcome,
            reason,
            history: verdict.map_or(0, |verdict| verdict.n_judged as i32),
            t: verdict.and_then(|verdict| verdict.t),
            alpha: verdict.map_or(0.0, |verdict| verdict.alpha),
            weights: verdict.map_or(Vec::new(), Verdict::pool_weights),
            noop: model.is_none_or(|model| model.is_noop),
            exposure: content.map(|content| content.exposure),
            pull: content.map(|content| content.pull),
            age_ns: provenance.and_then(|provenance| provenance.age_ns(letter.at)),
        }
    }

    fn search(&mut self, node: NodeId, step: SearchStep, rules: &Rules, done: &mut Done) {
        let attack = rules.cast.attack(node).filter(|_| !step.conduct.poses_as_honest());
        // An attacker that makes its messages for their receivers has no use for a search of its own.
        let is_idle = attack.is_some_and(|attack| attack.crafts().is_some());
        let poison = rules.poison_clicks.as_ref().filter(|_| attack == Some(&Attack::Flip));
        let search = match is_idle {
            true => self.own.node.skip_search(),
            false => self.learn(step.at, poison, rules),
        };
        self.remember(step.at);
        let learned = bytemuck::cast_slice(self.face(step.conduct).node.theta());
        self.fingerprint = hashed(self.fingerprint, &[b"search".as_slice(), &search.query.to_le_bytes(), learned]);
        if let Some(parcel) = step.parcel {
            parcel.fill(self.sent(step.at, step.conduct));
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

    /// One session of the model whose turn it is, by `poison` clicks or honest ones. The other one, if there is one, passes: a search has
    /// one number, whoever learns from it.
    fn learn(&mut self, at: VirtualTime, poison: Option<&ClickTable>, rules: &Rules) -> Search {
        let users = poison.unwrap_or(&rules.honest_clicks);
        match (&mut self.poisoned, poison) {
            (Some(poisoned), Some(_)) => {
                self.own.node.skip_search();
                poisoned.search(&rules.protocol, users, at, true)
            }
            (poisoned, _) => {
                if let Some(poisoned) = poisoned {
                    poisoned.node.skip_search();
                }
                self.own.search(&rules.protocol, users, at, poison.is_some())
            }
        }
    }

    fn broadcast(&mut self, step: BroadcastStep) {
        // Only attackers send between their searches, and only while they attack.
        let model = self.sent(step.at, Conduct::Own);
        self.fingerprint = hashed(self.fingerprint, &[b"broadcast".as_slice(), bytemuck::cast_slice(&model.theta)]);
        step.parcel.fill(model);
    }

    /// What the node sends at this moment: its model, or what that was.
    fn sent(&self, at: VirtualTime, conduct: Conduct) -> Model {
        match &self.past {
            Some(past) if !conduct.poses_as_honest() => past.at(at).clone(),
            _ => self.face(conduct).model(),
        }
    }

    /// Which of its models the node shows.
    fn face(&self, conduct: Conduct) -> &Learner {
        self.poisoned.as_ref().filter(|_| !conduct.poses_as_honest()).unwrap_or(&self.own)
    }

    /// The model has just become what it is.
    fn remember(&mut self, at: VirtualTime) {
        if let Some(past) = &mut self.past {
            past.push(at, self.own.model());
        }
    }

    /// This node is the victim: what is made for it depends on its model as of now.
    fn craft(&mut self, step: CraftStep, rules: &Rules) {
        let seen = step.survey.as_ref().map(|seen| seen.get().expect("a survey comes before its level"));
        let population = seen.map(|seen| (&seen.population, rules.cast.lie_z(step.from)));
        let made = (step.turn, step.nth);
        let attack = rules.cast.attack(step.from).expect("only attackers make messages for others");
        let crafted = adversary::craft(attack, step.from, made, &self.own.node, &rules.protocol, &rules.honest_clicks, population);
        let made_for = [b"craft".as_slice(), &step.from.0.to_le_bytes(), bytemuck::cast_slice(&crafted.theta)];
        self.fingerprint = hashed(self.fingerprint, &made_for);
        // All that differs from what the message was made of is the attacker's.
        let provenance = match seen {
            Some(seen) => seen.provenance.as_ref().map(|of| of.with(difference(&crafted.theta, seen.population.mean.iter().copied()))),
            None => self.provenance().map(|of| of.with(difference(&crafted.theta, self.theta().iter().copied().map(f64::from)))),
        };
        step.parcel.fill(Model { theta: crafted.theta, provenance, is_noop: crafted.is_noop });
    }

    /// A fresh model is made of nothing; a stale attacker has no older one to send.
    fn reset(&mut self, step: ResetStep, rules: &Rules) {
        for learner in [Some(&mut self.own), self.poisoned.as_mut()].into_iter().flatten() {
            learner.restart(&rules.protocol, step.nth, step.history_lost);
        }
        if let Some(past) = &mut self.past {
            past.begin_again(self.own.model());
        }
        let fresh = bytemuck::cast_slice(self.theta());
        self.fingerprint = hashed(self.fingerprint, &[b"reset".as_slice(), &step.nth.to_le_bytes(), fresh]);
    }
}

/// The fingerprint after `parts` have happened, too.
fn hashed(fingerprint: u64, parts: &[&[u8]]) -> u64 {
    parts.iter().fold(fingerprint, |hash, part| xxh3_64_with_seed(part, hash))
}

fn difference(theta: &[f32], from: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    theta.iter().zip(from).map(|(&weight, from)| f64::from(weight) - from)
}

/// How the `receipts` table says it.
fn words(verdict: Option<&Verdict>) -> (&'static str, Option<&'static str>) {
    let Some(verdict) = verdict else { return ("ignored", None) };
    match verdict.outcome {
        Outcome::Merged => ("merged", None),
        Outcome::Discarded => ("discarded", None),
        Outcome::Buffered => ("buffered", None),
        // The one that filled the pool is the last of it. Those before have their weights in its row.
        Outcome::Pooled => ("pooled", verdict.pool_weights().last().filter(|weight| **weight == 0.0).map(|_| "trimmed")),
        Outcome::Rejected(reason) => ("rejected", Some(reason.word())),
    }
}
