//! How the types of a scenario are declared: a field's type, limits, meaning and example stand next to each other in `declare!`.
//!
//! From a declaration come the type itself with its reading and writing, the range check, the hints of the parser, the reference
//! (`rankguard fields`, `scenarios/FIELDS.md`) and random scenarios for tests. Nothing here knows what a field is for.
//!
//! ```text
//! declare! {
//!     /// How long a message travels.
//!     #[derive(Clone, PartialEq)]
//!     pub enum Latency {
//!         /// Messages arrive at the moment they are sent.
//!         Zero,
//!         /// Log-normal, drawn anew for each message.
//!         LogNormal {
//!             /// The delay that half of the messages stay below.
//!             #[limits(above(0.0).or("without delays choose latency: Zero"))]
//!             #[example("80ms")]
//!             median: Duration,
//!             /// The standard deviation of the logarithm.
//!             #[serde(default)]
//!             #[limits(between(0.0, 10.0))]
//!             #[example(0.6)]
//!             sigma: f64,
//!         },
//!     }
//! }
//! ```
//!
//! The first sentence of a field's documentation is the parser's hint, and the reference shows all of it. Defaults are declared to serde
//! alone. [`limits`] has the words for limits; without limits, every value of the type is allowed.
//!
//! ```
//! use rankguard::fields::{At, Declared, Limits, find};
//! use rankguard::network::Latency;
//! use rankguard::units::Duration;
//!
//! let sigma = find(Latency::kind(), "sigma", Some("LogNormal")).expect("it is declared");
//! assert_eq!(sigma.line(), "sigma: 0.6");
//! assert_eq!(sigma.meaning(), "the standard deviation of the logarithm of the delay");
//!
//! let mut found = Vec::new();
//! let latency = Latency::LogNormal { median: Duration::from_secs(1), sigma: 11.0 };
//! latency.check(&At::ROOT.field("latency", Limits::ANY), &mut found);
//! assert_eq!(found, ["latency.sigma is 11; it must be between 0 and 10"]);
//! ```

mod declare;
mod find;
pub mod limits;
pub mod random;
mod values;
pub mod walk;

pub(crate) use declare::declare;
pub use find::{find, first_sentence, paragraphs};
pub use limits::Limits;
pub use values::number;

use ron::Options;
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A type that can stand in a scenario.
pub trait Declared {
    /// The kind of its values.
    fn kind() -> Kind;

    /// Appends one message for every value inside that is out of its limits.
    fn check(&self, at: &At, found: &mut Vec<String>);
}

/// The kind of value that a field holds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A number that may have a fraction.
    Number,
    /// A whole number from 0 on.
    Whole {
        /// The largest number that its type holds.
        max: u64,
    },
    /// `true` or `false`.
    Switch,
    /// Text in quotes.
    Text,
    /// A number and its unit in quotes.
    Quantity(&'static Quantity),
    /// Several values in square brackets.
    List(fn() -> Kind),
    /// A value or nothing.
    Optional(fn() -> Kind),
    /// Two values in round brackets.
    Pair(fn() -> Kind, fn() -> Kind),
    /// A struct or an enum.
    Named(&'static Type),
}

/// A kind of number that is written with its unit.
#[derive(Debug)]
pub struct Quantity {
    /// Its name in messages: `duration`, `speed`.
    pub name: &'static str,
    /// Writes a number, given in the unit of the limits, as people do.
    pub show: fn(f64) -> String,
}

/// A declared struct or enum.
#[derive(Debug)]
pub struct Type {
    /// Its name in the code.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// Its fields or its choices.
    pub form: Form,
    /// Whether every field of a struct may be left out.
    pub all_optional: bool,
    /// Reads the text of a value and writes it again with every default filled in; `None` if it cannot be read.
    pub reread: fn(&str) -> Option<String>,
    /// The names that serde expects in place of an unknown name in a value.
    pub expected: fn(&str) -> &'static [&'static str],
}

impl Type {
    /// A declared type, whose fields say themselves whether they may be left out.
    pub const fn new<T: Serialize + DeserializeOwned>(name: &'static str, docs: &'static [&'static str], form: Form) -> Self {
        Self { name, docs, form, all_optional: false, reread: reread::<T>, expected: expected::<T> }
    }
}

/// The parts of a declared type.
#[derive(Debug)]
pub enum Form {
    /// A struct.
    Fields(&'static [Field]),
    /// An enum.
    Choices(&'static [Choice]),
}

/// One choice of an enum.
#[derive(Debug)]
pub struct Choice {
    /// Its name in a scenario.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// Its fields. A choice that holds one value without a name has one field, whose name is empty.
    pub fields: &'static [Field],
}

/// One field of a struct or of a choice.
#[derive(Debug)]
pub struct Field {
    /// Its name in a scenario.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// The kind of its value.
    pub kind: fn() -> Kind,
    /// The values that it may have.
    pub limits: Limits,
    /// The tokens of a value to copy, with the compiler's line breaks; [`Field::example`] gives the readable text.
    pub tokens: &'static str,
    /// Whether it may be left out.
    pub is_optional: bool,
}

/// A position inside a value, and the limits that hold there.
#[derive(Debug)]
pub struct At {
    path: String,
    choice: Option<&'static str>,
    limits: Limits,
}

impl At {
    /// The position of the whole value.
    pub const ROOT: At = At { path: String::new(), choice: None, limits: Limits::ANY };

    /// The position of a field inside.
    pub fn field(&self, name: &str, limits: Limits) -> At {
        let path = if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) };
        At { path, choice: None, limits }
    }

    /// The position of the value that a choice holds without a name.
    pub fn choice(&self, name: &'static str, limits: Limits) -> At {
        At { path: self.path.clone(), choice: Some(name), limits }
    }

    /// The position of an element of a list.
    pub fn item(&self, nth: usize) -> At {
        At { path: format!("{}[{nth}]", self.path), choice: None, limits: self.limits }
    }
}

/// Reads the text of a `T` and writes it again, which shows the defaults that serde fills in.
pub fn reread<T: Serialize + DeserializeOwned>(text: &str) -> Option<String> {
    let value: T = options().from_str(text).ok()?;
    options().to_string_pretty(&value, PrettyConfig::new().depth_limit(0)).ok()
}

/// The names that serde expects in place of the unknown name in `text`; empty if no name is unknown.
pub fn expected<T: DeserializeOwned>(text: &str) -> &'static [&'static str] {
    match options().from_str::<T>(text).map_err(|error| error.code) {
        Err(ron::Error::NoSuchStructField { expected, .. } | ron::Error::NoSuchEnumVariant { expected, .. }) => expected,
        _ => &[],
    }
}

/// The RON dialect of scenarios: optional fields are written as `grades: 5`, not as `grades: Some(5)`.
pub fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
