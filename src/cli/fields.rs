//! What can be said in a scenario.

use super::print::say;
use rankguard::error::Result;
use rankguard::scenario::reference::reference;

/// Prints all fields of a scenario, or those that are called so.
pub fn fields(name: Option<&str>) -> Result<()> {
    say(&reference(name)?)
}
