//! Mean and variance of α, the effective in-degree, and the spread of models.

use super::super::document::Part;
use super::super::found::OnData;
use crate::error::Result;

/// All data sets.
pub fn theory(all: &[OnData]) -> Result<Vec<Part>> {
    let _ = all;
    Ok(Vec::new())
}
