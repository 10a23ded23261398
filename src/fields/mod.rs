//! What a scenario is made of, declared once: a field's type, limits, meaning and example stand next to each other in `declare!`.
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
//! The first sentence of a field's documentation is its hint; all of it stands in the reference. A default is told to serde and nobody
//! else. [`limits`] has the words for limits; without any, every value of the type is allowed.

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

/// A type of which scenarios are made.
pub trait Declared {
    /// What it is.
    fn kind() -> Kind;

    /// Appends one message for every value in it that is out of its limits.
    fn check(&self, at: &At, found: &mut Vec<String>);
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A number with a point.
    Number,
    /// A whole number from 0 on.
    Whole {
        /// The largest that its type holds.
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
    /// What messages call it: `duration`, `speed`.
    pub name: &'static str,
    /// A number in the unit of the limits, as people write it.
    pub show: fn(f64) -> String,
}

/// A declared struct or enum.
#[derive(Debug)]
pub struct Type {
    /// As in the code.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// Its fields or its choices.
    pub form: Form,
    /// Whether every field of a struct may be left out.
    pub all_optional: bool,
    /// The text of a value, read and written again: with every default filled in. Nothing if it cannot be read.
    pub reread: fn(&str) -> Option<String>,
    /// The names that serde expected where a value has an unknown one.
    pub expected: fn(&str) -> &'static [&'static str],
}

impl Type {
    /// A declared type whose fields are as they say themselves.
    pub const fn new<T: Serialize + DeserializeOwned>(name: &'static str, docs: &'static [&'static str], form: Form) -> Self {
        Self { name, docs, form, all_optional: false, reread: reread::<T>, expected: expected::<T> }
    }
}

/// What a declared type consists of.
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
    /// As a scenario writes it.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// Its fields. A choice that holds one value without a name has one field, whose name is empty.
    pub fields: &'static [Field],
}

/// One field of a struct or of a choice.
#[derive(Debug)]
pub struct Field {
    /// As a scenario writes it.
    pub name: &'static str,
    /// The lines of its documentation.
    pub docs: &'static [&'static str],
    /// What it holds.
    pub kind: fn() -> Kind,
    /// Which values it takes.
    pub limits: Limits,
    /// A value to copy, in lines as the compiler breaks them; see [`Field::example`].
    pub tokens: &'static str,
    /// Whether it may be left out.
    pub is_optional: bool,
}

/// Where a walk over a value is, and which limits hold there.
#[derive(Debug)]
pub struct At {
    path: String,
    choice: Option<&'static str>,
    limits: Limits,
}

impl At {
    /// At the whole.
    pub const ROOT: At = At { path: String::new(), choice: None, limits: Limits::ANY };

    /// At a field inside.
    pub fn field(&self, name: &str, limits: Limits) -> At {
        let path = if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) };
        At { path, choice: None, limits }
    }

    /// At the value that a choice holds without a name.
    pub fn choice(&self, name: &'static str, limits: Limits) -> At {
        At { path: self.path.clone(), choice: Some(name), limits }
    }

    /// At an element of a list.
    pub fn item(&self, nth: usize) -> At {
        At { path: format!("{}[{nth}]", self.path), choice: None, limits: self.limits }
    }
}

/// A value's text as serde reads and writes it, which is how a default becomes known.
pub fn reread<T: Serialize + DeserializeOwned>(text: &str) -> Option<String> {
    let value: T = options().from_str(text).ok()?;
    options().to_string_pretty(&value, PrettyConfig::new().depth_limit(0)).ok()
}

/// The names that serde knows where `text` has an unknown one; none if it has no such.
pub fn expected<T: DeserializeOwned>(text: &str) -> &'static [&'static str] {
    match options().from_str::<T>(text).map_err(|error| error.code) {
        Err(ron::Error::NoSuchStructField { expected, .. } | ron::Error::NoSuchEnumVariant { expected, .. }) => expected,
        _ => &[],
    }
}

/// Optional fields are written plainly: `grades: 5`, not `grades: Some(5)`.
pub fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
