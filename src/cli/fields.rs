//! `rankguard fields`: the reference of all fields of a scenario.

use super::print::say;
use rankguard::error::Result;
use rankguard::scenario::reference::reference;

/// Prints all fields of a scenario, or those of this name.
pub fn fields(name: Option<&str>) -> Result<()> {
    say(&reference(name)?)
}
