//! The reference for the terminal: every field with its choices and their fields, indented by depth.

use super::{default, holds};
use crate::fields::walk::Entry;
use crate::fields::{Choice, Declared, Field, Form, Kind, Type, paragraphs};
use crate::scenario::Scenario;

const STEP: &str = "    ";
/// The width at which lines are broken, indentation included.
const WIDTH: usize = 110;

/// The text so far, and the types that it explains.
#[derive(Default)]
struct Page {
    text: String,
    /// Each explained type, with the path of the field that explains it.
    explained: Vec<(&'static str, String)>,
}

/// The text about these fields of a scenario, with everything inside of them.
pub fn all(fields: &'static [Field]) -> String {
    let Kind::Named(of) = Scenario::kind() else { return String::new() };
    let mut page = Page::default();
    for field in fields {
        page.field(of, None, field, field.name, "");
        page.text.push('\n');
    }
    page.text
}

/// The text about some fields and choices, each explained completely.
pub fn some(entries: &[&Entry]) -> String {
    let about = |entry: &&Entry| {
        let mut page = Page::default();
        match (entry.field, entry.choice) {
            (Some(field), choice) => page.field(entry.of, choice, field, &entry.path, ""),
            (None, Some(choice)) => page.choice(entry.of, choice, &format!("{}: ", entry.path), &entry.path, ""),
            (None, None) => {}
        }
        page.text
    };
    entries.iter().map(about).collect::<Vec<_>>().join("\n")
}

impl Page {
    fn line(&mut self, indent: &str, text: &str) {
        self.text += &format!("{indent}{text}\n");
    }

    fn docs(&mut self, indent: &str, docs: &[&str]) {
        for line in paragraphs(docs).iter().flat_map(|paragraph| paragraph.lines()) {
            wrapped(line, WIDTH.saturating_sub(indent.len())).iter().for_each(|part| self.line(indent, part));
        }
    }

    /// Writes a field. `path` is its full path; inside of another field only its name is shown.
    fn field(&mut self, of: &Type, choice: Option<&Choice>, field: &'static Field, path: &str, indent: &str) {
        let kind = (field.kind)();
        let of_choice = choice.filter(|_| indent.is_empty()).map_or(String::new(), |choice| format!(" (of {})", choice.name));
        let default = default(of, choice, field).map_or("it must be given".into(), |default| format!("by default {default}"));
        let name = if indent.is_empty() { path } else { field.name };
        self.line(indent, &format!("{name}{of_choice}: {}; {default}", holds(kind, &field.limits, &in_words)));
        let inner = format!("{indent}{STEP}");
        self.docs(&inner, field.docs);
        self.docs(&inner, &[&field.limits.sentence()]);
        self.line(&inner, &format!("Example: {}", field.line()));
        self.kind(kind, path, &inner, field.docs);
    }

    fn choice(&mut self, of: &Type, choice: &'static Choice, before: &str, path: &str, indent: &str) {
        self.line(indent, &format!("{before}{}", choice.example()));
        let inner = format!("{indent}{STEP}");
        self.docs(&inner, choice.docs);
        for field in choice.fields {
            match field.name {
                "" => {
                    let kind = (field.kind)();
                    self.line(&inner, &format!("It holds a {}.", holds(kind, &field.limits, &in_words)));
                    self.kind(kind, path, &inner, &[]);
                }
                name => self.field(of, Some(choice), field, &format!("{path}.{name}"), &inner),
            }
        }
    }

    /// Writes the documentation and the parts of a type, unless they stand above already. `said` are the sentences just before.
    fn kind(&mut self, kind: Kind, path: &str, indent: &str, said: &[&str]) {
        if let Kind::Pair(first, _) = kind.within_list() {
            self.kind(first(), path, indent, &[]);
        }
        let Kind::Named(of) = kind.peeled() else { return };
        if let Some((_, above)) = self.explained.iter().find(|(name, _)| *name == of.name) {
            let above = format!("(as for {above})");
            return self.line(indent, &above);
        }
        self.explained.push((of.name, path.into()));
        if of.docs != said {
            self.docs(indent, of.docs);
        }
        match of.form {
            Form::Fields(fields) => fields.iter().for_each(|field| self.field(of, None, field, &format!("{path}.{}", field.name), indent)),
            Form::Choices(choices) => choices.iter().for_each(|choice| self.choice(of, choice, "", path, indent)),
        }
    }
}

/// `one of A, B, C`, or `fields in round brackets`.
pub(super) fn in_words(of: &Type, is_many: bool) -> String {
    const NAMED: usize = 8;
    let each = if is_many { "choices among" } else { "one of" };
    match of.form {
        Form::Fields(_) => "fields in round brackets".into(),
        Form::Choices(choices) if choices.len() > NAMED => format!("{each} {} names", choices.len()),
        Form::Choices(choices) => format!("{each} {}", choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ")),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one at least");
        match line.chars().count() + 1 + word.chars().count() > width && !line.is_empty() && !text.starts_with('|') {
            true => lines.push(word.into()),
            false => *line += &format!("{}{word}", if line.is_empty() { "" } else { " " }),
        }
    }
    lines
}
