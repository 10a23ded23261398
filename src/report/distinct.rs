//! Runs that are given twice, and runs of several versions of the program.

use super::setting::Run;
use crate::error::{Error, Result};
use std::collections::BTreeSet;

/// The runs without those that are there already, and a remark for each that is left out.
///
/// # Errors
/// Two results of one run have different outcomes.
pub fn distinct(runs: Vec<Run>) -> Result<(Vec<Run>, Vec<String>)> {
    let (mut kept, mut remarks): (Vec<Run>, Vec<String>) = Default::default();
    for run in runs {
        match kept.iter().find(|other| other.run_id == run.run_id) {
            Some(twin) => remarks.push(counted_once(twin, &run)?),
            None => kept.push(run),
        }
    }
    Ok((kept, remarks))
}

fn counted_once(one: &Run, other: &Run) -> Result<String> {
    let (place, twin) = (one.place.display(), other.place.display());
    if one.fingerprint == other.fingerprint {
        return Ok(format!("{twin} is the same run as {place} and is not counted again"));
    }
    Err(Error::input(format!(
        "{place} and {twin} are one run with different outcomes ({} by version {}, {} by version {}); leave one of them out",
        one.fingerprint, one.version, other.fingerprint, other.version
    )))
}

/// A remark if the runs come from several versions of the program.
pub fn versions(runs: &[Run]) -> Option<String> {
    let versions: BTreeSet<&str> = runs.iter().map(|run| run.version.as_str()).collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    (versions.len() > 1).then(|| format!("these are runs of several versions of the program: {}", versions.join(", ")))
}
