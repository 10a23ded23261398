//! The reference as data, for programs.

use super::text::in_words;
use super::{default, holds};
use crate::fields::paragraphs;
use crate::fields::walk::Entry;
use serde::Serialize;

/// One field or choice of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Described {
    /// Its path, such as `churn.online.shape`; the path of its field if it is a choice.
    pub path: String,
    /// The choice that has the field, or that it is.
    pub choice: Option<&'static str>,
    /// Whether it is a field; otherwise it is a choice as a whole.
    pub is_field: bool,
    /// What a field holds, in words.
    pub holds: Option<String>,
    /// The default of a field; `None` if it must be given, and for choices.
    pub default: Option<String>,
    /// Whether it must be given.
    pub is_required: bool,
    /// Its meaning, a text per paragraph.
    pub meaning: Vec<String>,
    /// A value to copy.
    pub example: String,
}

impl Described {
    pub(super) fn of(entry: &Entry) -> Self {
        let default = entry.field.and_then(|field| default(entry.of, entry.choice, field));
        let docs = entry.field.map(|field| field.docs).or(entry.choice.map(|choice| choice.docs)).unwrap_or_default();
        Self {
            path: entry.path.clone(),
            choice: entry.choice.map(|choice| choice.name),
            is_field: entry.field.is_some(),
            holds: entry.field.map(|field| holds((field.kind)(), &field.limits, &in_words)),
            is_required: entry.field.is_some() && default.is_none(),
            default,
            meaning: paragraphs(docs).into_iter().filter(|paragraph| !paragraph.is_empty()).collect(),
            example: entry.field.map(|field| field.example()).or(entry.choice.map(|choice| choice.example())).unwrap_or_default(),
        }
    }
}
