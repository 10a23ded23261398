//! The models that nodes begin with if the scenario names an earlier run.

use crate::error::{Error, Result};
use crate::record::read_models;
use crate::results::models_hash;
use crate::scenario::{Scenario, Start};
use crate::units::counted;

/// One model for each node, from the `models` table of another run.
#[derive(Debug, Clone)]
pub(super) struct InitialModels {
    /// The path as the scenario writes it.
    path: String,
    models: Vec<Vec<f32>>,
}

impl InitialModels {
    /// Reads the models, if the scenario names an earlier run.
    pub fn read(scenario: &Scenario) -> Result<Option<Self>> {
        let Start::Models { path, evaluation } = &scenario.start else { return Ok(None) };
        let models = read_models(path.as_ref(), *evaluation).map_err(|error| error.and("start.path names it"))?;
        let is_complete = models.len() == scenario.nodes as usize && (0..).zip(&models).all(|(node, (id, _))| node == *id);
        if !is_complete {
            return Err(Error::input(format!(
                "{path}: holds models of {}, but the scenario has {}; start from a run of as many nodes that records all of them",
                counted(models.len() as u64, "node"),
                scenario.nodes
            )));
        }
        Ok(Some(Self { path: path.clone(), models: models.into_iter().map(|(_, theta)| theta).collect() }))
    }

    /// Fails unless every model has as many weights as the models of this run.
    pub fn check(&self, n_weights: usize) -> Result<()> {
        match self.models.iter().enumerate().find(|(_, theta)| theta.len() != n_weights) {
            None => Ok(()),
            Some((node, theta)) => Err(Error::input(format!(
                "{}: the model of node {node} has {}, but this scenario's have {n_weights}; start from a run of the same ranker on the same data",
                self.path,
                counted(theta.len() as u64, "weight")
            ))),
        }
    }

    #[cfg(test)]
    pub fn of(path: &str, models: Vec<Vec<f32>>) -> Self {
        Self { path: path.into(), models }
    }

    /// The models by node.
    pub fn models(&self) -> &[Vec<f32>] {
        &self.models
    }

    /// Path and hash, for the identity of a run.
    pub fn hash(&self) -> (String, String) {
        (self.path.clone(), models_hash(&self.models))
    }
}
