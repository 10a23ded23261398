//! The page of one run.

use super::super::setting::Run;
use super::accuracy::accuracy;
use super::document::{Opening, Page};
use super::headline::{headline, honesty};
use super::story::Story;
use super::strip::strip;
use crate::error::Result;

pub fn page(run: &Run) -> Result<Page> {
    let story = Story::read(run)?;
    let opening = Opening {
        title: format!("{} · {} · seed {}", run.row.name, run.scenario.defense.name(), run.seed),
        headline: headline(&story),
        honesty: honesty(&story),
        strip: strip(&story)?,
    };
    Ok(Page::new(&opening, &[accuracy(&story)]))
}
