//! Combines a world with its documents: checks that they fit together, and makes the protocol of the nodes.

use super::World;
use crate::adversary::Attack;
use crate::corpus::{ClickTable, Corpus};
use crate::error::{Error, Result};
use crate::ltr::Ndcg;
use crate::node::{Defense, Protocol};
use crate::rng::Seed;
use crate::scenario::DataSize;

impl World {
    /// Checks that `corpus` can be searched in this world.
    ///
    /// # Errors
    /// Fails if it lacks training queries, its splits differ in features, a label has no click probability, or initial models do not fit.
    pub fn check_corpus(&self, corpus: &Corpus) -> Result<()> {
        let (train, test) = (&corpus.train, &corpus.test);
        if train.n_queries() == 0 || train.n_features() == 0 {
            return Err(Error::input("dataset: the training split is empty; give it queries with features"));
        }
        if train.n_features() != test.n_features() {
            return Err(Error::input(format!(
                "dataset: training documents have {} features and test documents {}; both need the same",
                train.n_features(),
                test.n_features()
            )));
        }
        if let Some(grade) = train.grades().iter().chain(test.grades()).find(|grade| **grade >= corpus.n_grades) {
            return Err(Error::input(format!("dataset: a document has grade {grade}, but there are {} grades from 0 on", corpus.n_grades)));
        }
        self.honest_clicks(corpus)?;
        self.poison_clicks(corpus).transpose()?;
        self.initial.as_ref().map_or(Ok(()), |initial| initial.check(self.scenario.ranker.shape(train.n_features()).n_weights()))
    }

    /// The settings that all nodes share.
    pub fn protocol<'a>(&self, corpus: &'a Corpus) -> Protocol<'a> {
        self.protocol_under(self.scenario.defense, corpus)
    }

    /// The protocol of stale attackers, who merge everything within the limit of weights that all other nodes have.
    pub fn undefended_protocol<'a>(&self, corpus: &'a Corpus) -> Option<Protocol<'a>> {
        let plays_stale = self.roles.attacks().iter().any(|attack| attack.age().is_some());
        plays_stale.then(|| self.protocol_under(Defense::Undefended, corpus))
    }

    fn protocol_under<'a>(&self, defense: Defense, corpus: &'a Corpus) -> Protocol<'a> {
        let scenario = &self.scenario;
        let ndcg = Ndcg::at(scenario.ndcg_cutoff as usize);
        Protocol {
            seed: Seed(scenario.seed),
            train: &corpus.train,
            k: scenario.shown as usize,
            ideals: Protocol::ideals(&corpus.train, &ndcg),
            ndcg,
            ranker: scenario.ranker,
            defense,
            keep: scenario.history,
            pool: defense.pool_size(scenario.nodes, scenario.n_malicious()),
            sketch: defense.sketch(Seed(scenario.seed), scenario.ranker.shape(corpus.train.n_features()).n_weights()),
            weight_limit: scenario.weight_limit(),
            keeps_documents: scenario.attack.reads_history(),
            copies_documents: self.estimate(Some(DataSize::of(corpus))).copies_documents(),
        }
    }

    /// How honest users click on these documents.
    ///
    /// # Errors
    /// Fails if there is no table for the corpus's number of grades.
    pub fn honest_clicks(&self, corpus: &Corpus) -> Result<ClickTable> {
        click_table(self.scenario.users.table(corpus.n_grades), "users", corpus.n_grades)
    }

    /// How FLIP attackers click, if there are any.
    pub fn poison_clicks(&self, corpus: &Corpus) -> Option<Result<ClickTable>> {
        let plays_flip = self.roles.attacks().contains(&Attack::Flip);
        plays_flip.then(|| click_table(ClickTable::poison(corpus.n_grades), "attack", corpus.n_grades))
    }

    /// The models that nodes begin with, by node; `None` if they begin with fresh models.
    pub fn initial_models(&self) -> Option<&[Vec<f32>]> {
        self.initial.as_ref().map(|initial| initial.models())
    }
}

fn click_table(table: Option<ClickTable>, field: &str, n_grades: u8) -> Result<ClickTable> {
    table.ok_or_else(|| {
        Error::input(format!(
            "{field}: there is no click table for data with {n_grades} grades; named users and FLIP know 2, 3 and 5: \
             set dataset.grades, or use users: Custom with {n_grades} probabilities"
        ))
    })
}
