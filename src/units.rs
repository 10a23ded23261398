//! The quantities that all modules share: node numbers, virtual time, durations and speeds as people write them.
//!
//! This module knows nothing of the simulation; it only reads, prints and adds quantities.
//!
//! ```
//! use rankguard::units::Duration;
//!
//! let pause: Duration = "1.5h".parse()?;
//! assert_eq!(pause.ns(), 5_400_000_000_000);
//! assert_eq!(pause.to_string(), "90min");
//! # Ok::<(), String>(())
//! ```

mod count;
mod rate;

pub use count::{count, counted, scaled, size};
pub use rate::BitRate;

use crate::fields::{At, Declared, Kind, Quantity, declare, options};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// The number of a node of the network, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index into a list of all nodes.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// A moment of the simulated world, in nanoseconds since the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VirtualTime(pub u64);

impl VirtualTime {
    /// The moment that comes `delay` later. It saturates: no scenario lasts for the 584 years that a u64 of nanoseconds holds.
    pub fn after(self, delay: Duration) -> Self {
        Self(self.0.saturating_add(delay.ns()))
    }
}

impl fmt::Display for VirtualTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration::from_ns(self.0).fmt(f)
    }
}

/// A length of virtual time. Scenarios write it as "250ms", "1.5h" or "3d".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

/// Units from large to small, each with its length in nanoseconds.
const UNITS: [(&str, u64); 8] = [
    ("w", 604_800_000_000_000),
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A duration of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// A duration of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// A duration of `s` seconds, rounded to a whole nanosecond. Negative numbers and NaN become 0; a number too large for u64 becomes its
    /// largest value.
    pub fn from_secs_f64(s: f64) -> Self {
        // `round` is a slow call on machines without an instruction for it. From 2⁵³ on there is nothing to round.
        let ns = s * 1e9;
        let whole = ns as u64;
        Self(whole.saturating_add(u64::from(ns - whole as f64 >= 0.5)))
    }

    /// The duration in nanoseconds.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// The duration in seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let problem = |why: &str| format!("`{text}` is not a duration: {why}; write for example \"250ms\", \"1.5h\" or \"3d\"");
        let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '+'))).unwrap_or(text.len());
        let (number, unit) = (text[..digits].replace('_', ""), text[digits..].trim());
        if number.starts_with('-') {
            return Err(problem("it must not be negative"));
        }
        let value: f64 = number.parse().map_err(|_| problem("the number is missing or malformed"))?;
        if unit.is_empty() {
            return Err(problem("the unit is missing"));
        }
        let unit = if unit == "m" { "min" } else { unit };
        let (_, ns) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(|| problem(&format!("`{unit}` is not one of w, d, h, min, s, ms, us, ns")))?;
        let total = value * *ns as f64;
        if total >= u64::MAX as f64 {
            return Err(problem("it is longer than the 584 years the clock holds"));
        }
        // Whole numbers stay exact however long they are.
        match number.parse::<u64>() {
            Ok(whole) => Ok(Self(whole * ns)),
            Err(_) => Ok(Self(total.round() as u64)),
        }
    }
}

impl fmt::Display for Duration {
    /// Prints the value in the largest unit that keeps it exact, or else with two decimals in the largest unit that fits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS.iter().find(|(_, ns)| self.0 >= *ns && self.0.is_multiple_of(*ns) && self.0 / ns < 1000);
        match exact {
            Some((unit, ns)) => write!(f, "{}{unit}", self.0 / ns),
            None => match UNITS.iter().find(|(_, ns)| self.0 >= *ns) {
                Some((unit, ns)) => write!(f, "{:.2}{unit}", self.0 as f64 / *ns as f64),
                None => f.write_str("0s"),
            },
        }
    }
}

