//! Random values of any declared type, as text, for property tests.

use super::{Choice, Field, Form, Kind, Limits, Type};

/// Draws a number below the given one, which is not 0.
pub type Draw<'a> = &'a mut dyn FnMut(u64) -> u64;

/// How deeply a type may be nested in itself through lists.
const MAX_DEPTH: u32 = 8;

/// The text of a random value within the limits. Half of all fields take the value of their example, so that many results make sense.
pub fn random(kind: Kind, limits: &Limits, draw: Draw) -> String {
    value(kind, limits, 0, draw)
}

fn value(kind: Kind, limits: &Limits, depth: u32, draw: Draw) -> String {
    match kind {
        Kind::Number => format!("{:?}", number(limits, draw)),
        Kind::Whole { max } => whole(limits, max, draw).to_string(),
        Kind::Switch => (draw(2) == 0).to_string(),
        Kind::Text => format!("{:?}", format!("{:x}", draw(u64::MAX))),
        Kind::Quantity(quantity) => format!("{:?}", (quantity.show)(quantity_number(limits, draw))),
        Kind::List(inner) => {
            let n = if depth < MAX_DEPTH { draw(4) } else { 0 };
            let items: Vec<String> = (0..n).map(|_| value(inner(), limits, depth + 1, draw)).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Optional(inner) => {
            if draw(3) == 0 {
                "None".into()
            } else {
                value(inner(), limits, depth, draw)
            }
        }
        Kind::Pair(a, b) => format!("({}, {})", value(a(), limits, depth + 1, draw), value(b(), limits, depth + 1, draw)),
        Kind::Named(Type { form: Form::Fields(fields), all_optional, .. }) => {
            format!("({})", fields_text(fields, *all_optional, depth, draw))
        }
        Kind::Named(Type { form: Form::Choices(choices), .. }) => {
            let Choice { name, fields, .. } = &choices[draw(choices.len() as u64) as usize];
            if fields.is_empty() { (*name).into() } else { format!("{name}({})", fields_text(fields, false, depth, draw)) }
        }
    }
}

fn fields_text(fields: &[Field], all_optional: bool, depth: u32, draw: Draw) -> String {
    let mut written = Vec::new();
    for field in fields {
        if (field.is_optional || all_optional) && draw(3) == 0 {
            continue;
        }
        let text = if draw(2) == 0 { field.example() } else { value((field.kind)(), &field.limits, depth + 1, draw) };
        written.push(field.with(&text));
    }
    written.join(", ")
}

/// A number at an end of the limits, or between them.
fn number(limits: &Limits, draw: Draw) -> f64 {
    let (low, high) = limits.ends();
    let (from, to) = (low.unwrap_or(-1e300), high.unwrap_or(1e300));
    let unit = draw(1 << 53) as f64 / (1u64 << 53) as f64;
    let candidates = [from, to, from + unit * (to - from), from + unit * (to - from).min(1.0), 3.0, 1e-300];
    let first = draw(candidates.len() as u64) as usize;
    let drawn = candidates.iter().cycle().skip(first).take(candidates.len()).copied().find(|&x| limits.contain(x));
    drawn.unwrap_or(from + 0.5 * (to - from))
}

fn whole(limits: &Limits, max: u64, draw: Draw) -> u64 {
    let (low, high) = limits.ends();
    let (from, to) = (low.unwrap_or(0.0) as u64, high.map_or(max, |high| high as u64));
    match draw(3) {
        0 => from,
        1 => to,
        _ => from + draw((to - from).min(1000) + 1),
    }
}

/// A number from a millionth to some billions: seconds of a duration, or bits per second of a speed.
fn quantity_number(limits: &Limits, draw: Draw) -> f64 {
    let scale = [1e-6, 1e-3, 1.0, 60.0, 3600.0, 86_400.0, 1e9];
    let value = scale[draw(scale.len() as u64) as usize] * (1 + draw(9)) as f64;
    if limits.contain(value) { value } else { limits.ends().1.map_or(1.0, |high| high / 2.0) }
}
