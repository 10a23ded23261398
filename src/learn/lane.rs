//! A lane: one node that executes its own steps in order. Its actions are a pure function of its state, the models it is given, and draws
//! by address.

use super::execute::{Change, Worker};
use super::learner::{Learner, ReceivedModel};
use super::model::{Message, Model, Shelf, Shelved};
use super::provenance::Provenance;
use super::rules::Rules;
use super::stale_versions::StaleVersions;
use super::window::{Task, Turn};
use crate::adversary::{self, Attack};
use crate::corpus::ClickTable;
use crate::error::{Error, Result};
use crate::node::{Node, Outcome, Scratch, Search, Verdict};
use crate::pulse::Stopwatch;
use crate::record::{ReceiptRow, SearchRow};
use crate::timeline::{Action, Conduct};
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// One node with everything that it carries from step to step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lane {
    node: NodeId,
    own: Learner,
    /// The model that a FLIP attacker trains and sends while it attacks, if it poses as honest at other times.
    poisoned: Option<Box<Learner>>,
    is_malicious: bool,
    /// Whether the node judges what it receives by the run's rule.
    judges: bool,
    /// Earlier versions of a stale attacker's own model. Such a node merges everything that it receives half and half.
    stale: Option<StaleVersions>,
    fingerprint: u64,
}

impl Lane {
    /// A node with its `initial` model, or a fresh one. Attackers judge what they receive if the scenario says so; stale attackers merge it
    /// in any case.
    pub(super) fn new(id: NodeId, initial: Option<Vec<f32>>, rules: &Rules) -> Self {
        let attack = rules.roles.attack(id);
        let judges = judges(attack, rules);
        let node = match initial {
            Some(theta) => Node::with_model(id, theta, judges, &rules.protocol),
            None => Node::fresh(id, judges, &rules.protocol),
        };
        let poisoned = is_two_faced(attack, rules).then(|| Box::new(Learner::new(node.clone(), rules.tracks_provenance)));
        let own = Learner::new(node, rules.tracks_provenance);
        let stale = attack.and_then(Attack::age).map(|age| StaleVersions::new(age, own.model()));
        Self { node: id, own, poisoned, is_malicious: attack.is_some(), judges, stale, fingerprint: 0 }
    }

    /// Empties the inbox in arrival order, then executes the turn's step, if there is one. Returns the model that the step makes, with its
    /// number in the window.
    pub(super) fn take_turn(&mut self, turn: &Turn, shelf: &Shelf, rules: &Rules, worker: &mut Worker) -> Option<(usize, Model)> {
        let clock = Stopwatch::start();
        // A stale attacker judges messages one by one, because each merge makes a version with its own moment.
        let together = if self.stale.is_some() { 1 } else { turn.inbox.len().max(1) };
        for messages in turn.inbox.chunks(together) {
            self.receive(messages, shelf, rules, worker);
            self.remember(messages[0].at);
        }
        let judging = clock.elapsed();
        let made = turn.task.as_ref().and_then(|task| self.execute(task, shelf, rules, worker));
        worker.learned.judging += judging;
        worker.learned.searching += clock.elapsed() - judging;
        made
    }

    fn execute(&mut self, task: &Task, shelf: &Shelf, rules: &Rules, worker: &mut Worker) -> Option<(usize, Model)> {
        let model = match task.step.action {
            Action::Search { conduct, .. } => {
                self.search(task, conduct, rules, worker);
                task.makes.map(|_| self.sent(task.step.at, conduct))
            }
            Action::Broadcast { .. } => Some(self.broadcast(task.step.at)),
            Action::Craft { from, draws, broadcast, .. } => Some(self.craft(task, from, (broadcast, draws), shelf, rules)),
            Action::Reset { nth, history_lost, .. } => {
                self.reset(nth, history_lost, rules);
                None
            }
            Action::Receive { .. }
            | Action::Forget { .. }
            | Action::Presence { .. }
            | Action::Fault { .. }
            | Action::Wait { .. }
            | Action::Lose { .. }
            | Action::Evaluate { .. } => unreachable!("{:?} is no task of a lane", task.step),
        };
        task.makes.zip(model)
    }

