//! Lists all fields and choices that can be written in a value.

use super::{Choice, Field, Form, Kind, Type};

/// One field or choice, and its position.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its path as in messages, without positions in lists: `churn.online.shape`.
    pub path: String,
    /// The choice that has it, unless it belongs to a struct.
    pub choice: Option<&'static Choice>,
    /// The type that has it.
    pub of: &'static Type,
    /// The field itself; `None` if the entry is a choice as a whole.
    pub field: Option<&'static Field>,
}

/// All fields and choices that a value of `root` may have, outer ones first. A type inside itself is not entered again.
pub fn entries(root: Kind) -> Vec<Entry> {
    let mut found = Vec::new();
    enter(root, "", &mut Vec::new(), &mut found);
    found
}

/// All declared types at and below `root`, outer ones first, each once.
pub fn types(root: Kind) -> Vec<&'static Type> {
    let mut found: Vec<&'static Type> = Vec::new();
    collect(root, &mut found);
    found
}

fn enter(kind: Kind, path: &str, within: &mut Vec<&'static str>, found: &mut Vec<Entry>) {
    let Kind::Named(of) = kind.peeled() else { return };
    if within.contains(&of.name) {
        return;
    }
    within.push(of.name);
    match of.form {
        Form::Fields(fields) => fields.iter().for_each(|field| enter_field(of, None, field, path, within, found)),
        Form::Choices(choices) => {
            for choice in choices {
                found.push(Entry { path: path.into(), choice: Some(choice), of, field: None });
                choice.fields.iter().for_each(|field| enter_field(of, Some(choice), field, path, within, found));
            }
        }
    }
    within.pop();
}

fn enter_field(
    of: &'static Type,
    choice: Option<&'static Choice>,
    field: &'static Field,
    path: &str,
    within: &mut Vec<&'static str>,
    found: &mut Vec<Entry>,
) {
    let path = match (path, field.name) {
        (path, "") => path.to_owned(),
        ("", name) => name.to_owned(),
        (path, name) => format!("{path}.{name}"),
    };
    if !field.name.is_empty() {
        found.push(Entry { path: path.clone(), choice, of, field: Some(field) });
    }
    enter((field.kind)(), &path, within, found);
}

fn collect(kind: Kind, found: &mut Vec<&'static Type>) {
    if let Kind::Pair(first, _) = kind {
        collect(first(), found);
    }
    if let Kind::List(inner) | Kind::Optional(inner) | Kind::Pair(_, inner) = kind {
        return collect(inner(), found);
    }
    let Kind::Named(of) = kind else { return };
    if found.iter().any(|known| known.name == of.name) {
        return;
    }
    found.push(of);
    of.all_fields().for_each(|field| collect((field.kind)(), found));
}

impl Type {
    /// The fields of the struct, or of all choices.
    pub fn all_fields(&self) -> Box<dyn Iterator<Item = &'static Field>> {
        match self.form {
            Form::Fields(fields) => Box::new(fields.iter()),
            Form::Choices(choices) => Box::new(choices.iter().flat_map(|choice| choice.fields)),
        }
    }
}
