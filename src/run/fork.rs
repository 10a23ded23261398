//! Forks: a run that goes on from the past of another one under a changed scenario.
//!
//! The past is exact: it is read from a checkpoint that was kept, or simulated again from the beginning, up to the moment of the fork. What
//! happens from then on follows the new scenario. Events that are under way at that moment stay as they are.

use super::checkpoint::{Saved, State};
use super::{Params, Run, pool};
use crate::error::{Error, Result};
use crate::learn::Change;
use crate::pulse::Pulse;
use crate::record::{NullRecorder, RecorderState};
use crate::results::Checkpoint;
use crate::scenario::Scenario;
use crate::units::VirtualTime;
use crate::world::World;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The past that a job goes on from.
#[derive(Debug, Clone)]
pub struct Fork<'a> {
    /// The world of the past.
    pub world: &'a World,
    /// The `run_id` of the past.
    pub run_id: String,
    /// Everything before this moment has happened.
    pub at: VirtualTime,
    /// A kept checkpoint of the past, not after that moment; without one the past is simulated from its beginning.
    pub checkpoint: Option<PathBuf>,
}

/// The fields that a fork may change. Everything else is part of the past: it decided which nodes there are, what they know, or which events
/// are under way.
pub const CHANGEABLE: [&str; 8] = ["name", "defense", "attack", "latency", "loss", "duplicates", "weight_limit", "record"];

/// Checks that a fork from one scenario to another is possible.
///
/// # Errors
/// A field differs that belongs to the past, or the past did not keep what the new scenario asks for.
pub fn check_fork(past: &Scenario, future: &Scenario) -> Result<()> {
    let (before, after) = (past.fields(), future.fields());
    let differs = |(name, value): &&(String, String)| {
        let then = before.iter().find(|(field, _)| field == name).map(|(_, value)| value);
        !CHANGEABLE.contains(&name.as_str()) && then != Some(value)
    };
    let changed: Vec<&str> = after.iter().filter(differs).map(|(name, _)| name.as_str()).collect();
    if !changed.is_empty() {
        return Err(Error::input(format!(
            "a fork cannot change {}, which belongs to the past; it can change {}",
            changed.join(", "),
            CHANGEABLE.join(", ")
        )));
    }
    if future.record.asks_for_provenance() && !past.record.asks_for_provenance() {
        let remedy = "keep none of the tables evaluations, receipts and curve, or fork a run that kept one";
        return Err(Error::input(format!("record: the past did not follow what models are made of; {remedy}")));
    }
    Ok(())
}

impl Fork<'_> {
    /// The past in words that name it, as an input of the new run.
    pub fn origin(&self) -> String {
        format!("{} at {}ns", self.run_id, self.at.0)
    }

    /// The state at the moment of the fork, as the new world goes on from it.
    ///
    /// # Errors
    /// The past ended before that moment, the checkpoint cannot be read, the new world asks for what the past did not keep, or the run is
    /// stopped.
    pub(super) fn state(&self, world: &World, params: Params, stop: &AtomicBool) -> Result<Saved> {
        let corpus = params.corpus;
        let saved = self.checkpoint.as_deref().map(|path| Checkpoint::read(path)?.state::<Saved>()).transpose()?;
        let mut tell = |_| ControlFlow::Continue(());
        let pulse = Pulse::new(stop, &mut tell);
        pool(params.threads)?.install(|| {
            let mut run = match saved {
                Some(saved) => Run::resume(self.world, corpus, saved)?,
                None => Run::begin(self.world, corpus)?,
            };
            while !(run.ahead.has_reached_end && run.is_settled()) {
                if run.is_over() {
                    let end = run.ahead.timeline.now();
                    return Err(Error::input(format!("--at {}: the run ended at {end}", self.at)));
                }
                let begins_until = (!run.ahead.has_reached_end).then_some(self.at);
                run.move_on(begins_until, &mut NullRecorder, &pulse)?;
            }
            let change = Change {
                defense: world.scenario().defense != self.world.scenario().defense,
                attack: world.scenario().attack != self.world.scenario().attack,
            };
            run.into_saved(world, corpus, change)
        })
    }
}

impl Run<'_> {
    /// The state of a run that goes on in another world.
    fn into_saved(self, world: &World, corpus: &crate::corpus::Corpus, change: Change) -> Result<Saved> {
        let state = self.state(Duration::ZERO, RecorderState::default())?;
        let State { timeline, planner, first_joins, learning, measured, last, is_over, recorder, .. } = state;
        let learning = learning.clone().changed(world, corpus, change)?;
        let planner = planner.clone().changed(world.roles(), change);
        let (timeline, first_joins, measured) = (timeline.clone(), first_joins.clone(), measured.clone());
        Ok(Saved {
            timeline,
            planner,
            first_joins,
            learning,
            measured,
            last,
            is_over,
            phases: Default::default(),
            wall: Duration::ZERO,
            recorder,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::GOOD;

    #[track_caller]
    fn check(sets: &[&str], expect: Option<&str>) {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let past = Scenario::parse(GOOD, "good.ron").expect("it is good");
        let future = Scenario::read_from(GOOD.as_bytes(), "good.ron", &sets).unwrap_or_else(|error| panic!("{error}"));
        let told = check_fork(&past, &future).map_err(|problem| problem.to_string());
        match (told, expect) {
            (Ok(()), None) => {}
            (Err(told), Some(why)) => assert!(told.contains(why), "{told}"),
            (told, expect) => panic!("{told:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn what_belongs_to_the_past_cannot_be_changed() {
        check(&[], None);
        check(&["defense=Krum", "attack=Noise(sd: 0.1)", "latency=Zero", "loss=0.5", "name=\"other\""], None);
        check(&["record=(receipts: Nothing)"], None);
        check(&["nodes=50"], Some("a fork cannot change nodes, which belongs to the past; it can change name, defense, attack"));
        check(&["ranker=Neural(eta: 0.1)", "seed=2"], Some("a fork cannot change seed, ranker,"));
        check(&["churn=AlwaysOnline"], Some("a fork cannot change churn,"));
    }
}
