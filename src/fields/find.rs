//! Finds the declaration of a name, and makes the words and examples that messages show of it.

use super::{Choice, Field, Form, Kind, Limits, Type};

/// The field at `path` below `root`, such as `churn.online.shape`. Lists have no name in a path. If several choices have a field of the
/// last name, the field of `choice` is returned, or else the first.
pub fn find(root: Kind, path: &str, choice: Option<&str>) -> Option<&'static Field> {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let named = root.fields().into_iter().filter(|(_, field)| field.name == name);
    match rest {
        Some(rest) => named.into_iter().find_map(|(_, field)| find((field.kind)(), rest, choice)),
        None => {
            let mut named: Vec<_> = named.collect();
            named.sort_by_key(|(of, _)| *of != choice);
            named.first().map(|(_, field)| *field)
        }
    }
}

impl Kind {
    /// The kind of the innermost values of lists, options and pairs.
    pub fn peeled(self) -> Kind {
        match self {
            Kind::List(inner) | Kind::Optional(inner) | Kind::Pair(_, inner) => inner().peeled(),
            leaf => leaf,
        }
    }

    /// The kind of the values in a list or an option.
    pub fn within_list(self) -> Kind {
        match self {
            Kind::List(inner) | Kind::Optional(inner) => inner().within_list(),
            other => other,
        }
    }

    /// The fields that are written by name in a value of this kind, each with the choice that has it.
    pub fn fields(self) -> Vec<(Option<&'static str>, &'static Field)> {
        let Kind::Named(of) = self.peeled() else { return Vec::new() };
        match of.form {
            Form::Fields(fields) => fields.iter().map(|field| (None, field)).collect(),
            Form::Choices(choices) => choices
                .iter()
                .flat_map(|choice| match choice.inner() {
                    Some(inner) => (inner.kind)().fields(),
                    None => choice.fields.iter().map(|field| (Some(choice.name), field)).collect(),
                })
                .collect(),
        }
    }

    /// The choice of this name.
    pub fn choice(self, name: &str) -> Option<&'static Choice> {
        let Kind::Named(Type { form: Form::Choices(choices), .. }) = self.peeled() else { return None };
        choices.iter().find(|choice| choice.name == name)
    }
}

impl Choice {
    /// The field without a name, if the choice holds one value without a name.
    pub fn inner(&self) -> Option<&'static Field> {
        self.fields.first().filter(|field| field.name.is_empty())
    }

    /// A value to copy. It has the required fields, or all fields if none is required.
    pub fn example(&self) -> String {
        let needed: Vec<&Field> = self.fields.iter().filter(|field| !field.is_optional).collect();
        let shown = if needed.is_empty() { self.fields.iter().collect() } else { needed };
        let fields: Vec<String> = shown.iter().map(|field| field.line()).collect();
        if fields.is_empty() { self.name.into() } else { format!("{}({})", self.name, fields.join(", ")) }
    }
}

impl Field {
    /// A value to copy.
    pub fn example(&self) -> String {
        self.tokens.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The field with its example: `kappa: 4.0`.
    pub fn line(&self) -> String {
        self.with(&self.example())
    }

    /// The field with this value.
    pub fn with(&self, value: &str) -> String {
        if self.name.is_empty() { value.into() } else { format!("{}: {value}", self.name) }
    }

    /// A value to copy instead of `value`, which is wrong: if it names a choice, an example of that choice.
    pub fn example_like(&self, value: &str) -> String {
        let name = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        (self.kind)().choice(name).map_or_else(|| self.example(), Choice::example)
    }

    /// The meaning of the field as a part of a sentence: `how many nodes the network has`.
    pub fn meaning(&self) -> String {
        let sentence = first_sentence(self.docs).trim_end_matches('.').to_owned();
        let mut chars = sentence.chars();
        match (chars.next(), chars.next()) {
            (Some(first), Some(second)) if first.is_ascii_uppercase() && (second.is_lowercase() || second == ' ') => {
                first.to_lowercase().chain(sentence.chars().skip(1)).collect()
            }
            _ => sentence,
        }
    }
}

impl Limits {
    /// The remedy or reason as a sentence; empty if there is none.
    pub fn sentence(&self) -> String {
        let mut chars = self.remedy().chars();
        let Some(first) = chars.next() else { return String::new() };
        format!("{}{}.", first.to_ascii_uppercase(), chars.as_str())
    }
}

/// The first sentence of documentation, with its full stop.
pub fn first_sentence(docs: &[&str]) -> String {
    let text = paragraphs(docs).into_iter().next().unwrap_or_default();
    text.find(". ").map_or(text.clone(), |end| text[..=end].to_owned())
}

/// Documentation as paragraphs. The lines of a paragraph are joined.
pub fn paragraphs(docs: &[&str]) -> Vec<String> {
    let lines = docs.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut paragraphs = vec![String::new()];
    for line in lines {
        let last = paragraphs.last_mut().expect("there is one at least");
        match line {
            "" => paragraphs.push(String::new()),
            row if row.starts_with('|') && !last.is_empty() => *last += &format!("\n{row}"),
            line => *last += &format!("{}{line}", if last.is_empty() { "" } else { " " }),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(docs: &'static [&'static str], meaning: &str) {
        let field = Field { name: "x", docs, kind: || Kind::Number, limits: Limits::ANY, tokens: "1.0", is_optional: false };
        assert_eq!(field.meaning(), meaning);
    }

    #[test]
    fn the_first_sentence_is_the_hint() {
        check(&[" How many nodes the network", " has. One is enough."], "how many nodes the network has");
        check(&[" P(click) for every grade."], "P(click) for every grade");
        check(&[" α when t says nothing.", "", " More."], "α when t says nothing");
        check(&[], "");
    }
}
