//! Speeds of connections, read and printed as people write them.

use crate::fields::{At, Declared, Kind, Quantity};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

use super::Duration;

/// A speed in bits per second. Scenarios write it as "10Mbit/s" or "2MB/s".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitRate(u64);

/// Units from large to small, each with its bits per second. Units of bytes can be read, but a speed is always printed in bits.
const UNITS: [(&str, u64); 8] = [
    ("Gbit/s", 1_000_000_000),
    ("Mbit/s", 1_000_000),
    ("kbit/s", 1_000),
    ("bit/s", 1),
    ("GB/s", 8_000_000_000),
    ("MB/s", 8_000_000),
    ("kB/s", 8_000),
    ("B/s", 8),
];

impl BitRate {
    /// A speed of `per_second` bits per second.
    pub const fn from_bits(per_second: u64) -> Self {
        Self(per_second)
    }

    /// The speed in bits per second.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The time that a transfer of `bytes` bytes takes, rounded up to whole nanoseconds.
    pub fn time_for(self, bytes: u64) -> Duration {
        let per_second = self.0.max(1);
        // Wide division is slow, and few transfers need it.
        Duration::from_ns(match bytes.checked_mul(8_000_000_000) {
            Some(bits) => bits.div_ceil(per_second),
            None => {
                let ns = (u128::from(bytes) * 8_000_000_000).div_ceil(per_second.into());
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
        })
    }

    /// The speed in bytes per nanosecond.
    pub fn bytes_per_ns(self) -> f64 {
        self.0 as f64 / 8e9
    }
}

impl FromStr for BitRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let problem = |why: &str| format!("`{text}` is not a speed: {why}; write for example \"10Mbit/s\" or \"2MB/s\"");
        let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_'))).unwrap_or(text.len());
        let (number, unit) = (text[..digits].replace('_', ""), text[digits..].trim());
        let value: f64 = number.parse().map_err(|_| problem("the number is missing or malformed"))?;
        let names = || UNITS.map(|(name, _)| name).join(", ");
        let (_, bits) =
            UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(|| problem(&format!("`{unit}` is not one of {}", names())))?;
        let total = value * *bits as f64;
        if total >= 1e18 {
            return Err(problem("nothing is that fast"));
        }
        // Whole numbers stay exact however large they are.
        Ok(Self(number.parse::<u64>().map_or(total.round() as u64, |whole| whole * bits)))
    }
}

impl fmt::Display for BitRate {
    /// Prints the exact value: a printed scenario must read back as itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS[..4].iter().find(|(_, bits)| self.0 >= *bits && self.0.is_multiple_of(*bits));
        let (unit, bits) = exact.unwrap_or(&("bit/s", 1));
        write!(f, "{}{unit}", self.0 / bits)
    }
}

impl Serialize for BitRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BitRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = BitRate;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a speed in quotes such as \"10Mbit/s\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<BitRate, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl Declared for BitRate {
    fn kind() -> Kind {
        static SPEED: Quantity = Quantity { name: "speed", show: |bits| BitRate(bits.ceil() as u64).to_string() };
        Kind::Quantity(&SPEED)
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        at.require_quantity(self.0 as f64, &self.to_string(), |bits| BitRate(bits as u64).to_string(), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_read_as_people_write_them_and_print_back() {
        for (text, bits, printed) in [
            ("10Mbit/s", 10_000_000, "10Mbit/s"),
            ("1.5 kB/s", 12_000, "12kbit/s"),
            ("7bit/s", 7, "7bit/s"),
            ("0bit/s", 0, "0bit/s"),
            ("1_000Mbit/s", 1_000_000_000, "1Gbit/s"),
        ] {
            let rate: BitRate = text.parse().expect(text);
            assert_eq!((rate.bits(), rate.to_string().as_str()), (bits, printed));
            assert_eq!(rate.to_string().parse(), Ok(rate));
        }
    }

    #[test]
    fn wrong_speeds_say_why() {
        for (text, why) in
            [("10", "`` is not one of Gbit/s"), ("Mbit/s", "malformed"), ("5Mbps", "`Mbps` is not one of"), ("-1bit/s", "malformed")]
        {
            let message = text.parse::<BitRate>().expect_err(text);
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn a_transfer_takes_its_time() {
        assert_eq!("8Mbit/s".parse::<BitRate>().map(|rate| rate.time_for(1_000)), Ok(Duration::from_ns(1_000_000)));
        assert_eq!(BitRate::from_bits(3).time_for(1).ns(), 2_666_666_667);
    }
}
