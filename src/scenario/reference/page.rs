//! The reference as a page: one section per field of a scenario, its choices, and their fields in a table.

use super::{default, fields, holds};
use crate::fields::walk::types;
use crate::fields::{Choice, Declared, Field, Form, Kind, Type, first_sentence, paragraphs};
use crate::scenario::Scenario;

const HEAD: &str = "\
# Fields of a scenario

Every field, its limits, its default and what it means. [README.md](README.md) says how a file is written and what durations, speeds and paths
look like; `rankguard fields NAME` prints any part of this page. Fields without a default must be given: what the paper states is never assumed
silently. A number out of its limits is refused.

This page is made from the declarations in the code; `UPDATE_GOLDEN=1 cargo test --release --lib the_page` writes it.

";

/// One line of a table of fields: the same field may belong to several choices.
struct Row {
    choices: Vec<&'static str>,
    of: &'static Type,
    choice: Option<&'static Choice>,
    field: &'static Field,
}

/// The page, in Markdown.
pub fn page() -> String {
    let Kind::Named(of) = Scenario::kind() else { return String::new() };
    let rows: Vec<Row> = fields().iter().map(|field| Row { choices: vec![], of, choice: None, field }).collect();
    let sections: String = fields().iter().map(|field| section(of, field)).collect();
    format!("{HEAD}{}{sections}", table(&rows))
}

fn section(of: &'static Type, field: &'static Field) -> String {
    let kind = (field.kind)();
    let default = default(of, None, field).map_or(String::new(), |default| format!(" Default: {}.", in_code(&default)));
    let reason = Some(field.limits.sentence()).filter(|reason| !reason.is_empty()).map_or(String::new(), |reason| format!(" {reason}"));
    let head = format!(
        "\n## {}\n\n{}\n\nType: {}.{reason}{default} Example: `{}`\n",
        field.name,
        paragraphs(field.docs).join("\n\n"),
        type_above(kind, field),
        field.line()
    );
    let Kind::Named(of) = kind.peeled() else { return head };
    match anchor(of) == field.name {
        true => head + &body(of, field.docs) + &nested(of, field.name),
        false => head,
    }
}

/// The type of a field at the head of its section, which goes on with the choices or fields.
fn type_above(kind: Kind, field: &Field) -> String {
    let is_list = matches!(kind, Kind::List(_));
    match kind.peeled() {
        Kind::Named(of) if anchor(of) == field.name => match (&of.form, is_list) {
            (Form::Choices(_), false) => "one of the choices below".into(),
            (Form::Choices(_), true) => "list of choices below".into(),
            (Form::Fields(_), false) => "the fields below, in round brackets".into(),
            (Form::Fields(_), true) => "list of the fields below, each time in round brackets".into(),
        },
        _ => holds(kind, &field.limits, &linked),
    }
}

/// The sections of the types inside that belong to this section.
fn nested(of: &'static Type, section: &str) -> String {
    let inside = types(Kind::Named(of)).into_iter().skip(1).filter(|inner| home(inner) == section && !is_told_inline(inner));
    inside.map(|inner| format!("\n### {}\n{}", inner.name, body(inner, &[]))).collect()
}

/// The documentation and the parts of a type. Paragraphs of `said` stand above it already and are left out.
fn body(of: &'static Type, said: &[&str]) -> String {
    let said = paragraphs(said);
    let docs: String = paragraphs(of.docs).iter().filter(|docs| !said.contains(docs)).map(|docs| format!("\n{docs}\n")).collect();
    match of.form {
        Form::Fields(fields) => {
            let rows: Vec<Row> = fields.iter().map(|field| Row { choices: vec![], of, choice: None, field }).collect();
            format!("{docs}\n{}", table(&rows))
        }
        Form::Choices(choices) => format!("{docs}\n{}{}", choices_table(choices), fields_table(of, choices)),
    }
}

fn choices_table(choices: &'static [Choice]) -> String {
    let holds_one = |choice: &Choice| {
        let inner = choice.inner().map(|inner| holds((inner.kind)(), &inner.limits, &linked));
        inner.map_or(String::new(), |inner| format!(" It holds a {inner}."))
    };
    let row = |choice: &Choice| cells(&[&format!("`{}`", choice.example()), &(paragraphs(choice.docs).join(" ") + &holds_one(choice))]);
    format!("| choice | meaning |\n|---|---|\n{}", choices.iter().map(row).collect::<String>())
}