    /// Goes on under other rules, in a fork.
    pub(super) fn change(&mut self, rules: &Rules, change: Change) -> Result<()> {
        let attack = rules.roles.attack(self.node);
        self.judges = judges(attack, rules);
        if change.attack {
            self.poisoned = is_two_faced(attack, rules).then(|| Box::new(self.own.clone()));
            self.stale = attack.and_then(Attack::age).map(|age| StaleVersions::new(age, self.own.model()));
        }
        for learner in [Some(&mut self.own), self.poisoned.as_deref_mut()].into_iter().flatten() {
            if change.defense {
                learner.drop_pool();
            }
            if self.judges && !learner.node.can_judge(&rules.protocol) {
                let what = "the past kept no documents to judge by, because its rule judges without them";
                return Err(Error::input(format!(
                    "defense: {what}; fork a run whose defence is RankGuard, RankGuard-Rand, UBAR or Sentinel"
                )));
            }
        }
        Ok(())
    }

    /// Completes a lane that was read from a checkpoint.
    pub(super) fn restore(&mut self, rules: &Rules) {
        for learner in [Some(&mut self.own), self.poisoned.as_deref_mut()].into_iter().flatten() {
            learner.node.restore_documents(rules.protocol.train);
        }
    }

    pub fn is_malicious(&self) -> bool {
        self.is_malicious
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

    /// Its own model, and the model that it attacks with if that is a separate one.
    pub fn models(&self) -> impl Iterator<Item = &[f32]> {
        [Some(&self.own), self.poisoned.as_deref()].into_iter().flatten().map(|learner| learner.node.theta())
    }

    /// A hash of everything that this node did.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn receive(&mut self, inbox: &[Message], shelf: &Shelf, rules: &Rules, worker: &mut Worker) {
        let merges = self.judges || self.stale.is_some();
        let models: Vec<Option<Shelved>> = inbox.iter().map(|message| shelf.model(message.model)).collect();
        let received = if merges { self.received(inbox, &models, rules) } else { Vec::new() };
        let protocol = rules.undefended.as_ref().filter(|_| self.stale.is_some()).unwrap_or(&rules.protocol);
        let n_given = worker.learned.given.len();
        let mut verdicts = self.own.receive(protocol, &received, &mut worker.scratch, &mut worker.learned.given).into_iter();
        if self.is_malicious {
            worker.learned.given.truncate(n_given);
        }
        if let Some(poisoned) = &mut self.poisoned {
            poisoned.receive(protocol, &received, &mut worker.scratch, &mut Vec::new());
        }
        for (message, model) in inbox.iter().zip(&models) {
            let verdict = model.as_ref().filter(|_| merges).and_then(|_| verdicts.next());
            let alpha = verdict.as_ref().map_or(0.0, |verdict| verdict.alpha).to_bits().to_le_bytes();
            self.fingerprint = hashed(self.fingerprint, &[b"receive".as_slice(), &message.from.0.to_le_bytes(), &alpha]);
            if rules.record.receipts.keeps(message.step) {
                worker.learned.receipts.push(self.receipt(message, model.as_deref(), verdict.as_ref(), rules));
            }
        }
    }

