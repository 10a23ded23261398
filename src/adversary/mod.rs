//! Who deviates, and how.

use serde::{Deserialize, Serialize};

/// What malicious nodes do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Attack {
    NoAttack,
    /// Learns from inverted clicks and sends that model.
    Flip,
}

/// Whether malicious nodes merge what they receive, by the run's rule. The paper does not say; a scenario with an attack must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaliciousAggregate {
    Never,
    Always,
    /// Only under rules that pool several models.
    PooledOnly,
}
