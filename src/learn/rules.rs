//! The settings that all lanes share.

use crate::adversary::Roles;
use crate::corpus::{ClickTable, Corpus};
use crate::error::Result;
use crate::network::{Active, Meanwhile};
use crate::node::Protocol;
use crate::record::Record;
use crate::world::World;

/// The settings of a world as the data plane needs them. They never change during a run.
pub(super) struct Rules<'a> {
    pub protocol: Protocol<'a>,
    /// The same without a defence, for stale attackers, who merge everything that they receive.
    pub undefended: Option<Protocol<'a>>,
    pub roles: &'a Roles,
    pub honest_clicks: ClickTable,
    pub poison_clicks: Option<ClickTable>,
    pub record: &'a Record,
    /// Whether attackers that do not craft merge what they receive by the run's rule.
    pub malicious_merge: bool,
    /// Whether models carry their provenance.
    pub tracks_provenance: bool,
    /// Whether attackers pose as honest at times: FLIP then trains one model for each face.
    pub flips_at_times: bool,
}

impl<'a> Rules<'a> {
    pub fn new(world: &'a World, corpus: &'a Corpus) -> Result<Self> {
        world.check_corpus(corpus)?;
        let scenario = world.scenario();
        Ok(Self {
            protocol: world.protocol(corpus),
            undefended: world.undefended_protocol(corpus),
            roles: world.roles(),
            honest_clicks: world.honest_clicks(corpus)?,
            poison_clicks: world.poison_clicks(corpus).transpose()?,
            record: &scenario.record,
            malicious_merge: scenario.malicious_aggregate.is_some_and(|aggregate| aggregate.merges(scenario.defense.pools())),
            tracks_provenance: scenario.record.asks_for_provenance(),
            flips_at_times: matches!(scenario.attackers.active, Active::Windows { meanwhile: Meanwhile::Honest, .. }),
        })
    }
}