    fn received<'m>(&self, inbox: &[Message], models: &'m [Option<Shelved>], rules: &Rules) -> Vec<ReceivedModel<'m>> {
        let received = |(message, model): (&Message, &'m Option<Shelved>)| {
            let is_malicious = rules.roles.is_malicious(message.from);
            Some(ReceivedModel { model: model.as_deref()?, is_malicious, step: message.step })
        };
        inbox.iter().zip(models).filter_map(received).collect()
    }

    fn receipt(&self, message: &Message, model: Option<&Model>, verdict: Option<&Verdict>, rules: &Rules) -> ReceiptRow {
        let (outcome, reason) = words(verdict);
        let provenance = model.and_then(|model| model.provenance.as_ref());
        let content = model.and_then(|model| model.content);
        ReceiptRow {
            step: message.step as i64,
            at_ns: message.at.0 as i64,
            sent_ns: message.sent.0 as i64,
            receiver: self.node.0 as i32,
            receiver_malicious: self.is_malicious,
            sender: message.from.0 as i32,
            sender_malicious: rules.roles.is_malicious(message.from),
            outcome,
            reason,
            judged_sessions: verdict.map_or(0, |verdict| verdict.n_judged as i32),
            t: verdict.and_then(|verdict| verdict.t),
            alpha: verdict.map_or(0.0, |verdict| verdict.alpha),
            weights: verdict.map_or(Vec::new(), Verdict::pool_weights),
            noop: model.is_none_or(|model| model.is_noop),
            exposure: content.map(|content| content.exposure),
            pull: content.map(|content| content.pull),
            age_ns: provenance.and_then(|provenance| provenance.age_ns(message.at)),
        }
    }

    fn search(&mut self, task: &Task, conduct: Conduct, rules: &Rules, worker: &mut Worker) {
        let step = task.step;
        let attack = rules.roles.attack(self.node).filter(|_| !conduct.poses_as_honest());
        // An attacker that crafts its messages for their receivers does not search.
        let is_idle = attack.is_some_and(|attack| attack.crafts().is_some());
        let poison = rules.poison_clicks.as_ref().filter(|_| attack == Some(&Attack::Flip));
        let search = match is_idle {
            true => self.own.node.skip_search(),
            false => self.learn(step.at, poison, rules, &mut worker.scratch),
        };
        self.remember(step.at);
        let learned = bytemuck::cast_slice(self.face(conduct).node.theta());
        self.fingerprint = hashed(self.fingerprint, &[b"search".as_slice(), &search.query.to_le_bytes(), learned]);
        if rules.record.searches.keeps(step.number) {
            worker.learned.searches.push(self.search_row(task, search, is_idle));
        }
    }

    fn search_row(&self, task: &Task, search: Search, is_idle: bool) -> SearchRow {
        let Action::Search { n_sent, n_lost, .. } = task.step.action else { unreachable!("only searches have such a row") };
        SearchRow {
            step: task.step.number as i64,
            at_ns: task.step.at.0 as i64,
            node: self.node.0 as i32,
            malicious: self.is_malicious,
            query: if is_idle { -1 } else { search.query as i32 },
            candidates: search.n_candidates as i32,
            clicks: search.n_clicks as i32,
            pairs: search.n_pairs as i32,
            ndcg: search.ndcg,
            sent: n_sent as i64,
            lost: n_lost as i64,
        }
    }

    /// Runs one session with `poison` clicks or honest ones. A two-faced attacker has two models: one learns, the other only counts the
    /// search.
    fn learn(&mut self, at: VirtualTime, poison: Option<&ClickTable>, rules: &Rules, scratch: &mut Scratch) -> Search {
        let users = poison.unwrap_or(&rules.honest_clicks);
        match (&mut self.poisoned, poison) {
            (Some(poisoned), Some(_)) => {
                self.own.node.skip_search();
                poisoned.search(&rules.protocol, users, at, true, scratch)
            }
            (poisoned, _) => {
                if let Some(poisoned) = poisoned {
                    poisoned.node.skip_search();
                }
                self.own.search(&rules.protocol, users, at, poison.is_some(), scratch)
            }
        }
    }

    /// The message between two searches. Only attackers send one, and only while they attack.
    fn broadcast(&mut self, at: VirtualTime) -> Model {
        let model = self.sent(at, Conduct::Own);
        self.fingerprint = hashed(self.fingerprint, &[b"broadcast".as_slice(), bytemuck::cast_slice(&model.theta)]);
        model
    }

    /// The model that the node sends at this moment: its own one, or a stale version of it.
    fn sent(&self, at: VirtualTime, conduct: Conduct) -> Model {
        match &self.stale {
            Some(stale) if !conduct.poses_as_honest() => stale.at(at).clone(),
            _ => self.face(conduct).model(),
        }
    }

    /// The learner whose model the node shows: the poisoned one while it attacks, else its own.
    fn face(&self, conduct: Conduct) -> &Learner {
        self.poisoned.as_deref().filter(|_| !conduct.poses_as_honest()).unwrap_or(&self.own)
    }

    /// Keeps the model as it is now, if a stale attacker may send it later.
    fn remember(&mut self, at: VirtualTime) {
        if let Some(stale) = &mut self.stale {
            stale.push(at, self.own.model());
        }
    }

    /// The message that an attacker makes for this node, its victim, knowing the node's model as of now.
    fn craft(&mut self, task: &Task, from: NodeId, made: (u64, u64), shelf: &Shelf, rules: &Rules) -> Model {
        let seen = task.sees.map(|seen| shelf.seen(seen));
        let population = seen.map(|seen| (&seen.population, rules.roles.lie_z(from)));
        let attack = rules.roles.attack(from).expect("only attackers make messages for others");
        let crafted = adversary::craft(attack, from, made, &self.own.node, &rules.protocol, &rules.honest_clicks, population);
        let made_for = [b"craft".as_slice(), &from.0.to_le_bytes(), bytemuck::cast_slice(&crafted.theta)];
        self.fingerprint = hashed(self.fingerprint, &made_for);
        // The attacker is the author of every difference from the model that the message was made from.
        let provenance = match seen {
            Some(seen) => seen.provenance.as_ref().map(|of| of.with(difference(&crafted.theta, seen.population.mean.iter().copied()))),
            None => self.provenance().map(|of| of.with(difference(&crafted.theta, self.theta().iter().copied().map(f64::from)))),
        };
        Model::new(crafted.theta, provenance, crafted.is_noop)
    }

    /// The node is back, for the `nth` time, without its model. Nobody has taught a fresh model anything, and it has no stale versions.
    fn reset(&mut self, nth: u32, history_lost: bool, rules: &Rules) {
        for learner in [Some(&mut self.own), self.poisoned.as_deref_mut()].into_iter().flatten() {
            learner.restart(&rules.protocol, nth, history_lost);
        }
        if let Some(stale) = &mut self.stale {
            stale.begin_again(self.own.model());
        }
        let fresh = bytemuck::cast_slice(self.theta());
        self.fingerprint = hashed(self.fingerprint, &[b"reset".as_slice(), &nth.to_le_bytes(), fresh]);
    }
}