fn fields_table(of: &'static Type, choices: &'static [Choice]) -> String {
    let mut rows: Vec<Row> = Vec::new();
    for choice in choices {
        for field in choice.fields.iter().filter(|field| !field.name.is_empty()) {
            let same = |row: &&mut Row| row.field.name == field.name && row.field.docs == field.docs && row.field.tokens == field.tokens;
            match rows.iter_mut().find(same) {
                Some(row) => row.choices.push(choice.name),
                None => rows.push(Row { choices: vec![choice.name], of, choice: Some(choice), field }),
            }
        }
    }
    if rows.is_empty() { String::new() } else { format!("\n{}", table(&rows)) }
}

fn table(rows: &[Row]) -> String {
    let has_choices = rows.iter().any(|row| !row.choices.is_empty());
    let head = if has_choices {
        "| of | field | type | default | meaning | example |\n|---|"
    } else {
        "| field | type | default | meaning | example |\n|"
    };
    let rows: String = rows.iter().map(row).collect();
    format!("{head}---|---|---|---|---|\n{rows}")
}

fn row(row: &Row) -> String {
    let Row { choices, of, choice, field } = row;
    let kind = (field.kind)();
    let is_section = of.name == "Scenario";
    let name = if is_section { format!("[`{0}`](#{0})", field.name) } else { format!("`{}`", field.name) };
    let default = default(of, *choice, field).map_or(String::new(), |default| in_code(&default));
    let docs =
        if is_section { first_sentence(field.docs) } else { format!("{} {}", paragraphs(field.docs).join(" "), field.limits.sentence()) };
    let told = if let Kind::Named(inner) = kind.peeled() { inline(inner) } else { String::new() };
    let columns = [name, holds(kind, &field.limits, &linked), default, docs.trim_end().to_owned() + &told, format!("`{}`", field.line())];
    let of = choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
    let of = Some(of).filter(|of| !of.is_empty());
    cells(&of.iter().chain(&columns).map(String::as_str).collect::<Vec<_>>())
}

/// A default as code. `none` is a word and not a value, so it stays plain.
fn in_code(default: &str) -> String {
    if default == "none" { default.into() } else { format!("`{default}`") }
}

fn cells(columns: &[&str]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| column.replace('|', "\\|")).collect();
    format!("| {} |\n", columns.join(" | "))
}

/// The explanation of an enum of plain names inside the row of the only field that has it.
fn inline(of: &Type) -> String {
    let Form::Choices(choices) = of.form else { return String::new() };
    if !is_told_inline(of) {
        return String::new();
    }
    let told = choices.iter().map(|choice| format!(" `{}`: {}", choice.name, paragraphs(choice.docs).join(" ")));
    told.collect()
}

fn is_told_inline(of: &Type) -> bool {
    let is_plain = matches!(of.form, Form::Choices(choices) if choices.iter().all(|choice| choice.fields.is_empty()));
    is_plain && anchor(of) != home(of) && n_uses(of) == 1
}

fn n_uses(of: &Type) -> usize {
    let is_it = |field: &&Field| matches!((field.kind)().peeled(), Kind::Named(used) if used.name == of.name);
    types(Scenario::kind()).into_iter().flat_map(Type::all_fields).filter(is_it).count()
}

/// The section that explains a type: that of the first field that contains it at any depth.
fn home(of: &Type) -> &'static str {
    let holds_it = |field: &&Field| types((field.kind)()).iter().any(|inner| inner.name == of.name);
    fields().iter().find(holds_it).map_or("", |field| field.name)
}

/// The anchor of a type's heading.
fn anchor(of: &Type) -> String {
    let is_it = |field: &&Field| matches!((field.kind)().peeled(), Kind::Named(held) if held.name == of.name);
    fields().iter().find(is_it).map_or(of.name.to_lowercase(), |field| field.name.into())
}

fn linked(of: &Type, _: bool) -> String {
    match of.form {
        Form::Choices(choices) if is_told_inline(of) => {
            choices.iter().map(|choice| format!("`{}`", choice.name)).collect::<Vec<_>>().join(" or ")
        }
        Form::Choices(_) | Form::Fields(_) => format!("[{}](#{})", of.name, anchor(of)),
    }
}
