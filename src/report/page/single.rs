//! The page of one run.

use super::super::setting::Run;
use super::accuracy::accuracy;
use super::document::{Opening, Page};
use super::glossary::glossary;
use super::headline::{headline, honesty};
use super::load::load;
use super::network::network;
use super::nodes::nodes;
use super::origin::origin;
use super::scenario::scenario;
use super::story::Story;
use super::strip::strip;
use super::weights::weights;
use crate::error::Result;

pub fn page(run: &Run) -> Result<Page> {
    let story = Story::read(run)?;
    let opening = Opening {
        title: format!("{} · {} · seed {}", run.row.name, run.scenario.defense.name(), run.seed),
        headline: headline(&story),
        findings: Vec::new(),
        honesty: honesty(&story),
        strip: strip(&story)?,
    };
    let sections =
        [accuracy(&story), weights(&story), network(&story)?, load(&story), nodes(&story)?, scenario(&[run]), glossary(), origin(run)];
    Ok(Page::new(&opening, &sections))
}