/// Whether a node judges what it receives by the run's rule.
fn judges(attack: Option<&Attack>, rules: &Rules) -> bool {
    attack.is_none_or(|attack| rules.malicious_merge && attack.age().is_none())
}

/// Whether a node has one model for its honest and one for its malicious times.
fn is_two_faced(attack: Option<&Attack>, rules: &Rules) -> bool {
    rules.flips_at_times && attack == Some(&Attack::Flip)
}

/// The fingerprint after `parts` have happened as well.
fn hashed(fingerprint: u64, parts: &[&[u8]]) -> u64 {
    parts.iter().fold(fingerprint, |hash, part| xxh3_64_with_seed(part, hash))
}

fn difference(theta: &[f32], from: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    theta.iter().zip(from).map(|(&weight, from)| f64::from(weight) - from)
}

/// The outcome and the reason of a verdict, as the `receipts` table writes them.
fn words(verdict: Option<&Verdict>) -> (&'static str, Option<&'static str>) {
    let Some(verdict) = verdict else { return ("ignored", None) };
    match verdict.outcome {
        Outcome::Merged => ("merged", None),
        Outcome::Discarded => ("discarded", None),
        Outcome::Buffered => ("buffered", None),
        // The last model of a pool is the one that filled it. Its row has the weights of the whole pool.
        Outcome::Pooled => ("pooled", verdict.pool_weights().last().filter(|weight| **weight == 0.0).map(|_| "trimmed")),
        Outcome::Rejected(reason) => ("rejected", Some(reason.word())),
    }
}
