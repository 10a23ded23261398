//! What other files in RON, such as sweeps, need to walk through their text and to explain mistakes as scenarios do.

use super::brackets::Mistake;
use super::explain::diagnose;
pub use super::explain::{list, nearest, pointed};
pub use super::locate::{Group, Item, group};
use super::parse::ron_options;
use super::reference;
pub use super::source::tokens;
use super::source::{offset, skip_blank};
use serde::de::IgnoredAny;

/// The names of a scenario's top-level fields.
pub fn field_names() -> Vec<&'static str> {
    reference::fields().iter().map(|field| field.name).collect()
}

/// Checks that brackets, commas and quotes are right, whatever the names and types. A mistake is a byte offset and a message.
pub fn check_syntax(text: &str) -> Result<(), (usize, String)> {
    let Err(error) = ron_options().from_str::<IgnoredAny>(text) else { return Ok(()) };
    let at = offset(text, error.span.start.line, error.span.start.col);
    let reached = skip_blank(text, offset(text, error.span.end.line, error.span.end.col));
    // Whatever is missing at the end of the text, a bracket is open there.
    let mistake = if reached == text.len() { Mistake { at: reached, code: ron::Error::Eof } } else { Mistake { at, code: error.code } };
    Err(diagnose(text, &mistake))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(), (usize, &str)>) {
        assert_eq!(check_syntax(text), expect.map_err(|(at, message)| (at, message.to_owned())));
    }

    #[test]
    fn only_syntax_is_checked() {
        check("(name: \"x\", axes: [Axis(a: [B(c: 1.0), D, (\"l\", E(-3))]), Zip(name: \"n\", values: [])],)", Ok(()));
        check("(a: 1 b: 2)", Err((6, "a comma or a closing bracket is missing before this")));
        check("(a: [1, 2)", Err((9, "a comma or a closing bracket is missing before this")));
        check("(a: [1, 2]", Err((0, "this bracket is never closed")));
        check("(a: \"x, b: \n2)", Err((4, "this text does not end on its line; close it with `\"`")));
    }

    #[test]
    fn fields_are_known_by_name() {
        let names = field_names();
        assert!(names.contains(&"defense") && names.contains(&"seed") && !names.contains(&"kappa"));
    }
}