impl Serialize for Duration {
    /// Writes the exact value, unlike `Display`: a printed scenario must read back as itself.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (unit, ns) = UNITS.iter().find(|(_, ns)| self.0 >= *ns && self.0.is_multiple_of(*ns)).unwrap_or(&("s", 1));
        serializer.serialize_str(&format!("{}{unit}", self.0 / ns))
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Duration;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a duration in quotes such as \"250ms\", \"1.5h\" or \"3d\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl Declared for Duration {
    fn kind() -> Kind {
        static DURATION: Quantity = Quantity { name: "duration", show: |seconds| Duration::from_secs_f64(seconds).to_string() };
        Kind::Quantity(&DURATION)
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        at.require_quantity(self.secs(), &self.to_string(), |seconds| Duration::from_secs_f64(seconds).to_string(), found);
    }
}

declare! {
    /// How far a run or an interval reaches: a number of searches of the whole network, or virtual time.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Extent {
        /// Searches of the whole network.
        Sessions(
            #[limits(at_least(1.0))]
            #[example(30000)]
            u64
        ),
        /// Virtual time.
        Time(
            #[limits(above(0.0))]
            #[example("7d")]
            Duration
        ),
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Sessions(1) => f.write_str("1 session"),
            Extent::Sessions(n) => write!(f, "{n} sessions"),
            Extent::Time(d) => d.fmt(f),
        }
    }
}

impl FromStr for Extent {
    type Err = String;

    /// Reads it as a scenario writes it.
    fn from_str(text: &str) -> Result<Self, String> {
        let extent: Self = options().from_str(text).map_err(|mistake| mistake.code.to_string())?;
        let mut problems = Vec::new();
        Declared::check(&extent, &At::ROOT, &mut problems);
        if problems.is_empty() { Ok(extent) } else { Err("it must be more than 0".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, ns: u64) {
        assert_eq!(text.parse::<Duration>().map(Duration::ns), Ok(ns));
    }

    #[track_caller]
    fn refuse(text: &str, why: &str) {
        let message = text.parse::<Duration>().expect_err(text);
        assert!(message.contains(why), "{message}");
    }

    #[test]
    fn seconds_are_rounded_to_the_nearest_nanosecond() {
        for s in [0.0, -0.0, 0.4e-9, 0.5e-9, 1.5e-9, 2.5e-9, 0.3, 4503599.627370497, 9007199.254740993, 1e9, 1.8e10, 1e30, -1.0, -0.5e-9] {
            assert_eq!(Duration::from_secs_f64(s).ns(), (s * 1e9).round() as u64, "{s}");
        }
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|s| Duration::from_secs_f64(s).ns()), [0, u64::MAX, 0]);
        for bits in (0..1_000_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            let s = f64::from_bits(bits >> 12 | (0x3e1 + bits % 60) << 52);
            assert_eq!(Duration::from_secs_f64(s).ns(), (s * 1e9).round() as u64, "{s}");
        }
    }

    #[test]
    fn durations_read_as_people_write_them() {
        check("250ms", 250_000_000);
        check("1.5h", 5_400_000_000_000);
        check("3 d", 259_200_000_000_000);
        check("2m", 120_000_000_000);
        check("1_000us", 1_000_000);
        check("0s", 0);
    }

    #[test]
    fn wrong_durations_say_why() {
        refuse("-5ms", "negative");
        refuse("5", "unit is missing");
        refuse("5 parsecs", "not one of");
        refuse("ms", "malformed");
        refuse("9e9y", "not one of");
        refuse("40000000w", "584 years");
    }

    #[test]
    fn what_is_printed_exactly_reads_back() {
        for ns in [0, 1, 999, 1_000, 61_000_000_000, 3_600_000_000_000, u64::from(u32::MAX), 123_456_789_012_345] {
            let text = ron::to_string(&Duration::from_ns(ns)).expect("a string serialises");
            assert_eq!(ron::from_str::<Duration>(&text).expect("its own output parses").ns(), ns, "{text}");
        }
    }

    #[test]
    fn durations_display_briefly() {
        for (ns, text) in [(0, "0s"), (1_500_000, "1.50ms"), (90_000_000_000, "90s"), (86_400_000_000_000, "1d")] {
            assert_eq!(Duration::from_ns(ns).to_string(), text);
        }
    }
}
