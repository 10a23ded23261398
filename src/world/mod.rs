//! From a scenario to a world that can be run.
//!
//! A [`World`] holds a checked scenario, the content of the files that it names, the role of each node, and the plan of the timeline. Only
//! [`Scenario::resolve`] makes a world, and `run` takes nothing else, so a scenario that was not checked cannot run. A world does not hold
//! the documents: they are large, and many runs share them.
//!
//! ```
//! use rankguard::scenario::Scenario;
//!
//! let text = include_str!("../../scenarios/quickstart.ron");
//! let scenario = Scenario::parse(text, "quickstart.ron")?;
//! let world = scenario.resolve()?;
//! assert_eq!(world.roles().honest().count(), 80);
//!
//! // A field that was changed in code is checked like one that was read.
//! let refused = Scenario { shown: 40, ..scenario }.resolve().expect_err("no screen shows 40 results");
//! assert!(refused.to_string().contains("shown is 40; it must be between 1 and 16"), "{refused}");
//! # Ok::<(), rankguard::error::Error>(())
//! ```

mod data;
mod initial;
mod inputs;
mod plan;

pub(crate) use plan::message_bytes;

use crate::adversary::Roles;
use crate::error::{Error, Result};
use crate::machine;
use crate::network::Means;
use crate::rng::Seed;
use crate::scenario::{DataSize, Estimate, Room, Scenario};
use crate::timeline::Plan;
use initial::InitialModels;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that a run needs, except the documents.
#[derive(Debug, Clone)]
pub struct World {
    scenario: Scenario,
    means: Means,
    roles: Roles,
    plan: Arc<Plan>,
    initial: Option<InitialModels>,
    /// Hashes of the files that were read, by their path as the scenario writes it.
    files: BTreeMap<String, String>,
}

impl Scenario {
    /// The world that this scenario describes.
    ///
    /// # Errors
    /// If a field is out of range or contradicts another, a file is missing or flawed, or the network alone would need more memory than
    /// this machine has.
    pub fn resolve(&self) -> Result<World> {
        self.resolve_within(Room { memory: machine::available_memory(), disk: None })
    }

    /// The same with a given limit of memory, or without a limit.
    ///
    /// # Errors
    /// As [`Scenario::resolve`].
    pub fn resolve_within(&self, room: Room) -> Result<World> {
        self.check()?;
        let scenario = self.clone().with_defaults();
        // This comes before anything is made for each node, because there may be billions of nodes.
        scenario.means().map_or(Ok(()), |means| scenario.refuse_network(means, room))?;
        let network = scenario.network()?;
        let means = network.means();
        scenario.refuse_network(means, room)?;
        let initial = InitialModels::read(&scenario)?;
        let files = inputs::hashes(&scenario, initial.as_ref())?;
        let roles = Roles::new(Seed(scenario.seed), scenario.nodes, scenario.malicious_share, &scenario.attack);
        let plan = plan::plan(&scenario, network, &roles).into();
        Ok(World { scenario, means, roles, plan, initial, files })
    }

    fn refuse_network(&self, means: Means, room: Room) -> Result<()> {
        let excess = Estimate::with(self, None, means).memory_of_network(room);
        excess.map_or(Ok(()), |reason| Err(Error::too_large(format!("{}: {reason}", self.name))))
    }
}

impl World {
    /// The scenario, with every default filled in.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Who is malicious, and which attack each malicious node carries out.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// The plan of the timeline.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The expected cost of a run on data of this size. Without a size, that of synthetic data follows from the scenario.
    pub fn estimate(&self, data: Option<DataSize>) -> Estimate {
        Estimate::with(&self.scenario, data, self.means)
    }
}
